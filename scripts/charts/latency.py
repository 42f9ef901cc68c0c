"""The tail of single operations, with automatic collections and without."""
import math
from typing import Any, Dict, List

from results import Group, Spread, one_setting, spread

from .page import BLUE, GREY, ORANGE, Page, Style, dashed, line, processes
from .view import NoData, View

MODES = {"on": ("GC on", BLUE), "off": ("GC off", dashed(ORANGE))}
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)
MAXIMUM_AT = 4.8  # the slowest has no place on a scale of 1/(1-q): it depends on the sample count


def draw(view: View, workload: str) -> Page:
    cells = view.select(lambda group: group.text("workload") == workload
                        and group.text("gc_mode") in MODES and group.text("target_gc") == "yes")
    usual = [group for group in cells if group.text("target") == "gc1"]
    groups, note = one_setting(usual or cells, {"gc_mode"})
    if not groups:
        raise NoData(f"no {workload} of a type with GC in the run")
    workers = list(view.by_name(groups))
    page = Page(f"Latency of one operation: {workload} of {groups[0].text('target')}", len(workers))
    page.label("percentile", "ns an operation")
    drawn: List[Spread] = []
    for axis, (name, own) in zip(page.axes, workers):
        axis.set_title(name)
        for mode, (label, style) in MODES.items():
            for group in own:
                if group.text("gc_mode") == mode:
                    drawn += _draw_group(axis, group, label, style)
        clocks = [cost for group in own for cost in [group.spread("clock_cost_ns")] if cost]
        if clocks:
            axis.axhline(min(cost.median for cost in clocks), color=GREY, linestyle=":",
                         label="clock, contained in each")
        axis.set_yscale("log")
        axis.set_xlim(0, MAXIMUM_AT + 0.3)
        axis.set_xticks([_place(q) for q in PERCENTILES] + [MAXIMUM_AT],
                        [f"{q:g}" for q in PERCENTILES] + ["max"], rotation=60)
    if not drawn:
        raise NoData(f"no {workload} cell has percentiles in latency.csv")
    page.note(note)
    page.note(processes(drawn))
    page.note("The operation contains its safe point, where collections run from CPython 3.12 on."
              " A percentile that a process has too few samples for is left out.")
    return page


def _place(percentile: float) -> float:
    return -math.log10(1 - percentile / 100)


def _draw_group(axis: Any, group: Group, label: str, style: Style) -> List[Spread]:
    found: Dict[float, List[float]] = {}
    for row in group.rows:
        for sample in group.latency(row.text("repeat")):
            percentile, ns = sample.number("percentile"), sample.number("latency_ns")
            if percentile is not None and ns:
                found.setdefault(percentile, []).append(ns)
    ranges = {q: ns for q in (*PERCENTILES, 100.0) for ns in [spread(found.get(q, []))] if ns}
    tail = {q: ns for q, ns in ranges.items() if q < 100}
    if tail:
        line(axis, [_place(q) for q in tail], list(tail.values()), style, label)
    if 100.0 in ranges:
        line(axis, [MAXIMUM_AT], [ranges[100.0]], style, "" if tail else label, joined=False)
    return list(ranges.values())
