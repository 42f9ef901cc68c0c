"""How long a collection takes, by the size of the live heap, its age and the generation."""
from typing import Dict, List, Optional

from results import Group, Spread, one_setting, spread

from .page import BLACK, BLUE, GREY, ORANGE, Page, dashed, line, processes
from .view import NoData, View

GENERATIONS = {"0": BLACK, "1": BLUE, "2": ORANGE}


def draw(view: View) -> Page:
    heaps = view.select(lambda group: group.text("workload") == "heap"
                        and group.text("target_gc") == "yes")
    usual = [group for group in heaps if group.text("target") == "gc1"]
    # How often a heap was collected is no setting: large ones are seldom.
    groups, note = one_setting(usual or heaps, {"live", "heap_order", "batches", "samples", "n"})
    if not groups:
        raise NoData("no heap workload over a type with GC in the run")
    workers = list(view.by_name(groups))
    page = Page(f"Explicit collection against live heap ({groups[0].text('target')})",
                len(workers), panel_height=2.5)
    page.label("live instances", "ms a collection")
    drawn: List[Spread] = []
    for axis, (name, own) in zip(page.axes, workers):
        threaded = own[0].free_threaded()
        axis.set_title(name + (": collection, not pause" if threaded else ""))
        for generation, style in GENERATIONS.items():
            for order in ("fresh", "aged"):
                points = _points(own, generation, order)
                if points:
                    line(axis, list(points), list(points.values()),
                         style if order == "fresh" else dashed(style),
                         f"collect({generation}), {order} heap")
                    drawn += points.values()
        empty = [row for group in own for row in [group.spread("start_pause_ns")] if row]
        if empty:
            axis.axhline(min(row.median for row in empty) / 1e6, color=GREY, linestyle=":",
                         label="full collection before it")
        axis.set_xscale("log")
        axis.set_yscale("log")
        page.decades(axis)
    if not drawn:
        raise NoData("no explicit collection of a heap workload in pauses.csv")
    page.note(note)
    page.note(processes(drawn))
    page.note("A process's figure is the mean of its collections.")
    page.note("fresh: in address order; aged: freed and refilled at random. No line is fitted:"
              " the cost follows the caches. Lines join neighbouring sizes only for the eye.")
    return page


def _points(groups: List[Group], generation: str, order: str) -> Dict[float, Spread]:
    points: Dict[float, Spread] = {}
    for group in sorted(groups, key=lambda group: group.number("batches") or 0):
        live = group.number("live")
        times = spread([mean for row in group.rows
                        for mean in [_mean(group, row.text("repeat"), generation)] if mean])
        if group.text("heap_order") == order and live and times:
            points[live] = times
    return dict(sorted(points.items()))


def _mean(group: Group, repeat: str, generation: str) -> Optional[float]:
    """In ms. The mean, since the few collections of a process are too few for a median."""
    times = [ns for row in group.pauses(repeat)
             if row.text("generation") == generation and row.text("explicit") == "1"
             for ns in [row.number("duration_ns")] if ns is not None]
    return sum(times) / len(times) / 1e6 if times else None
