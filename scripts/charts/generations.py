"""Pauses of automatic collections, by generation, at the interpreter's own thresholds."""
from typing import Any, Dict, List, NamedTuple, Tuple

from results import Group, Spread, one_setting, scaled

from .page import BLACK, BLUE, ORANGE, Page, Style, line, processes
from .view import NoData, View

FIGURES: Dict[str, Tuple[str, Style]] = {
    "p50": ("median of a process", BLACK),
    "p99": ("99th percentile", BLUE),
    "max": ("longest", ORANGE),
}
WORKLOADS = ("replace", "ring", "retain")


class Point(NamedTuple):
    place: float
    ms: Spread


def draw(view: View) -> Page:
    def wanted(group: Group) -> bool:
        return (group.text("workload") in WORKLOADS and group.text("gc_mode") == "on"
                and group.text("target_gc") == "yes" and not group.text("threshold0"))

    cells = view.select(wanted)
    workload = next((name for name in WORKLOADS
                     if any(group.text("workload") == name for group in cells)), "")
    cells = [group for group in cells if group.text("workload") == workload]
    usual = [group for group in cells if group.text("target") == "gc1"]
    groups, note = one_setting(usual or cells, set())
    if not groups:
        raise NoData("no retaining workload with GC on and default thresholds in the run")
    workers = list(view.by_name(groups))
    page = Page(f"Automatic collections by generation: {workload} of {groups[0].text('target')}",
                len(workers), sharex=False)  # tick labels hold the counts of each
    page.label("generation (collections of a process)", "ms a collection")
    drawn: List[Spread] = []
    for axis, (name, own) in zip(page.axes, workers):
        threaded = own[0].free_threaded()
        axis.set_title(name + (": collection, not pause" if threaded else ""))
        drawn += _draw_panel(axis, own[0])
    if not drawn:
        raise NoData("no automatic collection was recorded")
    page.note(note)
    page.note(processes(drawn))
    page.note("A median needs 10 collections in a process and a 99th percentile 1000; with fewer"
              " it is left out.")
    return page


def _draw_panel(axis: Any, group: Group) -> List[Spread]:
    drawn: List[Spread] = []
    for offset, (figure, (label, style)) in zip((-0.2, 0.0, 0.2), FIGURES.items()):
        points = [Point(generation + offset, scaled(ns, 1e-6))
                  for generation in range(3)
                  for ns in [group.spread(f"pause_auto_gen{generation}_{figure}_ns")] if ns]
        if points:
            line(axis, [point.place for point in points], [point.ms for point in points], style,
                 label, joined=False)
            drawn += [point.ms for point in points]
    counts = [group.spread(f"pauses_auto_gen{generation}") for generation in range(3)]
    axis.set_xticks(range(3), [f"{generation}\n({count.median:g})" if count else str(generation)
                               for generation, count in enumerate(counts)])
    axis.set_xlim(-0.5, 2.5)
    axis.set_yscale("log")
    return drawn
