"""What the standard library has, without what it brings: a checked process has few objects and few
pages, for its forked children copy them and an interpreter's end goes through them."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, NamedTuple
else:
    class NamedTuple(tuple):
        """As typing's, without defaults."""

        __slots__ = ()

        def __init_subclass__(cls):
            cls._fields = tuple(cls.__annotations__)
            for number, name in enumerate(cls._fields):
                setattr(cls, name, property(lambda self, number=number: self[number]))

        def __new__(cls, *values):
            if len(values) != len(cls._fields):
                raise TypeError("%s has %d fields" % (cls.__name__, len(cls._fields)))
            return tuple.__new__(cls, values)

        def _replace(self, **changes):
            return type(self)(*[changes.get(name, value)
                                for name, value in zip(self._fields, self)])


def _letter(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if " " <= letter <= "~":
        return letter
    number = ord(letter)
    if number < 0x10000:
        return "\\u%04x" % number
    number -= 0x10000
    return "\\u%04x\\u%04x" % (0xd800 + (number >> 10), 0xdc00 + (number & 0x3ff))


def json(value: Any) -> str:
    """In ASCII; what is none of JSON's is its text."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if type(value) in (int, float):
        return repr(value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (json(str(key)), json(item))
                                  for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(json, value))
    return '"%s"' % "".join(map(_letter, str(value)))


def matcher(patterns: str) -> Callable[[str], bool]:
    """Does one of these globs, separated by commas, fit?"""
    from fnmatch import fnmatchcase
    each: List[str] = patterns.split(",")
    return lambda text: any(fnmatchcase(text, pattern) for pattern in each)


__all__ = ["NamedTuple", "json", "matcher"]
