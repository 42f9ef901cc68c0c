"""What one create-destroy pair costs, by size, with and without HAVE_GC."""
from statistics import median
from typing import Any, Dict, List, Tuple

from results import Group, Spread, one_setting

from .page import BLUE, GREY, ORANGE, Page, dashed, line, processes
from .view import NoData, View, variant

FAMILIES = {"gc": ("gc: with HAVE_GC", BLUE), "plain": ("plain: without", dashed(ORANGE))}
# pymalloc serves blocks up to this; larger ones come from malloc, at another cost.
SMALL_REQUEST_BYTES = 512

# A point this many times above the chart's median would press all others flat: it is written at the
# edge instead.
OUTLIER = 4

Point = Tuple[int, Spread, bool]  # fields, ns, block beyond SMALL_REQUEST_BYTES


def draw(view: View) -> Page:
    def wanted(group: Group) -> bool:
        sized = variant(group.text("target"))
        return group.text("workload") == "churn" and sized is not None and sized.family in FAMILIES

    groups, note = one_setting(view.select(wanted), {"target"})
    if not groups:
        raise NoData("no churn of gc and plain variants in the run")
    workers = list(view.by_name(groups))
    page = Page("Time of one create-destroy pair, by size", len(workers))
    page.label("pointer fields", "ns a pair")
    drawn: List[Spread] = []
    placed: List[Tuple[Any, int, Spread]] = []
    for axis, (name, own) in zip(page.axes, workers):
        axis.set_title(name)
        points = _points(own)
        for family, (label, style) in FAMILIES.items():
            for piece, run in enumerate(_pieces(points[family])):
                line(axis, [fields for fields, _, _ in run], [ns for _, ns, _ in run], style,
                     label if piece == 0 else "")
                drawn += [ns for _, ns, _ in run]
                placed += [(axis, fields, ns) for fields, ns, _ in run]
        floors = [floor.median for group in own for floor in [group.spread("op_floor_ns")] if floor]
        if floors:
            axis.axhline(min(floors), color=GREY, linestyle=":", label="floor: the null target")
        axis.set_xscale("symlog", base=2, linthresh=1, linscale=1)
        sizes = sorted({fields for family in points.values() for fields, _, _ in family})
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.set_xticks([], minor=True)
        axis.set_xlim(-0.4, max(sizes, default=1) * 1.3)
    page.from_zero()
    if not drawn:
        raise NoData("no churn row has op_min_ns")
    page.note(_write_outliers(placed))
    page.note(note)
    page.note(processes(drawn))
    page.note("A process's figure is that of its fastest batch.")
    page.note(f"Lines break where a block passes {SMALL_REQUEST_BYTES} B and malloc takes over from"
              " pymalloc. The pair contains its safe point, as the floor does.")
    return page


def _write_outliers(placed: List[Tuple[Any, int, Spread]]) -> str:
    """Ends the axis below the outliers, writes each at its edge, and says so."""
    most = OUTLIER * median(ns.median for _, _, ns in placed)
    within = [ns.high for _, _, ns in placed if ns.median <= most]
    outliers = [one for one in placed if one[2].median > most]
    if not outliers:
        return ""
    top = 1.1 * max(within)
    for axis, fields, ns in outliers:
        axis.set_ylim(top=top)
        axis.annotate(f"{ns.median:.0f} ns", (fields, top), xytext=(6, -9),
                      textcoords="offset points")
        axis.annotate("", (fields, top), xytext=(0, -14), textcoords="offset points",
                      arrowprops={"arrowstyle": "->", "linewidth": 0.8})
    return "A figure beside an arrow is that of a point beyond the axis."


def _points(groups: List[Group]) -> Dict[str, List[Point]]:
    points: Dict[str, List[Point]] = {family: [] for family in FAMILIES}
    for group in groups:
        sized = variant(group.text("target"))
        ns = group.spread("op_min_ns")
        block = group.spread("own_requested_bytes")
        if sized and ns:
            large = block is not None and block.median > SMALL_REQUEST_BYTES
            points[sized.family].append((sized.fields, ns, large))
    return {family: sorted(found) for family, found in points.items()}


def _pieces(points: List[Point]) -> List[List[Point]]:
    pieces = [[point for point in points if point[2] == large] for large in (False, True)]
    return [piece for piece in pieces if piece]
