"""From the words of a command line to a way of making instances."""
from __future__ import annotations

import builtins
import os
import sys
from types import ModuleType

from . import children, guess
from .options import ENVIRONMENT, Options, Refused
from .recipe import Recipe, call_of, is_call
from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Tuple

    from .recipe import Scope

TRIALS_AT_ONCE = 400
RESTARTS = 6  # after a guess that crashed or hung
OURS = ("gctax_ext", "gctax_faults")  # modules whose types go by their plain names


class Untested(Exception):
    """The target is there, but no instance of it can be made: what to give."""


class Target(NamedTuple):
    name: str  # as the user wrote it
    module: ModuleType
    recipe: Recipe
    type: type


def line(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return type(error).__name__ + (": " + text if text else "")


def add_paths(options: Options) -> None:
    sys.path[:0] = [os.path.abspath(path) for path in options.paths]
    if options.venv is None:
        return
    import sysconfig
    flags = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    packages = "lib/python%d.%d%s/site-packages" % (*sys.version_info[:2], flags)
    directory = os.path.abspath(os.path.join(options.venv, packages))
    if not os.path.isdir(directory):
        raise Refused("--venv %s has no %s: it was made for another interpreter"
                      % (options.venv, packages), ENVIRONMENT)
    import site
    site.addsitedir(directory)


def _import(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


def import_module(name: str, venv: bool) -> ModuleType:
    """Imports it; where it is not found and no virtual environment was given, once more with what
    site adds."""
    try:
        try:
            return _import(name)
        except ModuleNotFoundError:
            if venv:
                raise
        import site
        site.main()
        return _import(name)
    except ModuleNotFoundError as error:
        raise Refused("cannot import module '%s': %s (--path DIR or --venv DIR says where modules "
                      "are)" % (name, line(error)), ENVIRONMENT) from None
    except BaseException as error:
        raise Refused("cannot import module '%s': %s" % (name, line(error)), ENVIRONMENT) from None


def _split(name: str) -> Tuple[str, str]:
    """MODULE and EXPR of a target."""
    module, colon, source = name.partition(":")
    if colon:
        if not module or not source:
            raise Refused("target '%s' is not MODULE:EXPR" % name)
        return module, source
    for ours in OURS:
        if name.isidentifier() and hasattr(_import(ours), name):
            return ours, name
    raise Refused("target '%s' is no variant of this release, and not MODULE:EXPR" % name)


def _evaluate(source: str, scope: Scope) -> Any:
    try:
        return eval(compile(source, "<target>", "eval"), scope)
    except BaseException as error:
        raise Refused("expression '%s' raises %s" % (source, line(error))) from None


class _Trial(NamedTuple):
    """How the call of one argument list ended: what it gave, or what it raised."""
    number: int
    made: bool
    shared: bool
    raised: str


def _try(recipes: List[Tuple[int, str]], scope: Scope, any_type: Optional[type]) -> List[_Trial]:
    """Tries calls, one after another, until one makes instances: the last of the list then."""
    trials: List[_Trial] = []
    rest = recipes
    for _ in range(RESTARTS):
        def work(tell: children.Tell) -> None:
            for index, source in rest:
                tell([index, "begins", ""])
                try:
                    recipe = Recipe(source, scope)
                    one, other = recipe.make(), recipe.make()
                except BaseException as error:
                    tell([index, "raises", line(error)])
                    continue
                if any_type is not None and not isinstance(one, any_type):
                    tell([index, "raises", "it makes a %s" % type(one).__name__])
                    continue
                tell([index, "shared" if one is other else "made", ""])
                if one is not other:
                    keep.append((one, other))  # how it dies is no matter here
                    return

        keep: List[Any] = []
        told = children.run(work, [])
        began = -1
        for index, how, raised in told.messages:
            began = index
            if how != "begins":
                trials.append(_Trial(index, how == "made", how == "shared", raised))
        if trials and trials[-1].made:
            break
        if not told.end:
            break
        if not trials or trials[-1].number != began:
            trials.append(_Trial(began, False, False, "it " + told.end))
        rest = [pair for pair in rest if pair[0] > began]
        if not rest:
            break
    return trials


def _choose(source: str, scope: Scope, given: bool) -> str:
    """The source of a call that makes instances. `source` is a call where `given`."""
    if given:
        calls = [source]
        callee = None
    else:
        callee = _evaluate(source, scope)
        if not callable(callee):
            raise Refused("'%s' is a %s, which cannot be called" % (source, type(callee).__name__))
        guesses = [()] if not isinstance(callee, type) else guess.arguments(callee)
        calls = [call_of(source, list(arguments)) for arguments in guesses]
    numbered = list(enumerate(calls))[:TRIALS_AT_ONCE]
    trials = _try(numbered, scope, callee if isinstance(callee, type) else None)
    if trials and trials[-1].made:
        return calls[trials[-1].number]
    first = calls[0]
    if any(trial.shared for trial in trials):
        raise Untested("shared object: %s gives the same object each time; give a call that makes "
                       "a new one: --make EXPR" % first)
    why = trials[0].raised if trials else "it was never tried"
    if given:
        raise Untested("%s raises %s" % (first, why) if ":" in why else "%s: %s" % (first, why))
    raise Untested("%s: %s; say how one is made: --make '%s(…)'" % (first, why, source))


KEPT: List[Any] = []  # the one instance of this process: how it dies is no matter here


def resolve(options: Options) -> Target:
    module_name, source = _split(options.target)
    module = import_module(module_name, options.venv is not None)
    scope = dict(vars(module))
    scope["__builtins__"] = vars(builtins)
    source = options.make if options.make is not None else source
    try:
        given = is_call(source)
    except SyntaxError as error:
        raise Refused("expression '%s' raises %s" % (source, line(error))) from None
    if given:
        try:
            Recipe(source, scope)
        except BaseException as error:
            raise Refused("expression '%s' raises %s" % (source, line(error))) from None
    chosen = _choose(source, scope, given)
    recipe = Recipe(chosen, scope)
    KEPT.append(recipe.make())
    return Target(options.target, module, recipe, type(KEPT[-1]))
