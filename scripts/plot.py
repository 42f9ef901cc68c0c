#!/usr/bin/env python3
"""gctax plot RUN: draws the charts of a run."""
import argparse
import os
import sys
from pathlib import Path
from typing import List, Sequence

from results import ENVIRONMENT, RunError, fail, load

try:
    from charts import CHARTS
    from charts.view import NoData, View
except ImportError as missing:
    print(f"gctax plot: {missing.name or missing} is missing in {sys.executable}:"
          " it needs matplotlib 3.6 or newer", file=sys.stderr)
    sys.exit(ENVIRONMENT)

FORMATS = ("png", "svg", "pdf")
DPI = 200


def main() -> int:
    arguments = options()
    try:
        out = folder(arguments.run, arguments.out)
        view = View([load(run) for run in arguments.run])
        out.mkdir(parents=True, exist_ok=True)
        drawn = draw(view, out, arguments.only, arguments.format)
    except RunError as error:
        fail("gctax plot", error)
    except OSError as error:
        fail("gctax plot", RunError(f"{error.filename}: {error.strerror}", ENVIRONMENT))
    return 0 if drawn else ENVIRONMENT


def options() -> argparse.Namespace:
    names = ", ".join(chart.name for chart in CHARTS)
    parser = argparse.ArgumentParser(prog="gctax plot", description="Draw the charts of a run.")
    parser.add_argument("run", metavar="RUN", nargs="+", type=Path, help="folder of a run")
    parser.add_argument("--out", metavar="DIR", type=Path,
                        help="where the charts go (default: charts in the folder of the run)")
    parser.add_argument("--format", metavar="LIST", type=formats, default=["png", "svg"],
                        help=f"comma-separated, of {', '.join(FORMATS)} (default: png,svg)")
    parser.add_argument("--only", metavar="NAME", action="append",
                        choices=[chart.name for chart in CHARTS],
                        help=f"draw this one; repeatable; of {names}")
    return parser.parse_args()


def formats(text: str) -> List[str]:
    chosen = text.split(",")
    for name in chosen:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(FORMATS)}")
    return chosen


def folder(runs: Sequence[Path], out: "Path | None") -> Path:
    if out:
        return out
    if len(runs) > 1:
        raise RunError("charts of several runs belong to none of them: give --out DIR")
    return Path(runs[0]) / "charts"


def draw(view: View, out: Path, only: "List[str] | None", chosen: Sequence[str]) -> int:
    """Says of each chart where it went, or why it was skipped. How many were drawn."""
    drawn = 0
    for chart in CHARTS:
        if only and chart.name not in only:
            continue
        try:
            figure = chart.draw(view).finish(origin(view))
        except NoData as reason:
            print(f"{chart.name}: skipped: {reason}")
            continue
        for suffix in chosen:
            # Without a date, the same data make the same file.
            metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
            target = out / f"{chart.name}.{suffix}"
            figure.savefig(target, dpi=DPI, metadata=metadata)
            print(f"{chart.name}: {os.path.relpath(target)}")
        drawn += 1
    return drawn


def origin(view: View) -> str:
    """What decides the meaning of the figures: run, machine and how each worker was built."""
    runs = ", ".join(run.run_id() for run in view.runs)
    machines = sorted({group.text("cpu_model") for group in view.groups} - {""})
    workers = []
    for name, groups in view.by_name(view.groups):
        first = groups[0]
        workers.append(f"{name}: CPython {first.text('python_version')}"
                       f" {first.text('python_build')} {first.text('linkage')}")
    return f"Run {runs} on {', '.join(machines) or 'an unknown processor'}. {'; '.join(workers)}."


if __name__ == "__main__":
    sys.exit(main())
