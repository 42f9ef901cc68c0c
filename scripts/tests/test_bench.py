"""The variants under Google Benchmark: what gctax-bench runs and prints, and whether it counts what
the harness counts. The shim's own test, in C, is run by ctest; what it prints is read here.
"""
import csv
import io
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, NoReturn

import pytest

from programs import BUILD, Gctax, Result, call

KINDS = ("create_destroy", "create", "destroy", "cycle_collect", "collect")
HEAPS = (1000, 10000, 100000, 1000000)
COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian's libbenchmark-tools

SHIM = BUILD / "tests" / "test_gbench"
BENCHES = sorted(path for path in BUILD.glob("gctax-bench-*")
                 if os.access(path, os.X_OK) and not path.is_symlink())

pytestmark = pytest.mark.skipif(
    not BENCHES, reason="no gctax-bench in the build: Google Benchmark was not found")


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")


def strict(text: str) -> Dict[str, Any]:
    return dict(json.loads(text, parse_constant=refuse))


def runs(found: Dict[str, Any]) -> List[Dict[str, Any]]:
    return [run for run in found["benchmarks"] if run["run_type"] == "iteration"]


def release(path: Path) -> List[int]:
    return [int(number) for number in re.findall(r"[0-9]+", path.name)]


@pytest.fixture
def bench() -> Path:
    return max(BENCHES, key=release)


def measured(bench: Path, *arguments: str) -> Dict[str, Any]:
    result = call(bench, "--benchmark_format=json", *arguments)
    assert result.code == 0, result
    return strict(result.out)


# ---- The shim ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shim_json() -> Dict[str, Any]:
    result = call(SHIM, "--benchmark_format=json")
    assert result.code == 0, result
    return strict(result.out)


def test_shim_json_has_no_figure_that_is_none(shim_json: Dict[str, Any]) -> None:
    nothing = [run for run in shim_json["benchmarks"] if run["name"].startswith("nothing/")]
    assert [run["real_time"] for run in nothing if run["run_type"] == "iteration"] == [0, 0, 0]
    assert all("rate" not in run and run.get("each") in (0, 3) for run in nothing)


def test_shim_counts_and_context(shim_json: Dict[str, Any]) -> None:
    assert shim_json["context"]["key"] == 'a "quoted" value'
    by_name = {run["name"]: run for run in runs(shim_json)}
    manual = by_name["manual/iterations:2000/manual_time"]
    assert manual["time_unit"] == "us" and manual["real_time"] == pytest.approx(1)
    assert manual["each"] == 3 and manual["rate"] == pytest.approx(5 / 2e-3)
    assert manual["label"] == "counted"


def test_shim_skips_with_the_reason(shim_json: Dict[str, Any]) -> None:
    skipped, = (run for run in runs(shim_json) if run["name"] == "skipped")
    assert skipped.get("skip_message", skipped.get("error_message")) == 'needs a "later" release'
    failed, = (run for run in runs(shim_json) if run["name"].startswith("stopped"))
    assert failed["error_occurred"] and failed["error_message"] == "went wrong"


def test_shim_pauses(shim_json: Dict[str, Any]) -> None:
    paused, = (run for run in runs(shim_json) if run["name"].startswith("paused"))
    assert paused["time_unit"] == "ms"
    # Each iteration spends 20 ms or more outside the clock: of its own CPU time, next to nothing.
    assert paused["cpu_time"] < 10


def test_shim_memory_is_what_was_measured(shim_json: Dict[str, Any]) -> None:
    with_memory = [run for run in runs(shim_json) if "max_bytes_used" in run]
    assert {run["max_bytes_used"] for run in with_memory} == {4096}
    assert {run["name"] for run in with_memory} >= {"batches/iterations:2500"}
    batches, = (run for run in with_memory if run["name"].startswith("batches"))
    assert batches["allocs_per_iter"] == 32 / 16


def test_shim_fits_complexity(shim_json: Dict[str, Any]) -> None:
    fit, = (run for run in shim_json["benchmarks"] if run["name"].endswith("_BigO"))
    assert fit["big_o"] == "N" and fit["real_coefficient"] == pytest.approx(1)


def test_shim_csv_has_a_column_for_every_counter() -> None:
    result = call(SHIM, "--benchmark_format=csv")
    assert result.code == 0, result
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert rows[0]["name"] == "batches/iterations:2500" and rows[0]["each"] == ""
    manual, = (row for row in rows if row["name"].startswith("manual/"))
    assert float(manual["each"]) == 3
    assert not re.search(r"\b(nan|inf)\b", result.out)


def test_shim_writes_the_file_as_strictly(tmp_path: Path) -> None:
    for kind in ("json", "csv"):
        out = tmp_path / f"out.{kind}"
        result = call(SHIM, f"--benchmark_out={out}", f"--benchmark_out_format={kind}")
        assert result.code == 0, result
        assert not re.search(r"\b(nan|inf)\b", out.read_text(), re.IGNORECASE)
    assert len(runs(strict((tmp_path / "out.json").read_text()))) > 17


# ---- gctax-bench ---------------------------------------------------------------------------------


def test_every_variant_in_every_kind(gctax: Gctax, bench: Path) -> None:
    listed = call(bench, "--benchmark_list_tests")
    assert listed.code == 0, listed
    table = gctax("list", "variants", "--format", "csv")
    assert table.code == 0, table
    names = [row["name"] for row in csv.DictReader(io.StringIO(table.out.lstrip("# ")))]
    wanted = {f"{kind}/{name}" + (f"/{heap}" if kind == "collect" else "")
              for kind in KINDS for name in names for heap in HEAPS}
    assert set(listed.lines()) == wanted


@pytest.mark.parametrize("each", BENCHES, ids=[path.name for path in BENCHES])
def test_json_says_what_was_measured(each: Path) -> None:
    found = measured(each, "--iterations=50", "--benchmark_filter=/(gc1|plain1|gc_dict)(/1000/|/i)")
    context = found["context"]
    assert context["python_version"] in each.name
    assert {"python_build", "linkage", "free_threaded", "debug", "allocator"} <= set(context)
    times = {run["run_name"].split("/iterations")[0]: run["real_time"] for run in runs(found)
             if not run.get("error_occurred") and not run.get("skipped")}
    assert {f"{kind}/gc1" for kind in KINDS[:4]} | {"collect/gc1/1000"} <= set(times)
    assert all(time > 0 for time in times.values())
    lacking = [run for run in runs(found) if run["run_name"].startswith("create/gc_dict")]
    reasons = [run.get("error_message", run.get("skip_message")) for run in lacking]
    wanted = None if release(each)[1] >= 12 else "needs 3.12"
    assert reasons == [wanted]


def test_csv(bench: Path) -> None:
    result = call(bench, "--benchmark_format=csv", "--iterations=20",
                  "--benchmark_filter=^(create|cycle_collect)/(gc|plain)[01]/")
    assert result.code == 0, result
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert len(rows) == 8
    skipped = [row["name"] for row in rows if "true" in row.values()]
    assert all(name.startswith("cycle_collect/") and "0/" in name for name in skipped)


@pytest.mark.parametrize("variant", ["plain1", "gc1", "gc8", "gc_fin"])
def test_a_cycle_is_counted_in_the_first_run_of_a_process(bench: Path, variant: str) -> None:
    """What opening the targets left to the collector is not taken for it."""
    found = measured(bench, "--iterations=20", f"--benchmark_filter=^cycle_collect/{variant}/")
    assert [run.get("error_message") for run in runs(found)] == [None]


def test_repetitions_and_interleaving(bench: Path) -> None:
    found = measured(bench, "--iterations=20", "--benchmark_repetitions=4",
                     "--benchmark_enable_random_interleaving=true",
                     "--benchmark_filter=^create/(gc|plain)1/")
    assert len(runs(found)) == 2 * 4
    aggregates = {run.get("aggregate_name") for run in found["benchmarks"]}
    assert aggregates >= {"mean", "median", "stddev"}


def test_threads_do_not_wait_for_each_other(bench: Path) -> None:
    found = measured(bench, "--iterations=20000", "--threads=3",
                     "--benchmark_filter=^create_destroy/gc1/")
    assert sorted(run["threads"] for run in runs(found)) == [1, 3]
    assert [run["iterations"] for run in runs(found) if run["threads"] == 3] == [3 * 20000]


def test_complexity_is_fitted(bench: Path) -> None:
    found = measured(bench, "--benchmark_min_time=0.001", "--benchmark_filter=^collect/gc1/1000+$")
    assert [run["name"] for run in runs(found)] == [f"collect/gc1/{heap}" for heap in HEAPS]
    times = [run["real_time"] for run in runs(found)]
    assert times[-1] > times[0]
    fit, = (run for run in found["benchmarks"] if run["name"] == "collect/gc1_BigO")
    assert fit["big_o"] and fit["real_coefficient"] > 0


def test_memory_pass(bench: Path) -> None:
    found = measured(bench, "--memory", "--iterations=100",
                     "--benchmark_filter=^(create|create_destroy|destroy)/gc1/")
    context = found["context"]
    if context["free_threaded"] == "1" or context["allocator"] != "pymalloc":
        pytest.skip("the bytes below are those of an instance with a GC head, and of no debug hook")
    memory = {run["run_name"].split("/")[0]: (run["allocs_per_iter"], run["max_bytes_used"])
              for run in runs(found)}
    # Header, one pointer and GC head are 40 bytes; 16 iterations keep 16 of them, or one.
    assert memory == {"create": (1, 16 * 40), "create_destroy": (1, 40), "destroy": (0, 0)}


BAD_INPUT = [
    (["--iterations=x"], "--iterations is a number"),
    (["--iterations=0"], "--iterations is a number from 1"),
    (["--threads=0"], "--threads is a number from 1"),
    (["--allocator=none"], "no such allocator"),
    (["--wrong"], "--wrong"),
    (["word"], "'word'"),
    (["--benchmark_filter=^nothing$"], "nothing"),
]


@pytest.mark.parametrize("arguments, word", BAD_INPUT, ids=lambda value: str(value))
def test_bad_input(bench: Path, arguments: List[str], word: str) -> None:
    result = call(bench, *arguments)
    assert result.code == 2 and word in result.err, result
    assert len(result.err.splitlines()) == 1, result


def test_help_names_the_kinds(bench: Path) -> None:
    result = call(bench, "--help")
    assert result.code == 0
    assert all(kind in result.out for kind in KINDS) and "--benchmark_filter" in result.out


# ---- compare.py ----------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPARE.exists(), reason="no compare.py (Debian: libbenchmark-tools)")
def test_compare_reads_two_outputs(bench: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        result = call(bench, "--iterations=200", "--benchmark_repetitions=9",
                      f"--benchmark_out={path}", "--benchmark_filter=^create/(gc1|plain1|gc_dict)/")
        assert result.code == 0, result
    report = compare("benchmarks", *paths)
    for name in ("create/gc1", "create/plain1"):
        assert re.search(rf"^{name}/iterations:200\S*_pvalue .*U Test, Repetitions: 9 vs 9",
                         report, re.MULTILINE), report
    # One variant against another, within one output.
    report = compare("filters", paths[0], "create/plain1", "create/gc1")
    assert re.search(r"^\[create/plain1 vs. create/gc1\]", report, re.MULTILINE), report


def compare(*arguments: Any) -> str:
    result: Result = call("/usr/bin/python3", COMPARE, "--no-color", *arguments)
    assert result.code == 0, result
    return result.out


# ---- Agreement with the harness ------------------------------------------------------------------

AGREEING = ("plain0", "plain1", "plain8", "plain64", "gc0", "gc1", "gc8", "gc64", "gc_fin",
            "gc_var8")
OPERATIONS, BATCHES = 1000, 5


class Pair(NamedTuple):
    bench: Path
    worker: Path


@pytest.fixture
def pair() -> Pair:
    """Of the newest release with a GIL: pre-populated arenas are pymalloc's."""
    bench = max((path for path in BENCHES if not path.name.endswith("t")), key=release)
    return Pair(bench, BUILD / bench.name.replace("gctax-bench-", "gctax-worker-"))


def instructions(tmp_path: Path, function: str, *command: Any) -> int:
    """What was executed inside `function`, and in what it calls."""
    result = call("valgrind", "--tool=callgrind", f"--callgrind-out-file={tmp_path / 'out'}",
                  "--collect-atstart=no", f"--toggle-collect={function}", *command)
    collected = re.search(r"Collected : (\d+)", result.err)
    assert result.code == 0 and collected and int(collected.group(1)) > 0, result
    return int(collected.group(1))


def harness_total(tmp_path: Path, worker: Path, target: str) -> int:
    return instructions(tmp_path, "churn_batch", worker, "cell", f"--target={target}",
                        "--workload=churn", f"--n={OPERATIONS}", f"--batches={BATCHES}",
                        "--samples=1", "--arena=prefault", "--repeat=0", "--seed=1")


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_instructions_agree_with_the_harness(pair: Pair, tmp_path: Path) -> None:
    """create_destroy and churn, two programs and two loops, do the same work: the instructions of
    one iteration are the same within 2 %. Nothing but the batches is counted. Both start with the
    allocator's pools half open and its arenas aligned: each moves the count by some instructions.
    """
    # A cell runs its batches, one more to warm up, and as many of the null target for the floor.
    batches = OPERATIONS * (BATCHES + 1)
    null = harness_total(tmp_path, pair.worker, "null") / (2 * batches)
    rows = []
    for variant in AGREEING:
        harness = harness_total(tmp_path, pair.worker, variant) / batches - null
        total = instructions(tmp_path, "create_destroy_batch", pair.bench,
                             f"--iterations={batches}",
                             f"--benchmark_filter=^create_destroy/{variant}/")
        rows.append((variant, harness, total / batches))
    apart = [f"{variant}: harness {harness:.1f}, Google Benchmark {other:.1f} an operation"
             for variant, harness, other in rows if abs(other / harness - 1) > 0.02]
    assert not apart, apart
    # It could tell them apart: the variants themselves differ by more.
    counts = {variant: harness for variant, harness, _ in rows}
    assert counts["gc1"] > 1.1 * counts["plain1"], counts
