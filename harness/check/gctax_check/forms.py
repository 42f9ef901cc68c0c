"""The forms in which a type is probed: itself, an empty Python subclass, one with __slots__."""
from __future__ import annotations

from . import children, ways, wraps
from .recipe import Recipe
from .record import NamedTuple
from .slots import Subject
from .ways import Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

SLOT = "gctax_slot"
NO_BASE = 1 << 10  # the type's flags say so where Py_TPFLAGS_BASETYPE is missing


class Form(NamedTuple):
    name: str
    type: type
    callee: Any  # None: the recipe's own
    extra: Tuple[str, ...]  # attributes of its own that take any object


class Missing(NamedTuple):
    name: str
    reason: str


def _callee_of(recipe: Recipe, type_: type, subclass: type) -> Any:
    """What makes instances of the subclass as the recipe makes those of the type."""
    if recipe.callee is None:
        raise TypeError("the call cannot be taken apart")
    callee = recipe.callee()
    if callee is type_:
        return subclass
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, type) and issubclass(type_, owner):
        return getattr(subclass, callee.__name__)
    # That the type can be called at all does not make what comes of it a whole instance.
    raise TypeError("instances are made by %s(), not by a call of the type"
                    % getattr(callee, "__name__", type(callee).__name__))


def _derive(name: str, type_: type, slots: Optional[Tuple[str, ...]]) -> type:
    namespace: Dict[str, Any] = {"__module__": "gctax_check"}
    if slots is not None:
        namespace["__slots__"] = slots
    return type(type_)(name, (type_,), namespace)


def _derive_with_slots(type_: type) -> Tuple[type, Tuple[str, ...]]:
    try:
        return _derive("slots", type_, (SLOT,)), (SLOT,)
    except TypeError:
        return _derive("slots", type_, ()), ()  # of variable size


def build(recipe: Recipe, type_: type, close: List[int]) -> Tuple[List[Form], List[Missing]]:
    """What there is of them; that each works was seen in a child."""
    forms = [Form("type", type_, None, ())]
    missing: List[Missing] = []
    if not type_.__flags__ & NO_BASE:
        return forms, [Missing(name, "cannot be subclassed") for name in ("subclass", "slots")]
    for name in ("subclass", "slots"):
        def attempt() -> Form:
            extra: Tuple[str, ...] = ()
            if name == "slots":
                derived, extra = _derive_with_slots(type_)
            else:
                derived = _derive("subclass", type_, None)
            return Form(name, derived, _callee_of(recipe, type_, derived), extra)

        def work(tell: children.Tell) -> None:
            try:
                form = attempt()
                one = recipe.make({}, form.callee)
                if type(one) is not form.type:
                    tell("the same arguments make a %s" % type(one).__name__)
                keep.append(one)
            except BaseException as error:
                tell(str(error))

        keep: List[Any] = []
        told = children.run(work, close)
        if told.end or told.messages:
            missing.append(Missing(name, told.messages[0] if told.messages else told.end))
        else:
            forms.append(attempt())
    return forms, missing


def subject_of(form: Form, recipe: Recipe, slots: List[Way],
               statement: Optional[Callable[[Any, Any], None]],
               destroyed: Optional[Callable[[], int]]) -> Tuple[Any, ...]:
    """(name, make, slots, destroyed), as gctax_probe takes it."""
    places: List[Tuple[Any, ...]] = []
    for way in slots:
        wraps.prepare(way.wrap)
        put = ways.putter(way, statement)
        make = ways.maker(way, recipe, form.callee)
        places.append((way.text(), put) if make is None else (way.text(), put, make))
    for name in form.extra:
        places.append((name, lambda self, value, name=name: setattr(self, name, value)))
    return form.name, lambda: recipe.make({}, form.callee), places, destroyed


__all__ = ["Form", "Missing", "Subject", "build", "subject_of"]
