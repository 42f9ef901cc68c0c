"""A worker that misbehaves as it is told: what the driver makes of it is what is tested.

    python3 fake_worker.py [--delay=S] [TARGET=BEHAVIOUR]… describe|preflight|cell --FIELD=VALUE…

It speaks the protocol of docs/design.md and measures nothing. A cell whose target has no behaviour
of its own is well, with one row of pauses and one of latency.
"""
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from reference import ROOT, Column, parse  # noqa: E402  (the path is set first)

COLUMNS = parse(ROOT / "harness" / "record")
NASTY = 'a, "quoted", täst ✓; ends in ,'
SLEEP_S = 600


def schema() -> str:
    """As record_schema() makes it: FNV-1a over table.field lines."""
    value = 0xCBF29CE484222325
    for column in COLUMNS:
        for byte in f"{column.table.lower()}.{column.field}\n".encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def table(name: str) -> List[Column]:
    return [column for column in COLUMNS if column.table == name]


def emit(name: str, values: Dict[str, str]) -> None:
    columns = table(name)
    unknown = set(values) - {column.field for column in columns}
    assert not unknown, unknown
    print(f"{name.lower()},", end="")
    csv.writer(sys.stdout, lineterminator="\n").writerow(
        [values.get(column.field, "") for column in columns])
    sys.stdout.flush()


def phase(name: str) -> None:
    print(f"phase,{name}", flush=True)


def describe() -> None:
    facts = {"python_version": "3.99.0", "python_build": "release", "python_compiler": "none",
             "linkage": "shared", "ext_compiler": "none", "libc": "none", "executable": "none",
             "release": "99", "free_threaded": "0", "debug": "0", "arch": "none",
             "pointer_bytes": "8", "default_threshold0": "2000", "default_threshold1": "10",
             "default_threshold2": "10"}
    for key, value in facts.items():
        emit("ENVIRONMENT", {"key": key, "value": value})


def well(parameters: Dict[str, str], **more: str) -> None:
    emit("PAUSES", {"start_ns": "1", "duration_ns": "2.5", "generation": "0", "explicit": "0"})
    emit("LATENCY", {"percentile": "50", "latency_ns": "3", "samples": "4", "samples_beyond": "2"})
    emit("CELLS", {**parameters, "python_version": "3.99.0", "python_build": "release", **more})


def die(number: int) -> Callable[[Dict[str, str]], None]:
    def behave(parameters: Dict[str, str]) -> None:
        print("last words", file=sys.stderr, flush=True)
        emit("PAUSES", {"start_ns": "1", "duration_ns": "2.5"})  # of a cell that is never committed
        os.kill(os.getpid(), number)
        time.sleep(SLEEP_S)
    return behave


def hang(parameters: Dict[str, str]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(SLEEP_S)


def family(parameters: Dict[str, str]) -> None:
    """Hangs, and so do a child and one in a session of its own that keeps the pipe open."""
    child = f"import time; time.sleep({SLEEP_S})  # a child of the fake worker"
    subprocess.Popen([sys.executable, "-c", child])
    subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
    hang(parameters)


def leave_child(parameters: Dict[str, str]) -> None:
    """Ends well, and leaves a child behind that holds the pipe."""
    child = f"import time; time.sleep({SLEEP_S})  # a child of the fake worker"
    subprocess.Popen([sys.executable, "-c", child])
    well(parameters)


def eat(parameters: Dict[str, str]) -> None:
    eaten = []
    for _ in range(200):
        eaten.append(b"\xff" * (10 << 20))
        time.sleep(0.02)
    time.sleep(SLEEP_S)


def child_eats(parameters: Dict[str, str]) -> None:
    """What a group eats counts, not only what its leader does."""
    code = f"import time; x = b'1' * (400 << 20); time.sleep({SLEEP_S})"
    subprocess.Popen([sys.executable, "-c", f"{code}  # a child of the fake worker"])
    time.sleep(SLEEP_S)


def fail(parameters: Dict[str, str]) -> None:
    print("first words\nlast words", file=sys.stderr, flush=True)
    sys.exit(7)


def torn(parameters: Dict[str, str]) -> None:
    sys.stdout.write("cells,,,,,")
    sys.stdout.flush()


def garbage(parameters: Dict[str, str]) -> None:
    sys.stdout.buffer.write(b"hello\n\x00\xff\xfe\ncell,1\n\n,,,\n" + b"x" * 100000 + b"\n")
    well(parameters)


def twice(parameters: Dict[str, str]) -> None:
    well(parameters)
    well(parameters)


BEHAVIOURS: Dict[str, Callable[[Dict[str, str]], None]] = {
    "segv": die(signal.SIGSEGV),
    "abort": die(signal.SIGABRT),
    "kill": die(signal.SIGKILL),
    "hang": hang,
    "family": family,
    "leave-child": leave_child,
    "eat": eat,
    "child-eats": child_eats,
    "fail": fail,
    "silent": lambda parameters: None,
    "garbage": garbage,
    "torn": torn,
    "short-row": lambda parameters: print("cells,a,b,c", flush=True),
    "no-number": lambda parameters: well({**parameters, "op_mean_ns": "fast"}),
    "twice": twice,
    "error": lambda parameters: well(parameters, status="error", detail="work was not done"),
    "skipped": lambda parameters: well(parameters, status="skipped", detail="needs 3.99"),
    "nasty": lambda parameters: well(parameters, detail=NASTY),
    "well": well,
}


def cell(arguments: List[str], behaviours: Dict[str, str]) -> None:
    given = dict(word[2:].split("=", 1) for word in arguments)
    parameters = {column.field: given.get(column.field, column.default)
                  for column in COLUMNS if column.default is not None}
    phase("start")
    phase("timing")
    BEHAVIOURS[behaviours.get(parameters["target"], "well")](parameters)
    phase("end")


def main() -> None:
    delay, behaviours = 0.0, {}
    for place, word in enumerate(sys.argv[1:], start=1):
        if word.startswith("--delay="):
            delay = float(word[8:])
        elif "=" in word:
            target, behaviours[target] = word.split("=", 1)[0], word.split("=", 1)[1]
        else:
            break
    print(f"gctax,1,{schema()}", flush=True)
    if word == "describe":
        describe()
    elif word == "preflight":
        emit("CELLS", {"own_usable_bytes": "48"})
    else:
        time.sleep(delay)
        cell(sys.argv[place + 1:], behaviours)


if __name__ == "__main__":
    main()
