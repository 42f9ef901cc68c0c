"""Tables of types and of what is known of them: harness/check/*.toml."""
import functools
import subprocess
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from cases import parser_of_toml
from check_model import CheckError, Outcome, Verdict, Worker
from results import RunError

TABLES = Path(__file__).resolve().parent.parent / "harness" / "check"


class Listed(NamedTuple):
    """A type of a list: how it is made, and where it is."""

    target: str
    make: str = ""
    link: str = ""
    since: int = 0  # minor numbers of CPython, both included
    until: int = 999
    package: Sequence[str] = ()  # distribution and version

    def options(self) -> Tuple[str, ...]:
        return tuple(word for name, value in (("--make", self.make), ("--link", self.link))
                     if value for word in (name, value))

    def absent(self, worker: Worker) -> str:
        """Why it is not tried on this worker, or ""."""
        minor = int(worker.facts["python_version"].split(".")[1])
        if not self.since <= minor <= self.until:
            return "not on this release"
        return missing(self.package, worker)


class Explained(NamedTuple):
    """A breach that was looked into, and is one."""

    type: Sequence[str]
    rule: Sequence[str]
    releases: Sequence[str]  # "A..B", both included
    why: str
    link: str = ""

    def covers(self, outcome: Outcome, verdict: Verdict) -> bool:
        return (outcome.type_name() in self.type and verdict.rule in self.rule
                and within(outcome.python(), self.releases))


def read_toml(path: Path, table: str) -> List[Dict[str, Any]]:
    toml = parser_of_toml()
    try:
        rows = toml.loads(path.read_text(encoding="utf-8"))[table]
        return [dict(row) for row in rows]
    except OSError as error:
        raise CheckError(f"{path}: {error.strerror}") from None
    except KeyError:
        raise CheckError(f"{path}: has no [[{table}]]") from None
    except (RunError, toml.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
        raise CheckError(f"{path}: {error}") from None


def read_list(path: Path) -> List[Listed]:
    try:
        return [Listed(**row) for row in read_toml(path, "target")]
    except TypeError as error:
        raise CheckError(f"{path}: {error}") from None


def read_explained(path: Path = TABLES / "explained.toml") -> List[Explained]:
    try:
        return [Explained(**row) for row in read_toml(path, "explained")]
    except TypeError as error:
        raise CheckError(f"{path}: {error}") from None


def within(version: str, spans: Sequence[str]) -> bool:
    """"3.9.18..3.13.0", both ends included, or one release."""
    for span in spans:
        low, _, high = span.partition("..")
        if numbers(low) <= numbers(version) <= numbers(high or low):
            return True
    return False


def numbers(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in version.rstrip("td").split("."))


@functools.lru_cache(maxsize=None)
def installed(executable: str, distribution: str) -> str:
    """The version that this interpreter would import, "" for none."""
    if not Path(executable).exists():
        return ""
    code = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    done = subprocess.run([executable, "-I", "-c", code], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def missing(package: Sequence[str], worker: Worker) -> str:
    """Why that distribution is not at hand for this worker, or ""."""
    if not package:
        return ""
    name, wanted = package
    here = installed(worker.facts.get("executable", ""), name)
    return "" if here == wanted else f"{name} {wanted} is not here" + (
        f" ({here} is)" if here else "")
