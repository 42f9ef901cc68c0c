"""gctax agreement: its interval, its verdicts, and a run of both programs."""
import csv
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from conftest import SOURCE
from programs import BUILD, Worker

agreement = pytest.importorskip("agreement")


def noisy(seed: int, count: int, true: float = 0.0) -> List[float]:
    """A spread of 3 %, and of one in ten a third more: what a shared machine does to a pair."""
    chosen = random.Random(seed)
    return [chosen.gauss(true, 0.03) + (chosen.choice([-0.3, 0.3]) if chosen.random() < 0.1 else 0)
            for _ in range(count)]


def signed_rank_p(values: List[float]) -> float:
    """Two-sided, exact: of all 2^n ways to give the ranks a sign, how many are as far off."""
    ranked = sorted(values, key=abs)
    sums = [1]
    for rank in range(1, len(ranked) + 1):
        sums = [(sums[i] if i < len(sums) else 0) + (sums[i - rank] if i >= rank else 0)
                for i in range(len(sums) + rank)]
    positive = sum(rank for rank, value in enumerate(ranked, start=1) if value > 0)
    tail = min(positive, len(sums) - 1 - positive)
    return 2 * sum(sums[:tail + 1]) / sum(sums)


@pytest.mark.parametrize("count", [20, 60])
def test_the_interval_holds_what_the_signed_rank_test_accepts(count: int) -> None:
    for seed in range(10):
        values = noisy(seed, count)
        middle, low, high = agreement.centre(values)
        assert low < middle < high
        step = (high - low) / 20
        for theta, inside in ((low + step, True), (high - step, True), (low - step, False),
                              (high + step, False)):
            p = signed_rank_p([value - theta for value in values])
            assert (p > 0.1) == inside, (seed, theta, p)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(400):
        _, low, high = agreement.centre(noisy(seed, 25, true=0.01))
        covered += low < 0.01 < high
    assert 0.85 < covered / 400 < 0.95


@pytest.mark.parametrize("ratio, verdict", [
    (1.0, "equivalent"), (1.02, "equivalent"), (1 / 1.02, "equivalent"), (1.05, "undecided"),
    (1 / 1.05, "undecided"), (1.2, "different"), (1 / 1.2, "different")])
def test_verdicts(ratio: float, verdict: str) -> None:
    harness = [20.0] * 60
    benchmark = [20.0 * math.exp(log) for log in noisy(1, 60, math.log(ratio))]
    found = agreement.judge("gc1", harness, benchmark, 0.05)
    assert found.verdict == verdict and found.rounds == 60
    assert abs(found.ratio / ratio - 1) < 0.01
    other = agreement.judge("gc1", benchmark, harness, 0.05)
    assert math.isclose(other.ratio * found.ratio, 1) and other.verdict == verdict


def test_too_few_rounds() -> None:
    done = subprocess.run([sys.executable, str(SOURCE / "scripts" / "agreement.py"), "--worker",
                           "3.13.0", "--rounds", "4"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "5 on" in done.stderr and "Traceback" not in done.stderr


def test_both_programs(workers: List[Worker], tmp_path: Path) -> None:
    # The harness makes its arenas resident beforehand, which a free-threaded build does not have.
    tags = [worker.name[len("gctax-worker-"):] for worker in workers if not worker.free_threaded]
    tags = [tag for tag in tags if (BUILD / f"gctax-bench-{tag}").exists()]
    if not tags:
        pytest.skip("no gctax-bench in the build: Google Benchmark was not found")
    tag = tags[-1]
    done = subprocess.run([sys.executable, str(SOURCE / "scripts" / "agreement.py"), "--build",
                           str(BUILD), "--worker", tag, "--rounds", "5", "--variants", "plain1,gc1",
                           "--out", str(tmp_path / "out.csv"), "--pairs", str(tmp_path / "p.csv")],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["variant"] for row in rows] == ["plain1", "gc1"]
    assert all(row["verdict"] in done.stdout for row in rows)
    with (tmp_path / "p.csv").open(newline="") as file:
        pairs = list(csv.DictReader(file))
    assert len(pairs) == 10 and all(float(pair["harness_ns"]) > 0 for pair in pairs)
    logs = [math.log(float(pair["benchmark_ns"]) / float(pair["harness_ns"]))
            for pair in pairs if pair["variant"] == "gc1"]
    assert math.isclose(math.log(float(rows[1]["ratio"])), agreement.centre(logs)[0], abs_tol=1e-4)


def test_the_page_shows_the_committed_run() -> None:
    with (SOURCE / "results" / "agreement.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = (SOURCE / "results" / "agreement-pairs.csv").read_text().splitlines()[1:]
    page = (SOURCE / "bench" / "README.md").read_text(encoding="utf-8")
    assert len(rows) == 10
    for row in rows:
        measured = [list(map(float, line.split(",")[2:])) for line in pairs
                    if line.startswith(row["variant"] + ",")]
        found = agreement.judge(row["variant"], [pair[0] for pair in measured],
                                [pair[1] for pair in measured], float(row["margin"]))
        assert found.verdict == row["verdict"] and found.rounds == int(row["rounds"])
        assert math.isclose(found.ratio, float(row["ratio"]), rel_tol=1e-4)
        interval = f"{found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"
        assert (f"| `{row['variant']}` | {found.harness_ns:.1f} ns | {found.benchmark_ns:.1f} ns | "
                f"{interval} | {found.verdict} |") in page
