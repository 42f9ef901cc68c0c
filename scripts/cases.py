#!/usr/bin/env python3
"""gctax cases: what others met with the collector, run here, and whether its shape appears."""
import argparse
import importlib
import math
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from driver import NO_DRIVER, find_driver
from results import ENVIRONMENT, Group, Run, RunError, by_worker, fail

CASES = Path(__file__).resolve().parent.parent / "harness" / "cases.toml"
PROGRAM = "gctax cases"


class Shape(NamedTuple):
    """What must appear in the figures of a case."""

    kind: str
    column: str = ""
    axis: str = ""
    of: str = ""
    over: str = ""
    per: Sequence[str] = ()
    least: Optional[float] = None
    most: Optional[float] = None

    def range(self) -> str:
        low = "" if self.least is None else f"{self.least:g} ≤ "
        high = "" if self.most is None else f" ≤ {self.most:g}"
        return f"{low}{self.kind}{high}"


class Case(NamedTuple):
    id: str
    name: str
    link: str
    text: str
    run: Sequence[str]
    shape: Shape
    free_threaded: str = ""  # why the shape is not to be expected there

    def arguments(self) -> List[str]:
        """Of `gctax run`: scripts lie beside the table."""
        words = list(self.run)
        for place, word in enumerate(words[:-1]):
            if word == "--script":
                words[place + 1] = str(CASES.parent / "cases" / words[place + 1])
        return words


class Verdict(NamedTuple):
    """What one worker showed."""

    case: Case
    worker: str
    value: Optional[float]
    note: str
    why_not: str = ""

    def appeared(self) -> Optional[bool]:
        if self.value is None:
            return None
        shape = self.case.shape
        return ((shape.least is None or self.value >= shape.least)
                and (shape.most is None or self.value <= shape.most))

    def failed(self) -> bool:
        return self.appeared() is False and not self.why_not

    def word(self) -> str:
        no = "no" if self.why_not else "NO"
        return {True: "yes", False: no, None: "-"}[self.appeared()]

    def remark(self) -> str:
        return f"{self.note}; {self.why_not}" if self.word() == "no" else self.note


def main() -> int:
    arguments = parse()
    try:
        cases = choose(read_cases(CASES), arguments.only)
        verdicts: List[Verdict] = []
        for case in cases:
            verdicts += judge(case, execute(case, arguments))
    except RunError as error:
        fail(PROGRAM, error)
    lines = table(verdicts)
    print("\n".join(lines))
    if arguments.table:
        arguments.table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if any(verdict.failed() for verdict in verdicts) else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Runs the cases of harness/cases.toml on every worker and says "
        "which of their shapes appeared. Exit 1 where one did not.")
    parser.add_argument("--only", metavar="ID", action="append", help="this case (repeatable)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/cases"),
                        help="folder of the runs, one a case; what is there is not run again "
                        "(default %(default)s)")
    parser.add_argument("--repeat", metavar="N", default="3", help="processes a cell (default 3)")
    parser.add_argument("--worker", metavar="CMD", action="append", default=[],
                        help="as of gctax run (default: all)")
    parser.add_argument("--table", metavar="FILE", type=Path, help="write the table there as well")
    return parser.parse_args()


def parser_of_toml() -> Any:
    """tomllib, which CPython has from 3.11 on, or tomli, which it was made from."""
    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise RunError("this Python has no TOML parser: use 3.11 or later, or install tomli "
                   "(Debian: python3-tomli)", ENVIRONMENT)


def read_cases(path: Path) -> List[Case]:
    toml = parser_of_toml()
    try:
        rows = toml.loads(path.read_text(encoding="utf-8"))["case"]
        return [read_case(row) for row in rows]
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except (toml.TOMLDecodeError, KeyError, TypeError) as error:
        raise RunError(f"{path}: {error}") from None


def read_case(row: Dict[str, Any]) -> Case:
    words: Dict[str, Any] = {**row, "shape": Shape(**row["shape"])}
    return Case(**words)


def choose(cases: List[Case], only: Optional[List[str]]) -> List[Case]:
    known = [case.id for case in cases]
    for name in only or []:
        if name not in known:
            raise RunError(f"no case {name}: {', '.join(known)}")
    return [case for case in cases if not only or case.id in only]


def require_driver() -> str:
    driver = find_driver()
    if driver is None:
        raise RunError(NO_DRIVER, ENVIRONMENT)
    return driver


def execute(case: Case, arguments: argparse.Namespace) -> Run:
    out = arguments.out / case.id
    if not (out / "cells.csv").exists():
        workers = [word for worker in arguments.worker for word in ("--worker", worker)]
        command = [require_driver(), "run", "--preset", "sweep", "--out", str(out), "--repeat",
                   arguments.repeat, *workers, *case.arguments()]
        print(f"{case.id}: {case.name}", file=sys.stderr)
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in (0, 1):
            raise RunError(f"{case.id}: gctax run ended with {code}", code)
    return Run(out)


# ---- shapes -------------------------------------------------------------------------------------

def judge(case: Case, run: Run) -> List[Verdict]:
    """One verdict a worker; of a worker without any good row, one that says why."""
    verdicts = [Verdict(case, worker, *measure(case.shape, groups),
                        case.free_threaded if groups[0].free_threaded() else "")
                for worker, groups in by_worker(run.groups())]
    good = {verdict.worker for verdict in verdicts}
    for row in run.cells:
        if row.text("worker") not in good:
            good.add(row.text("worker"))
            note = f"{row.text('status')}: {row.text('detail')}"
            verdicts.append(Verdict(case, row.text("worker"), None, note))
    return verdicts


def measure(shape: Shape, groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    """The figure that the shape is about, and a note: where it comes from, or why there is none."""
    if shape.kind == "ratio":
        return ratio(shape, groups)
    if shape.kind == "slope":
        return slope(shape, groups)
    if shape.kind == "valley":
        return valley(shape, groups)
    if shape.kind == "value":
        return value(shape, groups)
    if shape.kind == "split":
        return split(groups)
    raise RunError(f"{CASES}: unknown shape {shape.kind}")


def median(group: Group, column: str) -> Optional[float]:
    spread = group.spread(column)
    return None if spread is None else spread.median


def points(shape: Shape, groups: Sequence[Group]) -> List[Tuple[float, float]]:
    """(axis, column), by axis; cells whose column is empty are left out."""
    found = []
    for group in groups:
        at, height = group.number(shape.axis), median(group, shape.column)
        if at is not None and height is not None:
            found.append((at, height))
    return sorted(found)


def ratio(shape: Shape, groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    by: Dict[str, Optional[float]] = {group.text(shape.axis): median(group, shape.column)
                                      for group in groups}
    of, over = by.get(shape.of), by.get(shape.over)
    if of is None or not over:
        return None, f"no {shape.column} with {shape.axis} {shape.of} and {shape.over}"
    return of / over, f"{shape.column}: {of:.4g} / {over:.4g}"


def slope(shape: Shape, groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    logs = [(math.log(x), math.log(y)) for x, y in points(shape, groups) if x > 0 and y > 0]
    if len(logs) < 3:
        return None, f"{len(logs)} points of {shape.column}, and a slope needs 3"
    x_mean, y_mean = (statistics.fmean(one) for one in zip(*logs))
    above = sum((x - x_mean) * (y - y_mean) for x, y in logs)
    return above / sum((x - x_mean) ** 2 for x, _ in logs), f"{len(logs)} points"


def valley(shape: Shape, groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    found = points(shape, groups)
    if len(found) < 3:
        return None, f"{len(found)} points of {shape.column}, and a valley needs 3"
    at, least = min(found, key=lambda point: point[1])
    return found[-1][1] / least - 1, f"minimum at {shape.axis} {at:g}"


def value(shape: Shape, groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    results = []
    for group in groups:
        result = median(group, shape.column)
        for column in shape.per:
            divisor = median(group, column)
            result = None if result is None or not divisor else result / divisor
        if result is not None:
            results.append(result)
    return (max(results), "") if results else (None, f"no {shape.column}")


def split(groups: Sequence[Group]) -> Tuple[Optional[float], str]:
    kinds: Dict[str, Tuple[float, float]] = {}
    for group in groups:
        counts = [sum(median(group, f"pauses_{kind}_gen{generation}") or 0
                      for generation in range(3)) for kind in ("auto", "explicit")]
        kinds[group.text("gc_mode")] = (counts[0], counts[1])
    if set(kinds) != {"on", "manual"}:
        return None, "gc_mode on or manual is missing"
    good = (kinds["on"][0] > 0 and kinds["on"][1] == 0
            and kinds["manual"][0] == 0 and kinds["manual"][1] > 0)
    note = ", ".join(f"{mode}: {auto:g} automatic, {explicit:g} explicit"
                     for mode, (auto, explicit) in sorted(kinds.items()))
    return float(good), note


def table(verdicts: Sequence[Verdict]) -> List[str]:
    """Markdown."""
    lines = ["| case | shape | worker | value | appeared | note |", "|---|---|---|---|---|---|"]
    for verdict in verdicts:
        case = verdict.case
        cells: List[Any] = [f"[{case.id}]({case.link}) {case.name}", case.shape.range(),
                            verdict.worker,
                            "" if verdict.value is None else f"{verdict.value:.3g}",
                            verdict.word(), verdict.remark().replace("|", "\\|")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
