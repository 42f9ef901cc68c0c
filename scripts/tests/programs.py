"""The programs under test, as tests call them."""
import functools
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from results import Run, load

BUILD = Path(os.environ.get("GCTAX_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
LIMIT_S = 120  # of one call: a test fails, it does not hang


class Result(NamedTuple):
    code: int
    out: str
    err: str

    def lines(self) -> List[str]:
        return self.out.splitlines()


class Worker(NamedTuple):
    """A worker of the build, and what it says of its interpreter."""

    path: Path
    facts: Dict[str, str]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def release(self) -> int:
        """The minor number: 13 of 3.13.0."""
        return int(self.facts["release"])

    @property
    def free_threaded(self) -> bool:
        return self.facts["free_threaded"] == "1"

    @property
    def debug(self) -> bool:
        return self.facts["debug"] == "1"

    @property
    def static(self) -> bool:
        return self.facts["linkage"] == "static"


class Gctax:
    """The driver."""

    path = BUILD / "gctax"

    def __call__(self, *arguments: Any, **options: Any) -> Result:
        return call(self.path, *arguments, **options)

    def run(self, out: Path, *arguments: Any, **options: Any) -> Run:
        """The run that `gctax run` leaves in `out`, when all goes well."""
        result = self("run", "--out", out, *arguments, **options)
        assert result.code == 0, result
        return load(out)

    def start(self, *arguments: Any, **options: Any) -> "subprocess.Popen[str]":
        """In a session of its own, so that a signal to its group is for it and its children."""
        return subprocess.Popen([str(self.path), *map(str, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                start_new_session=True, **options)


def call(*argv: Any, **options: Any) -> Result:
    options.setdefault("timeout", LIMIT_S)
    done = subprocess.run([str(word) for word in argv], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, **options)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def running(part: str) -> bool:
    """Is there a process whose command line has that?"""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if part in path.read_bytes().decode(errors="replace"):
                return True
        except OSError:
            continue
    return False


def wait_for(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


@functools.lru_cache(maxsize=None)
def find_workers() -> Tuple[Worker, ...]:
    """The workers of the build, oldest first; links to them are left out."""
    paths = sorted(path for path in BUILD.glob("gctax-worker-*")
                   if os.access(path, os.X_OK) and not path.is_symlink())
    found = []
    for path in paths:
        result = call(path, "describe")
        assert result.code == 0, f"{path} describe: {result}"
        found.append(Worker(path, facts(result.out)))
    return tuple(sorted(found, key=lambda worker: (worker.release, worker.name)))


def facts(described: str) -> Dict[str, str]:
    """environment,RUN_ID,SCOPE,KEY,VALUE with the driver's columns empty."""
    import csv
    rows = csv.reader(described.splitlines())
    return {row[-2]: row[-1] for row in rows if row and row[0] == "environment"}
