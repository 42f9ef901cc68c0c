"""Which of the ways lead an object into an instance that owns it from then on.

Each is tried in a child with a plain GC-capable object: is it still referred to when the call has
returned? Who refers to it: the instance, a helper object that was made with the instance (which
then is to be checked in its own right), or somebody else (a registry, a cache)?
"""
from __future__ import annotations

import gc
import sys
import time
from types import FunctionType, ModuleType

from . import children, ways
from .recipe import Recipe
from .record import NamedTuple
from .ways import Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

MOST = 14  # slots of a target
SPENT_S = 1.0  # of processor time, for the whole search
RESTARTS = 12
AGAIN = ("__init__", "__setstate__")  # fill places that a constructor has filled
REACH = 400  # objects looked at from an instance
DEPTH = 6


class Plain:
    """Like what probes put into slots: an object that the collector tracks, without a dict."""

    __slots__ = ("__weakref__", "held")

    def __reduce__(self) -> Any:
        raise TypeError("cannot be pickled")


_BOX = [Plain()]
ALONE = sys.getrefcount(_BOX[0])  # what that says of an object that only a list refers to


class Subject(NamedTuple):
    """What slots are looked for in."""
    recipe: Recipe
    type: type
    callee: Any
    statement: Optional[Callable[[Any, Any], None]]
    constants: Dict[str, int]  # of the target's module


class Found(NamedTuple):
    slots: List[Way]
    notes: List[str]
    own_cycle: bool  # an instance does not die by its count, the collector alone destroys it
    modules: List[str]  # that instances and what they call import as they are used


# ---- One trial ----------------------------------------------------------------------------------

def _is_common(thing: Any, new: Dict[int, None]) -> bool:
    """Is it there without the instance?"""
    if isinstance(thing, (type, ModuleType, FunctionType)):
        return True
    return gc.is_tracked(thing) and id(thing) not in new


def _reach(instance: Any, value: Any) -> Tuple[bool, List[Any]]:
    """Is `value` visited by the instance or by what it made; and what it made."""
    new = dict.fromkeys(map(id, gc.get_objects()))  # the others are frozen
    found: List[Any] = []
    seen = {id(instance): None}
    level = [instance]
    for _ in range(DEPTH):
        following = []
        for thing in level:
            for referent in gc.get_referents(thing):
                if referent is value:
                    return True, []
                if id(referent) not in seen and not _is_common(referent, new):
                    seen[id(referent)] = None
                    following.append(referent)
        found += following
        level = following
        if len(found) > REACH:
            break
    return False, found


def _judge(keep: List[Any], box: List[Any]) -> Tuple[str, str]:
    """("visited" | "owned" | "helper" | "elsewhere" | "leak" | "lost", what it is about) of the
    instance in `keep` and the object in `box`, which nothing else of ours refers to."""
    def held() -> bool:
        return sys.getrefcount(box[0]) > ALONE

    if not held():
        return "lost", ""
    visited, made = _reach(keep[0], box[0])
    if visited:
        return "visited", ""
    keep.clear()
    if not held():
        return "owned", ""
    names = ["%s.%s" % (type(thing).__module__, type(thing).__qualname__) for thing in made]
    while made:
        made.pop()
        name = names.pop()
        if not held():
            return "helper", name
    gc.collect()
    if not held():
        return "owned", ""  # in a cycle of its own making
    return ("elsewhere", "") if _is_referred_to(box) else ("leak", "")


def _is_referred_to(box: List[Any]) -> bool:
    """By what the collector knows, beside the box?"""
    gc.unfreeze()
    holders = gc.get_referrers(box[0])
    gc.freeze()
    return len(holders) > 1


def _put_twice(subject: Subject, way: Way) -> bool:
    """Is what the first call put there released, when a second one has put something else there
    and the instance is gone?"""
    put = ways.putter(way, subject.statement)
    if put is None:
        return True
    box = [Plain()]
    try:
        instance = subject.recipe.make({}, subject.callee)
        put(instance, box[0])
        put(instance, Plain())
    except BaseException:
        pass  # it takes one only
    instance = None
    if sys.getrefcount(box[0]) > ALONE:
        gc.collect()
    return sys.getrefcount(box[0]) <= ALONE


def _attempt(subject: Subject, way: Way, reused: List[Any]) -> Tuple[str, str]:
    """_judge() of one way, or ("refused", the error). `reused`: an instance that was used for a
    trial that raised, so that not each costs a new one."""
    box = [Plain()]
    keep: List[Any] = []
    try:
        make = ways.maker(way, subject.recipe, subject.callee)
        if make is not None:
            keep.append(make(box[0]))
            if type(keep[0]) is not subject.type:
                return "refused", "it makes another type"
        else:
            if not reused:
                reused.append(subject.recipe.make({}, subject.callee))
            put = ways.putter(way, subject.statement)
            assert put is not None
            put(reused[0], box[0])
            keep.append(reused.pop())
    except BaseException as error:
        return "refused", "%s: %s" % (type(error).__name__, error)
    return _judge(keep, box)


def _is_in_own_cycle(subject: Subject) -> bool:
    """Is an instance that nothing refers to left to the collector?"""
    def alive() -> int:
        return sum(type(thing) is subject.type for thing in gc.get_objects())

    gc.collect()
    before = alive()
    subject.recipe.make({}, subject.callee)
    after = alive()
    gc.collect()
    return after > before and alive() < after


# ---- All trials ---------------------------------------------------------------------------------

class _Places:
    """What is to be tried, place by place; each is named, so that one that crashes or hangs can be
    left out by a second child."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def all(self) -> Iterator[Tuple[str, List[Way]]]:
        subject = self.subject
        if subject.statement is not None:
            yield "--link", [Way("statement", "--link", (), "")]
        for list_ in ways.argument_ways(subject.recipe, subject.callee):
            yield "argument " + list_[0].name, list_
        for list_ in ways.attribute_ways(subject.type):
            yield list_[0].place(), list_
        for name in ways.method_names(subject.type):
            yield name + "()", ways.method_ways(name)
            options = ways.option_ways(name, subject.constants)
            if options:
                yield name + "() with a constant", options
        for name in ways.method_names(subject.type):
            yield "result of " + name + "()", [Way("result", name, (), "")]


def _search_place(subject: Subject, name: str, list_: List[Way], tell: children.Tell,
                  reused: List[Any]) -> None:
    """Tells ["visited", way], ["owned", way] and ["note", text]."""
    least, most = 0, 9
    several = name.endswith("with a constant")
    queue = list(list_)
    while queue:
        way = queue.pop(0)
        if way.kind == "method" and not least <= len(way.shape) <= most:
            continue
        verdict, about = _attempt(subject, way, reused)
        if verdict == "refused":
            limits = ways.arity(about) if way.kind == "method" else None
            if limits is not None:
                least, most = limits
            continue
        if verdict in ("visited", "owned"):
            if not _put_twice(subject, way):
                tell(["note", "%s: done twice, what the first one stored is never released"
                      % way.text()])
                if way.name in AGAIN:
                    return
            tell([verdict, way])
            rest = ways.numbered(way)
            if not rest and not several:
                return
            queue = rest or queue
        elif verdict == "helper":
            tell(["note", "%s: the object is held by a %s, which the instance refers to: check that"
                  % (way.text(), about)])
            return
        elif verdict == "leak":
            tell(["note", "%s: a reference to the object is never released; no instance holds it"
                  % way.text()])
            return


def _new_modules(known: Dict[str, None]) -> List[str]:
    """Imported since it was asked last; they are `known` now."""
    new = [name for name in list(sys.modules) if type(name) is str and name not in known]
    known.update(dict.fromkeys(new))
    return new


def search(subject: Subject, close: List[int]) -> Found:
    """What was here before is frozen."""
    found = Found([], [], False, [])
    own_cycle = False
    unseen: List[Way] = []  # slots whose object the collector does not see
    skip: Dict[str, None] = {}
    places = _Places(subject)
    for _ in range(RESTARTS):
        def work(tell: children.Tell) -> None:
            gc.disable()
            reused: List[Any] = []
            known = dict.fromkeys(sys.modules)
            tell(["own cycle", _is_in_own_cycle(subject)])
            for name, list_ in places.all():
                if name in skip:
                    continue
                if time.process_time() > SPENT_S:
                    tell(["note", "the search for slots ended at its time limit, at %s" % name])
                    return
                tell(["place", name])
                _search_place(subject, name, list_, tell, reused)
                tell(["modules", _new_modules(known)])
                tell(["done", name])

        told = children.run(work, close)
        current = ""
        for kind, content in told.messages:
            if kind == "place":
                current = content
            elif kind == "own cycle":
                own_cycle = content
            elif kind == "done":
                skip[content] = None
            elif kind == "modules":
                found.modules.extend(content)
            elif kind in ("visited", "owned"):
                found.slots.append(_way_of(content))
                if kind == "owned":
                    unseen.append(found.slots[-1])
            else:
                found.notes.append(content)
        if not told.end:
            break
        if current not in skip and current:
            skip[current] = None
            if told.end != "hangs":
                found.notes.append("%s: trying it %s" % (current, told.end))
        elif not current:
            found.notes.append("the search for slots %s" % told.end)
            break
    return found._replace(slots=_distinct(found.slots, unseen, found.notes),
                          own_cycle=own_cycle)


def _way_of(content: List[Any]) -> Way:
    kind, name, shape, wrap = content
    return Way(kind, name, _frozen(shape), wrap)


def _frozen(shape: Any) -> Any:
    return tuple(map(_frozen, shape)) if isinstance(shape, list) else shape


def _distinct(slots: List[Way], unseen: List[Way], notes: List[str]) -> List[Way]:
    """Each place once, and no more than MOST of them: what the collector does not see first."""
    seen: Dict[Tuple[str, str], None] = {}
    chosen = []
    for way in slots:
        place = (way.kind, way.place())
        if place not in seen:
            seen[place] = None
            chosen.append(way)
    if len(chosen) <= MOST:
        return chosen
    first = sorted(chosen, key=lambda way: (way.kind != "statement", way not in unseen))[:MOST]
    notes.append("%d slots were found, %d are used; left out: %s" % (
        len(chosen), MOST, ", ".join(way.text() for way in chosen if way not in first)))
    return [way for way in chosen if way in first]
