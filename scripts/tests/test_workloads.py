"""The workloads, small: each runs on each worker and proves its work; wrong work is an error.

No test asserts a time.
"""
import os
import signal
from pathlib import Path
from typing import Dict, Tuple

import pytest
from programs import Gctax, Worker, call
from results import Row, Run

ONE = ("--repeat", 1, "--batches", 2)

# Workload, what it is driven with, and its sizes.
ROWS: Dict[str, Tuple[str, Tuple[object, ...]]] = {
    "frozen": ("plain1,gc1", ("--n", 2000, "--live", 3000, "--samples", 1000)),
    "chain": ("plain1,gc1", ("--n", 2000, "--depth", 50, "--samples", 20)),
    "tree": ("plain2,gc2", ("--n", 2000, "--live", 1000, "--depth", 5, "--samples", 20)),
    "graph": ("gc2,gc8", ("--live", 3000, "--drop-percent", "30,100")),
    "payload": ("plain2,gc2", ("--n", 500, "--payload-bytes", 5000, "--samples", 100)),
    "periodic": ("plain1,gc1", ("--n", 12, "--live", 20000)),
    "threads": ("plain1,gc1", ("--n", 3001, "--threads", "1,3")),
    "subclass": ("plain1,gc1", ("--n", 200, "--samples", 100)),
    "reimport": ("plain1,gc1", ("--n", 3,)),
}


@pytest.mark.parametrize("workload", ROWS)
def test_it_runs_and_proves_its_work(gctax: Gctax, tmp_path: Path, worker: Worker,
                                     workload: str) -> None:
    variants, sizes = ROWS[workload]
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", variants,
                    "--workloads", workload, *ONE, *sizes)
    assert {row.text("target") for row in run.cells} == set(variants.split(","))
    for row in run.cells:
        assert row.text("status") == "ok", (row.text("target"), row.text("detail"))
        assert row.number("op_mean_ns")
        assert row.number("survivors_final") == 0


def one(gctax: Gctax, out: Path, worker: Worker, *arguments: object) -> Row:
    """The row of a run of one cell, whatever its status."""
    result = gctax("run", "--out", out, "--worker", worker.path, "--repeat", 1, *arguments)
    assert result.code in (0, 1), result
    cells = Run(out).cells
    assert len(cells) == 1, [row.text("target") for row in cells]
    return cells[0]


# ---- what each is there to show -----------------------------------------------------------------

def test_a_deep_chain_without_trashcan_crashes(gctax: Gctax, tmp_path: Path,
                                               worker: Worker) -> None:
    """Of types without GC on every release: the row says so, and the run goes on."""
    row = one(gctax, tmp_path / "run", worker, "--variants", "plain1", "--workloads", "chain",
              "--depth", 1000000, "--batches", 1)
    assert row.text("status") == "crash", row.text("detail")
    assert signal.Signals.SIGSEGV.name in row.text("detail")


def test_a_frozen_heap_is_not_walked(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "gc1", "--workloads",
                    "frozen", *ONE, "--n", 20000, "--live", 20000)
    assert {row.text("gc_mode") for row in run.cells} == {"on", "frozen"}
    for row in run.cells:
        assert (row.number("freeze_last_ns") is not None) == (row.text("gc_mode") == "frozen")


def test_the_peak_of_payloads_follows_the_threshold(gctax: Gctax, tmp_path: Path,
                                                    worker: Worker) -> None:
    if worker.free_threaded:
        pytest.skip("a free-threaded collector is no slave of threshold0: it counts by thread")
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "gc2", "--workloads",
                    "payload", *ONE, "--n", 2000, "--cycle", 2, "--payload-bytes", 1000,
                    "--samples", 10, "--threshold0", "100,1000")
    peak = {row.text("threshold0"): row.number("payload_peak_bytes") or 0 for row in run.cells}
    # A collection comes with object number threshold0 + 1; a ring has two.
    assert 40e3 <= peak["100"] <= 60e3
    assert 490e3 <= peak["1000"] <= 510e3


def test_threads_say_how_many_ran_and_whether_at_once(gctax: Gctax, tmp_path: Path,
                                                      worker: Worker) -> None:
    row = one(gctax, tmp_path / "run", worker, "--variants", "gc1", "--workloads", "threads", *ONE,
              "--n", 2000, "--threads", 2)
    assert row.text("detail").startswith("2 threads ran, ")
    assert ("no GIL" in row.text("detail")) == worker.free_threaded


def test_every_graph_needs_gc_and_two_links(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    row = one(gctax, tmp_path / "a", newest, "--variants", "plain2", "--workloads", "graph")
    assert row.text("status") == "skipped" and "no GC" in row.text("detail")
    row = one(gctax, tmp_path / "b", newest, "--variants", "gc1", "--workloads", "graph")
    assert row.text("status") == "skipped" and "one field" in row.text("detail")


def test_a_small_heap_has_a_median_pause_of_each_generation(gctax: Gctax, tmp_path: Path,
                                                            newest: Worker) -> None:
    row = one(gctax, tmp_path / "run", newest, "--preset", "sweep", "--variants", "gc1",
              "--workloads", "heap", "--heap-order", "fresh", "--live", 1000, "--batches", 10)
    generations = (2,) if newest.free_threaded else (0, 1, 2)
    for generation in generations:
        assert row.number(f"pause_explicit_gen{generation}_p50_ns")


def test_wrong_work_is_an_error(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    """A type that its own class keeps alive: subclass finds what it dropped still there."""
    (tmp_path / "keeper.py").write_text(
        "class Keeper:\n"
        "    kept = []\n"
        "    def __init_subclass__(cls):\n"
        "        Keeper.kept.append(cls)\n")
    row = one(gctax, tmp_path / "run", newest, "--target", "keeper:Keeper", "--path", tmp_path,
              "--workloads", "subclass", "--n", 10, "--batches", 1, "--samples", 10)
    assert row.text("status") == "error" and "subclasses" in row.text("detail")


# ---- scripts ------------------------------------------------------------------------------------

SCRIPT = """
import gc, os, sys
print('to nowhere')
assert __name__ == '__main__' and sys.argv[1:] == ['a b', 'c\\\\'], sys.argv
class Node:
    pass
def work():
    for i in range(100000):
        a, b = Node(), Node()
        a.other, b.other, a.data = b, a, bytes(1000)
work()
gc.collect()
gc.collect(generation=0)
"""


def test_a_script_is_the_work(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    path = tmp_path / "some script.py"
    path.write_text(SCRIPT)
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--repeat", 1, "--threshold0",
                    "500,5000", "--script", path, "--", "a b", "c\\")
    rows = {row.text("threshold0"): row for row in run.cells}
    assert set(rows) == {"500", "5000"}
    for row in rows.values():
        assert row.text("status") == "ok", row.text("detail")
        assert row.number("operations") == 1
        assert row.number("collections_explicit") == 2
        assert row.number("pauses_explicit_gen2") and row.number("script_garbage_samples")
        # The data of a pair is in the bytes; samples may all fall where little garbage floats.
        objects, size = (row.number(f"script_garbage_{what}") or 0 for what in ("objects", "bytes"))
        assert objects < 100 or size > 200 * objects
    if not worker.free_threaded:
        # A collection comes after 500 objects more, an instance's dict being one on some releases.
        assert (rows["500"].number("script_garbage_objects") or 0) < 2500


@pytest.mark.parametrize("text, words", [
    ("1 / 0", "ZeroDivisionError"),
    ("import sys; sys.exit(3)", "exited with 3"),
    ("import os; os._exit(4)", "exit code 4"),
    ("def", "SyntaxError"),
])
def test_a_script_that_fails_is_an_error(gctax: Gctax, tmp_path: Path, newest: Worker, text: str,
                                         words: str) -> None:
    path = tmp_path / "fails.py"
    path.write_text(text)
    row = one(gctax, tmp_path / "run", newest, "--script", path)
    assert row.text("status") == "error" and words in row.text("detail"), row.text("detail")


@pytest.mark.parametrize("arguments, words", [
    (("--script", "nowhere.py"), "nowhere.py"),
    (("--script", os.devnull, "--workloads", "churn"), "--workloads"),
    (("--script", os.devnull, "--gc", "manual"), "gc.collect()"),
    (("--script-arg", "x"), "--script"),
    (("--workloads", "script"), "--script"),
])
def test_bad_script_options(gctax: Gctax, tmp_path: Path, newest: Worker,
                            arguments: Tuple[str, ...], words: str) -> None:
    result = gctax("run", "--worker", newest.path, *arguments, cwd=tmp_path)
    assert result.code == 2 and len(result.err.splitlines()) == 1 and words in result.err, result
    assert list(tmp_path.iterdir()) == []


def test_the_worker_wants_a_script(newest: Worker) -> None:
    result = call(newest.path, "cell", "--target=null", "--workload=script")
    assert result.code == 2 and "--script" in result.err
