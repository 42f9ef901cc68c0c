"""gctax plot, gctax summary and the column reference."""
import re
import sys
from pathlib import Path
from typing import List, Tuple

import choices
import pytest
import reference
import summary
from charts.generations import draw as draw_generations
from charts.heap_cost import draw as draw_heap_cost
from charts.view import View
from outside import write_outside
from programs import call
from results import load
from synthetic import write_run
from test_results import SCRIPTS

NAMES = ["allocation", "bytes", "pause", "heap-cost", "generations", "latency-retain",
         "latency-replace", "latency-ring", "tradeoff", "instruments", "processes"]


def plot(*arguments: object) -> Tuple[int, List[str], str]:
    result = call(sys.executable, SCRIPTS / "plot.py", *arguments)
    return result.code, result.lines(), result.err


def test_every_chart_is_drawn(tmp_path: Path) -> None:
    folder = write_outside(write_run(tmp_path / "run"))
    code, lines, err = plot(folder)
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in lines] == [name for name in NAMES for _ in range(2)]
    for name in NAMES:
        png = (folder / "charts" / f"{name}.png").read_bytes()
        assert png.startswith(b"\x89PNG") and len(png) > 20000, name
        svg = (folder / "charts" / f"{name}.svg").read_text()
        assert svg.rstrip().endswith("</svg>") and len(svg) > 20000, name


@pytest.mark.parametrize("releases", [
    ("3.13.0",), ("3.9.18", "3.10.13", "3.11.2", "3.12.1", "3.13.0", "3.13.5t", "3.14.10")])
def test_one_worker_and_many(tmp_path: Path, releases: Tuple[str, ...]) -> None:
    folder = write_run(tmp_path / "run", releases, workloads=("churn", "heap"))
    code, _, err = plot(folder, "--format", "svg", "--only", "allocation", "--only", "pause")
    assert (code, err) == (0, "")
    assert sorted(path.name for path in folder.glob("charts/*")) == ["allocation.svg", "pause.svg"]


def test_the_same_run_makes_the_same_svg(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", workloads=("churn",))
    charts = []
    for name in ("a", "b"):
        plot(folder, "--format", "svg", "--only", "allocation", "--out", tmp_path / name)
        charts.append((tmp_path / name / "allocation.svg").read_bytes())
    assert charts[0] == charts[1]


def test_a_panel_counts_its_own_collections(tmp_path: Path) -> None:
    page = draw_generations(View([load(write_run(tmp_path / "run", workloads=("ring",)))]))
    labels = [[label.get_text() for label in axis.get_xticklabels()] for axis in page.axes]
    assert labels == [["0\n(1560)", "1\n(156)", "2\n(4)"], ["0\n(1716)", "1\n(171)", "2\n(4)"]]


def test_a_heap_has_one_cost_a_cache(tmp_path: Path) -> None:
    """25 ns an object, 300 when aged, and the empty heap's. 10^4 objects fit L2, 10^5 not."""
    page = draw_heap_cost(View([load(write_run(tmp_path / "run", ("3.11.2",)))]))
    costs = [[float(y) for y in line.get_ydata()] for line in page.axes[0].get_lines()
             if line.get_marker() == "o"]  # else a bar's end, or a cache
    assert costs == [pytest.approx([26.0] * 3), pytest.approx([312.0] * 3)]
    assert any("fresh within L2 26, fresh beyond L2 26, aged within L2 312, aged beyond L2 312"
               in note for note in page.notes), page.notes


SKIPPED = [
    (("churn",), {"pause": "no heap workload", "heap-cost": "no heap workload",
                  "tradeoff": "no workload was run at two or more",
                  "generations": "no retaining workload", "latency-ring": "no ring"}),
    (("heap",), {"allocation": "no churn", "latency-retain": "no retain"}),
]


@pytest.mark.parametrize("workloads, reasons", SKIPPED, ids=[row[0][0] for row in SKIPPED])
def test_a_chart_without_data_says_why(tmp_path: Path, workloads: Tuple[str, ...],
                                       reasons: "dict[str, str]") -> None:
    folder = write_run(tmp_path / "run", workloads=workloads)
    code, lines, err = plot(folder, "--format", "svg")
    assert (code, err) == (0, "")
    for name, reason in reasons.items():
        said = [line for line in lines if line.startswith(f"{name}: skipped: ")]
        assert len(said) == 1 and reason in said[0], lines
        assert not (folder / "charts" / f"{name}.svg").exists()


def test_nothing_to_draw_is_exit_3(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", workloads=("churn",))
    code, lines, _ = plot(folder, "--only", "pause")
    assert code == 3 and len(lines) == 1


def test_several_runs_need_a_folder_of_their_own(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, ("3.13.0",), workloads=("churn",)) for name in ("a", "b")]
    code, _, err = plot(*runs)
    assert code == 2 and "give --out DIR" in err
    code, lines, _ = plot(*runs, "--out", tmp_path / "both", "--only", "allocation")
    assert code == 0 and len(lines) == 2


BAD = [(("--format", "gif"), "'gif'"), (("--only", "nothing"), "nothing"), ((), "required")]


@pytest.mark.parametrize("arguments, words", BAD)
def test_bad_arguments(arguments: Tuple[str, ...], words: str) -> None:
    code, _, err = plot(*(arguments and (*arguments, "run")))
    assert code == 2 and words in err.splitlines()[-1]


def test_choices_are_differences_of_twins(tmp_path: Path) -> None:
    lines = choices.show(load(write_run(tmp_path / "run", ("3.11.2",))), [
        choices.Choice("gc1", "gc", "plain1", "collector", "visited"),
        choices.Choice("gc_fin", "gc_fin", "gc1", "finalizer", "not in the run")], False)
    assert len(lines) == 4
    # 15.5 - 10.5 ns times 1, 1.04, 1.08; 40 - 24 bytes; the heap of gc1 has no twin there.
    assert re.split("  +", lines[3].strip()) == [
        "collector: visited", "gc1", "plain1", "+5.2 (+5.0..+5.4)", "+16", "+16", "-"]


def test_choices_of_two_releases_side_by_side(tmp_path: Path) -> None:
    lines = choices.show(load(write_run(tmp_path / "run", ("3.11.2", "3.15.2"))), [
        choices.Choice("gc1", "gc", "plain1", "collector", "visited"),
        choices.Choice("gc_fin", "gc_fin", "gc1", "finalizer", "not in the run")], True)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert len(cells) == 3 and len({len(row) for row in cells}) == 1
    assert cells[0][2:4] == ["ns a pair, 3.11.2", "ns a pair, 3.15.2"]
    assert cells[2][0] == "collector: visited" and cells[2][4:6] == ["+16 (+16)"] * 2
    assert cells[2][2].startswith("+5.2") and cells[2][3] != cells[2][2]


def test_each_family_is_a_choice_once() -> None:
    found = choices.read_choices()
    names = [choice.name for choice in found]
    assert len({choice.family for choice in found}) == len(found) > 40
    assert "gc1" in names and "plain1" not in names and "gc_fin" in names
    assert {choice.axis for choice in found} >= {"collector", "finalizer", "dict", "tracking",
                                                 "vector", "dealloc", "construct", "inherit"}


def test_the_readme_shows_the_committed_runs() -> None:
    readme = (reference.ROOT / "README.md").read_text(encoding="utf-8")
    for line in summary.summary(load(reference.ROOT / "results" / "sample")):
        assert f"    {line.rstrip()}\n" in readme
    page = (reference.ROOT / "results" / "choices" / "README.md").read_text(encoding="utf-8")
    table = choices.show(load(reference.ROOT / "results" / "choices"), choices.read_choices(), True)
    assert "\n".join(table) in page
    shown = [line for line in readme.splitlines() if line.startswith("|")]
    assert len(shown) > 20 and all(line in table for line in shown)


def test_summary_of_two_workers_has_ten_lines(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    lines = summary.summary(load(folder))
    assert len(lines) == 10
    # 10.5 and 15.5 ns times 1, 1.04, 1.08: the difference is taken by repeat.
    assert "10.9 (10.5..11.3)" in lines[2] and "16.1 (15.5..16.7)" in lines[2]
    assert "+5.2 (5.0..5.4)" in lines[2] and "24 -> 40" in lines[2]
    result = call(sys.executable, SCRIPTS / "summary.py", folder)
    assert result.code == 0 and result.lines() == lines
    assert "\033" not in result.out


def test_summary_survives_an_ascii_terminal(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", workloads=("churn",))
    result = call(sys.executable, SCRIPTS / "summary.py", folder,
                  env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert result.code == 0, result.err


def test_summary_of_one_process_claims_no_spread(tmp_path: Path) -> None:
    lines = summary.summary(load(write_run(tmp_path / "run", repeats=1)))
    assert "(one)" in lines[2] and ".." not in lines[2]


def test_summary_without_its_cells_is_exit_3(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", workloads=("retain",))
    result = call(sys.executable, SCRIPTS / "summary.py", folder)
    assert result.code == 3 and len(result.err.splitlines()) == 1


def test_the_column_reference_is_fresh() -> None:
    result = call(sys.executable, SCRIPTS / "reference.py", "--check")
    assert result.code == 0, result.err


def test_a_stale_column_reference_is_noticed() -> None:
    columns = reference.parse(reference.ROOT / "harness" / "record")
    text = (reference.ROOT / "results" / "README.md").read_text(encoding="utf-8")
    assert reference.render(columns) == text
    assert reference.render(columns[:-1]) != text
    assert reference.render([columns[0]._replace(doc="another"), *columns[1:]]) != text
