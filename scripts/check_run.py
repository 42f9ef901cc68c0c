"""Workers of `gctax check`: found, described, and run, a process a target."""
import csv
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Set, Tuple

from check_model import (BREACH, ENVIRONMENT, PROCESS_RULE, SUSPECT, USAGE, VERDICTS, CheckError,
                         Job, Outcome, Rule, Verdict, Worker)
from driver import NO_DRIVER, find_driver, folders

PREFIX = "gctax-worker-"
NAME = re.compile(r"gctax-worker-(\d+)\.(\d+)\.(\d+)(t?)(d?)(-.+)?$")
DESCRIBE_TIMEOUT_S = 60
# A worker's own standard output is bounded by its rules; one that floods is cut off here.
OUTPUT_MAX = 16 << 20


# ---- What is there ------------------------------------------------------------------------------

def read_rules() -> Dict[str, Rule]:
    driver = find_driver()
    if driver is None:
        raise CheckError(NO_DRIVER, ENVIRONMENT)
    done = subprocess.run([driver, "list", "rules", "--format", "csv"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckError(f"{driver} list rules: {last_line(done.stderr) or 'failed'}", ENVIRONMENT)
    rules = {}
    for row in csv.DictReader(done.stdout.lstrip("#").splitlines()):
        text = {field: row.get(field) or "" for field in Rule._fields if field != "number"}
        rules[row["id"]] = Rule(number=int(row["number"]), **text)
    return rules


def environment() -> Dict[str, str]:
    """What a worker gets of ours, as the driver has it: nothing that steers Python or malloc."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "MALLOC_", "GLIBC_TUNABLES"))}


def describe(words: Sequence[str], given: bool, name: str = "") -> Worker:
    shown = shlex.join(words)
    try:
        done = subprocess.run([*words, "describe"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, env=environment(),
                              timeout=DESCRIBE_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise CheckError(f"worker {shown} does not describe itself within {DESCRIBE_TIMEOUT_S} s",
                         ENVIRONMENT) from None
    except OSError as error:
        raise CheckError(f"worker {shown}: {error.strerror}", ENVIRONMENT) from None
    rows = csv.reader(done.stdout.splitlines())
    facts = {row[-2]: row[-1] for row in rows if row and row[0] == "environment"}
    if done.returncode != 0 or "python_version" not in facts:
        raise CheckError(f"worker {shown} cannot describe itself: "
                         f"{last_line(done.stderr) or f'exit {done.returncode}'}", ENVIRONMENT)
    flags = ("t" if facts.get("free_threaded") == "1" else "") + (
        "d" if facts.get("debug") == "1" else "")
    return Worker(name or facts["python_version"] + flags, tuple(words), facts, given)


def given_worker(command: str, option: str = "--worker") -> Worker:
    """The worker of a command line, as the driver reads it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CheckError(f"{option} '{command}': {error}") from None
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise CheckError(f"{option}: no program {words[0] if words else 'named'}")
    words[0] = os.path.abspath(found)
    single = len(words) == 1 and os.path.basename(words[0]).startswith(PREFIX)
    return describe(words, True, os.path.basename(words[0])[len(PREFIX):] if single else "")


def beside() -> List[Tuple[Tuple[bool, Tuple[int, ...], str], Path]]:
    """The workers of the first folder that has some, each with its rank: a plain build before
    others, then by release."""
    for folder in folders():
        found = []
        for path in folder.glob(PREFIX + "*") if folder.is_dir() else ():
            match = NAME.match(path.name)
            if match and os.access(path, os.X_OK):
                plain = not (match[4] or match[5] or match[6])
                version = tuple(int(part) for part in match.groups()[:3])
                found.append(((plain, version, path.name), path))
        if found:
            return found
    raise CheckError("no worker (gctax-worker-X.Y.Z) beside gctax; build some, or name one by "
                     "--worker", ENVIRONMENT)


def newest_worker() -> Worker:
    path = max(beside())[1]
    return describe([str(path)], False, path.name[len(PREFIX):])


def all_workers() -> List[Worker]:
    """All beside the driver, by release; debug builds are for second opinions."""
    found = [describe([str(path)], False, path.name[len(PREFIX):])
             for _, path in sorted(beside(), key=lambda item: item[0][1:])]
    return [worker for worker in found if not worker.debug()]


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


# ---- Processes ----------------------------------------------------------------------------------

class Pool:
    """Processes that run side by side, each in a session of its own, so that all that one has
    forked can be ended with it."""

    def __init__(self, jobs: int, timeout_s: float) -> None:
        self.jobs = jobs
        self.timeout_s = timeout_s
        self._running: Set[int] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """The outcomes in the order of the jobs, each as soon as it and those before are there."""
        executor = ThreadPoolExecutor(self.jobs)
        futures: List["Future[Outcome]"] = [executor.submit(self.one, job) for job in jobs]
        try:
            for future in futures:
                while not future.done():  # a wait without an end would keep Ctrl-C waiting too
                    wait([future], timeout=0.2, return_when=FIRST_COMPLETED)
                yield future.result()
        finally:
            self.stop()
            for future in futures:
                future.cancel()
            executor.shutdown()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for session in self._running:
                kill_session(session)

    def one(self, job: Job, extra: Sequence[str] = ()) -> Outcome:
        outcome = Outcome(job)
        argv = [*job.worker.words, "--check", "--", *job.options, *extra]
        argv += ["--rules", job.rules] if job.rules else []
        argv += [job.target] if job.target else []
        start = time.monotonic()
        try:
            with self._lock:
                if self._stopped:
                    return outcome
                process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, env=environment(),
                                           start_new_session=True)
                self._running.add(process.pid)
        except OSError as error:
            raise CheckError(f"worker {job.worker.command()}: {error.strerror}",
                             ENVIRONMENT) from None
        out, err, late = self._read(process)
        outcome.seconds = time.monotonic() - start
        ended = read_lines(outcome, out)
        judge_end(outcome, process.returncode, ended, late, self.timeout_s, err)
        return outcome

    def _read(self, process: "subprocess.Popen[bytes]") -> Tuple[str, str, bool]:
        late = False
        try:
            out, err = process.communicate(timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            late = True
            kill_session(process.pid)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:  # what has left the group still holds the pipe
                out, err = b"", b""
        with self._lock:
            self._running.discard(process.pid)
        kill_group(process.pid)  # children that outlived it
        if process.returncode != 0:
            kill_session(process.pid)
            # Its working folder, which it would have removed.
            for folder in Path(tempfile.gettempdir()).glob(f"gctax-check-{process.pid}-*"):
                shutil.rmtree(folder, ignore_errors=True)
        return (out[:OUTPUT_MAX].decode("utf-8", "replace"),
                err[-OUTPUT_MAX:].decode("utf-8", "replace"), late)


def kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def kill_session(leader: int) -> None:
    """A worker and all that it has forked, some of it into groups of their own."""
    kill_group(leader)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if len(fields) > 3 and int(fields[3]) == leader:
            kill_group(int(fields[2]))


# ---- What a worker says -------------------------------------------------------------------------

def read_lines(outcome: Outcome, text: str) -> bool:
    """Reads JSON lines into the outcome; other lines are none of ours. Whether they came to their
    end."""
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            row = json.loads(line)
        except ValueError:
            continue
        kind = row.get("kind")
        if kind == "target":
            outcome.head = row
        elif kind == "verdict":
            outcome.verdicts.append(read_verdict(row))
        elif kind == "member":
            outcome.members.append(str(row.get("target", "")))
        elif kind == "error":
            outcome.error = clean(row.get("message")) or "failed"
            outcome.code = int(row.get("exit") or USAGE)
        elif kind == "end":
            return True
    return bool(outcome.error)


def read_verdict(row: Dict[str, Any]) -> Verdict:
    values: Dict[str, Any] = {field: clean(row.get(field)) for field in Verdict._fields}
    values["number"] = int(row.get("number") or 0)
    if values["verdict"] not in VERDICTS:
        raise CheckError(f"a worker gave the verdict {values['verdict']!r} for {values['rule']}: "
                         "worker and gctax check are of different versions", ENVIRONMENT)
    return Verdict(**values)


def clean(value: object) -> str:
    """One line without control characters."""
    text = "" if value is None else str(value)
    return " ".join("".join(" " if ord(letter) < 32 or 127 <= ord(letter) < 160 else letter
                            for letter in text).split())


def judge_end(outcome: Outcome, status: int, ended: bool, late: bool, limit_s: float,
              err: str) -> None:
    """A process that died is evidence: its instances were made there, outside any probe."""
    if late:
        outcome.died = f"the process did not end within {limit_s:g} s and was killed"
    elif status < 0:
        outcome.died = f"the process was ended by {signal_name(-status)}"
    elif not ended:
        outcome.died = f"the process ended early with exit code {status}"
    if not outcome.died:
        return
    if status in (USAGE, ENVIRONMENT) and not outcome.head and not late:
        raise CheckError(f"worker {outcome.job.worker.command()}: "
                         f"{clean(last_line(err)) or outcome.died}", status)
    words = clean(last_line(err))
    at = f" after {len(outcome.verdicts)} verdicts" if not ended else " after its last verdict"
    seen = outcome.died + ("" if late and not outcome.verdicts else at)
    crash = status < 0 and not late
    outcome.verdicts.append(Verdict(
        PROCESS_RULE, 0, BREACH if crash else SUSPECT, done="instances of the target were made and "
        "handed to the probes, which run in children", expected="exit after the last verdict",
        seen=seen + (f'; its last words: "{words}"' if words else ""),
        certainty="shown" if crash else "inferred", leads_to="crash" if crash else "hang"
        if late else "no verdict"))


def signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def members(pool: Pool, worker: Worker, module: str, options: Tuple[str, ...]) -> List[str]:
    """The targets of every type that a module gives."""
    outcome = pool.one(Job("", worker, options), ("--all-of", module))
    if outcome.error:
        raise CheckError(f"--all-of {module}: {outcome.error}", outcome.code)
    if outcome.died:
        raise CheckError(f"--all-of {module}: {outcome.died}", ENVIRONMENT)
    if not outcome.members:
        raise CheckError(f"--all-of {module}: the module has no type of its own")
    return outcome.members
