"""What an object is put into where a place asks for something else than any object: one that the
place takes and that holds it."""
from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Tuple


class Holder:
    """Callable, iterable, a file, a mapping without keys, an iterator at its end, a codec: what
    calls it gets nothing back that could be kept."""

    __slots__ = ("value", "__weakref__")
    closed = False
    name = mode = "gctax"
    encoding = "utf-8"
    errors = "strict"
    newlines = None

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        return None

    def __iter__(self) -> Any:
        return iter((self.value,))

    def __next__(self) -> Any:
        raise StopIteration

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)

    def __reduce__(self) -> Any:
        return object, ()  # a pickler has no need to look inside

    def nothing(self, *arguments: Any, **keywords: Any) -> Any:
        return b""

    def yes(self, *arguments: Any) -> bool:
        return True

    def no(self, *arguments: Any) -> bool:
        return False

    def number(self, *arguments: Any) -> int:
        return 0

    def text(self, *arguments: Any, **keywords: Any) -> str:
        return ""

    def state(self, *arguments: Any) -> Tuple[bytes, int]:
        return b"", 0

    def ignore(self, *arguments: Any) -> None:
        return None

    read = read1 = readline = encode = nothing
    readable = writable = yes
    seekable = isatty = no
    write = tell = seek = truncate = readinto = number
    decode = text
    getstate = state
    setstate = reset = close = flush = ignore


class Text(str):
    __slots__ = ("held",)
    held: Any


class Data(bytes):
    held: Any


class Number(int):
    held: Any


class Real(float):
    held: Any


class Failure(Exception):
    held: Any


def _subclass(kind: Callable[[Any], Any], base: type, default: Any) -> Callable[[Any, Any], Any]:
    def wrap(value: Any, original: Any) -> Any:
        held = kind(original if isinstance(original, base) else default)
        held.held = value
        return held
    return wrap


_zones: List[Any] = []


def _zone_type() -> Any:
    """A subclass of tzinfo. What takes one has imported datetime."""
    module: Any = sys.modules.get("datetime") or sys.modules.get("_datetime")
    if module is None:
        raise TypeError("nothing here takes a tzinfo")
    if not _zones:
        def no_time(self: Any, when: Any) -> Any:
            return module.timedelta(0)

        _zones.append(type("Zone", (module.tzinfo,), {
            "utcoffset": no_time, "dst": no_time, "tzname": lambda self, when: "gctax",
            "__reduce__": lambda self: (object, ())}))
    return _zones[0]


def _zone(value: Any, original: Any) -> Any:
    held = _zone_type()()
    held.held = value
    return held


def _original(value: Any, original: Any) -> Any:
    """The argument itself, which takes attributes or items."""
    if hasattr(original, "append"):
        original.append(value)
    elif hasattr(original, "__setitem__"):
        original["gctax"] = value
    else:
        original.gctax_held = value
    return original


def _list(value: Any, original: Any) -> Any:
    return [*original, value] if isinstance(original, list) else [value]


def _tuple(value: Any, original: Any) -> Any:
    return (*original[:-1], value) if isinstance(original, tuple) else (value,)


def _dict(value: Any, original: Any) -> Any:
    return {**original, "gctax": value} if isinstance(original, dict) else {"gctax": value}


# wrap(value, original): an object for the place of `original` (the argument there, else None).
# In the order of trials.
WRAPS: Dict[str, Callable[[Any, Any], Any]] = {
    "": lambda value, original: value,
    "in a callable": lambda value, original: Holder(value),
    "in a str subclass": _subclass(Text, str, "a"),
    "in a bytes subclass": _subclass(Data, bytes, b"a"),
    "in a list": _list,
    "in a tuple": _tuple,
    "in a dict": _dict,
    "in a set": lambda value, original: {value},
    "in an int subclass": _subclass(Number, int, 1),
    "in a float subclass": _subclass(Real, float, 1.0),
    "in a tzinfo": _zone,
    "in an exception": _subclass(Failure, str, "a"),
}
# Of an argument of the recipe only.
ON_ORIGINAL = "in the argument itself"

# For places of which there are many, a few are tried.
FEW = ("", "in a callable")


def prepare(name: str) -> None:
    """Makes what the first wrap would make, so that no probe counts it."""
    if name == "in a tzinfo":
        _zone_type()


def wrap(name: str, value: Any, original: Any = None) -> Any:
    if name == ON_ORIGINAL:
        return _original(value, original)
    return WRAPS[name](value, original)
