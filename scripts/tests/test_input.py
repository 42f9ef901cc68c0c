"""Bad input to the programs: one line on standard error that names the thing, exit 2, nothing
written."""
import os
from pathlib import Path
from typing import Tuple

import pytest
from programs import Gctax, Worker

# Options of `gctax run`, and words that its one line must hold.
ROWS = [
    (("--preset", "quik"), ("quik", "quick")),
    (("--preset", ""), ("--preset", "empty")),
    (("--variants", "gcc1"), ("gcc1", "gc1")),
    (("--variants", "collector=maybe"), ("collector=maybe",)),
    (("--variants", "colour=red"), ("colour",)),
    (("--variants", "collector=no,size=3"), ("size=3", "one of")),
    (("--variants", "gc1,"), ("--variants",)),
    (("--workloads", "chrun"), ("chrun", "churn")),
    (("--target", "lisst"), ("lisst", "list")),
    (("--target", "nosuchmodule:thing"), ("nosuchmodule",)),
    (("--target", "collections:dequeue"), ("dequeue",)),
    (("--target", "collections:1/0"), ("ZeroDivisionError",)),
    (("--target", "collections:deque("), ("deque(",)),
    (("--target", "math:pi"), ("math:pi",)),
    (("--target", "collections:deque", "--make", "1/0"), ("ZeroDivisionError",)),
    (("--target", "a\nb:c"), ("--target", "control")),
    (("--make", "deque()"), ("--make", "--target")),
    (("--link", "a.x = b"), ("--link", "--target")),
    (("--target", "nosuchmodule:thing", "--path", "nowhere"), ("nosuchmodule", "--path")),
    (("--target", "collections:deque", "--venv", "nowhere"), ("nowhere",)),
    (("--n", "many"), ("--n", "many")),
    (("--n", "-5"), ("--n", "-5")),
    (("--n", "0"), ("--n",)),
    (("--n", "99999999999999999999999"), ("--n",)),
    (("--n", "1,,2"), ("--n",)),
    (("--live", "x"), ("--live", "x")),
    (("--cycle", "0"), ("--cycle",)),
    (("--cycle-percent", "101"), ("--cycle-percent", "101")),
    (("--free-order", "sideways"), ("sideways", "fifo")),
    (("--heap-order", "old"), ("old", "aged")),
    (("--gc", "onn"), ("onn", "on")),
    (("--threshold0", "-1"), ("--threshold0", "-1")),
    (("--threshold0", "99999999999"), ("--threshold0",)),
    (("--safepoint", "sometimes"), ("--safepoint", "sometimes")),
    (("--arena", "warm"), ("warm",)),
    (("--allocator", "jemalloc"), ("jemalloc",)),
    (("--repeat", "0"), ("--repeat", "0")),
    (("--repeat", "1.5"), ("--repeat", "1.5")),
    (("--timeout", "soon"), ("--timeout", "soon")),
    (("--timeout", "-1"), ("--timeout", "-1")),
    (("--memory-limit", "lots"), ("--memory-limit", "lots")),
    (("--memory-limit", "0"), ("--memory-limit",)),
    (("--pin", "first"), ("--pin", "first")),
    (("--pin", "99999"), ("--pin", "99999")),
    (("--seed", "dice"), ("--seed", "dice")),
    (("--shard", "0/2"), ("--shard", "0/2")),
    (("--shard", "3/2"), ("--shard", "3/2")),
    (("--shard", "1"), ("--shard", "1")),
    (("--worker", "nosuchworker"), ("nosuchworker",)),
    (("--worker", "'unbalanced"), ("unbalanced",)),
    (("--worker", ""), ("--worker", "empty")),
    (("--variant", "gc1"), ("--variant", "variants")),
    (("--frobnicate",), ("--frobnicate",)),
    (("--repeat",), ("--repeat",)),
    (("gc1",), ("gc1",)),
    (("--resume", "nowhere"), ("nowhere",)),
    (("--resume", "."), ("plan",)),
]


@pytest.mark.parametrize("arguments, words", ROWS, ids=[" ".join(row[0]) for row in ROWS])
def test_bad_input_of_run(gctax: Gctax, newest: Worker, tmp_path: Path,
                          arguments: Tuple[str, ...], words: Tuple[str, ...]) -> None:
    base = [] if "--worker" in arguments or "--resume" in arguments else ["--worker", newest.path]
    result = gctax("run", *base, *arguments, cwd=tmp_path)
    assert result.code == 2, result
    lines = result.err.splitlines()
    assert len(lines) == 1 and result.out == "", result
    for word in words:
        assert word in lines[0], lines[0]
    assert not list(tmp_path.iterdir()), "something was written"


def test_a_folder_with_other_files_is_left_alone(gctax: Gctax, newest: Worker,
                                                 tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious.txt").write_text("not a run")
    result = gctax("run", "--worker", newest.path, "--out", out)
    assert result.code == 2 and str(out) in result.err, result
    assert len(result.err.splitlines()) == 1
    assert [path.name for path in out.iterdir()] == ["precious.txt"]


def test_a_run_is_replaced_by_force_alone(gctax: Gctax, newest: Worker, tmp_path: Path) -> None:
    small = ("--worker", newest.path, "--variants", "gc1", "--workloads", "churn", "--repeat", 1,
             "--n", 100, "--batches", 1, "--samples", 1, "--out", tmp_path / "run")
    assert gctax("run", *small).code == 0
    before = (tmp_path / "run" / "cells.csv").read_bytes()
    refused = gctax("run", *small)
    assert refused.code == 2 and len(refused.err.splitlines()) == 1, refused
    assert (tmp_path / "run" / "cells.csv").read_bytes() == before
    assert gctax("run", *small, "--force").code == 0
    assert (tmp_path / "run" / "cells.csv").read_bytes() != before


# /proc looks writable to root until a folder is made in it: that is the environment's fault.
UNWRITABLE = [("file/run", "file", 2), ("file", "file", 2), ("/proc/run", "/proc/run", 3)]


@pytest.mark.parametrize("out, named, code", UNWRITABLE)
def test_an_unwritable_out(gctax: Gctax, newest: Worker, tmp_path: Path, out: str,
                           named: str, code: int) -> None:
    (tmp_path / "file").write_text("in the way")
    result = gctax("run", "--worker", newest.path, "--out", out, cwd=tmp_path)
    assert result.code == code and len(result.err.splitlines()) == 1, result
    assert named in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


COMMANDS = [
    ((), 2, "gctax"),
    (("rum",), 2, "run"),
    (("list",), 2, "variants"),
    (("list", "varians"), 2, "variants"),
    (("plot",), 2, "RUN"),
    (("plot", "nowhere"), 2, "nowhere"),
    (("summary", "nowhere"), 2, "nowhere"),
]


@pytest.mark.parametrize("arguments, code, word", COMMANDS)
def test_commands(gctax: Gctax, tmp_path: Path, arguments: Tuple[str, ...], code: int,
                  word: str) -> None:
    result = gctax(*arguments, cwd=tmp_path)
    assert result.code == code and word in result.err + result.out, result
    assert "Traceback" not in result.err


def test_help_goes_to_standard_output(gctax: Gctax) -> None:
    for arguments in (("--help",), ("run", "--help"), ("help",), ("plot", "--help")):
        result = gctax(*arguments)
        assert result.code == 0 and result.out and not result.err, arguments


LISTS = {"variants": ("gc1", "plain64", "gc_dict"), "workloads": ("churn", "heap"),
         "metrics": ("op_mean_ns", "cpython_duration_ns"), "presets": ("quick", "sweep", "full")}


@pytest.mark.parametrize("kind", LISTS)
def test_lists(gctax: Gctax, kind: str) -> None:
    import csv
    text = gctax("list", kind)
    assert text.code == 0 and text.lines()[0].startswith("#")
    rows = list(csv.reader(gctax("list", kind, "--format", "csv").lines()))
    assert len({len(row) for row in rows}) == 1 and len(rows) == len(text.lines())
    names = {field for row in rows for field in row}
    for name in LISTS[kind]:
        assert name in names and any(name in line for line in text.lines())


def test_list_of_metrics_is_the_table(gctax: Gctax) -> None:
    import csv
    from reference import ROOT, parse
    rows = list(csv.DictReader(gctax("list", "metrics", "--format", "csv").lines()))
    expected = parse(ROOT / "harness" / "record")
    assert len(rows) == len(expected)
    for row, column in zip(rows, expected):
        assert column.field in row.values() and column.doc in row.values()


def test_list_of_workers(gctax: Gctax, newest: Worker) -> None:
    result = gctax("list", "workers")
    assert result.code == 0
    assert any(newest.name in line or newest.name.replace("gctax-worker-", "") in line
               for line in result.lines()), result.out


def test_the_locale_is_no_matter(gctax: Gctax, newest: Worker, tmp_path: Path) -> None:
    import subprocess
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False)
    comma = [name for name in installed.stdout.split() if name.startswith(("de_", "fr_"))]
    if not comma:
        pytest.skip("no locale with a decimal comma is installed")
    run = gctax.run(tmp_path / "run", "--worker", newest.path, "--variants", "gc1", "--workloads",
                    "churn", "--n", 100, "--repeat", 1, env={**os.environ, "LC_ALL": comma[0]})
    assert run.cells[0].number("op_mean_ns")
