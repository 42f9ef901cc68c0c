"""A driver and workers that `gctax check` can ask, and that misbehave as their target tells them.

    gctax list rules --format csv
    gctax-worker-X.Y.Z describe
    gctax-worker-X.Y.Z --check -- [OPTION VALUE]… TARGET | --all-of MODULE

It prints what docs/design.md says, and checks nothing.
"""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import Any, Dict

SLEEP_S = 600
CHILD = "  # a child of "
SOURCE = "https://docs.python.org/3/c-api/typeobj.html#c.PyTypeObject.tp_traverse"
NASTY = 'a < b & "c" \x1b[31m\x00 täst ✓ ]]>\n2nd line'
RULES = {
    "visit-owned": (1, "error", "leak", SOURCE, "tp_traverse visits what is owned", "accounting"),
    "visit-unowned": (2, "error", "crash", SOURCE, "tp_traverse visits no more", "accounting"),
    "untrack": (16, "error", "crash", SOURCE, "tp_dealloc untracks first", "a planted child"),
    "growth": (41, "warning", "leak", "", "memory does not grow", "a straight line"),
}


def emit(**row: Any) -> None:
    print(json.dumps(row), flush=True)


def head(target: str, **more: Any) -> None:
    emit(kind="target", target=target, type=f"fake.{target}", module="fake",
         python_version=version(), python_build="release", linkage="static", made_by="call",
         forms=["type", "subclass"], slots=["attribute x"], notes=["a note"], **more)


def verdict(rule: str, word: str, **more: str) -> None:
    emit(kind="verdict", rule=rule, number=RULES[rule][0], verdict=word, form="type", **more)


def found(word: str, seen: str, **more: str) -> None:
    verdict("visit-owned", word, slot="attribute x", done="an object was put there", seen=seen,
            expected="1 visit", certainty="counted", leads_to="leak", **more)


def rest() -> None:
    verdict("visit-unowned", "ok", seen="0 visits")
    verdict("untrack", "untested", reason="no GC flag")
    verdict("growth", "untested", reason="no GC flag")
    emit(kind="end")


def version() -> str:
    match = re.search(r"gctax-worker-(\d+\.\d+\.\d+)", sys.argv[0])
    return match[1] if match else "3.99.0"


def debug() -> bool:
    return bool(re.search(r"\dd$", sys.argv[0]))


def check(target: str) -> None:
    if target == "fake:Missing":
        emit(kind="error", message="fake has no attribute Missing")
        return
    if target == "fake:Unlinked":
        emit(kind="error", message="cannot import module 'fake': ImportError: fake: not in this "
             "worker, because libpython3.14.a lacks a part of it")
        return
    if target == "fake:Unmade":
        head(target, untested="no instance can be made of it: give --make EXPR")
        emit(kind="end")
        return
    if target == "fake:Nowhere":
        sys.exit("gctax-worker: unknown argument --check")
    head(target)
    behaviours.get(target, hang)(target)


def broken(_: str) -> None:
    found("breach", "1 reference owned, 0 visits")
    rest()


def suspected(_: str) -> None:
    aborted = "abort: Assertion failed: refcount is too small" if debug() else "visited twice"
    found("breach" if debug() else "suspect", aborted)
    rest()


def clean(_: str) -> None:
    verdict("visit-owned", "ok")
    if debug():
        verdict("visit-unowned", "breach", seen="Fatal Python error: negative refcount",
                done="it was destroyed", expected="0", certainty="shown", leads_to="crash")
        emit(kind="end")
        return
    rest()


def nothing(_: str) -> None:
    for rule in RULES:
        verdict(rule, "untested", reason="no GC flag")
    emit(kind="end")


def nasty(_: str) -> None:
    print("hello\n[1]\n{torn", flush=True)
    found("breach", NASTY)
    rest()


def die(_: str) -> None:
    verdict("visit-unowned", "ok")
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def die_late(_: str) -> None:
    broken("")
    os.kill(os.getpid(), signal.SIGABRT)


def hang(_: str) -> None:
    """It, a child in its group, and one in a group of its own."""
    argv = [sys.executable, "-c", f"import time; time.sleep({SLEEP_S}){CHILD}{sys.argv[0]}"]
    subprocess.Popen(argv)
    subprocess.Popen(argv, preexec_fn=os.setpgrp)
    time.sleep(SLEEP_S)


behaviours: Dict[str, Any] = {
    "fake:Broken": broken, "fake:Suspected": suspected, "fake:Clean": clean, "clean": clean,
    "fake:Nothing": nothing, "fake:Nasty": nasty, "fake:Crash": die, "fake:Late": die_late,
    "fake:Hang": hang,
}


def describe() -> None:
    facts = {"python_version": version(), "python_build": "debug" if debug() else "release",
             "linkage": "static", "free_threaded": "0", "debug": str(int(debug()))}
    for key, value in facts.items():
        csv.writer(sys.stdout).writerow(["environment", "", "worker", key, value])


def main() -> None:
    words = sys.argv[1:]
    if words == ["list", "rules", "--format", "csv"]:
        rows = csv.writer(sys.stdout)
        rows.writerow(["number", "id", "severity", "leads_to", "source", "doc", "probed"])
        for name, (number, *texts) in RULES.items():
            rows.writerow([number, name, *texts])
    elif words == ["describe"]:
        describe()
    elif words[:2] == ["--check", "--"] and "--all-of" in words:
        if words[-1] == "nothing":
            emit(kind="error", message="no module named nothing")
        for name in ("Broken", "Clean") if words[-1] == "fake" else ():
            emit(kind="member", target=f"fake:{name}")
        emit(kind="end")
    elif words[:2] == ["--check", "--"]:
        check(words[-1])
    else:
        sys.exit(f"fake_check: {words}")


if __name__ == "__main__":
    main()
