"""--all-of: the compiled types that a module leads to, each as a target."""
from __future__ import annotations

from types import FunctionType, ModuleType

from . import children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Tuple

# What a call without arguments does not come back from, or what must not be done.
NEVER_CALLED = ("fork", "forkpty", "abort", "_exit", "exit", "quit", "breakpoint", "input", "sync",
                "pause", "reboot", "help", "main", "vfork", "setsid", "posix_spawn")
BUILTIN = type(len)


def is_python_class(type_: type) -> bool:
    """Was it made by a class statement? Compiled code is not what that runs."""
    own = vars(type_)
    if "__slots__" in own or "__firstlineno__" in own:
        return True
    if any(isinstance(value, FunctionType) for value in own.values()):
        return True
    return "__weakref__" in own and "__dict__" in own


def _types(module: ModuleType) -> Iterator[Tuple[str, type]]:
    """Named types of the module, and those inside of them."""
    seen: Dict[int, None] = {}
    queue: List[Tuple[str, Any]] = sorted(vars(module).items())
    while queue:
        path, value = queue.pop(0)
        if not isinstance(value, type) or id(value) in seen:
            continue
        seen[id(value)] = None
        if not is_python_class(value):
            yield path, value
        if path.count(".") < 2:
            queue += [("%s.%s" % (path, name), inner) for name, inner in sorted(vars(value).items())
                      if not name.startswith("__")]


def _of(module: ModuleType, type_: type) -> bool:
    """Is it the module's own, rather than imported?"""
    def package(name: str) -> str:
        return name.partition(".")[0].strip("_")

    home = getattr(type_, "__module__", None)
    return isinstance(home, str) and package(home) == package(module.__name__)


def _functions(module: ModuleType, known: List[type], close: List[int]) -> List[str]:
    """Functions of the module that make instances of types that have no name in it."""
    names = [name for name, value in sorted(vars(module).items())
             if isinstance(value, BUILTIN) and name.lower() not in NEVER_CALLED]
    done: Dict[str, None] = {}
    found: List[str] = []
    for _ in range(8):
        def work(tell: children.Tell) -> None:
            seen = list(known)
            for name in names:
                if name in done:
                    continue
                tell([name, False])
                try:
                    made = getattr(module, name)()
                except BaseException:
                    continue
                new = type(made) not in seen and _of(module, type(made)) \
                    and not is_python_class(type(made))
                if new:
                    seen.append(type(made))
                    keep.append(made)
                tell([name, new])

        keep: List[Any] = []
        told = children.run(work, close)
        for name, new in told.messages:
            done[name] = None
            if new:
                found.append(name)
        if not told.end:
            break
    return sorted(set(found))


def find(module: ModuleType, close: List[int]) -> List[str]:
    """Targets: MODULE:EXPR each."""
    types = [(path, type_) for path, type_ in _types(module) if _of(module, type_)]
    functions = _functions(module, [type_ for _, type_ in types], close)
    return ["%s:%s" % (module.__name__, path) for path, _ in types] + \
        ["%s:%s()" % (module.__name__, name) for name in functions]
