"""What one instance takes from the allocator, by part."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from results import Group

from .page import BLUE, ORANGE, Page
from .view import NoData, View, variant

LINE_INCHES = 0.2


class Parts(NamedTuple):
    """Bytes of one instance, medians over the processes of a worker."""

    own: float
    rounding: Optional[float]  # None: the allocator does not tell
    owned: float
    sizeof: Optional[float]


PARTS = (
    ("own", "own block, as requested", BLUE.colour, ""),
    ("rounding", "lost to rounding", "#dddddd", "////"),
    ("owned", "blocks it owns", ORANGE.colour, "...."),
)


def draw(view: View) -> Page:
    same: Dict[Tuple[Tuple[str, Parts], ...], List[str]] = {}
    for name, own in view.by_name(view.select(lambda group: group.text("target") != "null")):
        found = _sizes(own)
        if found:
            same.setdefault(tuple(found.items()), []).append(name)
    if not same:
        raise NoData("no row has own_requested_bytes")
    rows = max(len(sizes) for sizes in same)
    page = Page("Bytes of one instance, by part", len(same), columns=2, sharey=False,
                panel_height=0.6 + LINE_INCHES * rows)
    page.label("bytes", "")
    widest = max(_end(parts) for sizes in same for _, parts in sizes)
    for axis, (sizes, names) in zip(page.axes, same.items()):
        axis.set_title(_joined(names))
        _draw_panel(axis, sizes)
        axis.set_xlim(0, widest * 1.3)
    page.note("Numbers: bytes of the own block as requested, and behind the arrow all that the"
              " allocator gives, rounding and owned blocks included. The instance's own block holds"
              " GC head and pre-header. A question mark: the allocator (mimalloc) does not tell."
              " Workers with equal figures share a panel.")
    return page


def _end(parts: Parts) -> float:
    return parts.own + (parts.rounding or 0.0) + parts.owned


def _joined(names: List[str]) -> str:
    lines = [", ".join(names[start:start + 3]) for start in range(0, len(names), 3)]
    return ",\n".join(lines)


def _order(target: str) -> Tuple[bool, int, str]:
    """Twins beside each other, by size; what has no size last."""
    sized = variant(target)
    return (sized is None, sized.fields if sized else 0, target)


def _sizes(groups: List[Group]) -> Dict[str, Parts]:
    """By target. Its bytes are those of the instance alone, whatever the workload."""
    found: Dict[str, Parts] = {}
    for group in groups:
        own, usable = group.spread("own_requested_bytes"), group.spread("own_usable_bytes")
        if own is None or group.text("allocator") != "default":
            continue
        owned, sizeof = group.spread("owned_requested_bytes"), group.spread("sizeof_bytes")
        if usable:
            owned = group.spread("owned_usable_bytes")
        found.setdefault(group.text("target"), Parts(
            own.median, usable.median - own.median if usable else None,
            owned.median if owned else 0.0, sizeof.median if sizeof else None))
    return {target: found[target] for target in sorted(found, key=_order)}


def _draw_panel(axis: Any, sizes: Tuple[Tuple[str, Parts], ...]) -> None:
    places = range(len(sizes))
    left = [0.0] * len(sizes)
    for part, label, colour, hatch in PARTS:
        widths = [getattr(parts, part) or 0.0 for _, parts in sizes]
        axis.barh(places, widths, left=left, height=0.72, color=colour, hatch=hatch,
                  edgecolor="black" if hatch else colour, linewidth=0.3, label=label)
        left = [before + width for before, width in zip(left, widths)]
    known = [(parts.sizeof, place) for place, (_, parts) in zip(places, sizes)
             if parts.sizeof is not None]
    axis.plot([sizeof for sizeof, _ in known], [place for _, place in known], linestyle="none",
              marker="|", markersize=9, markeredgewidth=1.6, color="black",
              label="sys.getsizeof()")
    for place, end, (_, parts) in zip(places, left, sizes):
        shown = max(end, parts.sizeof or 0.0)
        text = f"{parts.own:g}" if end == parts.own else f"{parts.own:g} \u2192 {end:g}"
        if parts.rounding is None:
            text += " \u2192 ?"
        axis.annotate(text, (shown, place), xytext=(5, 0), textcoords="offset points",
                      va="center")
    axis.set_yticks(places, [target for target, _ in sizes])
    axis.grid(axis="y", visible=False)
    axis.invert_yaxis()
