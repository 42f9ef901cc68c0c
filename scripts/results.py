"""Loads the folder of a run: the CSV files that `gctax run` wrote.

A process is the unit of sampling. What one process measured is one number, and a `Spread` is taken
over the processes (repeats) of a group; nothing here pools samples of several processes, or treats
the batches of one as independent.
"""
import csv
import io
import re
import statistics
import sys
from pathlib import Path
from typing import (Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Sequence, Set,
                    Tuple)

USAGE = 2  # exit code: bad input
ENVIRONMENT = 3  # exit code: nothing to work on

# The parameters of a cell (cell.def) are the columns of cells.csv between these two.
BEFORE_PARAMETERS, AFTER_PARAMETERS = "libc", "target_type"

KEY = ("cell_id", "worker", "repeat")


class RunError(Exception):
    """The run cannot be used. The message is one line for the user."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Table(NamedTuple):
    """A CSV file: its columns, and its rows as lists of fields."""

    path: Path
    columns: Dict[str, int]
    rows: List[List[str]]


class Row:
    """One row of a table. An empty field is None as a number and "" as text."""

    __slots__ = ("_table", "_fields")

    def __init__(self, table: Table, fields: List[str]) -> None:
        self._table = table
        self._fields = fields

    def text(self, column: str) -> str:
        try:
            return self._fields[self._table.columns[column]]
        except KeyError:
            raise RunError(
                f"{self._table.path}: has no column {column}: written by another version of gctax?"
            ) from None

    def number(self, column: str) -> Optional[float]:
        field = self.text(column)
        if not field:
            return None
        try:
            return float(field)
        except ValueError:
            raise RunError(f"{self._table.path}: {column} is '{field}', not a number") from None


class Spread(NamedTuple):
    """The median over processes, and the range they span."""

    median: float
    low: float
    high: float
    n: int


def spread(values: Sequence[float]) -> Optional[Spread]:
    """One value a process. None where there is no value."""
    if not values:
        return None
    return Spread(statistics.median(values), min(values), max(values), len(values))


def collection_ns(row: Row) -> Optional[float]:
    """Of a live object of the heap workload: a full collection less that of the heap before the
    objects came."""
    full, empty, live = (row.number(name) for name in ("op_mean_ns", "start_pause_ns", "live"))
    return (full - empty) / live if full is not None and empty is not None and live else None


def scaled(one: Spread, factor: float) -> Spread:
    return Spread(one.median * factor, one.low * factor, one.high * factor, one.n)


class Group:
    """The processes of one cell on one worker whose status is ok, by repeat."""

    def __init__(self, run: "Run", rows: List[Row]) -> None:
        self.run = run
        self.rows = sorted(rows, key=lambda row: int(row.text("repeat")))
        self.worker = rows[0].text("worker")
        self.cell_id = rows[0].text("cell_id")

    def text(self, column: str) -> str:
        """A column that is the same for all repeats: a parameter, or what describes the worker."""
        return self.rows[0].text(column)

    def number(self, column: str) -> Optional[float]:
        return self.rows[0].number(column)

    def parameters(self) -> Dict[str, str]:
        return {column: self.text(column) for column in self.run.parameters}

    def by_repeat(self, value: Callable[[Row], Optional[float]]) -> Dict[str, float]:
        """What each process gives, keyed by its repeat; processes that give None are left out."""
        found = ((row.text("repeat"), value(row)) for row in self.rows)
        return {repeat: number for repeat, number in found if number is not None}

    def spread(self, column: str) -> Optional[Spread]:
        return spread(list(self.by_repeat(lambda row: row.number(column)).values()))

    def pauses(self, repeat: str) -> List[Row]:
        return self.run.pauses().get((self.cell_id, self.worker, repeat), [])

    def latency(self, repeat: str) -> List[Row]:
        return self.run.latency().get((self.cell_id, self.worker, repeat), [])

    def free_threaded(self) -> bool:
        return "free-threaded" in self.text("python_build")


class Run:
    """A folder of CSV files. pauses.csv and latency.csv are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        needed = KEY + ("run_id", "status", BEFORE_PARAMETERS, AFTER_PARAMETERS)
        table = read_table(path / "cells.csv", needed)
        names = list(table.columns)
        self.parameters = names[names.index(BEFORE_PARAMETERS) + 1:names.index(AFTER_PARAMETERS)]
        self.cells = [Row(table, fields) for fields in table.rows]
        self._refuse_doubles()
        self._keyed: Dict[str, Dict[Tuple[str, ...], List[Row]]] = {}

    def _refuse_doubles(self) -> None:
        seen = set()
        for row in self.cells:
            key = tuple(row.text(column) for column in KEY)
            if key in seen:
                name = "cell {}, worker {}, repeat {}".format(*key)
                raise RunError(f"{self.path / 'cells.csv'}: {name} stands there twice")
            seen.add(key)

    def groups(self) -> List[Group]:
        """By cell and worker; rows that are not ok are no part of any."""
        grouped: Dict[Tuple[str, str], List[Row]] = {}
        for row in self.cells:
            if row.text("status") == "ok":
                grouped.setdefault((row.text("cell_id"), row.text("worker")), []).append(row)
        return [Group(self, rows) for rows in grouped.values()]

    def run_id(self) -> str:
        return self.cells[0].text("run_id") if self.cells else ""

    def pauses(self) -> Dict[Tuple[str, ...], List[Row]]:
        return self._by_key("pauses.csv", ("duration_ns", "generation", "explicit"))

    def latency(self) -> Dict[Tuple[str, ...], List[Row]]:
        return self._by_key("latency.csv", ("percentile", "latency_ns"))

    def environment(self) -> Dict[Tuple[str, str], str]:
        """(scope, key) -> value"""
        table = read_table(self.path / "environment.csv", ("scope", "key", "value"))
        rows = [Row(table, fields) for fields in table.rows]
        return {(row.text("scope"), row.text("key")): row.text("value") for row in rows}

    def _by_key(self, name: str, needed: Tuple[str, ...]) -> Dict[Tuple[str, ...], List[Row]]:
        if name not in self._keyed:
            table = read_table(self.path / name, KEY + needed)
            keyed: Dict[Tuple[str, ...], List[Row]] = {}
            for fields in table.rows:
                row = Row(table, fields)
                keyed.setdefault(tuple(row.text(column) for column in KEY), []).append(row)
            self._keyed[name] = keyed
        return self._keyed[name]


def read_table(path: Path, needed: Sequence[str]) -> Table:
    """Refuses a file that lacks a column of `needed`, and one that a crash has torn."""
    try:
        text = path.read_bytes().decode("utf-8")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise RunError(f"{path}: {error}") from None
    if not lines:
        raise RunError(f"{path}: is empty")
    header = lines[0]
    for column in needed:
        if column not in header:
            raise RunError(f"{path}: has no column {column}: not a file of gctax?")
    for number, fields in enumerate(lines[1:], start=1):
        last = number == len(lines) - 1
        if len(fields) != len(header) or (last and not text.endswith("\n")):
            raise RunError(
                f"{path}: row {number} is torn: `gctax run --resume {path.parent}` repairs the run"
            )
    return Table(path, {name: index for index, name in enumerate(header)}, lines[1:])


def load(path: Path) -> Run:
    """The run in this folder. RunError where there is none, or where no row of it is ok."""
    if not path.is_dir():
        raise RunError(f"{path}: no such folder")
    if not (path / "cells.csv").is_file():
        from results_bench import OutsideRun, is_there  # which imports this module
        if is_there(path):
            return OutsideRun(path)
        raise RunError(f"{path}: no cells.csv in it: not the folder of a run")
    run = Run(path)
    if not run.groups():
        raise RunError(f"{path}: none of its {len(run.cells)} rows is ok", ENVIRONMENT)
    return run


def release_key(release: str) -> Tuple[Tuple[int, ...], str]:
    """Orders 3.9.18 before 3.13.0, and no two alike: a style belongs to a place in that order."""
    return tuple(int(number) for number in re.findall(r"[0-9]+", release)), release


def one_setting(groups: Sequence[Group], free: Set[str]) -> Tuple[List[Group], str]:
    """The groups that agree in all parameters but `free`, and a note that says in which.

    A chart has no place for a parameter that it does not show, and must not mix its values: of
    several, the setting with the most groups is drawn, and of those the one nearest the defaults.
    """
    settings: Dict[Tuple[Tuple[str, str], ...], List[Group]] = {}
    for group in groups:
        fixed = tuple(item for item in group.parameters().items() if item[0] not in free)
        settings.setdefault(fixed, []).append(group)
    if not settings:
        return [], ""

    def rank(fixed: Tuple[Tuple[str, str], ...]) -> Tuple[int, int]:
        return len(settings[fixed]), -sum(1 for _, value in fixed if value)

    chosen = max(settings, key=rank)
    if len(settings) == 1:
        return settings[chosen], ""
    differing = [name for name, value in chosen
                 if any(dict(other).get(name) != value for other in settings)]
    words = ", ".join(f"{name}={dict(chosen)[name] or 'default'}" for name in differing)
    return settings[chosen], f"One of {len(settings)} settings of the run: {words}."


def by_worker(groups: Sequence[Group]) -> Iterator[Tuple[str, List[Group]]]:
    """The groups of each worker, oldest release first."""
    found: Dict[str, List[Group]] = {}
    for group in groups:
        found.setdefault(group.worker, []).append(group)

    def order(worker: str) -> Tuple[Tuple[Tuple[int, ...], str], str]:
        return release_key(found[worker][0].text("python_version")), worker

    for worker in sorted(found, key=order):
        yield worker, found[worker]


def fail(program: str, error: RunError) -> NoReturn:
    print(f"{program}: {error}", file=sys.stderr)
    sys.exit(error.code)
