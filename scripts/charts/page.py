"""The page that a chart is drawn on: panels in a grid, title above, legend, notes and origin below.

Made for print at its own size (7.2 in, a page's text width): nothing below 8 pt, and markers and
line styles tell apart what colours tell apart.
"""
import textwrap
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot, ticker  # noqa: E402  (the backend is chosen first)

from results import Spread  # noqa: E402

WIDTH = 7.2  # inches
TITLE, LINE, MARGIN = 0.28, 0.155, 0.1  # inches
SIZE = 8  # points

GREY = "#666666"


class Style(NamedTuple):
    """Okabe and Ito's colours, which keep their distance in grey and for the colour-blind."""

    colour: str
    marker: str
    dashes: Any = "-"
    hollow: bool = False


BLACK = Style("#000000", "o")
BLUE = Style("#0072B2", "s")
ORANGE = Style("#D55E00", "^")
GREEN = Style("#009E73", "D")


def dashed(style: Style) -> Style:
    return style._replace(dashes=(0, (4, 2)), hollow=True)


pyplot.rcParams.update({
    "font.size": SIZE, "axes.titlesize": SIZE + 1, "axes.labelsize": SIZE,
    "xtick.labelsize": SIZE, "ytick.labelsize": SIZE, "legend.fontsize": SIZE,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.5, "axes.axisbelow": True,
    "axes.titlelocation": "left", "axes.titleweight": "bold",
    "lines.linewidth": 1.2, "lines.markersize": 4.5, "hatch.linewidth": 0.6,
    "svg.hashsalt": "gctax",  # the same data make the same file
})


class Page:
    """A figure of `count` panels; `axes` are theirs, in reading order."""

    def __init__(self, title: str, count: int, panel_height: float = 2.3, columns: int = 3,
                 sharex: bool = True, sharey: bool = True) -> None:
        self.title = title
        self.notes: List[str] = []
        self.columns = min(count, columns)
        rows = -(-count // self.columns)
        self.panels_height = panel_height * rows
        self.figure, grid = pyplot.subplots(
            rows, self.columns, squeeze=False, sharex=sharex, sharey=sharey,
            figsize=(WIDTH if count > 1 else WIDTH * 0.75, 1), layout="constrained")
        self.axes: List[Any] = list(grid.flat[:count])
        for unused in grid.flat[count:]:
            unused.remove()
        for index, axis in enumerate(self.axes):
            if index + self.columns >= count:  # nothing stands below it
                axis.tick_params(labelbottom=True)

    def label(self, x: str, y: str) -> None:
        for index, axis in enumerate(self.axes):
            if index + self.columns >= len(self.axes):
                axis.set_xlabel(x)
            if index % self.columns == 0:
                axis.set_ylabel(y)

    def from_zero(self) -> None:
        """To be called when all is drawn: a limit that is set ends autoscaling."""
        for axis in self.axes:
            axis.set_ylim(bottom=0)

    @staticmethod
    def decades(axis: Any) -> None:
        """Numbers at 1, 2 and 5 of each decade of a logarithmic y axis, which else has but one or
        two."""
        axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=20))
        axis.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axis.yaxis.set_minor_formatter(ticker.NullFormatter())

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)

    def finish(self, origin: str) -> Any:
        """The figure, with its legend and the lines below it."""
        width = self.figure.get_figwidth()
        letters = int(width * 16.8)
        lines = [line for text in (" ".join(self.notes), origin)
                 for line in textwrap.wrap(text, letters)]
        handles = _legend(self.axes)
        per_row = max(1, int(width / 1.75))
        legend_rows = -(-len(handles) // per_row)
        below = MARGIN + LINE * (len(lines) + 1.2 * legend_rows)
        height = TITLE + self.panels_height + below
        self.figure.set_figheight(height)
        self.figure.text(0.01, 1 - 0.06 / height, self.title, va="top", weight="bold",
                         fontsize=SIZE + 2)
        self.figure.get_layout_engine().set(
            rect=(0, below / height, 0.99, self.panels_height / height), hspace=0.06, wspace=0.03)
        if handles:
            self.figure.legend(
                [handle for handle, _ in handles], [text for _, text in handles], ncol=per_row,
                loc="upper left", bbox_to_anchor=(0.01, below / height), frameon=False,
                borderaxespad=0, handlelength=2.8, columnspacing=1.5)
        self.figure.text(0.01, (MARGIN / 2) / height, "\n".join(lines), va="bottom",
                         color="#444444", fontsize=SIZE, linespacing=1.35)
        return self.figure


def _legend(axes: Sequence[Any]) -> List[Tuple[Any, str]]:
    found: Dict[str, Any] = {}
    for axis in axes:
        for handle, text in zip(*axis.get_legend_handles_labels()):
            found.setdefault(text, handle)
    return [(handle, text) for text, handle in found.items()]


def line(axis: Any, xs: Sequence[float], ys: Sequence[Spread], style: Style, label: str,
         x_ranges: Optional[Sequence[Spread]] = None, joined: bool = True) -> None:
    """Medians over processes, with the range they span as bars."""
    def bars(ranges: Sequence[Spread]) -> List[List[float]]:
        return [[one.median - one.low for one in ranges], [one.high - one.median for one in ranges]]

    axis.errorbar(
        xs, [y.median for y in ys], yerr=bars(ys), xerr=bars(x_ranges) if x_ranges else None,
        color=style.colour, marker=style.marker, linestyle=style.dashes if joined else "none",
        markerfacecolor="white" if style.hollow else style.colour, capsize=2, elinewidth=0.8,
        label=label)


def processes(spreads: Sequence[Spread]) -> str:
    """How many processes stand behind each point of a chart."""
    counts = sorted({one.n for one in spreads})
    if not counts:
        return ""
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if counts == [1]:
        return "One process a point: no spread is known."
    return f"Points: median over {number} processes; bars: the range they span."
