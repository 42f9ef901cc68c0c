"""gctax cases: its table of cases, and what its shapes make of figures."""
import math
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SOURCE
from programs import Gctax, Worker
from results import Run, RunError

cases = pytest.importorskip("cases")


def test_every_case_is_one_plan(gctax: Gctax, newest: Worker) -> None:
    known = cases.read_cases(cases.CASES)
    assert len({case.id for case in known}) == len(known) >= 12
    for case in known:
        result = gctax("run", "--preset", "sweep", "--dry-run", "--repeat", 1, "--worker",
                       newest.path, *case.arguments())
        assert result.code == 0 and result.out, (case.id, result)
        assert case.link.startswith("https://")
        assert case.shape.least is not None or case.shape.most is not None


def test_a_bad_table_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.toml"
    for text in ("[[case]", "[[case]]\nid = 'x'\n", "[other]\n"):
        path.write_text(text)
        with pytest.raises(RunError, match="cases.toml"):
            cases.read_cases(path)


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_a_slope_is_the_exponent(monkeypatch: pytest.MonkeyPatch, exponent: float) -> None:
    found = [(x, 3 * x ** exponent) for x in (10.0, 100.0, 1000.0)]
    monkeypatch.setattr(cases, "points", lambda shape, groups: found)
    value, _ = cases.slope(cases.Shape("slope"), [])
    assert math.isclose(value, exponent)


@pytest.mark.parametrize("heights, share", [((5, 3, 2, 3), 0.5), ((5, 4, 3, 2), 0.0)])
def test_a_valley_rises_again(monkeypatch: pytest.MonkeyPatch, heights: "tuple[int, ...]",
                              share: float) -> None:
    monkeypatch.setattr(cases, "points", lambda shape, groups: list(enumerate(heights)))
    value, note = cases.valley(cases.Shape("valley"), [])
    assert value == share and f"{heights.index(2)}" in note


def test_one_case_end_to_end(tmp_path: Path, newest: Worker) -> None:
    if newest.free_threaded:
        pytest.skip("payloads follow threshold0 only where the collector counts in one place")
    chosen = cases.choose(cases.read_cases(cases.CASES), ["C61"])
    done = subprocess.run([sys.executable, str(SOURCE / "scripts" / "cases.py"), "--only", "C61",
                           "--repeat", "1", "--worker", str(newest.path), "--out", str(tmp_path),
                           "--table", str(tmp_path / "table.md")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert "| yes |" in (tmp_path / "table.md").read_text() and chosen[0].link in done.stdout
    verdicts = cases.judge(chosen[0], Run(tmp_path / "C61"))
    wrong = chosen[0]._replace(shape=chosen[0].shape._replace(least=2.0, most=3.0))
    assert verdicts[0].appeared() and not cases.judge(wrong, Run(tmp_path / "C61"))[0].appeared()


@pytest.mark.parametrize("found, why_not, word, failed", [
    (2.0, "", "yes", False),
    (2.0, "it is so", "yes", False),
    (0.5, "", "NO", True),
    (0.5, "it is so", "no", False),
    (None, "it is so", "-", False),
])
def test_a_shape_that_is_not_to_be_expected(found: "float | None", why_not: str, word: str,
                                            failed: bool) -> None:
    case = cases.read_cases(cases.CASES)[0]._replace(shape=cases.Shape("ratio", least=1.0))
    verdict = cases.Verdict(case, "3.13.5t", found, "a note", why_not)
    assert (verdict.word(), verdict.failed()) == (word, failed)
    assert ("it is so" in verdict.remark()) == (word == "no")
