#!/usr/bin/env python3
"""gctax agreement: do the harness and Google Benchmark tell the same time of a create-destroy pair?

One interleaved run: in each round every variant is measured once by either program, one directly
after the other, each in a process of its own; the order of the variants, and of the two, is drawn
anew. A process gives one figure, that of its
fastest batch: a mean carries whatever else the machine did meanwhile, which moved means by 20 %
from one process to the next. A round gives one ratio of two. Two instruments are equivalent for a
variant where the confidence interval of the ratio lies within the margin as a whole (two one-sided
tests): where it does not, they differ, or the rounds were too few to tell. The ratio is the
Hodges-Lehmann estimate and its interval that of the signed-rank test: now and then the clock of a
shared machine changes by a third between the two processes of a pair, and a mean over rounds
follows the few that it hit.
"""
import argparse
import csv
import functools
import json
import math
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, NoReturn, Sequence, Tuple

VARIANTS = "plain0,plain1,plain8,plain64,gc0,gc1,gc8,gc64,gc_fin,gc_var8"
OPERATIONS, BATCHES = 20000, 100
COLUMNS = ("variant", "rounds", "harness_ns", "benchmark_ns", "ratio", "low", "high", "margin",
           "verdict")
PAIR_COLUMNS = ("variant", "round", "harness_ns", "benchmark_ns")


class Verdict(NamedTuple):
    variant: str
    rounds: int
    harness_ns: float
    benchmark_ns: float
    ratio: float  # Google Benchmark / harness
    low: float
    high: float
    margin: float
    verdict: str  # equivalent, different, undecided


def centre(values: List[float]) -> Tuple[float, float, float]:
    """The median of the means of all pairs, each value with itself included, and its 90 %
    interval: 5 % to each side. Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3rd
    edition, 3.2 and 3.3, with the normal approximation of the signed-rank statistic."""
    n = len(values)
    means = sorted((a + b) / 2 for i, a in enumerate(values) for b in values[i:])
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = max(0, math.floor(n * (n + 1) / 4 - statistics.NormalDist().inv_cdf(0.95) * spread))
    return statistics.median(means), means[cut], means[-1 - cut]


def judge(variant: str, harness: List[float], benchmark: List[float], margin: float) -> Verdict:
    """Ratios of the same round, their logarithms taken as samples."""
    middle, low, high = centre([math.log(b / a) for a, b in zip(harness, benchmark)])
    limit = math.log1p(margin)
    if -limit < low and high < limit:
        verdict = "equivalent"
    elif low > limit or high < -limit:
        verdict = "different"
    else:
        verdict = "undecided"
    return Verdict(variant, len(harness), statistics.median(harness), statistics.median(benchmark),
                   math.exp(middle), math.exp(low), math.exp(high), margin, verdict)


def main() -> int:
    arguments = options()
    worker, bench = programs(arguments.build, arguments.worker)
    names = arguments.variants.split(",")
    found: Dict[str, Dict[str, List[float]]] = {name: {"worker": [], "bench": []} for name in names}
    chosen = random.Random(arguments.seed)
    for turn in range(arguments.rounds):
        for name in chosen.sample(names, len(names)):
            for which in chosen.sample(["worker", "bench"], 2):
                ns = (harness(worker, name, turn) if which == "worker"
                      else benchmark(bench, name, turn))
                found[name][which].append(ns)
        print(f"\r{turn + 1}/{arguments.rounds} rounds", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    verdicts = [judge(name, found[name]["worker"], found[name]["bench"], arguments.margin / 100)
                for name in names]
    if arguments.out:
        write(arguments.out, COLUMNS, verdicts)
    if arguments.pairs:
        write(arguments.pairs, PAIR_COLUMNS,
              [(name, turn, *pair) for name in names
               for turn, pair in enumerate(zip(found[name]["worker"], found[name]["bench"]))])
    print(f"{'variant':12}{'harness':>10}{'benchmark':>11}   ratio, 90 % interval"
          f"   within {arguments.margin:g} %")
    for one in verdicts:
        print(f"{one.variant:12}{one.harness_ns:7.2f} ns{one.benchmark_ns:8.2f} ns  "
              f" {one.ratio:.4f} [{one.low:.4f}, {one.high:.4f}]   {one.verdict}")
    return 0 if all(one.verdict == "equivalent" for one in verdicts) else 1


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="gctax agreement", description=(__doc__ or "").split("\n", maxsplit=1)[0],
        epilog="Exit: 0 equivalent, 1 not for all variants, 2 usage, 3 a program is missing.")
    parser.add_argument("--build", metavar="DIR", type=Path, default=Path("build"),
                        help="where gctax-worker-* and gctax-bench-* are (default: build)")
    parser.add_argument("--worker", metavar="TAG", required=True, help="of which, as 3.13.0")
    parser.add_argument("--variants", metavar="LIST", default=VARIANTS,
                        help=f"comma-separated (default: {VARIANTS})")
    parser.add_argument("--rounds", metavar="N", type=rounds, default=20, help="default: 20")
    parser.add_argument("--margin", metavar="PERCENT", type=float, default=5.0,
                        help="of equivalence (default: 5)")
    parser.add_argument("--seed", metavar="N", type=int, default=1,
                        help="of the order (default: 1)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="CSV of the verdicts")
    parser.add_argument("--pairs", metavar="FILE", type=Path,
                        help="CSV of what was measured: a row a variant and round")
    return parser.parse_args()


def rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 5:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 5 on: fewer rounds have no "
                                         "90 % interval")
    return int(text)


def programs(build: Path, tag: str) -> "tuple[Path, Path]":
    worker, bench = build / f"gctax-worker-{tag}", build / f"gctax-bench-{tag}"
    for path in (worker, bench):
        if not path.exists():
            fail(f"{path}: no such program: build it, or give other --worker or --build")
    return worker.resolve(), bench.resolve()


def harness(worker: Path, variant: str, repeat: int) -> float:
    """op_min_ns of a churn cell, its memory resident beforehand as gctax-bench has it."""
    text = call([str(worker), "cell", f"--target={variant}", "--workload=churn",
                 f"--n={OPERATIONS}", f"--batches={BATCHES}", "--samples=1", "--arena=prefault",
                 "--seed=1", f"--repeat={repeat}"])
    columns = cells_columns(worker.parent / "gctax")
    for row in csv.reader(text.splitlines()):
        if row and row[0] == "cells":
            cell = dict(zip(columns, row[1:]))
            if cell["op_min_ns"]:
                return float(cell["op_min_ns"])
            fail(f"{worker.name}: {variant}: {cell['detail'] or cell['status']}")
    fail(f"{worker.name}: {variant}: no row of cells.csv")


@functools.lru_cache(maxsize=None)
def cells_columns(gctax: Path) -> List[str]:
    text = call([str(gctax), "list", "metrics", "--format", "csv"])
    return [row["field"] for row in csv.DictReader(text.splitlines()) if row["table"] == "cells"]


def benchmark(bench: Path, variant: str, repeat: int) -> float:
    """Wall time of one iteration in the fastest of as many repetitions as the harness has
    batches."""
    text = call([str(bench), "--benchmark_format=json", f"--iterations={OPERATIONS}",
                 f"--benchmark_repetitions={BATCHES}", f"--repeat={repeat}",
                 f"--benchmark_filter=^create_destroy/{variant}/"])
    found = [row for row in json.loads(text)["benchmarks"] if row["run_type"] == "iteration"]
    if len(found) != BATCHES or any(row.get("error_occurred") or row.get("skipped")
                                    for row in found):
        fail(f"{bench.name}: {variant}: cannot be measured")
    return min(float(row["real_time"]) for row in found)


def call(argv: List[str]) -> str:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=600)
    if done.returncode != 0:
        fail(f"{argv[0]}: {(done.stderr.splitlines() or ['failed'])[-1]}")
    return done.stdout


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for row in rows:
                writer.writerow([f"{field:.6g}" if isinstance(field, float) else field
                                 for field in row])
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def fail(message: str) -> NoReturn:
    print(f"gctax agreement: {message}", file=sys.stderr)
    sys.exit(3)


if __name__ == "__main__":
    sys.exit(main())
