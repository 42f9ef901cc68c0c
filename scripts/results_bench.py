"""Loads what other instruments left in the folder of a run: Google Benchmark's JSON (gbench/*.json,
one file a process of gctax-bench) and hyperfine's (hyperfine/*.json, from scripts/hyperfine).

As with cells, a process is the unit of sampling: the repetitions inside one file make one number,
their median, and the spread is over files of the same program.
"""
import json
import statistics
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, NoReturn, Tuple

from results import Run, RunError, Spread, spread

GBENCH, HYPERFINE = "gbench", "hyperfine"
UNITS_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class Outside(NamedTuple):
    """One figure of another instrument."""

    instrument: str  # Google Benchmark or hyperfine
    subject: str  # the CPython, as "3.13.0 shared"
    name: str  # create_destroy/gc1; startup
    parameters: Tuple[Tuple[str, str], ...]  # of hyperfine's parameter lists
    ns: Spread


class OutsideRun(Run):
    """A folder that holds nothing but such files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parameters = []
        self.cells = []
        self._keyed = {}

    def run_id(self) -> str:
        return self.path.resolve().name


def is_there(path: Path) -> bool:
    return any((path / folder).is_dir() for folder in (GBENCH, HYPERFINE))


def outside(path: Path) -> List[Outside]:
    """All of a run's folder; empty where there is none. RunError where a file is no such file."""
    return list(_gbench(path / GBENCH)) + list(_hyperfine(path / HYPERFINE))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise RunError(f"{path}: {error}") from None


def _gbench(folder: Path) -> Iterator[Outside]:
    found: Dict[Tuple[str, str], List[float]] = {}
    for path in sorted(folder.glob("*.json")):
        data = _read(path)
        try:
            context = data["context"]
            subject = f"{context['python_version']} {context['linkage']}"
            repetitions: Dict[str, List[float]] = {}
            for run in data["benchmarks"]:
                if run["run_type"] != "iteration" or run.get("error_occurred") \
                        or run.get("skipped"):
                    continue
                ns = run["real_time"] * UNITS_NS[run["time_unit"]]
                repetitions.setdefault(_name(run["run_name"]), []).append(ns)
        except (KeyError, TypeError) as error:
            raise RunError(f"{path}: {error} is missing: not a file of gctax-bench?") from None
        for name, times in repetitions.items():
            found.setdefault((subject, name), []).append(statistics.median(times))
    for (subject, name), values in found.items():
        one = spread(values)
        if one:
            yield Outside("Google Benchmark", subject, name, (), one)


def _name(run_name: str) -> str:
    """Without what the library adds for fixed iterations and repetitions."""
    return "/".join(part for part in run_name.split("/")
                    if not part.startswith(("iterations:", "repeats:")))


def _hyperfine(folder: Path) -> Iterator[Outside]:
    if not folder.is_dir():
        return
    context = _read(folder / "context.json")
    for path in sorted(folder.glob("*.json")):
        if path.name == "context.json":
            continue
        try:
            for result in _read(path)["results"]:
                parameters = dict(result["parameters"])
                facts = context[parameters.pop("subject")]
                subject = facts["python_version"]
                if "cell" == path.stem:
                    subject += f" {facts['linkage']}"
                one = spread([seconds * 1e9 for seconds in result["times"]])
                if one:
                    yield Outside("hyperfine", subject, path.stem, tuple(parameters.items()), one)
        except (KeyError, TypeError) as error:
            raise RunError(
                f"{path}: {error} is missing: not a file of scripts/hyperfine?") from None
