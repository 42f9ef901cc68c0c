"""The command line of a check: `WORKER --check -- [OPTION]… TARGET`."""
from __future__ import annotations

from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional

USAGE = 2  # exit codes, as the driver's
ENVIRONMENT = 3


class Refused(Exception):
    """Nothing can be checked: one clear line, and the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Options(NamedTuple):
    target: str
    all_of: Optional[str]
    make: Optional[str]  # how an instance is made, in place of the target's expression
    link: Optional[str]  # a statement: how `a` comes to hold `b`
    paths: List[str]
    venv: Optional[str]
    rules: Optional[str]  # patterns of rule ids, separated by commas


VALUES = ("--make", "--link", "--path", "--venv", "--rules", "--all-of")


def parse(words: List[str]) -> Options:
    given: Dict[str, str] = {}
    paths: List[str] = []
    targets: List[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            targets.append(word)
            continue
        if name not in VALUES:
            raise Refused("unknown option %s: there are %s" % (name, ", ".join(VALUES)))
        if not equals:
            if not rest:
                raise Refused("%s needs a value" % name)
            value = rest.pop(0)
        if name == "--path":
            paths.append(value)
        elif name in given:
            raise Refused("%s is given twice" % name)
        else:
            given[name] = value
    all_of = given.get("--all-of")
    if all_of is not None and targets:
        raise Refused("--all-of %s and a target: one or the other" % all_of)
    if all_of is None and len(targets) != 1:
        raise Refused("one target, not %d: MODULE:EXPR, or the name of a variant" % len(targets))
    return Options(targets[0] if targets else "", all_of, given.get("--make"),
                   given.get("--link"), paths, given.get("--venv"), given.get("--rules"))
