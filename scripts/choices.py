#!/usr/bin/env python3
"""gctax choices RUN: what each single choice costs, a variant against its twin."""
import argparse
import csv
import fnmatch
import io
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from cases import require_driver
from results import (ENVIRONMENT, Group, Row, Run, RunError, Spread, by_worker, collection_ns,
                     fail, load, one_setting)
from summary import aligned, paired, short

FREE = {"target", "n", "batches", "samples"}  # that may differ between cells that are compared
HEADS = ("choice", "type", "against", "ns a pair", "bytes", "usable", "ns in a full collection")


class Choice(NamedTuple):
    """A row of `gctax list variants`: a variant, and its twin that differs in one trait."""

    name: str
    family: str
    twin: str
    axis: str
    doc: str


class Comparison(NamedTuple):
    """A choice less its twin, on one worker; None is what the run lacks."""

    choice: Choice
    pair_ns: Optional[Spread]
    requested: Optional[Spread]
    usable: Optional[Spread]
    collection_ns: Optional[Spread]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="gctax choices", description="What each single choice costs: each variant of a run"
        " against its twin, which differs in that choice alone. The run needs churn, and for the"
        " last column heap: gctax run --preset choices.")
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("--families", metavar="GLOBS", default="*",
                        help="these families alone, comma-separated (default: all)")
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    arguments = parser.parse_args()
    try:
        run = load(arguments.run)
        choices = [choice for choice in read_choices()
                   if any(fnmatch.fnmatchcase(choice.family, pattern)
                          for pattern in arguments.families.split(","))]
        lines = show(run, choices, arguments.format == "markdown")
    except RunError as error:
        fail("gctax choices", error)
    print("\n".join(lines))
    return 0


def read_choices() -> List[Choice]:
    """One of each family: with one field where there is such a size, else the smallest."""
    listed = subprocess.run([require_driver(), "list", "variants", "--format", "csv"], text=True,
                            stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if listed.returncode != 0:
        raise RunError(f"gctax list variants: {listed.stderr.strip()}", ENVIRONMENT)
    sizes: Dict[str, Tuple[int, Choice]] = {}
    rows = list(csv.DictReader(io.StringIO(listed.stdout)))
    twin_of = {row["name"]: row["twin"] for row in rows}
    for row in rows:
        if row["collector"] == "no" and twin_of.get(row["twin"]) == row["name"]:
            continue  # the same difference from its other side
        size = int(row["size"]) or sys.maxsize
        choice = Choice(row["name"], row["family"], row["twin"], row["axis"], row["doc"])
        if choice.twin and size < sizes.get(choice.family, (sys.maxsize + 1, choice))[0]:
            sizes[choice.family] = size, choice
    return [choice for _, choice in sizes.values()]


def show(run: Run, choices: Sequence[Choice], markdown: bool) -> List[str]:
    workers = [(short(worker), [found for choice in choices
                                for found in [compare(groups, choice)] if found])
               for worker, groups in by_worker(run.groups())]
    workers = [(worker, rows) for worker, rows in workers if rows]
    if not workers:
        raise RunError(f"{run.path}: no churn of a variant and its twin in this run", ENVIRONMENT)
    if markdown:
        return side_by_side(choices, workers)
    lines: List[str] = []
    for worker, rows in workers:
        lines += ["", worker, "", *aligned(HEADS, [
            [f"{row.choice.axis}: {row.choice.doc}", row.choice.name, row.choice.twin,
             shown(row.pair_ns), shown(row.requested, 0), shown(row.usable, 0),
             shown(row.collection_ns)] for row in rows])]
    return lines[1:]


def side_by_side(choices: Sequence[Choice],
                 workers: Sequence[Tuple[str, Sequence[Comparison]]]) -> List[str]:
    """One table in Markdown, each figure a column a worker."""
    figures = ("ns a pair", "bytes (usable)", "ns in a full collection")
    heads = ["choice", "type, against its twin",
             *(f"{figure}, {worker}" for figure in figures for worker, _ in workers)]
    lines = [heads, ["---"] * len(heads)]
    for choice in choices:
        found = [next((row for row in rows if row.choice == choice), None) for _, rows in workers]
        if not any(found):
            continue
        cells = [(shown(row.pair_ns), f"{shown(row.requested, 0)} ({shown(row.usable, 0)})",
                  shown(row.collection_ns)) if row else ("-", "-", "-") for row in found]
        lines.append([f"{choice.axis}: {choice.doc}", f"`{choice.name}` - `{choice.twin}`",
                      *(cell[figure] for figure in range(len(figures)) for cell in cells)])
    return ["| " + " | ".join(line) + " |" for line in lines]


def compare(groups: Sequence[Group], choice: Choice) -> Optional[Comparison]:
    """None where the run has not both."""
    pair = twins(groups, choice, "churn")
    if not pair:
        return None
    heaps = twins(groups, choice, "heap")
    return Comparison(choice, paired(*pair, pair_ns),
                      paired(*pair, partial(instance_bytes, "requested")),
                      paired(*pair, partial(instance_bytes, "usable")),
                      paired(*heaps, collection_ns) if heaps else None)


def twins(groups: Sequence[Group], choice: Choice, workload: str) -> Optional[Tuple[Group, Group]]:
    found, _ = one_setting([group for group in groups if group.text("workload") == workload
                            and group.text("heap_order") in ("", "fresh")
                            and group.text("target") in (choice.name, choice.twin)], FREE)
    both = {group.text("target"): group for group in found}
    return (both[choice.name], both[choice.twin]) if len(both) == 2 else None


def pair_ns(row: Row) -> Optional[float]:
    return row.number("op_min_ns")


def instance_bytes(what: str, row: Row) -> Optional[float]:
    """Of an instance and of what it owns: asked for, or given with the allocator's rounding."""
    own, owned = row.number(f"own_{what}_bytes"), row.number(f"owned_{what}_bytes")
    return None if own is None else own + (owned or 0)


def shown(value: Optional[Spread], digits: int = 1) -> str:
    if value is None:
        return "-"
    middle, low, high = (f"{round(number, digits) + 0.0:+.{digits}f}"  # + 0.0: no -0.0
                         for number in (value.median, value.low, value.high))
    return middle if value.low == value.high else f"{middle} ({low}..{high})"


if __name__ == "__main__":
    sys.exit(main())
