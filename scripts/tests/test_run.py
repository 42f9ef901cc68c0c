"""gctax run over a fake worker: what goes wrong in a cell is a row, never the end of the run."""
import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, Set, Tuple

import pytest
from fake_worker import NASTY
from programs import Gctax, Result, wait_for
from results import Run
from synthetic import FILES, header

FAKE = Path(__file__).resolve().parent / "fake_worker.py"
Key = Tuple[str, str, str]


def fake(*words: str) -> str:
    """The command of a fake worker; without site, so that a cell costs little."""
    return " ".join([sys.executable, "-S", str(FAKE), *words])


def plan(*targets: str) -> List[str]:
    return ["--variants", ",".join(targets), "--workloads", "churn", "--repeat", "1"]


def rows(folder: Path) -> Dict[str, List[str]]:
    """Status and detail by target."""
    return {row.text("target"): [row.text("status"), row.text("detail")]
            for row in Run(folder).cells}


# All that this test run starts inherits it, and another test run on the machine does not.
MARK = "GCTAX_FAKE_WORKERS_OF"
os.environ[MARK] = str(os.getpid())


def strays() -> List[str]:
    """Processes that a run left behind."""
    mark = f"{MARK}={os.getpid()}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.name != str(os.getpid()) and mark in (path / "environ").read_bytes():
                found.append(f"{path.name}: {(path / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return found


def wait_for_no_strays() -> None:
    for _ in range(50):
        if not strays():
            return
        time.sleep(0.1)
    assert not strays()


# ---- what a cell can do -------------------------------------------------------------------------

BEHAVIOURS = [
    ("segv", "crash", "SIGSEGV, phase timing: last words"),
    ("abort", "crash", "SIGABRT, phase timing: last words"),
    ("kill", "crash", "SIGKILL, phase timing: last words"),
    ("fail", "error", "exit code 7, phase timing: last words"),
    ("silent", "error", "exit code 0, phase end"),
    ("torn", "error", "not well formed"),
    ("short-row", "error", "not well formed"),
    ("no-number", "error", "not well formed"),
    ("twice", "error", "second row"),
    ("error", "error", "work was not done"),
    ("skipped", "skipped", "needs 3.99"),
    ("garbage", "ok", ""),
    ("leave-child", "ok", ""),
    ("nasty", "ok", NASTY),
    ("well", "ok", ""),
]


@pytest.mark.parametrize("behaviour, status, detail", BEHAVIOURS,
                         ids=[row[0] for row in BEHAVIOURS])
def test_a_cell_that(gctax: Gctax, tmp_path: Path, behaviour: str, status: str,
                     detail: str) -> None:
    out = tmp_path / "run"
    result = gctax("run", "--out", out, "--worker", fake(f"gc1={behaviour}"),
                   *plan("gc1", "gc2", "plain1"))
    found = rows(out)
    assert found["gc1"][0] == status and detail in found["gc1"][1], found
    assert found["gc2"] == found["plain1"] == ["ok", ""], "the run goes on"
    assert result.code == (0 if status in ("ok", "skipped") else 1), result
    check_files(out)
    wait_for_no_strays()


def test_a_cell_that_hangs(gctax: Gctax, tmp_path: Path) -> None:
    out = tmp_path / "run"
    result = gctax("run", "--out", out, "--worker", fake("gc1=hang", "gc2=family"), "--timeout",
                   "1", *plan("gc1", "gc2", "plain1"))
    assert result.code == 1
    found = rows(out)
    assert found["gc1"][0] == found["gc2"][0] == "timeout" and found["plain1"] == ["ok", ""], found
    assert "1 s" in found["gc1"][1] and "phase timing" in found["gc1"][1]
    wait_for_no_strays()


def test_a_cell_that_eats_memory(gctax: Gctax, tmp_path: Path) -> None:
    out = tmp_path / "run"
    result = gctax("run", "--out", out, "--worker", fake("gc1=eat", "gc2=child-eats"),
                   "--memory-limit", "300M", *plan("gc1", "gc2", "plain1"))
    assert result.code == 1
    found = rows(out)
    assert found["gc1"][0] == found["gc2"][0] == "out-of-memory", found
    assert "limit 286 MiB" in found["gc1"][1] or "limit 300 MiB" in found["gc1"][1]
    assert found["plain1"] == ["ok", ""]
    wait_for_no_strays()


def test_a_worker_that_is_none(gctax: Gctax, tmp_path: Path) -> None:
    for command in ("true", "false", "cat", "yes"):
        result = gctax("run", "--out", tmp_path / "run", "--worker", command, *plan("gc1"),
                       "--timeout", "2")
        assert result.code in (2, 3) and len(result.err.splitlines()) == 1, (command, result)
        assert command in result.err
        assert not (tmp_path / "run").exists()


# ---- the files ----------------------------------------------------------------------------------

def check_files(folder: Path) -> None:
    """Header from the table, CRLF, whole rows, and no row of a cell that is not committed."""
    committed = {key(row) for row in records(folder, "CELLS")}
    for table, name in FILES.items():
        data = (folder / name).read_bytes()
        assert data.endswith(b"\r\n") and data.count(b"\n") == data.count(b"\r\n"), name
        with (folder / name).open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file, strict=True))
        assert lines[0] == header(table), name
        assert all(len(line) == len(lines[0]) for line in lines), name
    keys = [key(row) for row in records(folder, "CELLS")]
    assert len(keys) == len(set(keys)), "a row is doubled"
    ok = sorted(key(row) for row in records(folder, "CELLS") if row["status"] == "ok")
    for table in ("PAUSES", "LATENCY"):
        found = [key(row) for row in records(folder, table)]
        assert set(found) <= committed, f"{table}: rows that no row of cells.csv commits"
        # A fake cell that is well has one row in each.
        assert sorted(one for one in found if one in ok) == ok, f"{table}: lost or doubled"


def records(folder: Path, table: str) -> List[Dict[str, str]]:
    with (folder / FILES[table]).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key(row: Dict[str, str]) -> Key:
    return row["cell_id"], row["worker"], row["repeat"]


def test_nasty_text_survives(gctax: Gctax, tmp_path: Path) -> None:
    gctax.run(tmp_path / "run", "--worker", fake("gc1=nasty"), *plan("gc1"))
    assert records(tmp_path / "run", "CELLS")[0]["detail"] == NASTY


def test_the_environment_is_recorded(gctax: Gctax, tmp_path: Path) -> None:
    gctax.run(tmp_path / "run", "--worker", fake(), *plan("gc1"),
              env={**os.environ, "PYTHONHASHSEED": "7", "MALLOC_ARENA_MAX": "1"})
    scopes = {row["scope"] for row in records(tmp_path / "run", "ENVIRONMENT")}
    assert {"machine", "driver"} <= scopes and len(scopes) == 3
    facts = {row["key"]: row["value"] for row in records(tmp_path / "run", "ENVIRONMENT")}
    assert facts["release"] == "99"
    assert any("PYTHONHASHSEED" in key + value for key, value in facts.items()), "scrubbed"


# ---- plan, order and shards ---------------------------------------------------------------------

def planned(result: Result) -> List[str]:
    assert result.code == 0 and result.err == "", result
    return result.lines()


def test_dry_run_equals_what_ran(gctax: Gctax, tmp_path: Path) -> None:
    arguments = ["--worker", fake(), "--worker", fake("gc1=well"), "--variants",
                 "gc1,gc2,plain1,plain2", "--workloads", "churn,retain", "--gc", "on", "--repeat",
                 "2"]
    lines = planned(gctax("run", "--dry-run", *arguments, cwd=tmp_path))
    assert not list(tmp_path.iterdir()), "a dry run writes nothing"
    run = gctax.run(tmp_path / "run", *arguments)
    ran = sorted(run.cells, key=lambda row: int(row.text("sequence")))
    assert len(lines) == len(ran) == 4 * 2 * 2 * 2
    for line, row in zip(lines, ran):
        assert row.text("cell_id") in line and row.text("worker") in line, (line, row)
    check_files(tmp_path / "run")


def test_workers_and_repeats_are_interleaved(gctax: Gctax, tmp_path: Path) -> None:
    run = gctax.run(tmp_path / "run", "--worker", fake(), "--worker", fake("x=well"),
                    "--variants", "gc1,plain1,gc2", "--workloads", "churn", "--repeat", "2")
    ran = sorted(run.cells, key=lambda row: int(row.text("sequence")))
    assert [row.text("repeat") for row in ran] == ["0"] * 6 + ["1"] * 6
    for first, second in zip(ran[::2], ran[1::2]):
        assert first.text("cell_id") == second.text("cell_id")
        assert first.text("worker") != second.text("worker")


def test_the_seed_is_the_order(gctax: Gctax) -> None:
    def order(seed: int) -> List[str]:
        return planned(gctax("run", "--dry-run", "--worker", fake(), *plan("gc"), "--seed", seed))
    assert order(1) == order(1) != order(2)
    assert sorted(order(1)) == sorted(order(2))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_shards_are_a_partition(gctax: Gctax, count: int) -> None:
    arguments = ["--dry-run", "--worker", fake(), "--variants", "gc,plain", "--workloads",
                 "churn,retain", "--repeat", "2"]
    whole = planned(gctax("run", *arguments))
    assert len(whole) >= 60
    parts = [line for index in range(1, count + 1)
             for line in planned(gctax("run", *arguments, "--shard", f"{index}/{count}"))]
    assert sorted(parts) == sorted(whole)


def test_cell_ids_do_not_depend_on_the_worker(gctax: Gctax, tmp_path: Path) -> None:
    run = gctax.run(tmp_path / "run", "--worker", fake(), "--worker", fake("x=well"),
                    *plan("gc1", "gc2"))
    ids: Dict[str, Set[str]] = {}
    for row in run.cells:
        ids.setdefault(row.text("target"), set()).add(row.text("cell_id"))
    assert all(len(found) == 1 for found in ids.values()) and len(ids) == 2


# ---- interrupted --------------------------------------------------------------------------------

MANY = ["--variants", "gc0,gc1,gc2,gc4,gc8,gc16,gc32,plain0,plain1,plain2,plain4,plain8",
        "--workloads", "churn", "--repeat", "3"]
CELLS = 12 * 3


def csv_rows(folder: Path) -> List[Dict[str, str]]:
    return records(folder, "CELLS")


def kill_some_time(process: "subprocess.Popen[str]", seconds: float) -> None:
    """-9 for the driver alone: what its children do then is its own business."""
    time.sleep(seconds)
    process.kill()
    process.communicate()


def test_kill_and_resume(gctax: Gctax, tmp_path: Path) -> None:
    """Killed ten times at random moments, among them some of a resumed run, a run ends with exactly
    the planned cells."""
    # A cell takes long enough that ten kills, four seconds in all, leave some for the end.
    arguments = ["--worker", fake("--delay=0.2", "gc2=segv", "plain4=skipped"), *MANY]
    expected = planned_keys(gctax, tmp_path / "whole", arguments)
    random_moments = random.Random(1)
    out = tmp_path / "run"
    process = gctax.start("run", "--out", out, *arguments)
    wait_for((out / "plan").exists)  # a run that was never begun cannot be resumed
    kill_some_time(process, 0.8)
    for _ in range(9):
        kill_some_time(gctax.start("run", "--resume", out), random_moments.uniform(0.05, 0.6))
    result = gctax("run", "--resume", out)
    assert result.code == 1, result  # gc2 crashes
    check_files(out)
    assert {key(row) for row in csv_rows(out)} == expected
    assert len({row["run_id"] for row in csv_rows(out)}) == 1
    wait_for_no_strays()
    before = {name: (out / name).read_bytes() for name in FILES.values()}
    again = gctax("run", "--resume", out)
    assert again.code in (0, 1)
    assert before == {name: (out / name).read_bytes() for name in FILES.values()}


def planned_keys(gctax: Gctax, folder: Path, arguments: List[str]) -> Set[Key]:
    assert gctax("run", "--out", folder, *arguments).code == 1
    keys = {key(row) for row in csv_rows(folder)}
    assert len(keys) == CELLS
    return keys


# What a crash can leave: the last rows of cells.csv torn or missing, and whole or torn rows in the
# files that are written before it.
CUTS = [1, 2, 40, 300, 1000]


@pytest.mark.parametrize("cut", CUTS)
def test_a_torn_end_is_cut_off(gctax: Gctax, tmp_path: Path, cut: int) -> None:
    out = tmp_path / "run"
    gctax.run(out, "--worker", fake(), *plan("gc0", "gc1", "gc2", "gc4"))
    whole = {key(row) for row in csv_rows(out)}
    cells = (out / "cells.csv").read_bytes()
    (out / "cells.csv").write_bytes(cells[:-cut])
    for name in ("pauses.csv", "latency.csv"):
        data = (out / name).read_bytes()
        last = data.splitlines(keepends=True)[-1]
        (out / name).write_bytes(data + last[:cut])
    result = gctax("run", "--resume", out)
    assert result.code == 0, result
    check_files(out)
    assert {key(row) for row in csv_rows(out)} == whole


def test_resume_refuses_another_plan(gctax: Gctax, tmp_path: Path) -> None:
    out = tmp_path / "run"
    gctax.run(out, "--worker", fake(), *plan("gc1"))
    result = gctax("run", "--resume", out, "--variants", "plain1")
    assert result.code == 2 and "--variants" in result.err, result
    assert len(result.err.splitlines()) == 1


def test_ctrl_c(gctax: Gctax, tmp_path: Path) -> None:
    out = tmp_path / "run"
    # The sixth cell hangs: five rows are there by then, and the interrupt meets a process family.
    plan = gctax("run", "--dry-run", "--worker", fake(), *MANY)
    assert plan.code == 0, plan
    targets = re.findall(r"--target=(\S+)", plan.out)
    process = gctax.start("run", "--out", out, "--worker", fake(f"{targets[5]}=family"), *MANY)
    for _ in range(600):
        time.sleep(0.1)
        if (out / "cells.csv").exists() and len(csv_rows(out)) >= 3:
            break
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    wait_for_no_strays()
    check_files(out)
    assert 3 <= len(csv_rows(out)) < CELLS


def full_disk(tmp_path: Path, kib: int) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(disk)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small file system to fill: {done.stderr.strip()}")
    return disk


def test_a_full_disk(gctax: Gctax, tmp_path: Path) -> None:
    disk = full_disk(tmp_path, 24)
    try:
        result = gctax("run", "--out", disk / "run", "--worker", fake(), *MANY)
        assert result.code == 3, result
        errors = [line for line in result.err.splitlines() if re.search("No space", line)]
        assert len(errors) == 1, result.err
        data = (disk / "run" / "cells.csv").read_bytes()
        assert data.endswith(b"\r\n") or not data
    finally:
        subprocess.run(["umount", str(disk)], check=True)
