"""Arguments that a type might take, where a call without any fails.

Only types are tried: a function may do anything. No guess is a path; what is tried is tried in a
child, in an empty folder.
"""
import ast
import itertools
import re
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
    (r"func|function|callable|callback|target|predicate|factory|hook", CALLABLE),
    (r"key|timer", CALLABLE),
    (r"iter|iterable|iterator|seq|sequence|it|values|items|args", "(object(), object())"),
    (r"file|fp|fobj|raw|buffer|stream|fileobj|reader|writer", BINARY),
    (r"str|string|text|name|pattern|format|fmt|prefix|title|encoding|code", "'a'"),
    (r"bytes|data|b", "b'a'"),
    (r"n|size|length|maxsize|count|number|times|level|start|stop|step|index|typecode_size", "1"),
    (r"year|month|day|hour|minute|second", "1"),
    (r"typecode", "'i'"),
    (r"mapping|dict|map|d|kwargs|namespace|globals|vars", "{}"),
    (r"bases", "()"),
    (r"cls|type|class", "int"),
)


def _of_name(name: str) -> str:
    for pattern, value in NAMED:
        if re.fullmatch(pattern, name.strip("_").lower()):
            return value
    return ANYTHING


def parameters(callee: Any) -> Tuple[List[str], List[str]]:
    """The parameters that its text signature or its docstring names: required and optional."""
    doc = getattr(callee, "__doc__", None) or ""
    signature = getattr(callee, "__text_signature__", None)
    if isinstance(signature, str):
        return _parse_signature(signature)
    name = getattr(callee, "__name__", "")
    line = re.search(r"(?m)^\s*(?:\w+\.)*%s\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"
                     % re.escape(name), doc) if isinstance(doc, str) and name else None
    return _parse_docstring(line.group(1)) if line else ([], [])


def _parse_signature(signature: str) -> Tuple[List[str], List[str]]:
    clean = re.sub(r"\$?\b(self|module|type|cls)\b,?\s*(/,?)?", "", signature, count=1) \
        if signature.startswith("($") else signature
    try:
        tree = ast.parse("def f%s: pass" % clean.replace("<unrepresentable>", "None"))
    except SyntaxError:
        return [], []
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    plain = [arg.arg for arg in function.args.posonlyargs + function.args.args]
    required = plain[:len(plain) - len(function.args.defaults)]
    keywords = [arg.arg for arg in function.args.kwonlyargs]
    return required, plain[len(required):] + keywords


def _parse_docstring(inside: str) -> Tuple[List[str], List[str]]:
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
