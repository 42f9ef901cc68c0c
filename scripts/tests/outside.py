"""Files of other instruments in the folder of a run, as those instruments leave them."""
import json
from pathlib import Path
from typing import Any, Dict, List


def write_outside(run: Path) -> Path:
    gbench, hyperfine = run / "gbench", run / "hyperfine"
    gbench.mkdir(parents=True)
    hyperfine.mkdir()
    context = {"python_version": "3.13.0", "linkage": "shared"}
    for process in range(3):
        runs: List[Dict[str, Any]] = [
            benchmark(f"create_destroy/{family}{fields}", 20 + fields + process + repetition)
            for family in ("gc", "plain") for fields in (0, 1, 8) for repetition in (0, 4, 100)]
        runs.append(dict(benchmark("create_destroy/gc_dict", 0), error_occurred=True))
        write(gbench / f"{process}.json", {"context": context, "benchmarks": runs})
    write(hyperfine / "context.json", {"/py": context})
    write(hyperfine / "fork.json", {"results": [
        {"times": [0.5, 0.25, 1.0], "parameters": {"subject": "/py", "frozen": word}}
        for word in ("no", "yes")]})
    return run


def benchmark(name: str, ns: float) -> Dict[str, Any]:
    return {"name": f"{name}/iterations:5", "run_name": f"{name}/iterations:5",
            "run_type": "iteration", "real_time": ns / 1e3, "time_unit": "us"}


def write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")
