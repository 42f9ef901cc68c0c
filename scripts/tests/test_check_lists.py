"""gctax check-cases and check-list: their tables, and what they make of verdicts."""
import csv
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

import pytest
from conftest import SOURCE
from programs import LIMIT_S, Gctax, Worker, running, wait_for

from fake_check import CHILD

check_cases = pytest.importorskip("check_cases")
check_list = pytest.importorskip("check_list")
check_lists = pytest.importorskip("check_lists")
from check_model import BREACH, OK, CheckError, Job, Outcome, Verdict  # noqa: E402
from check_model import Worker as Checked  # noqa: E402

FAKE = Path(__file__).resolve().parent / "fake_check.py"
TABLES = SOURCE / "harness" / "check"


def checked(version: str) -> Checked:
    return Checked(version, ("no-program",), {"python_version": version}, True)


# ---- Tables -------------------------------------------------------------------------------------

def test_each_case_is_sound(gctax: Gctax) -> None:
    listed = gctax("list", "rules", "--format", "csv")
    assert listed.code == 0, listed
    rules = {row["id"]: None for row in csv.DictReader(listed.out.lstrip("#").splitlines())}
    found = check_cases.read_cases(check_cases.CASES, rules)
    assert len({case.id for case in found}) == len(found) >= 40
    faults = re.findall(r"^FAULT\((\w+),", (SOURCE / "ext/faults/faults.def").read_text(), re.M)
    variants = {line.split(",")[0] for line in
                gctax("list", "variants", "--format", "csv").lines()}
    for case in found:
        assert case.link.startswith("https://") or (case.id.startswith("A") and not case.link)
        assert case.verdict in ("breach", "suspect")
        assert case.own or case.real
    for subject in check_cases.subjects(found):
        if subject.own:
            module, _, name = subject.target.rpartition(":")
            assert name in (faults if module == "gctax_faults" else variants), subject.target
        else:
            assert subject.found or subject.clean


@pytest.mark.parametrize("name, least", [("stdlib", 120), ("debian", 80)])
def test_each_list_is_sound(name: str, least: int) -> None:
    rows = check_lists.read_list(TABLES / f"{name}.toml")
    assert len({(row.target, row.make) for row in rows}) == len(rows) >= least
    for row in rows:
        assert ":" in row.target
        for code, mode in ((row.target.partition(":")[2], "eval"), (row.make, "eval"),
                           (row.link, "exec")):
            if code:
                compile(code, row.target, mode)


def test_each_explanation_says_why() -> None:
    for one in check_lists.read_explained():
        assert len(one.why) > 20 and one.type and one.rule
        assert not one.link or one.link.startswith("https://")
        for span in one.releases:
            low, _, high = span.partition("..")
            assert check_lists.numbers(low) <= check_lists.numbers(high or low)


def test_a_bad_table_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    for text in ("[[target]", "[[target]]\nnothing = 1\n", "[other]\n", "target = 3\n"):
        path.write_text(text)
        with pytest.raises(CheckError, match="list.toml") as error:
            check_lists.read_list(path)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("version, spans, inside", [
    ("3.9.18", ["3.9.18..3.13.0"], True), ("3.13.0", ["3.9.18..3.13.0"], True),
    ("3.13.5", ["3.9.18..3.13.0"], False), ("3.10.13", ["3.9.18"], False),
    ("3.10.13", ["3.9.18", "3.10.13"], True), ("3.9.18", [], False),
])
def test_releases(version: str, spans: List[str], inside: bool) -> None:
    assert check_lists.within(version, spans) is inside


# ---- Cases --------------------------------------------------------------------------------------

CASE = check_cases.Case("C0", "a name", "https://example.org", "K01", "visit-owned", BREACH)


@pytest.mark.parametrize("version, verdict, right", [
    ("3.9.18", "breach", True), ("3.9.18", "suspect", False), ("3.9.18", "ok", False),
    ("3.9.18", "untested", False), ("3.12.1", "breach", False), ("3.12.1", "suspect", False),
    ("3.12.1", "ok", True), ("3.12.1", "untested", True), ("3.15.2", "breach", None),
])
def test_a_case_is_judged(version: str, verdict: str, right: Optional[bool]) -> None:
    subject = check_cases.Subject(CASE, "m:x", CASE.rule, CASE.verdict, found=["3.9.18..3.11.7"],
                                  clean=["3.12.1"])
    outcome = Outcome(Job("m:x", checked(version)))
    outcome.verdicts = [Verdict("untrack", 16, OK), Verdict("visit-owned", 1, verdict)]
    line = check_cases.judge(subject, outcome.job.worker, outcome)
    assert line.right is right and verdict in line.seen


def test_another_package_is_skipped_loudly() -> None:
    worker = checked("3.11.2")._replace(facts={"python_version": "3.11.2",
                                               "executable": sys.executable})
    version = check_lists.installed(sys.executable, "pytest")
    assert not check_lists.missing(["pytest", version], worker)
    assert f"{version} is" in check_lists.missing(["pytest", "0.0.1"], worker)
    assert "no-such-thing 1 is not here" in check_lists.missing(["no-such-thing", "1"], worker)
    subject = check_cases.Subject(CASE, "m:x", CASE.rule, CASE.verdict, found=["3.11.2"])
    line = check_cases.skipped(subject, worker, "why not")
    assert line.right is None and "why not" in line.seen and line.expected == BREACH


# ---- Lists --------------------------------------------------------------------------------------

def test_a_list_makes_reports(tmp_path: Path) -> None:
    worker = tmp_path / "gctax-worker-3.10.2"
    worker.write_text(f"#!{sys.executable} -IS\n" + FAKE.read_text())
    worker.chmod(0o755)
    (tmp_path / "few.toml").write_text("".join(
        f'[[target]]\ntarget = "fake:{name}"\n' for name in ("Broken", "Clean", "Unmade"))
        + 'since = 12\n[[target]]\ntarget = "fake:Missing"\n'
        '[[target]]\ntarget = "fake:Unlinked"\n')
    argv = [sys.executable, str(SOURCE / "scripts" / "check_list.py"), str(tmp_path / "few.toml"),
            "--worker", str(worker), "--out", str(tmp_path / "out"), "--runs",
            str(tmp_path / "runs")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    page = (tmp_path / "out" / "few-3.10.2.md").read_text()
    again = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert again.stdout == done.stdout and not again.stderr  # nothing was run
    assert (tmp_path / "out" / "few-3.10.2.md").read_text() == page
    assert done.returncode == 1 and "unexplained: 3.10.2 fake:Broken visit-owned" in done.stdout
    rows = list(csv.DictReader((tmp_path / "out" / "few.csv").open(newline="")))
    assert [(row["target"], row["status"]) for row in rows] == [
        ("fake:Broken", "breach"), ("fake:Clean", "ok"), ("fake:Unmade", "not here"),
        ("fake:Missing", "error"), ("fake:Unlinked", "not here")]
    assert "lacks a part" in rows[-1]["reason"] and "lacks a part" in page
    assert "**no**" in page and "1 reference owned, 0 visits" in page
    assert "fake.fake:Broken" in (tmp_path / "out" / "few.md").read_text()


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("script", ["check_list.py", "check_cases.py"])
def test_a_signal_ends_all(script: str, number: int, code: int, tmp_path: Path,
                           gctax: Gctax) -> None:
    """Nothing is left behind, and what was written before is whole."""
    for release in ("3.9.18", "3.10.2"):
        worker = tmp_path / f"gctax-worker-{release}"
        worker.write_text(f"#!{sys.executable} -IS\n" + FAKE.read_text())
        worker.chmod(0o755)
    (tmp_path / "few.toml").write_text(
        '[[target]]\ntarget = "fake:Broken"\n[[target]]\ntarget = "fake:Hang"\nsince = 10\n')
    words = ["--worker", str(tmp_path / "gctax-worker-3.9.18"), "--worker", str(worker)]
    words += ["--only", "C02"] if script == "check_cases.py" else [
        str(tmp_path / "few.toml"), "--runs", str(tmp_path / "runs"), "--out",
        str(tmp_path / "out")]
    process = subprocess.Popen([sys.executable, str(SOURCE / "scripts" / script), *words],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: running(f"{CHILD}{tmp_path}") or process.poll() is not None)
    process.send_signal(number)
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == code and not out and "Traceback" not in err, (out, err)
    wait_for(lambda: not running(f"{CHILD}{tmp_path}"))
    assert not (tmp_path / "out").exists()
    if script == "check_list.py":
        (kept,) = (tmp_path / "runs").iterdir()
        assert kept.name == "few-3.9.18.json"
        assert [row["target"] for row in json.loads(kept.read_text())["outcomes"]] == [
            "fake:Broken"]


def test_an_explanation_covers_a_breach() -> None:
    known = check_lists.Explained(["m.T"], ["untrack"], ["3.9.18..3.10.13"], "because it is so")
    outcome = Outcome(Job("m:T", checked("3.10.13")))
    outcome.head = {"type": "m.T"}
    verdict = Verdict("untrack", 16, BREACH)
    assert known.covers(outcome, verdict)
    assert not known.covers(outcome, Verdict("growth", 41, BREACH))
    outcome.job = Job("m:T", checked("3.11.2"))
    assert not known.covers(outcome, verdict)


# ---- The real thing -----------------------------------------------------------------------------

# Of each kind of evidence one: counted, a cycle that stays, a crash, a control.
CASES = ("C02", "C12", "C13", "C48")


SAMPLE = 10  # one in so many types of the list: about 20


def test_a_sample_of_the_standard_library(worker: Worker, gctax: Gctax) -> None:
    """No breach that explained.toml does not explain."""
    if worker.debug:
        pytest.skip("a debug build gives second opinions")
    if not Path(worker.facts["executable"]).exists():
        pytest.skip("a worker of a chroot: `gctax check-list` has them all")
    result = gctax("check-list", "stdlib", "--every", SAMPLE, "--worker", worker.path,
                   timeout=5 * LIMIT_S)
    assert result.code == 0, result
    assert f"| stdlib | {worker.name[len('gctax-worker-'):]} | 20 |" in result.out


def test_a_second_opinion_of_a_debug_build(workers: List[Worker], gctax: Gctax) -> None:
    """What aborts there is said beside what was counted here."""
    debug = [worker for worker in workers if worker.debug]
    if not debug:
        pytest.skip("NO DEBUG BUILD: scripts/interpreters --only sid")
    plain = [worker for worker in workers if not worker.debug and not worker.free_threaded]
    for fault, rule, text in (("dealloc_raises", "dealloc-raises", "dealloc"),
                              ("visits_twice", "visit-once,clear-breaks-cycles", "assert")):
        result = gctax("check", "--second-opinion", debug[-1].path, "--worker", plain[0].path,
                       "--rules", rule, f"gctax_faults:{fault}")
        assert result.code == 1, result
        said = [line for line in result.lines() if line.split()[:1] == ["debug"]]
        assert len(said) == 1 and "signal 6" in said[0], result.out
        assert text in said[0].partition("signal 6")[2].lower(), result.out


def test_cases_on_a_worker(worker: Worker, gctax: Gctax) -> None:
    if worker.debug:
        pytest.skip("a debug build gives second opinions")
    words = [word for case in CASES for word in ("--only", case)]
    result = gctax("check-cases", *words, "--worker", worker.path, "--jobs", "1")
    assert result.code == 0, result
    assert "| yes |" in result.out and "| NO |" not in result.out
