"""scripts/hyperfine: what hyperfine was asked to time, and that the charts find it."""
import json
import os
import shutil
from pathlib import Path
from typing import Any, Dict, List

import pytest

from programs import BUILD, Worker, call
from results_bench import outside
from test_results import SCRIPTS

PROGRAM = SCRIPTS / "hyperfine"
FEW = ("--runs", 2, "--warmup", 0, "--build", BUILD)

needs_hyperfine = pytest.mark.skipif(not shutil.which("hyperfine"),
                                     reason="hyperfine is not installed")


@pytest.fixture
def here(workers: List[Worker]) -> Worker:
    """The newest whose interpreter is on this side of any chroot."""
    found = [worker for worker in workers if Path(worker.facts["executable"]).exists()]
    return max(found, key=lambda worker: worker.release)


def tag(worker: Worker) -> str:
    return worker.name[len("gctax-worker-"):]


def timed(folder: Path, name: str) -> List[Dict[str, Any]]:
    return list(json.loads((folder / "hyperfine" / f"{name}.json").read_text())["results"])


@needs_hyperfine
def test_each_command_of_each_experiment_is_timed(tmp_path: Path, here: Worker) -> None:
    result = call(PROGRAM, *FEW, "--worker", tag(here), "--out", tmp_path, "--only", "startup",
                  "--only", "cell")
    assert result.code == 0, result
    for name, parameter, values in (("startup", "imported", {"none", "types"}),
                                    ("cell", "target", {"plain1", "gc1"})):
        found = timed(tmp_path, name)
        assert {one["parameters"][parameter] for one in found} == values
        for one in found:
            assert len(one["times"]) == 2 and one["exit_codes"] == [0, 0], one
        table = (tmp_path / "hyperfine" / f"{name}.md").read_text().splitlines()
        assert len(table) == 2 + len(found)
    assert {one.subject for one in outside(tmp_path)}  # what the charts load


@needs_hyperfine
def test_thresholds_are_scanned_over_the_fixed_jobs(tmp_path: Path, here: Worker) -> None:
    result = call(PROGRAM, *FEW, "--worker", tag(here), "--out", tmp_path, "--only", "thresholds",
                  "--set", "threshold=default,2000")
    assert result.code == 0, result
    scanned = {(one["parameters"]["job"], one["parameters"]["threshold"])
               for one in timed(tmp_path, "thresholds")}
    assert scanned == {(job, one) for job in ("tree", "parse", "cache")
                       for one in ("default", "2000")}


BAD = [
    (("--worker", "3.1.4"), 2, "3.1.4"),
    (("--build", "nowhere"), 2, "nowhere"),
    (("--runs", "1"), 2, "from 2"),
    (("--set", "treshold=1"), 2, "treshold"),
]


@pytest.mark.parametrize("arguments, code, words", BAD, ids=[row[2] for row in BAD])
def test_bad_input_is_one_line(tmp_path: Path, arguments: "tuple[str, ...]", code: int,
                               words: str) -> None:
    result = call(PROGRAM, "--build", BUILD, "--out", tmp_path / "out", *arguments)
    assert result.code == code and words in result.err.splitlines()[-1], result
    assert not (tmp_path / "out").exists()


def test_without_hyperfine_it_says_so(tmp_path: Path, here: Worker) -> None:
    """With a PATH that has the tools of /bin/sh scripts, and no hyperfine."""
    for tool in ("sh", "dirname"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    result = call(PROGRAM, "--build", BUILD, "--worker", tag(here), "--out", tmp_path / "out",
                  env=dict(os.environ, PATH=str(tmp_path)))
    assert result.code == 3 and "hyperfine is not installed" in result.err, result
    assert not (tmp_path / "out").exists()
