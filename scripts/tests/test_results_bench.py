"""The loader of what other instruments left in the folder of a run."""
from pathlib import Path

import pytest

from outside import write_outside
from results import RunError, Spread, load
from results_bench import outside


def test_a_process_is_one_number(tmp_path: Path) -> None:
    found = {one.name: one for one in outside(write_outside(tmp_path))}
    # Repetitions of one process: their median; processes: their range. Units are told.
    ns = found["create_destroy/gc8"].ns
    assert ns.n == 3 and ns.median == pytest.approx(33)
    assert ns.low == pytest.approx(32) and ns.high == pytest.approx(34)
    assert found["create_destroy/gc8"].subject == "3.13.0 shared"
    assert found["fork"].ns == Spread(0.5e9, 0.25e9, 1e9, 3)
    assert found["fork"].parameters == (("frozen", "yes"),)
    assert "create_destroy/gc_dict" not in found  # it was skipped


def test_a_folder_without_cells_is_a_run(tmp_path: Path) -> None:
    run = load(write_outside(tmp_path))
    assert run.groups() == [] and len(outside(run.path)) == 8


@pytest.mark.parametrize("text, word", [("{", "line 1"), ('{"context": NaN}', "NaN"),
                                        ('{"context": {}}', "python_version")])
def test_a_torn_file_is_one_line(tmp_path: Path, text: str, word: str) -> None:
    (write_outside(tmp_path) / "gbench" / "0.json").write_text(text)
    with pytest.raises(RunError, match=word) as caught:
        outside(tmp_path)
    assert "0.json" in str(caught.value) and "\n" not in str(caught.value)
