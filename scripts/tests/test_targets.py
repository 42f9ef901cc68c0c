"""Types that nobody here wrote, as targets."""
import importlib.util
import sys
from pathlib import Path
from typing import List, Tuple

import pytest
from programs import Gctax, Worker
from results import Row, Run

SMALL = ("--repeat", 1, "--gc", "on", "--n", 500, "--batches", 2, "--samples", 100)

# Target, its type, has it GC (None: that changed between releases), how it is made.
TYPES = [
    ("collections:deque", "collections.deque", "yes"),
    ("re:compile('a').scanner('a')", "_sre.SRE_Scanner", None),
    ("list", "builtins.list", "yes"),
    ("object", "builtins.object", "no"),
    ("pyclass", "", "yes"),
    ("pyslots", "", "yes"),
]


CALLS = ("tp_alloc", "c-api", "vectorcall", "eval")


def one_row(gctax: Gctax, out: Path, worker: Worker, *arguments: object) -> Row:
    result = gctax("run", "--out", out, "--worker", worker.path, *SMALL, *arguments)
    assert (out / "cells.csv").exists(), result
    rows = Run(out).cells
    assert len(rows) == 1
    return rows[0]


def test_targets(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    named = [word for target, _, _ in TYPES for word in ("--target", target)]
    run = gctax.run(tmp_path / "run", "--worker", worker.path, *SMALL, *named, "--workloads",
                    "retain")
    rows = {row.text("target"): row for row in run.cells}
    assert set(rows) == {target for target, _, _ in TYPES}
    for target, type_name, has_gc in TYPES:
        row = rows[target]
        assert row.text("status") == "ok", (target, row.text("detail"))
        if type_name:  # the module's and the type's spelling differ between releases
            found = row.text("target_type").split(".")[-1].lower()
            assert found == type_name.split(".")[-1].lower()
        if has_gc:
            assert row.text("target_gc") == has_gc, target
        assert (row.number("own_requested_bytes") or 0) >= 16, target
        assert (row.number("op_mean_ns") or 0) > 0, target
        assert row.text("target_call") in CALLS, target


def test_instances_that_hold_much_beside_them(gctax: Gctax, tmp_path: Path,
                                              newest: Worker) -> None:
    """A zlib.Compress has some 260 KB from malloc, which no hook of CPython's allocators sees."""
    row = one_row(gctax, tmp_path / "run", newest, "--target", "zlib:compressobj", "--workloads",
                  "churn")
    assert row.text("status") == "ok", row.text("detail")
    assert row.text("target_type") == "zlib.Compress"
    requested, resident = row.number("own_requested_bytes"), row.number("resident_bytes")
    assert requested is not None and requested < 1000
    assert resident is None or resident > 10000


def test_how_a_target_is_called(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", newest.path, *SMALL, "--workloads", "retain",
                    "--target", "collections:deque", "--target", "collections:deque([1, [2]])",
                    "--target", "collections:deque('ab')")
    calls = {row.text("target"): row.text("target_call") for row in run.cells}
    assert calls == {"collections:deque": "vectorcall", "collections:deque('ab')": "vectorcall",
                     "collections:deque([1, [2]])": "eval"}


def test_a_shared_object_is_skipped(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    row = one_row(gctax, tmp_path / "run", newest, "--target", "builtins:tuple", "--workloads",
                  "retain")
    assert row.text("status") == "skipped" and row.text("detail").startswith("shared object")


@pytest.mark.parametrize("statement", [
    "a.append(b)", "[a.append(b) for _ in range(1)]", "(lambda: a.append(b))()"])
def test_links_by_statement(gctax: Gctax, tmp_path: Path, worker: Worker, statement: str) -> None:
    if worker.debug:
        pytest.skip("as on the release")
    row = one_row(gctax, tmp_path / "run", worker, "--target", "collections:deque", "--link",
                  statement, "--workloads", "ring", "--cycle", 5, "--threshold0", 50)
    assert row.text("status") == "ok", row.text("detail")
    assert worker.free_threaded or (row.number("collected") or 0) > 0


def test_without_links_a_ring_is_skipped(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    row = one_row(gctax, tmp_path / "run", newest, "--target", "zlib:compressobj", "--workloads",
                  "ring")
    assert row.text("status") == "skipped" and row.text("detail")


MODULE = '''
class Thing:
    __slots__ = ("other", "name")

    def __init__(self, name=""):
        self.name = name

class Tree:
    """append() takes another and owns no reference to it."""
    __slots__ = ()

    def append(self, other):
        pass

class Failing:
    def __init__(self):
        raise ValueError("täst, \\"quoted\\"")
'''


def test_a_module_on_the_path(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    (tmp_path / "things.py").write_text(MODULE, encoding="utf-8")
    row = one_row(gctax, tmp_path / "run", worker, "--path", tmp_path, "--target",
                  "things:Thing('a, \"b\"')", "--workloads", "ring")
    assert row.text("status") == "ok", row.text("detail")
    assert row.text("target") == "things:Thing('a, \"b\"')"  # through two CSVs and back
    assert row.text("target_type") == "things.Thing"
    assert not list(tmp_path.glob("**/__pycache__")), "a measured module is left as it was"


def test_a_method_that_holds_nothing_is_no_link(gctax: Gctax, tmp_path: Path,
                                                newest: Worker) -> None:
    (tmp_path / "own_module.py").write_text(MODULE, encoding="utf-8")
    row = one_row(gctax, tmp_path / "run", newest, "--path", str(tmp_path), "--target",
                  "own_module:Tree", "--workloads", "ring")
    assert row.text("status") == "skipped" and "--link" in row.text("detail"), row.text("detail")


def test_a_factory_that_fails_is_bad_input(gctax: Gctax, tmp_path: Path, newest: Worker) -> None:
    (tmp_path / "things.py").write_text(MODULE, encoding="utf-8")
    result = gctax("run", "--out", tmp_path / "run", "--worker", newest.path, "--path", tmp_path,
                   "--target", "things:Failing")
    assert result.code == 2 and len(result.err.splitlines()) == 1, result
    assert "ValueError" in result.err and "täst" in result.err
    assert not (tmp_path / "run").exists()


def lxml_workers(workers: List[Worker]) -> List[Tuple[Worker, str]]:
    """Workers of the interpreter that runs this test, and where its lxml is."""
    spec = importlib.util.find_spec("lxml")
    if spec is None or spec.origin is None:
        return []
    where = str(Path(spec.origin).parent.parent)
    version = ".".join(map(str, sys.version_info[:3]))
    return [(worker, where) for worker in workers
            if worker.facts["python_version"] == version
            and worker.facts["executable"].startswith("/usr/")]


def test_a_type_of_lxml(gctax: Gctax, tmp_path: Path, workers: List[Worker]) -> None:
    found = lxml_workers(workers)
    if not found:
        pytest.skip("no lxml (Debian: python3-lxml) for an interpreter that has a worker here")
    worker, where = found[0]
    row = one_row(gctax, tmp_path / "run", worker, "--path", where, "--target",
                  "lxml.etree:Element('a')", "--workloads", "churn")
    assert row.text("status") == "ok", row.text("detail")
    assert row.text("target_type") == "lxml.etree._Element"
