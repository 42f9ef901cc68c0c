"""Arguments that a type might take, where a call without any fails.

Only types are tried: a function may do anything. No guess is a path; what is tried is tried in a
child, in an empty folder.
"""
from __future__ import annotations

import _ast as ast
import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Tuple

ANYTHING = "object()"
CALLABLE = "lambda *a, **k: None"
BINARY = "__import__('io').BytesIO()"
TEXT = "__import__('io').StringIO()"

# Tried as the only argument, then in pairs, in this order.
SINGLE = ("None", ANYTHING, "''", "b''", "0", "1", "[]", "()", "{}", CALLABLE, BINARY, TEXT,
          "[object()]", "(object(),)", "'a'", "b'a'", "1.5", "int", "bytearray(8)", "iter(())")
PAIRED = ("None", ANYTHING, "''", "b''", "0", "1", "()", "{}", CALLABLE, BINARY)
TRIPLED = ("None", "0", "1", "''", CALLABLE)

# By what a parameter is called.
NAMED: Tuple[Tuple[str, str], ...] = (
    ("func|function|callable|callback|target|predicate|factory|hook", CALLABLE),
    ("key|timer", CALLABLE),
    ("iter|iterable|iterator|seq|sequence|it|values|items|args", "(object(), object())"),
    ("file|fp|fobj|raw|buffer|stream|fileobj|reader|writer", BINARY),
    ("str|string|text|name|pattern|format|fmt|prefix|title|encoding|code", "'a'"),
    ("bytes|data|b", "b'a'"),
    ("n|size|length|maxsize|count|number|times|level|start|stop|step|index|typecode_size", "1"),
    ("year|month|day|hour|minute|second", "1"),
    ("typecode", "'i'"),
    ("mapping|dict|map|d|kwargs|namespace|globals|vars", "{}"),
    ("bases", "()"),
    ("cls|type|class", "int"),
)


def _of_name(name: str) -> str:
    for pattern, value in NAMED:
        if name.strip("_").lower() in pattern.split("|"):
            return value
    return ANYTHING


def parameters(callee: Any) -> Tuple[List[str], List[str]]:
    """The parameters that its text signature or its docstring names: required and optional."""
    doc = getattr(callee, "__doc__", None) or ""
    signature = getattr(callee, "__text_signature__", None)
    if isinstance(signature, str):
        return _parse_signature(signature)
    name = getattr(callee, "__name__", "")
    if not isinstance(doc, str) or not name or name + "(" not in doc:
        return [], []
    import re
    line = re.search(r"(?m)^\s*(?:\w+\.)*%s\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"
                     % re.escape(name), doc)
    return _parse_docstring(line.group(1)) if line else ([], [])


def _without_first(inside: str) -> str:
    """A signature without its self, and the slash after it."""
    for name in ("self", "module", "type", "cls"):
        rest = inside[len(name):]
        if inside.startswith(name) and not rest[:1].isidentifier():
            rest = rest[rest.startswith(","):].lstrip()
            if rest.startswith("/"):
                rest = rest[1 + rest[1:].startswith(","):]
            return "(" + rest
    return "(" + inside


def _parse_signature(signature: str) -> Tuple[List[str], List[str]]:
    clean = signature.replace("<unrepresentable>", "None")
    if clean.startswith("($"):
        clean = _without_first(clean[2:])
    try:
        tree = compile("def f%s: pass" % clean, "<signature>", "exec", ast.PyCF_ONLY_AST)
    except SyntaxError:
        return [], []
    assert isinstance(tree, ast.Module)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    plain = [arg.arg for arg in function.args.posonlyargs + function.args.args]
    required = plain[:len(plain) - len(function.args.defaults)]
    keywords = [arg.arg for arg in function.args.kwonlyargs]
    return required, plain[len(required):] + keywords


def _parse_docstring(inside: str) -> Tuple[List[str], List[str]]:
    import re
    required: List[str] = []
    optional: List[str] = []
    depth = 0
    for piece in re.split(r"([\[\],])", inside):
        depth += (piece == "[") - (piece == "]")
        word = re.match(r"\s*(\w+)\s*(?:=|$|:)", piece)
        if word and (depth or "=" in piece):
            optional.append(word.group(1))
        elif word:
            required.append(word.group(1))
    return required, optional


def _by_name(callee: Any) -> Iterator[Tuple[str, ...]]:
    required, optional = parameters(callee)
    if required:
        yield tuple(map(_of_name, required))
    if optional:
        yield tuple(map(_of_name, required + optional[:1]))


def arguments(callee: Any) -> Iterator[Tuple[str, ...]]:
    """Argument lists to try, as sources, the likeliest first."""
    seen: Dict[Tuple[str, ...], None] = {(): None}
    combinations = itertools.chain(
        _by_name(callee),
        ((single,) for single in SINGLE),
        itertools.product(PAIRED, PAIRED),
        itertools.product(TRIPLED, TRIPLED, TRIPLED))
    yield ()
    for combination in combinations:
        if combination not in seen:
            seen[combination] = None
            yield combination
