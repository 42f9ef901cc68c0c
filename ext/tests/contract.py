"""What a type promises about the collector, held against what the probes see of it.

`promises` is the one table of expectations: it derives from a row's traits what each observation of
each probe must be. `deviations` runs the probes and says where they saw something else. The table
knows no family: a new row of variants.def is covered by its traits.
"""
import sysconfig
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import gctax_probe

Traits = Dict[str, Any]
Value = Any  # int or bool, None where a probe could not look

CYCLES = 4  # of a kind, as probe_cycle makes them
MOST_SLOTS = 66  # beyond, a sample of the fields stands for all
FEW_SLOTS = 6  # for probes that collect for each slot
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
THOROUGH = ("visits", "cycle", "clear", "untrack")  # probes that use each slot


class Subject(NamedTuple):
    """A type, and how its instances are made and filled."""
    make: Callable[[], Any]
    slots: List[Tuple[Any, ...]]
    destroyed: Optional[Callable[[], int]]


class Rule:
    """An expectation that is no plain value."""

    def __init__(self, text: str, holds: Callable[[Value, Dict[str, Value]], Any]) -> None:
        self.text = text
        self.holds = holds


ANY = Rule("anything", lambda value, seen: True)
SOME = Rule("more than 0", lambda value, seen: value is not None and value > 0)
UNSEEN_OR_0 = Rule("0, or unseen", lambda value, seen: value in (None, 0))
UNSEEN_OR_1 = Rule("1, or unseen", lambda value, seen: value in (None, 1))
FEW = Rule("1 or 2, or unseen", lambda value, seen: value is None or value <= 2)
EACH = Rule("one an instance", lambda value, seen: value == seen["instances"])
AT_ONCE = Rule("one an instance, of 16 at most",
               lambda value, seen: value == min(seen["instances"], 16))
# Without a GIL there are two phases, and the first one does so.
OFTEN = Rule("one a step or more, without a GIL one in two", lambda value, seen:
             value is not None and value * (2 if FREE_THREADED else 1) >= seen["steps"])
NONE_MORE = Rule("0 or less", lambda value, seen: value is not None and value <= 0)
UNSEEN = Rule("unseen", lambda value, seen: value is None)
# A leak is a block an instance; caches and free lists of the interpreter move by a few.
FEW_BLOCKS = Rule("less than one in two instances",
                  lambda value, seen: value is not None and value < seen["instances"] // 2)
AS_OWNED = Rule("as owned",
                lambda value, seen: seen["owned"] == value + (seen["visited_within"] or 0))
ALL_HELD = Rule("what was held", lambda value, seen: value == seen["held"])
NOTHING_HELD = Rule("what is left", lambda value, seen: value == (seen["held"] or 0) -
                    (seen["dropped_first"] or 0))


def field_slots(type_: Any, fields: int) -> List[Tuple[Any, ...]]:
    """The slots of a variant: set(i, value) where there is one, else the constructor."""
    step = max(1, fields // 8) if fields > MOST_SLOTS else 1
    chosen = sorted(set(range(0, fields, step)) | ({fields - 1} if fields else set()))
    if hasattr(type_, "set"):
        return [(str(i), lambda self, value, i=i: self.set(i, value)) for i in chosen]
    return [(str(i), None, lambda value, i=i: type_(*[None] * i, value)) for i in chosen]


def promises(traits: Traits) -> Dict[str, Any]:
    """{"probe.field": expected} of the subject and {"probe[].field": expected} of its slots;
    "probe[__dict__].field" wins for the instance dict."""
    collector = traits["collector"]
    have_gc = collector != "no"  # the type has HAVE_GC
    shown = collector in ("yes", "traverse")  # what the fields hold is visited
    cleared = collector == "yes"
    tracked = have_gc and traits["tracking"] != "never"
    birth = tracked and traits["tracking"] != "lazy"
    found = shown and tracked  # a cycle through a field can be found
    python = traits["inherit"].startswith("python")
    heap = traits["kind"] != "static" or python
    # The interpreter gives a subclass a tp_clear for what it adds, whatever its base has.
    has_clear = cleared or collector == "subclass" or python
    comes_back = traits["finalizer"] == "resurrect"
    finalizer = traits["finalizer"] != "none"
    once = 1 if finalizer else UNSEEN
    loops = traits["slots"] > 0

    def of_gc(value: Any) -> Any:
        return value if have_gc else UNSEEN

    def of_finalizer(value: Any) -> Any:
        return value if finalizer else UNSEEN

    def by_collector(value: Any) -> Any:
        return of_finalizer(value) if loops and found else ANY

    def weak(value: Any) -> Any:
        return value if traits["weak"] else UNSEEN

    def left(count: Any) -> Any:
        return 0 if found else count

    # Of what only a constructor fills, no two can hold each other.
    pair = left(2 * CYCLES)
    if have_gc and not cleared:
        pair = UNSEEN if collector == "traverse" else 2 * CYCLES
    table = {
        "visits.have_gc": have_gc,
        "visits.heap_type": heap,
        "visits.type_visited": EACH if heap and have_gc else 0,
        "visits.type_owned": Rule("one an instance of a heap type, or unseen", lambda value, seen:
                                  value in (None, seen["instances"] if heap else 0)),
        "visits.module_visited": Rule("as owned", lambda value, seen: value ==
                                      seen["module_owned"]),
        "visits.shared_over": 0,
        "visits.shared_under": 0,
        "visits.private_over": of_gc(0),
        "visits.stops_ignored": of_gc(0),
        "visits.stops_altered": of_gc(0),
        "visits.repeatable": of_gc(True),
        "visits.counts_changed": of_gc(0),
        "visits.allocations": of_gc(0),
        "visits.raised": of_gc(False),
        "visits.exception_kept": of_gc(True),
        "visits[].owned": SOME,
        "visits[].visited": AS_OWNED if shown else 0,
        "visits[__dict__].visited": AS_OWNED,
        "halfbuilt.raised": Rule("False, or unseen", lambda value, seen: not value),
        "lifetime.left": 0,
        "lifetime.planted_left": 0,
        "lifetime.blocks_growth": FEW_BLOCKS,
        "lifetime.type_growth": UNSEEN_OR_0,
        "lifetime.base_growth": UNSEEN_OR_0,
        "lifetime.cycles": AT_ONCE if loops else 0,
        "lifetime.cycles_type_growth": UNSEEN_OR_0 if found else ANY,
        "lifetime.cycles_planted_left": left(SOME) if loops else UNSEEN,
        "lifetime.survives": UNSEEN_OR_0,
        "lifetime.exception_kept": True,
        "lifetime.raised": False,
        "cycle[].partner_left": left(CYCLES),
        "cycle[].partner_left_later": left(CYCLES),
        "cycle[].pair_left": pair,
        "cycle[].pair_left_later": pair,
        "cycle[__dict__].partner_left": 0,
        "cycle[__dict__].pair_left": 0,
        "cycle[__dict__].pair_left_later": 0,
        "cycle[__dict__].partner_left_later": 0,
        "clear.has_clear": has_clear,
        "clear[].dropped_first": ALL_HELD if cleared else 0 if has_clear else UNSEEN,
        "clear[__dict__].dropped_first": ALL_HELD,
        "clear[].dropped_second": 0 if has_clear else UNSEEN,
        "clear[].dropped_at_death": NOTHING_HELD if has_clear else UNSEEN,
        "clear[].seen_while_cleared": UNSEEN_OR_0,
        "clear[].seen_while_replaced": UNSEEN_OR_0,
        "untrack[].tracked": UNSEEN_OR_0,
        "finalizer.has_finalize": finalizer,
        "finalizer.survives": of_finalizer(False),
        "finalizer.calls": once,
        "finalizer.planted_left": of_finalizer(0),
        "finalizer.revives_itself": of_finalizer(False),
        "finalizer.collector_calls": by_collector(1),
        "finalizer.collector_planted_left": by_collector(0),
        "finalizer.revived_calls": once,
        "finalizer.revived_whole": of_finalizer(True),
        "finalizer.revived_again_calls": of_finalizer(0 if have_gc else ANY),
        "finalizer.revived_left": of_finalizer(0),
        "finalizer.collector_revived_calls": by_collector(1),
        "finalizer.collector_revived_whole": by_collector(True),
        "finalizer.collector_revived_again_calls": by_collector(0),
        "finalizer.collector_revived_left": by_collector(0),
        "finalizer.raised": of_finalizer(False),
        "finalizer.exception_kept": of_finalizer(True),
        "tracking.have_gc": have_gc,
        "tracking.at_birth": birth,
        "tracking.at_birth_later": birth,
        "tracking[].with_atom": birth,
        "tracking[].with_object": tracked,
        "tracking[].with_object_later": tracked,
        "weakref.supported": traits["weak"],
        "weakref.leads_back": weak(True),
        "weakref.survives": weak(False),
        "weakref.callbacks": weak(1),
        "weakref.dead_in_callback": weak(True),
        "weakref.before_members": Rule("True, or unseen", lambda value, seen: value is not False),
        "weakref.dead_after": weak(True),
        "weakref.collector_callbacks": weak(1) if found and loops else ANY,
        "weakref.collector_dead_after": weak(True) if found and loops else ANY,
        "reentry.automatic": OFTEN,
        "reentry.explicit": UNSEEN if FREE_THREADED else SOME,
        "reentry.inside_finalizers": SOME if loops else 0,
        "reentry.inside_deaths": SOME if loops else 0,
        "reentry.planted_left": left(SOME) if loops else 0,
        "reentry.swallowed": 0,
    }
    if has_clear:
        table.update({"clear.raised": False, "clear.swallowed": 0, "clear.visits_dropped": 0,
                      "clear.shown": True, "clear.destroyed": True})
    if comes_back:
        # Dropped or found, it is alive until the collector looks again: by then the weak references
        # to it are gone. What the probe left in one step goes in the collections of the next.
        table.update({
            "cycle[].partner_left": CYCLES, "cycle[].pair_left": 2 * CYCLES,
            "cycle[__dict__].partner_left": CYCLES, "cycle[__dict__].pair_left": 2 * CYCLES,
            "lifetime.survives": ANY,
            "finalizer.revives_itself": True, "finalizer.planted_left": SOME,
            "finalizer.collector_planted_left": NONE_MORE, "finalizer.revived_left": SOME,
            "finalizer.collector_revived_whole": ANY, "finalizer.collector_revived_left": NONE_MORE,
            "weakref.callbacks": weak(0), "weakref.dead_in_callback": UNSEEN,
            "weakref.dead_after": weak(False)})
    if traits.get("own_cycle"):
        # Dropped, it stays until the collector comes: nothing is seen of a death by count.
        table.update({
            "lifetime.survives": True, "lifetime.raised": ANY, "lifetime.exception_kept": ANY,
            "finalizer.survives": True, "finalizer.calls": UNSEEN, "finalizer.planted_left": UNSEEN,
            "finalizer.revives_itself": UNSEEN, "finalizer.revived_calls": UNSEEN,
            "finalizer.revived_whole": UNSEEN, "finalizer.revived_again_calls": UNSEEN,
            "finalizer.revived_left": UNSEEN, "weakref.survives": True, "weakref.callbacks": UNSEEN,
            "weakref.dead_in_callback": UNSEEN, "weakref.dead_after": UNSEEN})
        table.update({key: ANY for key in table
                      if key.startswith(("clear[]", "untrack", "finalizer.collector"))})
    if traits.get("cached"):
        # The last object that was put somewhere is there for good.
        table.update({key: ANY for key in table if key.startswith(("clear[]", "lifetime."))})
        table.update({"cycle[].partner_left": FEW, "cycle[].partner_left_later": FEW,
                      "cycle[].partner_left_more": FEW, "cycle[].pair_left": FEW,
                      "cycle[].pair_left_later": FEW, "reentry.planted_left": FEW})
    if traits["dict"] != "none" and not shown:
        # The dict is that of a type without GC, and as unseen as what its fields hold.
        table = {key: value for key, value in table.items() if "[__dict__]" not in key}
    return table


def expected_of(table: Dict[str, Any], probe: str, slot: Optional[str], field: str) -> Any:
    """What the table says of an observation, ANY where it is silent."""
    if slot is None:
        return table.get("%s.%s" % (probe, field), ANY)
    own = table.get("%s[%s].%s" % (probe, slot, field))
    return own if own is not None else table.get("%s[].%s" % (probe, field), ANY)


def observations(result: Dict[str, Any]) -> Iterator[Tuple[Optional[str], str, Value,
                                                           Dict[str, Value]]]:
    """(slot or None, field, value, all fields beside it)."""
    for field, value in result["seen"].items():
        yield None, field, value, result["seen"]
    for slot, fields in result["slots"].items():
        for field, value in fields.items():
            yield slot, field, value, fields


def deviations(subject: Subject, traits: Traits, probes: Optional[List[str]] = None,
               seconds: float = 120) -> List[str]:
    """Where the probes saw something else than the traits promise: "probe[slot].field: …"."""
    table = promises(traits)
    found = []
    for probe in probes or sorted({key.split(".")[0].split("[")[0] for key in table}):
        slots = subject.slots
        if probe not in THOROUGH and len(slots) > FEW_SLOTS:
            slots = slots[:FEW_SLOTS - 1] + slots[-1:]
        result = getattr(gctax_probe, probe)(subject.make, slots, subject.destroyed, seconds)
        if result["status"] != "finished":
            found.append("%s: %s %s while %s: %s" % (
                probe, result["status"], result["signal"] or "", result["step"],
                (result["message"] + " " + result["output"])[:600]))
        elif result["output"] or result["unraisable"]:
            found.append("%s: it said: %s %s" % (probe, result["swallowed"],
                                                 result["output"][:600]))
        for slot, field, value, beside in observations(result):
            if result["status"] != "finished" and value is None:
                continue  # never looked at
            expected = expected_of(table, probe, slot, field)
            holds = (expected.holds(value, beside) if isinstance(expected, Rule)
                     else value == expected and value is not None)
            if not holds:
                found.append("%s%s.%s: %s, expected %s" % (
                    probe, "" if slot is None else "[%s]" % slot, field, value,
                    expected.text if isinstance(expected, Rule) else expected))
    return found
