"""Writes a run whose figures are made up, for tests of what reads one. Nobody measured them."""
import csv
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from reference import ROOT, parse

COLUMNS = parse(ROOT / "harness" / "record")
FILES = {"CELLS": "cells.csv", "PAUSES": "pauses.csv", "LATENCY": "latency.csv",
         "ENVIRONMENT": "environment.csv"}
Fields = Dict[str, Any]


def header(table: str) -> List[str]:
    return [column.field for column in COLUMNS if column.table == table]


def write_table(folder: Path, table: str, rows: List[Fields]) -> None:
    with (folder / FILES[table]).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header(table), restval="")
        writer.writeheader()
        writer.writerows(rows)


def write_run(folder: Path, releases: Tuple[str, ...] = ("3.11.2", "3.13.0"), repeats: int = 3,
              workloads: Tuple[str, ...] = ("churn", "heap", "retain", "ring", "replace")) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tables: Dict[str, List[Fields]] = {name: [] for name in FILES}
    for number, release in enumerate(releases):
        for cell in cells(workloads):
            for repeat in range(repeats):
                key = {"run_id": "synthetic", "worker": f"gctax-worker-{release}", "repeat": repeat,
                       "cell_id": "-".join(str(value) for value in cell.values())}
                factor = (1 + 0.1 * number) * (1 + 0.04 * repeat)
                row, pauses, latency = measured(cell, factor)
                tables["CELLS"].append({
                    **key, "status": "ok", "python_version": release, "linkage": "static",
                    "python_build": "release+free-threaded" if release.endswith("t") else "release",
                    "cpu_model": "Synthetic 9000", "gc_mode": "on", "allocator": "default",
                    **cell, **row})
                tables["PAUSES"] += [{**key, **pause} for pause in pauses]
                tables["LATENCY"] += [{**key, **line} for line in latency]
    for name, value in (("cpu_model", "Synthetic 9000"), ("cache_l1_Data", "32K"),
                        ("cache_l2_Unified", "1024K")):
        tables["ENVIRONMENT"].append({"run_id": "synthetic", "scope": "machine", "key": name,
                                      "value": value})
    for table, rows in tables.items():
        write_table(folder, table, rows)
    return folder


def cells(workloads: Tuple[str, ...]) -> Iterator[Fields]:
    if "churn" in workloads:
        for family in ("gc", "plain"):
            for fields in (0, 1, 2, 4, 8, 16, 32, 64):
                yield {"workload": "churn", "target": f"{family}{fields}"}
        yield {"workload": "churn", "target": "gc_dict"}
    if "heap" in workloads:
        for live in (1000, 10000, 100000):
            for order in ("fresh", "aged"):
                yield {"workload": "heap", "target": "gc1", "live": live, "heap_order": order}
    for workload in workloads:
        if workload in ("retain", "ring", "replace"):
            for threshold in ("", 50, 200, 10000):
                yield {"workload": workload, "target": "gc1", "threshold0": threshold}
            yield {"workload": workload, "target": "gc1", "gc_mode": "off"}


def measured(cell: Fields, factor: float) -> Tuple[Fields, List[Fields], List[Fields]]:
    target = cell["target"]
    has_gc = target.startswith("gc")
    fields = int("".join(char for char in target if char.isdigit()) or 1)
    own = 16 + 8 * fields + (16 if has_gc else 0)
    row = {
        "target_gc": "yes" if has_gc else "no", "op_floor_ns": 2.5,
        "op_min_ns": factor * (10 + fields / 2 + (5 if has_gc else 0) + (60 if own > 512 else 0)),
        "own_requested_bytes": own, "own_usable_bytes": (own + 15) // 16 * 16,
        "owned_usable_bytes": 48 if target == "gc_dict" else 0, "sizeof_bytes": own,
        "clock_cost_ns": 20, "start_pause_ns": 200000}
    pauses, latency = [], []
    if cell["workload"] == "heap":
        scale = 300 if cell["heap_order"] == "aged" else 25
        row["op_mean_ns"] = factor * (20000 + cell["live"] * scale)
        row["start_pause_ns"] = factor * 20000
        pauses = [{"duration_ns": factor * (20000 + cell["live"] * scale / (3 - generation)),
                   "generation": generation, "explicit": 1}
                  for generation in range(3) for _ in range(3)]
    elif cell["workload"] != "churn":
        threshold = cell.get("threshold0") or 700
        row.update({"rss_peak_bytes": int(3e7 + 2000 * threshold * factor),
                    "gc_share_ratio": factor * 8 / (threshold + 40),
                    "active_threshold0": threshold})
        for generation, count in enumerate((1500, 150, 4)):
            row[f"pauses_auto_gen{generation}"] = int(count * factor)
            row[f"pause_auto_gen{generation}_max_ns"] = factor * 40000 * 10**generation
            if count >= 10:
                row[f"pause_auto_gen{generation}_p50_ns"] = factor * 9000 * 5**generation
            if count >= 1000:
                row[f"pause_auto_gen{generation}_p99_ns"] = factor * 20000
        off = cell.get("gc_mode") == "off"
        latency = [{"percentile": q, "latency_ns": factor * 40 * (1 if off else step)}
                   for q, step in ((50, 1), (90, 1.2), (99, 2), (99.9, 400), (99.99, 900),
                                   (100, 60000))]
    return row, pauses, latency
