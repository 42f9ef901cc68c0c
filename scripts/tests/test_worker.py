"""Each worker of the build: what it says of itself and what it counts.

The figures here are the project's own, measured on builds of each release. No test asserts a time;
ratios are taken within one interleaved run.
"""
import statistics
from pathlib import Path
from typing import List, Tuple

import pytest
from programs import Gctax, Worker, call
from results import Group, Row, Run

ONE = ("--repeat", 1)
ON = ("--gc", "on")  # the preset sweeps it
SMALL = (*ONE, "--n", 1000, "--batches", 2, "--samples", 1000)


def cell(gctax: Gctax, out: Path, worker: Worker, *arguments: object) -> Row:
    """The row of a run of one cell, repeated once."""
    run = gctax.run(out, "--worker", worker.path, *ONE, *arguments)
    assert len(run.cells) == 1, [row.text("target") for row in run.cells]
    return run.cells[0]


def counts(row: Row) -> Tuple[float, ...]:
    found = [row.number(f"collections_gen{generation}") for generation in range(3)]
    return tuple(count for count in found if count is not None)


# ---- what it says of itself ---------------------------------------------------------------------

KEYS = {"python_version", "python_build", "python_compiler", "linkage", "ext_compiler", "libc",
        "executable", "release", "free_threaded", "debug", "arch", "pointer_bytes",
        "default_threshold0", "default_threshold1", "default_threshold2"}


def test_describe(worker: Worker) -> None:
    assert KEYS <= set(worker.facts)
    assert worker.facts["python_version"].startswith(f"3.{worker.release}.")
    assert worker.facts["linkage"] in ("static", "shared", "hosted")
    assert ("free-threaded" in worker.facts["python_build"]) == worker.free_threaded
    assert ("debug" in worker.facts["python_build"]) == worker.debug
    assert worker.facts["default_threshold0"] == ("700" if worker.release < 13 else "2000")


def test_it_embeds_the_interpreter_it_names(worker: Worker) -> None:
    executable = Path(worker.facts["executable"])
    if not executable.exists():
        pytest.skip(f"{executable} is not on this machine: a worker of a chroot")
    said = call(executable, "-I", "-c", "import platform; print(platform.python_version())")
    assert said.out.strip() == worker.facts["python_version"]


BAD_ARGUMENTS = [
    (("cell",), "target"),
    (("cell", "--target=gc1", "--workload=churn", "--n=many"), "many"),
    (("cell", "--target=gc1", "--workload=churn", "--colour=red"), "colour"),
    (("dance",), "dance"),
    ((), ""),
]


@pytest.mark.parametrize("arguments, words", BAD_ARGUMENTS, ids=[str(row[0]) for row in
                                                                 BAD_ARGUMENTS])
def test_bad_arguments_are_one_line(newest: Worker, arguments: Tuple[str, ...],
                                    words: str) -> None:
    result = call(newest.path, *arguments)
    assert result.code == 2, result
    assert len(result.err.splitlines()) == 1 and words in result.err, result.err


# ---- a small cell of each workload --------------------------------------------------------------

@pytest.mark.parametrize("workload", ["churn", "retain", "ring", "replace"])
def test_a_small_cell(gctax: Gctax, tmp_path: Path, worker: Worker, workload: str) -> None:
    live = ("--live", 500) if workload == "replace" else ()
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "plain1,gc1",
                    "--workloads", workload, *SMALL, *live)
    assert {row.text("target") for row in run.cells} == {"plain1", "gc1"}
    for row in run.cells:
        assert row.text("status") == "ok", row.text("detail")
        assert row.text("python_version") == worker.facts["python_version"]
        assert row.number("operations") == 2000
        for column in ("op_mean_ns", "op_min_ns", "op_floor_ns", "latency_p50_ns", "clock_cost_ns"):
            assert (row.number(column) or 0) > 0, column
        assert row.number("op_min_ns") <= row.number("op_mean_ns")  # type: ignore[operator]
        assert row.number("survivors_final") == 0
        # 1000 samples are enough for a 90th percentile and a 99th ( 100/(1-q) = 10,000 ) not
        assert row.number("latency_p90_ns") is not None
        assert row.number("latency_p99_99_ns") is None


def test_a_small_heap(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "gc1",
                    "--workloads", "heap", "--live", 2000, *ONE)
    assert {row.text("heap_order") for row in run.cells} == {"fresh", "aged"}
    for group in run.groups():
        explicit = group.pauses("0")
        assert explicit and all(row.text("explicit") == "1" for row in explicit)
        assert {row.text("generation") for row in explicit} == {"0", "1", "2"}


def test_an_older_release_skips_what_it_lacks(gctax: Gctax, tmp_path: Path,
                                              worker: Worker) -> None:
    run = gctax("run", "--out", tmp_path / "run", "--worker", worker.path, "--variants", "gc_dict",
                "--workloads", "churn", *SMALL)
    rows = Run(tmp_path / "run").cells
    assert len(rows) == 1 and run.code in (0, 3), run
    if worker.release < 12:
        assert rows[0].text("status") == "skipped" and "needs 3.12" in rows[0].text("detail")
        assert rows[0].text("op_mean_ns") == ""
    else:
        assert rows[0].text("status") == "ok", rows[0].text("detail")


# ---- allocators ---------------------------------------------------------------------------------

ALLOCATORS = {"debug": "debug", "malloc": "malloc", "pymalloc": "pymalloc",
              "malloc_debug": "malloc_debug", "pymalloc_debug": "pymalloc_debug"}


@pytest.mark.parametrize("asked", ["debug", "malloc", "pymalloc"])
def test_the_allocator_that_was_asked_for_is_active(gctax: Gctax, tmp_path: Path, worker: Worker,
                                                    asked: str) -> None:
    gctax("run", "--out", tmp_path / "run", "--worker", worker.path, "--variants", "gc1",
          "--workloads", "churn", "--allocator", asked, *SMALL)
    row = Run(tmp_path / "run").cells[0]
    if worker.free_threaded and asked != "debug":
        assert row.text("status") == "skipped", row.text("detail")
        return
    assert row.text("status") == "ok", row.text("detail")
    active = row.text("active_allocator")
    assert active.endswith("debug") if asked == "debug" else active == asked


# ---- collections --------------------------------------------------------------------------------

# 1,000,000 instances of gc1 allocated from C and retained, one process at the thresholds it starts
# with, by how often the safe point comes: collections of generation 0, 1 and 2. They move by one
# with the state that the counters start in.
def expected_counts(worker: Worker, safepoint: str) -> Tuple[int, int, int]:
    if worker.release < 12:
        return 1300, 118, 8  # collections run inside the allocation
    if safepoint == "none":
        return 0, 0, 0  # they are scheduled, and nothing ever runs them
    if worker.free_threaded:
        return 22, 0, 0
    return (1300, 118, 8) if worker.release == 12 else (455, 41, 3)


@pytest.mark.parametrize("safepoint", ["1", "none"])
def test_collections_of_a_million(gctax: Gctax, tmp_path: Path, worker: Worker,
                                  safepoint: str) -> None:
    row = cell(gctax, tmp_path / "run", worker, *ON, "--variants", "gc1", "--workloads",
               "retain", "--n", 1000000, "--batches", 1, "--samples", 1, "--safepoint", safepoint)
    assert row.text("status") == "ok", row.text("detail")
    found, expected = counts(row), expected_counts(worker, safepoint)
    assert all(abs(a - b) <= 1 for a, b in zip(found, expected)), (found, expected)


def test_automatic_collections_run_where_they_are_on(gctax: Gctax, tmp_path: Path,
                                                     worker: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "gc1", *ONE,
                    "--workloads", "retain,ring,replace", "--gc", "on,off",
                    "--threshold0", 500, "--batches", 2)
    assert len({(row.text("workload"), row.text("gc_mode")) for row in run.cells}) == 6
    for row in run.cells:
        assert row.text("status") == "ok", row.text("detail")
        name = (row.text("workload"), row.text("gc_mode"))
        if row.text("gc_mode") == "off":
            assert sum(counts(row)) == 0, name
            assert row.number("pauses_auto_gen0") in (None, 0), name
            assert row.text("trigger") == "none"
        else:
            assert sum(counts(row)) > 0, name
            assert (row.number("pauses_auto_gen0") or 0) > 0, name
            assert (row.number("gc_share_ratio") or 0) > 0, name
            assert row.text("trigger") == ("allocation" if worker.release < 12 else "safepoint")


def test_a_plain_type_is_never_collected(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    row = cell(gctax, tmp_path / "run", worker, *ON, "--variants", "plain1", "--workloads",
               "retain", "--batches", 2)
    assert row.text("target_gc") == "no" and sum(counts(row)) == 0


def test_churn_never_collects(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    row = cell(gctax, tmp_path / "run", worker, "--variants", "gc1", "--workloads", "churn")
    assert row.text("target_gc") == "yes" and sum(counts(row)) == 0


def test_explicit_collections_are_told_apart(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    row = cell(gctax, tmp_path / "run", worker, "--variants", "gc1", "--workloads", "retain",
               "--gc", "manual", "--collect-every", 10000, "--n", 50000, "--batches", 2)
    explicit = row.number("collections_explicit")
    assert explicit is not None and explicit >= 10
    assert counts(row) == (0, 0, explicit)
    assert (row.number("pauses_explicit_gen2") or 0) >= 10
    assert row.number("pauses_auto_gen0") == 0


def test_thresholds_change_counts_and_share(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", worker.path, *ON, "--variants", "gc1",
                    "--workloads", "retain", "--threshold0", "100,10000", "--batches", 5,
                    "--repeat", 3)
    groups = {group.text("threshold0"): group for group in run.groups()}
    low, high = groups["100"], groups["10000"]
    assert [len(low.rows), len(high.rows)] == [3, 3]
    assert {row.text("active_threshold0") for row in low.rows} == {"100"}
    if not worker.free_threaded:  # which waits until a quarter of all objects is new
        for group, threshold in ((low, 100), (high, 10000)):
            operations = group.number("operations") or 0
            for row in group.rows:
                expected = operations / (threshold + 1)
                assert 0.8 * expected - 5 <= sum(counts(row)) <= 1.05 * expected + 5
    assert sum(counts(low.rows[0])) > sum(counts(high.rows[0]))
    assert middle(low, "gc_share_ratio") > middle(high, "gc_share_ratio")


def middle(group: Group, column: str) -> float:
    found = group.spread(column)
    assert found is not None, column
    return found.median


# ---- pauses against CPython's own figure --------------------------------------------------------

def test_our_pause_contains_cpythons_own(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    if worker.release < 15:
        pytest.skip("CPython reports durations from 3.15 on")
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "gc1", *ONE,
                    *ON, "--workloads", "retain,heap", "--live", "1000,100000", "--batches", 10)
    pairs: List[Tuple[float, float]] = []
    for rows in run.pauses().values():
        for row in rows:
            ours, own = row.number("duration_ns"), row.number("cpython_duration_ns")
            assert ours is not None and own is not None
            pairs.append((ours, own))
    assert len(pairs) > 100
    # The two clocks are calibrated against each other to 1e-4; beyond that, ours is the longer.
    assert all(ours >= own * (1 - 1e-4) for ours, own in pairs)
    if worker.debug:
        return  # which checks all its lists between our callbacks and its own clock
    beyond = sorted(ours - own for ours, own in pairs)
    assert statistics.median(beyond) < 5000
    # By a constant: no more over the long ones than over the short ones, but for what a long one
    # leaves: its callbacks run on cold caches (14 us were seen after a pause of a millisecond).
    pairs.sort(key=lambda pair: pair[1])
    half = len(pairs) // 2
    short, long = ([ours - own for ours, own in part] for part in (pairs[:half], pairs[half:]))
    cold = 0.02 * statistics.median(own for _, own in pairs[half:])
    assert abs(statistics.median(long) - statistics.median(short)) < 5000 + cold
