"""What a full collection costs for each live object, by variant, heap order and cache."""
import re
import statistics
from typing import Dict, List, NamedTuple, Optional, Tuple

from results import Group, Run, Spread, one_setting, spread

from .page import BLACK, BLUE, GREEN, GREY, ORANGE, Page, dashed, line, processes
from .view import NoData, View

STYLES = (BLACK, BLUE, ORANGE, GREEN)
USUAL = ("gc1", "gc8", "gc_dict", "pyclass")
FULL = "2"


class Cache(NamedTuple):
    name: str
    bytes: float


def draw(view: View) -> Page:
    heaps = view.select(lambda group: group.text("workload") == "heap"
                        and group.text("target_gc") == "yes")
    # How often a heap was collected is no setting: large ones are seldom.
    groups, note = one_setting(heaps, {"live", "heap_order", "target", "batches", "samples", "n"})
    targets = _targets(groups)
    if not targets or len({group.text("live") for group in groups}) < 2:
        raise NoData("no heap workload over a type with GC at two or more sizes")
    workers = list(view.by_name(groups))
    page = Page("Full collection: cost of a live object", len(workers), panel_height=2.9,
                columns=2)
    page.label("live objects", "ns an object")
    drawn: List[Spread] = []
    for axis, (name, own) in zip(page.axes, workers):
        axis.set_title(name)
        caches = cache_sizes(own[0].run)
        for target, style in zip(targets, STYLES):
            for order in ("fresh", "aged"):
                points = _points(own, target, order)
                if points:
                    line(axis, list(points), list(points.values()),
                         style if order == "fresh" else dashed(style), f"{target}, {order}")
                    drawn += points.values()
        first = targets[0]
        for cache in caches:
            size = _object_bytes(own, first)
            if size:
                axis.axvline(cache.bytes / size, color=GREY, linestyle=":", linewidth=0.8)
                axis.annotate(cache.name, (cache.bytes / size, 1), va="top", color=GREY,
                              xycoords=("data", "axes fraction"), xytext=(2, -2),
                              textcoords="offset points")
                page.note(f"Dotted: the heap of {first} fills that cache, as the machine reports"
                          " it.")
        axis.set_xscale("log")
        axis.set_yscale("log")
        page.decades(axis)
        page.note(_regimes(name, own, first, caches))
    if not drawn:
        raise NoData("no explicit full collection of a heap workload in pauses.csv")
    page.note(note)
    page.note(processes(drawn))
    page.note("The pause of the heap before the objects were made is taken off. fresh: in address"
              " order; aged: freed and refilled at random.")
    return page


def cache_sizes(run: Run) -> List[Cache]:
    """Level 2 and above, smallest first; of a machine that tells none, none."""
    found = []
    for (scope, key), value in run.environment().items():
        level = re.fullmatch(r"cache_(l[2-9])_Unified", key)
        size = re.fullmatch(r"([0-9]+)([KM]?)", value)
        if scope == "machine" and level and size:
            unit = {"": 1, "K": 1 << 10, "M": 1 << 20}[size[2]]
            found.append(Cache(level[1].upper(), int(size[1]) * unit))
    return sorted(found, key=lambda cache: cache.bytes)


def _targets(groups: List[Group]) -> List[str]:
    """Those with a style, the usual ones first."""
    there = list(dict.fromkeys(group.text("target") for group in groups))
    usual = [target for target in USUAL if target in there]
    return (usual + [target for target in there if target not in usual])[:len(STYLES)]


def _object_bytes(groups: List[Group], target: str) -> Optional[float]:
    sizes = [size.median for group in groups if group.text("target") == target
             for size in [group.spread("own_usable_bytes")] if size]
    return statistics.median(sizes) if sizes else None


def _points(groups: List[Group], target: str, order: str) -> Dict[float, Spread]:
    points: Dict[float, Spread] = {}
    for group in sorted(groups, key=lambda group: group.number("batches") or 0):
        live = group.number("live")
        if group.text("target") == target and group.text("heap_order") == order and live:
            costs = spread([cost for row in group.rows
                            for cost in [_cost(group, row.text("repeat"), live)] if cost])
            if costs:
                points[live] = costs
    return dict(sorted(points.items()))


def _cost(group: Group, repeat: str, live: float) -> Optional[float]:
    """ns an object in one process: the mean of its full collections, less the empty heap's."""
    times = [ns for row in group.pauses(repeat)
             if row.text("generation") == FULL and row.text("explicit") == "1"
             for ns in [row.number("duration_ns")] if ns is not None]
    empty = [row.number("start_pause_ns") for row in group.rows if row.text("repeat") == repeat]
    if not times or not empty or empty[0] is None:
        return None
    cost = (statistics.mean(times) - empty[0]) / live
    return cost if cost > 0 else None


def _regimes(name: str, groups: List[Group], target: str, caches: List[Cache]) -> str:
    """One figure a cache, since no line goes through several: the median over the sizes there."""
    size = _object_bytes(groups, target)
    if not size or not caches:
        return ""
    words = []
    for order in ("fresh", "aged"):
        places: Dict[str, List[float]] = {}
        for live, cost in _points(groups, target, order).items():
            places.setdefault(_place(live * size, caches), []).append(cost.median)
        words += [f"{order} {place} {statistics.median(costs):.0f}"
                  for place, costs in places.items()]
    return f"{name}, {target}, ns an object: {', '.join(words)}." if words else ""


def _place(size: float, caches: List[Cache]) -> str:
    places: List[Tuple[float, str]] = [(cache.bytes, f"within {cache.name}") for cache in caches]
    return next((place for most, place in places if size <= most), f"beyond {caches[-1].name}")
