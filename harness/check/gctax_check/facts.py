"""What probes of a whole module need: the C module that a type is from, and fresh copies of it."""
from __future__ import annotations

import sys
from _frozen_importlib import BuiltinImporter, module_from_spec, spec_from_loader
from _frozen_importlib_external import ExtensionFileLoader
from types import ModuleType

from .recipe import Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional


def is_compiled(module: Any) -> bool:
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    return loader is BuiltinImporter or isinstance(loader, ExtensionFileLoader)


def module_of(type_: type, callee: Any, given: ModuleType) -> Optional[ModuleType]:
    """The compiled module that the type is from."""
    names = [getattr(type_, "__module__", None), getattr(callee, "__module__", None)]
    candidates = [sys.modules.get(name) for name in names if isinstance(name, str)]
    owner = getattr(callee, "__self__", None)
    for module in [*candidates, owner, given]:
        if isinstance(module, ModuleType) and is_compiled(module):
            return module
    return None


def copier(module: ModuleType) -> Callable[[], Optional[ModuleType]]:
    """copy(): a second, independent copy, or None where the module is one for the whole process."""
    spec = module.__spec__
    assert spec is not None and spec.loader is not None
    name, loader, origin = spec.name, spec.loader, spec.origin

    def copy() -> Optional[ModuleType]:
        fresh = spec_from_loader(name, loader, origin=origin)
        if fresh is None:
            return None
        made = module_from_spec(fresh)
        loader.exec_module(made)
        return None if made is module or made.__dict__ is module.__dict__ else made
    return copy


def maker_of_copy(recipe: Recipe, module: ModuleType, given: ModuleType,
                  callee: Any) -> Optional[Callable[[ModuleType], Any]]:
    """make(copy): an instance of the copy's own type, made as the recipe makes those of the
    original. None where the callee has no place in the module."""
    if module is given:
        def evaluate(copy: ModuleType) -> Any:
            scope = {**recipe.scope, **vars(copy)}
            return Recipe(recipe.source, scope).make()
        return evaluate
    for name, value in vars(module).items():
        if value is callee:
            return lambda copy: recipe.make({}, getattr(copy, name))
    return None


def source_of(recipe: Recipe, given: ModuleType) -> str:
    """A program that leaves an instance in the name `made`, for another interpreter."""
    return "import sys\n__import__(%r)\nmade = eval(%r, dict(vars(sys.modules[%r])))" % (
        given.__name__, recipe.source, given.__name__)


def gil_is_on() -> bool:
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


def gather(recipe: Recipe, type_: type, given: ModuleType, gil_was_on: bool) -> Dict[str, Any]:
    """The facts of gctax_probe.check()."""
    callee = recipe.callee() if recipe.callee is not None else None
    module = module_of(type_, callee, given)
    facts: Dict[str, Any] = {"module": None if module is None else module.__name__,
                             "make_source": source_of(recipe, given),
                             "turned_gil_on": None if gil_was_on else gil_is_on()}
    if module is not None:
        facts["copy"] = copier(module)
        facts["copy_make"] = maker_of_copy(recipe, module, given, callee)
    return facts
