"""Bytes of an instance: what a worker finds is what the layout model says, for every family.

That sys.getsizeof() agrees with header, GC head, pre-header, fields and items, test_rows.py of
ext/tests shows for every variant. Here: what is requested from the allocator agrees with
sys.getsizeof(), or the row's detail says why not, and what is usable is what pymalloc makes of it.
"""
import csv
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from programs import Gctax, Worker
from results import Row

POINTER = 8
SMALL_REQUEST, ALIGNMENT = 512, 16  # pymalloc's
SIZES = (0, 1, 8, 64, 1024)  # of a family with sizes
ONE = ("--repeat", 1)
SMALL = (*ONE, "--n", 1000, "--batches", 1, "--samples", 1)


def variants(gctax: Gctax) -> Dict[str, Dict[str, str]]:
    """Name and traits of each family at some of its sizes."""
    rows = list(csv.DictReader(gctax("list", "variants", "--format", "csv").lines()))
    families = [row["family"] for row in rows]
    return {row["name"]: row for row in rows
            if int(row["size"]) in SIZES or families.count(row["family"]) == 1}


def beyond_sizeof(traits: Dict[str, str]) -> Optional[int]:
    """Bytes that are requested and that sys.getsizeof() does not know of; None: depends on what
    attributes the type's instances were seen to have."""
    if traits["vector"] == "extradata":
        return POINTER * int(traits["size"])
    if traits["vector"] in ("itemsize", "itematend"):
        return POINTER
    return None if traits["dict"] == "managed" or traits["inherit"] == "python" else 0


def check_row(row: Row, traits: Dict[str, str], worker: Worker) -> None:
    requested, sizeof = row.number("own_requested_bytes"), row.number("sizeof_bytes")
    assert requested is not None and sizeof is not None
    expected, beyond = beyond_sizeof(traits), requested - sizeof
    if expected is not None:
        assert beyond == expected
    else:  # values of attributes follow the struct from 3.13 on
        assert beyond == 0 or beyond > 0 and worker.release >= 13
    detail = row.text("detail")
    assert (f"{beyond:+g} bytes requested beyond" in detail) == (beyond != 0), detail
    assert "unexplained" not in detail, detail
    assert ("no GC head" in detail) == (worker.free_threaded and row.text("target_gc") == "yes")
    assert row.number("owned_requested_bytes") == 0
    usable = row.number("own_usable_bytes")
    if worker.free_threaded or worker.debug:
        assert usable is None, "nothing tells what this allocator makes of a request"
    elif requested <= SMALL_REQUEST:
        assert usable == -(-requested // ALIGNMENT) * ALIGNMENT
    else:
        assert usable is not None and usable >= requested


def test_bytes_follow_the_layout(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    rows = variants(gctax)
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", ",".join(rows),
                    "--workloads", "churn", *SMALL)
    wrong: List[str] = []
    for row in run.cells:
        traits = rows[row.text("target")]
        if int(traits["since"].split(".")[1]) > worker.release:
            assert row.text("status") == "skipped"
            continue
        try:
            assert row.text("status") == "ok", row.text("detail")
            check_row(row, traits, worker)
        except AssertionError as error:
            wrong.append(f"{row.text('target')}: {error}")
    assert len(run.cells) == len(rows) and not wrong, wrong


def own_bytes(worker: Worker, fields: int, has_gc: bool) -> int:
    """Header, GC head and the pointers."""
    header = 32 if worker.free_threaded else 16
    return header + POINTER * fields + (16 if has_gc and not worker.free_threaded else 0)


def test_gc_types_cross_512_bytes_earlier(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    """A GC head brings a type beyond pymalloc's limit earlier than its twin."""
    run = gctax.run(tmp_path / "run", "--worker", worker.path, "--variants", "plain32,gc32,gc64",
                    "--workloads", "churn", *SMALL)
    own: Dict[str, Optional[float]] = {row.text("target"): row.number("own_requested_bytes")
                                       for row in run.cells}
    assert own["plain32"] and own["gc32"] and own["gc64"]
    assert own["gc32"] - own["plain32"] == (0 if worker.free_threaded else 16)
    assert own["gc32"] <= SMALL_REQUEST < own["gc64"]
    assert own["plain32"] == own_bytes(worker, 32, False)
    assert own["gc64"] == own_bytes(worker, 64, True)


def test_a_retained_instance_is_resident(gctax: Gctax, tmp_path: Path, worker: Worker) -> None:
    run = gctax.run(tmp_path / "run", "--worker", worker.path, *ONE, "--gc", "on", "--variants",
                    "gc8", "--workloads", "retain", "--arena", "native", "--n", 100000, "--batches",
                    2, "--samples", 1)
    [row] = run.cells
    own = row.number("own_usable_bytes") or row.number("own_requested_bytes")
    resident = row.number("resident_bytes")
    if resident is None and worker.free_threaded:
        pytest.skip("mimalloc had the pages already: no growth to be seen")
    assert own is not None and resident is not None
    assert 0.9 * own <= resident <= 1.5 * own + POINTER


def test_what_a_large_heap_left_resident_is_no_growth(gctax: Gctax, tmp_path: Path,
                                                      worker: Worker) -> None:
    """The pools of a million freed instances are partly resident: an instance that lies there
    makes nothing grow (8 of 48 bytes were once said to be resident)."""
    run = gctax.run(tmp_path / "run", "--worker", worker.path, *ONE, "--variants", "gc1",
                    "--workloads", "heap", "--heap-order", "fresh", "--arena", "native", "--live",
                    1000000, "--batches", 1)
    [row] = run.cells
    own = row.number("own_usable_bytes") or row.number("own_requested_bytes")
    resident = row.number("resident_bytes")
    assert own is not None and (resident is None or 0.9 * own <= resident <= 1.5 * own + POINTER)
