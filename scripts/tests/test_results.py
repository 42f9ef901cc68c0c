"""results.py: what it loads, what it refuses, and that it never pools processes."""
import itertools
import sys
from pathlib import Path
from typing import Callable, List

import pytest
import results
from programs import call
from results import RunError, load, one_setting, read_table, release_key, spread
from synthetic import FILES, header, write_run, write_table

PROGRAMS = ("plot.py", "summary.py")
SCRIPTS = Path(results.__file__).parent


def test_groups_hold_the_repeats_of_one_cell_and_worker(tmp_path: Path) -> None:
    run = load(write_run(tmp_path / "run", repeats=4, workloads=("churn",)))
    groups = run.groups()
    assert len(groups) == 2 * 17
    for group in groups:
        assert [row.text("repeat") for row in group.rows] == ["0", "1", "2", "3"]
        assert len({row.text("worker") for row in group.rows}) == 1


def test_spread_is_over_processes() -> None:
    assert spread([]) is None
    found = spread([3.0, 1.0, 10.0])
    assert found is not None
    assert (found.median, found.low, found.high, found.n) == (3.0, 1.0, 10.0, 3)


def test_an_empty_field_is_not_zero(tmp_path: Path) -> None:
    group = load(write_run(tmp_path / "run", workloads=("churn",))).groups()[0]
    assert group.number("rss_peak_bytes") is None
    assert group.spread("rss_peak_bytes") is None
    assert group.text("rss_peak_bytes") == ""


def test_parameters_are_those_of_cell_def(tmp_path: Path) -> None:
    from reference import ROOT, parse
    cells = parse(ROOT / "harness" / "record")
    run = load(write_run(tmp_path / "run", workloads=("churn",)))
    assert run.parameters == [column.field for column in cells if column.default is not None]


def test_one_setting_does_not_mix_settings(tmp_path: Path) -> None:
    groups = load(write_run(tmp_path / "run", workloads=("ring",))).groups()
    on = [group for group in groups if group.text("gc_mode") == "on"]
    chosen, note = one_setting(on, set())
    assert {group.text("threshold0") for group in chosen} == {""}
    assert note == "One of 4 settings of the run: threshold0=default."
    chosen, note = one_setting(on, {"threshold0"})
    assert len(chosen) == len(on) and note == ""


def test_releases_are_ordered_as_numbers() -> None:
    ordered = ["3.9.18", "3.10.13", "3.13.0", "3.13.18"]
    assert sorted(reversed(ordered), key=release_key) == ordered


def test_the_order_of_releases_is_one() -> None:
    """A chart's colours follow it: no two runs of a program may differ."""
    names = ["3.11.2", "3.11.2 shared", "3.11.2 static", "3.13.0"]
    for given in itertools.permutations(names):
        assert sorted(given, key=release_key) == names


def test_a_status_other_than_ok_is_no_part_of_a_group(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", workloads=("churn",))
    text = (folder / "cells.csv").read_text()
    (folder / "cells.csv").write_text(text.replace(",ok,", ",crash,", 1))
    assert sum(len(group.rows) for group in load(folder).groups()) == 2 * 17 * 3 - 1


# Each makes a run unusable; the words are in the one line that says so.

def torn_end(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes()[:-2])


def torn_row(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes()[:-40] + b"\r\n")


def doubled(folder: Path) -> None:
    path = folder / "cells.csv"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines + lines[-1:]))


def wrong_header(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes().replace(b"cell_id", b"cell", 1))


def empty(folder: Path) -> None:
    (folder / "cells.csv").write_bytes(b"")


def not_utf8(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes().replace(b"synthetic", b"\xff\xfe", 1))


def no_number(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes().replace(b",2.5,", b",2.5ns,"))


def none_ok(folder: Path) -> None:
    path = folder / "cells.csv"
    path.write_bytes(path.read_bytes().replace(b",ok,", b",error,"))


def no_row(folder: Path) -> None:
    write_table(folder, "CELLS", [])


def no_cells(folder: Path) -> None:
    (folder / "cells.csv").unlink()


BROKEN = [
    (torn_end, 2, "is torn"),
    (torn_row, 2, "is torn"),
    (doubled, 2, "twice"),
    (wrong_header, 2, "no column cell_id"),
    (empty, 2, "is empty"),
    (not_utf8, 2, "can't decode"),
    (no_number, 2, "'2.5ns', not a number"),
    (none_ok, 3, "none of its"),
    (no_row, 3, "none of its 0 rows is ok"),
    (no_cells, 2, "no cells.csv"),
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("breaks, code, words", BROKEN, ids=[row[0].__name__ for row in BROKEN])
def test_a_broken_run_is_one_line(tmp_path: Path, program: str, breaks: Callable[[Path], None],
                                  code: int, words: str) -> None:
    folder = write_run(tmp_path / "run", releases=("3.13.0",), workloads=("churn",))
    breaks(folder)
    result = call(sys.executable, SCRIPTS / program, folder)
    assert result.code == code, result
    assert words in result.err and len(result.err.splitlines()) == 1, result.err
    assert str(folder) in result.err
    assert not list(folder.glob("charts/*"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_folder(tmp_path: Path, program: str) -> None:
    result = call(sys.executable, SCRIPTS / program, tmp_path / "nowhere")
    assert result.code == 2
    assert result.err.splitlines() == [f"gctax {program[:-3]}: {tmp_path / 'nowhere'}:"
                                       " no such folder"]


def test_nasty_text_comes_back(tmp_path: Path) -> None:
    nasty: List[str] = ['a,b', 'say "x"', "ends in ,", "täst ✓", "'; --", "=1+1", " spaced "]
    write_table(tmp_path, "ENVIRONMENT", [
        {"run_id": "synthetic", "scope": "machine", "key": str(number), "value": text}
        for number, text in enumerate(nasty)])
    table = read_table(tmp_path / FILES["ENVIRONMENT"], header("ENVIRONMENT"))
    assert [row[-1] for row in table.rows] == nasty


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    run = load(write_run(tmp_path / "run", releases=("3.13.0",), workloads=("churn",)))
    with pytest.raises(RunError, match="no column op_median_ns"):
        run.groups()[0].spread("op_median_ns")
