"""The ways that may lead an object into an instance: what to try, as data, and how it is done."""
from __future__ import annotations

import _ast

from .guess import parameters
from .recipe import Recipe
from .record import NamedTuple
from .wraps import FEW, ON_ORIGINAL, WRAPS, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

    from .recipe import Key

    Put = Callable[[Any, Any], Any]
    Make = Callable[[Any], Any]

X = "X"  # in a shape: where the object goes


class Way(NamedTuple):
    kind: str  # argument, attribute, content, method, result, statement
    name: str
    shape: Tuple[Any, ...]  # of a call of a method; filler and key of an argument
    wrap: str

    def place(self) -> str:
        """What it is called, without how the object is wrapped."""
        if self.kind == "argument":
            return "argument %s" % self.name
        if self.kind == "attribute":
            return "attribute %s" % self.name
        if self.kind == "content":
            return "contents of %s" % self.name
        if self.kind == "result":
            return "result of %s()" % self.name
        if self.kind == "statement":
            return "--link"
        words = ["object" if item == X else repr(item) for item in self.shape]
        return "%s(%s)" % (self.name, ", ".join(words))

    def text(self) -> str:
        return " ".join(filter(None, (self.place(), self.wrap)))


# ---- Doing it -----------------------------------------------------------------------------------

def _put_into(container: Any, value: Any) -> None:
    if isinstance(container, list):
        container.append(value)
    elif isinstance(container, dict):
        container["gctax"] = value
    elif isinstance(container, set):
        container.add(value)
    else:
        raise TypeError("no container of objects")


def putter(way: Way, statement: Optional[Callable[[Any, Any], None]]) -> Optional[Put]:
    """put(instance, value), or None where an object goes in at construction alone."""
    name, shape, kind = way.name, way.shape, way.wrap
    if way.kind == "attribute":
        return lambda self, value: setattr(self, name, wrap(kind, value))
    if way.kind == "content":
        return lambda self, value: _put_into(getattr(self, name), wrap(kind, value))
    if way.kind == "method":
        return lambda self, value: getattr(self, name)(
            *[wrap(kind, value) if item == X else item for item in shape])
    if way.kind == "result":
        return lambda self, value: _put_into(getattr(self, name)(), wrap(kind, value))
    if way.kind == "statement":
        return statement
    return None


def maker(way: Way, recipe: Recipe, callee: Any) -> Optional[Make]:
    """make(value), for arguments of the constructor."""
    if way.kind != "argument":
        return None
    key: Key = way.shape[0]
    fillers: Dict[Key, Any] = dict(way.shape[1])
    original = recipe.arguments.get(key, lambda: None)

    def make(value: Any) -> Any:
        return recipe.make({**fillers, key: wrap(way.wrap, value, original())}, callee)
    return make


def statement_of(source: str, scope: Dict[str, Any]) -> Callable[[Any, Any], None]:
    """What --link says as a function of a and b, whose inner functions and comprehensions see both.
    Raises SyntaxError."""
    tree: Any = compile("def link(a, b): pass", "<link>", "exec", _ast.PyCF_ONLY_AST)
    given: Any = compile(source, "<link>", "exec", _ast.PyCF_ONLY_AST)
    tree.body[0].body = given.body or tree.body[0].body
    names: Dict[str, Any] = {}
    exec(compile(tree, "<link>", "exec"), scope, names)
    link: Callable[[Any, Any], None] = names["link"]
    return link


# ---- What there is to try -----------------------------------------------------------------------

def argument_ways(recipe: Recipe, callee: Any) -> Iterator[List[Way]]:
    """Lists of ways into one place: the first that works is enough."""
    if recipe.callee is None:
        return
    for key in recipe.arguments:
        name = str(key + 1) if isinstance(key, int) else key
        yield [Way("argument", name, (key, ()), kind) for kind in (*WRAPS, ON_ORIGINAL)]
    required, optional = parameters(callee)
    names = required + optional
    given = recipe.positional()
    yield [Way("argument", str(given + 1), (given, ()), kind) for kind in WRAPS]
    for filler in (None, "", 0):
        yield [Way("argument", str(given + 2), (given + 1, ((given, filler),)), kind)
               for kind in WRAPS]
    for name in names[given:]:
        if name not in recipe.arguments:
            yield [Way("argument", name, (name, ()), kind) for kind in WRAPS]


NO_ATTRIBUTES = ("__class__", "__dict__", "__weakref__")


def _descriptors(type_: type) -> Iterator[str]:
    for name in dir(type_):
        kind = type(getattr(type_, name, None))
        if name not in NO_ATTRIBUTES and hasattr(kind, "__get__") and hasattr(kind, "__set__"):
            yield name


def attribute_ways(type_: type) -> Iterator[List[Way]]:
    names = list(_descriptors(type_))
    if getattr(type_, "__setattr__") is not object.__setattr__ and not type_.__dictoffset__:
        names.append("gctax_probe")  # it has its own idea of attributes
    for name in names:
        yield [Way("attribute", name, (), kind) for kind in WRAPS]
    for name in names:
        yield [Way("content", name, (), "")]


# Of the form __NAME__; operators also with an r before them.
NO_METHODS = frozenset(
    """class new reduce reduce_ex getattribute getattr setattr delattr dir format sizeof hash
    repr init_subclass subclasshook str doc del delitem delete contains getitem get bool
    len iter next copy deepcopy eq ne lt le gt ge abs neg pos invert int float index ceil
    floor trunc round getnewargs getnewargs_ex getstate length_hint reversed class_getitem
    instancecheck subclasscheck buffer release_buffer prepare""".split())
NO_OPERATORS = frozenset(
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split())
NO_SIGNALS = ("kill", "terminate", "send_signal")


def _is_left_out(name: str) -> bool:
    if name[:2] != "__" or name[-2:] != "__":
        return name in NO_SIGNALS
    bare = name[2:-2]
    return bare in NO_METHODS or bare in NO_OPERATORS or (
        bare[:1] == "r" and bare[1:] in NO_OPERATORS)


ONE: Tuple[Tuple[Any, ...], ...] = ((X,),)
TWO: Tuple[Tuple[Any, ...], ...] = (
    (0, X), ("a", X), (None, X), (b"a", X), (X, 1), (X, 0), (X, "a"), (X, None), (1.5, X))
THREE: Tuple[Tuple[Any, ...], ...] = (("a", 1, X), (0, 0, X), (1, 1, X), ("a", "a", X), (X, 1, 1))
KEYS = 8  # fields that are numbered from 0
# One key is as good as another.
CONTAINERS = ("__setitem__", "setdefault", "insert", "put")


def method_names(type_: type) -> List[str]:
    """Private methods are left out: what they are called with is their type's own business."""
    return [name for name in dir(type_)
            if not _is_left_out(name) and (name[0] != "_" or name[:2] == "__")
            and callable(getattr(type_, name, None))
            and not isinstance(getattr(type_, name), type)]


def method_ways(name: str) -> List[Way]:
    """In the order of trials; the caller leaves out what an error message makes pointless."""
    ways = [Way("method", name, shape, kind) for shape in ONE for kind in WRAPS]
    ways += [Way("method", name, shape, kind) for shape in TWO for kind in FEW]
    ways += [Way("method", name, shape, kind) for shape in THREE for kind in FEW]
    return ways


def numbered(way: Way) -> List[Way]:
    """The same way with other keys, where the first is a number and the object comes after it."""
    if way.kind != "method" or way.name in CONTAINERS or way.shape != (0, X):
        return []
    return [way._replace(shape=(key, X)) for key in range(1, KEYS)]


def option_ways(name: str, constants: Dict[str, int]) -> List[Way]:
    """Of a method that takes one of its module's constants and what it stands for."""
    if name not in ("setopt", "set_option", "setoption"):
        return []
    return [Way("method", name, (number, X), "in a callable")
            for constant, number in constants.items()
            if any(word in constant for word in ("FUNC", "CALLBACK", "DATA", "PRIVATE"))]


def arity(message: str) -> Optional[Tuple[int, int]]:
    """The least and the most arguments that a TypeError says are taken."""
    if any(words in message for words in ("takes no arguments", "takes no keyword arguments",
                                          "takes 0 ")):
        return 0, 0
    if "exactly one argument" in message:
        return 1, 1
    words = message.split(" ")
    for place, word in enumerate(words):
        if not word.endswith(("expected", "takes", "requires")):
            continue
        rest = words[place + 1:place + 6]
        bound = rest.pop(0) if rest[:1] == ["exactly"] else ""
        if rest[:2] in (["at", "least"], ["at", "most"]):
            bound, rest = rest[1], rest[2:]
        following = rest[2:] if rest[1:2] == ["positional"] else rest[1:]
        if not rest or not rest[0].isdigit() or not "".join(following[:1]).startswith("argument"):
            continue
        number = int(rest[0])
        if bound == "least":
            return number, 9
        return (0, number) if bound == "most" else (number, number)
    return None
