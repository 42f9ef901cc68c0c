"""What a higher threshold costs and saves: time in the collector against peak memory."""
from typing import Dict, List, NamedTuple

from results import Group, Spread, one_setting, scaled

from .page import BLUE, GREEN, ORANGE, Page, Style, line, processes
from .view import NoData, View

# Workloads that leave garbage to the collector; retain leaves none, so its memory is no trade.
WORKLOADS: Dict[str, Style] = {"ring": BLUE, "replace": ORANGE, "retain": GREEN}

MIB = 1 << 20


class Point(NamedTuple):
    threshold: float
    chosen: bool  # by the user; else the interpreter's own default
    peak: Spread  # MiB
    share: Spread  # %


def draw(view: View) -> Page:
    cells = view.select(lambda group: group.text("workload") in WORKLOADS
                        and group.text("gc_mode") == "on" and group.text("target_gc") == "yes")
    usual = [group for group in cells if group.text("target") == "gc1"] or cells
    series: Dict[str, List[Group]] = {}
    notes = []
    for workload in WORKLOADS:
        own = [group for group in usual if group.text("workload") == workload]
        found, note = one_setting(own, {"threshold0"})
        if len({group.text("threshold0") for group in found}) > 1:
            series[workload] = found
            notes.append(f"{workload}: {note}" if note else "")
    if not series:
        raise NoData("no workload was run at two or more values of threshold0")
    workers = list(view.by_name([group for found in series.values() for group in found]))
    page = Page("Share of time in the collector against peak memory, by threshold0", len(workers),
                panel_height=2.6, sharex=False)
    page.label("peak memory, MiB", "time in collections, %")
    drawn: List[Spread] = []
    for axis, (name, own) in zip(page.axes, workers):
        axis.set_title(name)
        for workload, style in WORKLOADS.items():
            points = _points([group for group in own if group.text("workload") == workload])
            if not points:
                continue
            line(axis, [point.peak.median for point in points], [point.share for point in points],
                 style, workload, x_ranges=[point.peak for point in points])
            for label in _labels(points):
                axis.annotate(f"{label.threshold:g}", (label.peak.median, label.share.median),
                              xytext=(4, 3), textcoords="offset points", color=style.colour,
                              weight="normal" if label.chosen else "bold")
            drawn += [point.share for point in points]
        axis.margins(x=0.15)
    page.from_zero()
    if not drawn:
        raise NoData("no row has both gc_share_ratio and rss_peak_bytes")
    for note in notes:
        page.note(note)
    page.note(processes(drawn))
    page.note("Bold: the interpreter's own default. Time is from the pass that records collections,"
              " memory from the one that records none.")
    return page


def _labels(points: List[Point]) -> List[Point]:
    """A point a threshold: the interpreter's own default where a swept one equals it, since their
    places differ by noise alone and their labels would cover each other."""
    labels: Dict[float, Point] = {}
    for point in points:
        if point.threshold not in labels or not point.chosen:
            labels[point.threshold] = point
    return list(labels.values())


def _points(groups: List[Group]) -> List[Point]:
    points = []
    for group in groups:
        peak, share = group.spread("rss_peak_bytes"), group.spread("gc_share_ratio")
        threshold = group.number("active_threshold0")
        if peak and share and threshold is not None:
            points.append(Point(threshold, bool(group.text("threshold0")), scaled(peak, 1 / MIB),
                                scaled(share, 100)))
    return sorted(points, key=lambda point: point.threshold)
