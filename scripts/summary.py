#!/usr/bin/env python3
"""gctax summary RUN: what HAVE_GC costs here, in about ten lines."""
import argparse
import os
import sys
from pathlib import Path
from typing import Callable, List, Optional, Sequence

from results import (ENVIRONMENT, Group, Row, Run, RunError, Spread, by_worker, collection_ns,
                     fail, load, one_setting, spread)

FIELDS = (1, 8)
BOLD, PLAIN = "\033[1m", "\033[0m"


def main() -> int:
    parser = argparse.ArgumentParser(prog="gctax summary",
                                     description="What HAVE_GC costs, in about ten lines.")
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    arguments = parser.parse_args()
    try:
        lines = summary(load(arguments.run))
    except RunError as error:
        fail("gctax summary", error)
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in lines:
        heading = not line.startswith(" ")
        print(f"{BOLD}{line}{PLAIN}" if heading and coloured else line)
    return 0


def summary(run: Run) -> List[str]:
    workers = list(by_worker(run.groups()))
    fields = FIELDS if len(workers) <= 2 else FIELDS[:1]
    pairs = [row for worker, groups in workers for row in pair_rows(short(worker), groups, fields)]
    costs = [row for worker, groups in workers for row in collection_rows(short(worker), groups)]
    lines = []
    if pairs:
        lines.append("HAVE_GC in a create-destroy pair: ns, median (range over processes)")
        lines += aligned(("", "fields", "without", "with", "difference", "floor",
                          "bytes requested"), pairs)
    if costs:
        lines.append("Collections: ns per live object of a full one, less that of the empty heap;"
                     " share of all time")
        lines += aligned(("", "live", "fresh heap", "aged heap", "at default thresholds"), costs)
    if not lines:
        raise RunError(f"{run.path}: no churn of gc1 and plain1, no heap, no ring or replace of gc1"
                       " in this run", ENVIRONMENT)
    return lines


def pair_rows(worker: str, groups: Sequence[Group], fields: Sequence[int]) -> List[List[str]]:
    rows = []
    for size in fields:
        names = (f"plain{size}", f"gc{size}")
        found, _ = one_setting([group for group in groups if group.text("workload") == "churn"
                                and group.text("target") in names], {"target"})
        twins = {group.text("target"): group for group in found}
        if len(twins) < 2:
            continue
        plain, gc = (twins[name] for name in names)
        rows.append([
            worker, str(size), shown(plain.spread("op_min_ns")), shown(gc.spread("op_min_ns")),
            shown(difference(plain, gc, "op_min_ns"), "+"), shown(gc.spread("op_floor_ns")),
            f"{middle(plain, 'own_requested_bytes')} -> {middle(gc, 'own_requested_bytes')}"])
    return rows


def collection_rows(worker: str, groups: Sequence[Group]) -> List[List[str]]:
    heaps, _ = one_setting([group for group in groups if group.text("workload") == "heap"
                            and group.text("target") == "gc1"], {"heap_order", "live"})
    largest = max((group.number("live") or 0 for group in heaps), default=0)
    heaps = [group for group in heaps if group.number("live") == largest]
    order = {group.text("heap_order"): group for group in heaps}
    shares = [f"{workload} {percent(share)}" for workload in ("ring", "replace")
              for share in [default_share(groups, workload)] if share]
    if not heaps and not shares:
        return []
    return [[worker, heaps[0].text("live") if heaps else "",
             shown(per_object(order.get("fresh"))), shown(per_object(order.get("aged"))),
             ", ".join(shares)]]


def difference(plain: Group, gc: Group, column: str) -> Optional[Spread]:
    return paired(gc, plain, lambda row: row.number(column))


def paired(one: Group, twin: Group, value: Callable[[Row], Optional[float]]) -> Optional[Spread]:
    """By repeat: the twins of one repeat share their hash seed and ran back to back."""
    mine, others = one.by_repeat(value), twin.by_repeat(value)
    return spread([mine[repeat] - others[repeat] for repeat in mine if repeat in others])


def per_object(group: Optional[Group]) -> Optional[Spread]:
    return spread(list(group.by_repeat(collection_ns).values())) if group else None


def default_share(groups: Sequence[Group], workload: str) -> Optional[Spread]:
    found, _ = one_setting([
        group for group in groups
        if group.text("workload") == workload and group.text("target") == "gc1"
        and group.text("gc_mode") == "on" and not group.text("threshold0")], set())
    return found[0].spread("gc_share_ratio") if found else None


def middle(group: Group, column: str) -> str:
    found = group.spread(column)
    return f"{found.median:g}" if found else "?"


def shown(value: Optional[Spread], sign: str = "") -> str:
    if value is None:
        return "-"
    if value.n == 1:
        return f"{value.median:{sign}.1f} (one)"
    return f"{value.median:{sign}.1f} ({value.low:.1f}..{value.high:.1f})"


def percent(share: Spread) -> str:
    if share.n == 1:
        return f"{share.median:.1%} (one)"
    return f"{share.median:.1%} ({share.low:.1%}..{share.high:.1%})"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    return ["  " + "  ".join(field.ljust(width) for field, width in zip(line, widths)).rstrip()
            for line in [head, *rows]]


def short(worker: str) -> str:
    return worker[len("gctax-worker-"):] if worker.startswith("gctax-worker-") else worker


if __name__ == "__main__":
    sys.exit(main())
