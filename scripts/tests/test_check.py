"""gctax check: command line, exit status and formats, over workers that say what they are told."""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import SOURCE
from programs import LIMIT_S, Result, running, wait_for

from fake_check import CHILD, NASTY, RULES

CHECK = SOURCE / "scripts" / "check.py"
FAKE = Path(__file__).resolve().parent / "fake_check.py"
CLEAN, BROKEN, SUSPECTED = "fake:Clean", "fake:Broken", "fake:Suspected"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A driver with four workers beside it; the newest plain one is 3.10.2."""
    path = tmp_path_factory.mktemp("build")
    for name in ("gctax", "gctax-worker-3.9.18", "gctax-worker-3.10.2", "gctax-worker-3.10.2d",
                 "gctax-worker-3.11.0t", "gctax-worker-3.9"):
        (path / name).write_text(f"#!{sys.executable} -IS\n" + FAKE.read_text())
        (path / name).chmod(0o755)
    return path


class Check:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "GCTAX_BUILD_DIR": str(folder)}

    def argv(self, *words: Any) -> List[str]:
        return [sys.executable, str(CHECK), *map(str, words)]

    def __call__(self, *words: Any) -> Result:
        done = subprocess.run(self.argv(*words), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT_S, check=False, env=self.environment)
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def json(self, *words: Any) -> Dict[str, Any]:
        document: Dict[str, Any] = json.loads(self("--format", "json", *words).out)
        return document


@pytest.fixture
def check(folder: Path) -> Check:
    return Check(folder)


# ---- Exit status and command line ---------------------------------------------------------------

@pytest.mark.parametrize("words, code", [
    ([CLEAN], 0),
    (["clean"], 0),
    ([BROKEN], 1),
    ([CLEAN, BROKEN], 1),
    ([SUSPECTED], 0),
    (["--strict", SUSPECTED], 1),
    (["fake:Unmade"], 3),
    (["fake:Nothing"], 3),
    (["fake:Nothing", CLEAN], 0),
    (["fake:Missing"], 2),
    (["fake:Missing", BROKEN], 2),
    (["fake:Crash"], 1),
    (["fake:Late"], 1),
    (["--rules", "untrack", BROKEN], 3),
    (["--rules", "visit-*", BROKEN], 1),
    (["--rules", "visit-unowned", BROKEN], 0),
])
def test_exit_status(check: Check, words: List[str], code: int) -> None:
    result = check(*words)
    assert result.code == code and "Traceback" not in result.err, result


@pytest.mark.parametrize("kind", ["json", "sarif", "junit"])
def test_exit_status_is_the_same_in_each_format(check: Check, kind: str) -> None:
    assert check("--format", kind, CLEAN, BROKEN).code == 1


@pytest.mark.parametrize("words, named", [
    ([], "no target"),
    (["1bad"], "1bad"),
    (["fake:Broken("], "Broken("),
    (["fake:", CLEAN], "fake:"),
    (["--format", "sarf", CLEAN], "sarif"),
    (["--rules", "visit-ownd", CLEAN], "visit-owned"),
    (["--make", "x(", CLEAN], "x("),
    (["--link", "a.b = ", CLEAN], "a.b = "),
    (["--make", "x()", CLEAN, BROKEN], "--make"),
    (["--timeout", "-1", CLEAN], "-1"),
    (["--jobs", "0", CLEAN], "0"),
    (["--worker", "no-such-program", CLEAN], "no-such-program"),
    (["--frob", CLEAN], "--frob"),
    (["--all-of", "nothing"], "no module named nothing"),
    (["--all-of", "empty"], "empty"),
    (["fake:Missing"], "fake has no attribute Missing"),
])
def test_bad_input_is_one_line(check: Check, words: List[str], named: str) -> None:
    result = check(*words)
    assert result.code == 2 and named in result.err, result
    assert len(result.err.splitlines()) == 1


def test_no_worker_is_the_environment(check: Check, folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "gctax", tmp_path)
    check.environment["GCTAX_BUILD_DIR"] = str(tmp_path)
    check.environment.pop("GCTAX_COMMAND", None)
    if (SOURCE / "build").is_dir():
        pytest.skip("build/ of the tree has workers, which would be found")
    result = check(CLEAN)
    assert result.code == 3 and "worker" in result.err and len(result.err.splitlines()) == 1


def test_a_worker_of_another_version(check: Check) -> None:
    result = check("fake:Nowhere")
    assert result.code == 1 or "unknown argument" in result.out, result


def test_newest_worker_is_named(check: Check, folder: Path) -> None:
    result = check(CLEAN)
    assert f"worker: {folder}/gctax-worker-3.10.2," in result.lines()[0]
    given = check("--worker", folder / "gctax-worker-3.9.18", CLEAN)
    assert "CPython 3.9.18" in given.out and "newest" not in given.out


def test_each_target_on_each_worker(check: Check, folder: Path) -> None:
    found = check.json("--worker", folder / "gctax-worker-3.9.18", "--worker",
                       f"env {folder}/gctax-worker-3.10.2", CLEAN, BROKEN)
    seen = [(row["target"], row["python_version"]) for row in found["targets"]]
    assert seen == [(CLEAN, "3.9.18"), (CLEAN, "3.10.2"), (BROKEN, "3.9.18"), (BROKEN, "3.10.2")]


def test_all_of_a_module(check: Check) -> None:
    found = check.json("--all-of", "fake")
    assert [row["target"] for row in found["targets"]] == [BROKEN, CLEAN] and found["exit"] == 1


def test_options_reach_the_worker(check: Check, tmp_path: Path) -> None:
    fake = f'exec {sys.executable} -IS {FAKE} "$@"'
    (tmp_path / "show").write_text(f"#!/bin/sh\ncase $1 in describe) {fake};; esac\n"
                                   f'printf "%s\\n" "$@" >{tmp_path}/words\n{fake}\n')
    (tmp_path / "show").chmod(0o755)
    result = check("--worker", tmp_path / "show", "--make", "Broken(1)", "--link", "a.x = b",
                   "--path", "p", "--path", "/q", "--venv", "v",
                   "--rules", "visit-*,untrack", BROKEN)
    assert result.code == 1, result
    assert (tmp_path / "words").read_text().split("\n")[:-1] == [
        "--check", "--", "--make", "Broken(1)", "--link", "a.x = b",
        "--path", os.path.abspath("p"), "--path", "/q", "--venv", os.path.abspath("v"),
        "--rules", "visit-*,untrack", BROKEN]
    assert "'a.x = b'" in result.out  # the command that shows it again


# ---- Processes that end as none should ----------------------------------------------------------

def test_a_dead_worker_is_evidence(check: Check) -> None:
    result = check("fake:Crash", BROKEN, CLEAN)
    assert "SIGSEGV" in result.out and "last words" in result.out and "3 targets" in result.out
    (late,) = check.json("fake:Late")["targets"]
    rules = {row["rule"]: row for row in late["verdicts"]}
    assert "SIGABRT" in rules["process"]["seen"] and "visit-owned" in rules


def test_a_hanging_worker_is_ended_with_its_children(check: Check) -> None:
    (hung,) = check.json("--timeout", "1", "fake:Hang")["targets"]
    assert hung["status"] == "suspect" and "1 s" in hung["died"]
    wait_for(lambda: not running(f"{CHILD}{check.folder}"))


def test_ctrl_c_ends_all(check: Check) -> None:
    process = subprocess.Popen(check.argv(CLEAN, "fake:Hang", "fake:Hang"), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=check.environment)
    assert process.stdout is not None
    while CLEAN not in process.stdout.readline():
        assert process.poll() is None
    wait_for(lambda: running(f"{CHILD}{check.folder}"))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130 and not err, err
    wait_for(lambda: not running(f"{CHILD}{check.folder}"))


def test_a_reader_that_has_seen_enough(check: Check) -> None:
    pipe = subprocess.Popen(check.argv(*[BROKEN] * 6), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=check.environment)
    assert pipe.stdout is not None and pipe.stderr is not None
    pipe.stdout.readline()
    pipe.stdout.close()
    assert pipe.wait(LIMIT_S) in (0, 1) and not pipe.stderr.read()
    pipe.stderr.close()


# ---- A second opinion ---------------------------------------------------------------------------

def test_a_second_opinion_strengthens_and_adds(check: Check, folder: Path) -> None:
    debug = folder / "gctax-worker-3.10.2d"
    (row,) = check.json("--second-opinion", debug, SUSPECTED)["targets"]
    found = row["verdicts"][0]
    assert (found["rule"], found["verdict"], found["certainty"]) == (
        "visit-owned", "breach", "shown")
    assert "refcount is too small" in found["second"] and found["seen"] == "visited twice"
    (row,) = check.json("--second-opinion", debug, CLEAN)["targets"]
    added = [one for one in row["verdicts"] if one["verdict"] == "breach"]
    assert [one["rule"] for one in added] == ["visit-unowned"]
    assert "only the debug build" in added[0]["reason"] and len(row["verdicts"]) == len(RULES)
    assert "Assertion failed" in check("--second-opinion", debug, SUSPECTED).out


def test_a_second_opinion_wants_a_debug_build(check: Check, folder: Path) -> None:
    result = check("--second-opinion", folder / "gctax-worker-3.9.18", CLEAN)
    assert result.code == 2 and "no debug build" in result.err


# ---- Formats ------------------------------------------------------------------------------------

def test_text_has_the_evidence(check: Check) -> None:
    text = check(BROKEN).out
    for part in ("BREACH", "visit-owned", "attribute x", "an object was put there",
                 "1 reference owned, 0 visits", "1 visit", "counted", "leak", RULES[
                     "visit-owned"][3], "--rules visit-owned fake:Broken",
                 "ok 1, untested 2 (no GC flag 2), breach 1"):
        assert part in text, (part, text)
    assert "\033" not in text
    assert text.index("BREACH") < text.index("ok 1")
    assert "no GC flag" in check("--verbose", CLEAN).out


def test_text_is_coloured_on_a_terminal(check: Check) -> None:
    ours, theirs = pty.openpty()
    environment = {**check.environment, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(check.argv(BROKEN), stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        pass  # the other side is closed
    os.close(ours)
    assert process.wait(LIMIT_S) == 1 and b"\033[31;1mBREACH" in seen


def test_nothing_of_a_target_steers_the_terminal(check: Check) -> None:
    text = check("fake:Nasty").out
    assert "\033" not in text and "\0" not in text and "täst ✓" in text


def test_json(check: Check) -> None:
    found = check.json(BROKEN, "fake:Unmade", "fake:Missing")
    assert found["schema"] == "gctax-check/1" and found["exit"] == 2
    assert [row["status"] for row in found["targets"]] == ["breach", "untested", "error"]
    first = found["targets"][0]["verdicts"][0]
    assert first["source"] == RULES["visit-owned"][3] and "--rules visit-owned" in first["again"]
    assert {row["id"] for row in found["rules"]} == set(RULES)
    assert found["workers"][0]["python_version"] == "3.10.2"


def sarif(check: Check, *words: Any) -> Dict[str, Any]:
    log: Dict[str, Any] = json.loads(check("--format", "sarif", *words).out)
    return log


def test_sarif(check: Check) -> None:
    log = sarif(check, BROKEN, SUSPECTED, "fake:Crash", "fake:Unmade")
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error"]
    prints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert "physicalLocation" not in location
        assert location["logicalLocations"][0]["fullyQualifiedName"].startswith("fake.")
        prints.add(tuple(sorted(result["partialFingerprints"].items())))
    assert len(prints) == 3
    helps = {rule["id"]: rule.get("helpUri") for rule in rules}
    assert helps == {"visit-owned": RULES["visit-owned"][3], "process": None}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 2


def test_sarif_fingerprints_stay(check: Check) -> None:
    one, other = (sarif(check, BROKEN)["runs"][0]["results"][0]["partialFingerprints"]
                  for _ in range(2))
    assert one == other


def test_sarif_in_a_file(check: Check) -> None:
    log = sarif(check, "--source", "src/fake.c", BROKEN)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src/fake.c"}, "region": {"startLine": 1}}


def test_junit(check: Check) -> None:
    words = (BROKEN, SUSPECTED, "fake:Nasty", "fake:Unmade", "fake:Missing", "fake:Nothing")
    root = ElementTree.fromstring(check("--format", "junit", *words).out)
    assert [suite.get("name") for suite in root] == list(words)
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases)) != "0"
        for attribute, tag in (("failures", "failure"), ("errors", "error"),
                               ("skipped", "skipped")):
            assert suite.get(attribute) == str(sum(len(case.findall(tag)) for case in cases))
        assert all(len(case) <= 1 and case.get("classname") and case.get("name")
                   for case in cases)
        assert len({case.get("name") for case in cases}) == len(cases)
    for attribute in ("tests", "failures", "errors", "skipped"):
        assert root.get(attribute) == str(sum(int(suite.get(attribute, "")) for suite in root))
    assert (root.get("failures"), root.get("errors")) == ("2", "1")
    strict = ElementTree.fromstring(check("--format", "junit", "--strict", *words).out)
    assert strict.get("failures") == "3"
    assert "täst ✓" in root.findall(".//failure")[1].get("message", "") and "\0" in NASTY


def test_out_is_whole_or_not_there(check: Check, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    assert check("--format", "json", "--out", out, BROKEN) == Result(1, "", "")
    assert json.loads(out.read_text())["exit"] == 1
    assert check("--out", tmp_path / "no" / "report", BROKEN).code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
