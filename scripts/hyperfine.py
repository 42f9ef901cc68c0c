#!/usr/bin/env python3
"""gctax hyperfine: times whole processes where a process is the unit."""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

PROGRAM = "gctax hyperfine"
USAGE, ENVIRONMENT = 2, 3
SCRIPTS = Path(__file__).resolve().parent
JOB = SCRIPTS / "hyperfine_job.py"
THRESHOLDS = "default,0,100,700,2000,10000,100000"
FOLDER = "hyperfine"  # of the run's folder; results_bench.py reads it


class Experiment(NamedTuple):
    name: str
    doc: str
    over: str  # what {subject} is: python or worker
    command: str  # {subject}, {build}, and the parameters below
    parameters: Tuple[Tuple[str, str], ...]


EXPERIMENTS = (
    Experiment("startup", "interpreter start-up, with and without the types imported", "python",
               "{subject} -I -B {job_file} {build} startup {imported}",
               (("imported", "none,types"),)),
    Experiment("fork", "collections in forked children over a heap, frozen beforehand or not",
               "python", "{subject} -I -B {job_file} {build} fork {frozen}",
               (("frozen", "no,yes"),)),
    Experiment("cell", "a cell from start to exit", "worker",
               "{subject} cell --target={target} --workload=churn --n=20000 --batches=50"
               " --samples=100000 --repeat=0 --seed=1",
               (("target", "plain1,gc1"),)),
    Experiment("thresholds", "threshold0 over fixed jobs of Python code", "python",
               "{subject} -I -B {job_file} {build} {job} {threshold}",
               (("job", "tree,parse,cache"), ("threshold", THRESHOLDS))),
)


class Failure(Exception):
    """One line for the user."""

    def __init__(self, message: str, code: int = ENVIRONMENT) -> None:
        super().__init__(message)
        self.code = code


def main() -> int:
    arguments = options()
    try:
        build = find_build(arguments.build)
        workers = find_workers(build, arguments.worker)
        out = folder(arguments.out)
        chosen = [one for one in EXPERIMENTS if not arguments.only or one.name in arguments.only]
        context = {facts["executable"]: facts for facts in workers.values()}
        context.update({str(path): facts for path, facts in workers.items()})
        out.mkdir(parents=True)
        (out / "context.json").write_text(json.dumps(context, indent=1, sort_keys=True) + "\n",
                                          encoding="utf-8")
        for experiment in chosen:
            print(f"== {experiment.name}: {experiment.doc}", flush=True)
            measure(chosen_values(experiment, dict(arguments.set)), build, workers, out,
                    arguments.runs, arguments.warmup)
    except Failure as failure:
        print(f"{PROGRAM}: {failure}", file=sys.stderr)
        return failure.code
    except OSError as error:
        print(f"{PROGRAM}: {error.filename}: {error.strerror}", file=sys.stderr)
        return ENVIRONMENT
    print(os.path.relpath(out))
    return 0


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Times whole processes with hyperfine; JSON and Markdown land in"
        f" the folder {FOLDER} of the run's folder, where `gctax plot` finds them.",
        epilog="Experiments: " + "; ".join(f"{one.name}: {one.doc}" for one in EXPERIMENTS) + ".")
    parser.add_argument("--out", metavar="DIR", type=Path, help="the run's folder"
                        " (default: runs/hyperfine-DATE)")
    parser.add_argument("--build", metavar="DIR", type=Path, help="where gctax-worker-* are"
                        " (default: the installed ones or build/)")
    parser.add_argument("--worker", metavar="TAG", action="append",
                        help="measure this one alone, as 3.13.0; repeatable (default: all)")
    parser.add_argument("--only", metavar="NAME", action="append",
                        choices=[one.name for one in EXPERIMENTS],
                        help="this experiment; repeatable")
    parser.add_argument("--set", metavar="NAME=LIST", action="append", type=values, default=[],
                        help="other values of a parameter, as threshold=700,5000; repeatable; "
                        + ", ".join(dict.fromkeys(name for one in EXPERIMENTS
                                                  for name, _ in one.parameters)))
    parser.add_argument("--runs", metavar="N", type=number(2), default=10,
                        help="processes of each command (default: 10)")
    parser.add_argument("--warmup", metavar="N", type=number(0), default=2,
                        help="processes before these (default: 2)")
    return parser.parse_args()


def values(text: str) -> Tuple[str, str]:
    name, _, chosen = text.partition("=")
    known = {parameter for one in EXPERIMENTS for parameter, _ in one.parameters}
    if name not in known or not chosen:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=LIST with NAME one of"
                                         f" {', '.join(sorted(known))}")
    return name, chosen


def number(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= 10000:
            raise argparse.ArgumentTypeError(f"'{text}' is no number from {least} to 10000")
        return int(text)
    return read


def find_build(given: "Path | None") -> Path:
    places = [given] if given else [SCRIPTS.parent, SCRIPTS.parent / "build"]
    for place in places:
        if list(place.glob("gctax-worker-*")):
            return place.resolve()
    raise Failure(f"{places[-1]}: no gctax-worker-* in it: build first, or give --build DIR", USAGE)


def find_workers(build: Path, tags: "List[str] | None") -> Dict[Path, Dict[str, str]]:
    """Workers whose interpreter and module are on this side of any chroot, with what they say."""
    found: Dict[Path, Dict[str, str]] = {}
    all_tags = []
    for path in sorted(build.glob("gctax-worker-*")):
        tag = path.name[len("gctax-worker-"):]
        if path.is_symlink() or not os.access(path, os.X_OK):
            continue
        all_tags.append(tag)
        if tags and tag not in tags:
            continue
        facts = describe(path)
        if Path(facts["executable"]).exists() and (build / "gctax-ext").is_dir() \
                and list((build / "gctax-ext").glob(facts["python_version"] + "*")):
            found[path] = dict(facts, tag=tag)
        else:
            print(f"{path.name}: left out: its interpreter or gctax_ext lies elsewhere", flush=True)
    for tag in tags or []:
        if tag not in all_tags:
            raise Failure(f"no worker {tag} in {build}: there are {', '.join(all_tags)}", USAGE)
    if not found:
        raise Failure(f"{build}: none of its workers can be measured")
    return found


def describe(worker: Path) -> Dict[str, str]:
    done = subprocess.run([str(worker), "describe"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise Failure(f"{worker} describe: {(done.stderr.splitlines() or ['failed'])[-1]}")
    rows = csv.reader(done.stdout.splitlines())
    return {row[-2]: row[-1] for row in rows if row and row[0] == "environment"}


def folder(given: "Path | None") -> Path:
    run = given or Path("runs") / time.strftime("hyperfine-%Y%m%d-%H%M%S")
    out = run / FOLDER
    if out.exists():
        raise Failure(f"{out}: is there already: give another --out DIR", USAGE)
    if not shutil.which("hyperfine"):
        raise Failure("hyperfine is not installed (Debian: apt-get install hyperfine)")
    return out


def chosen_values(experiment: Experiment, chosen: Dict[str, str]) -> Experiment:
    return experiment._replace(parameters=tuple((name, chosen.get(name, usual))
                                                for name, usual in experiment.parameters))


def measure(experiment: Experiment, build: Path, workers: Dict[Path, Dict[str, str]], out: Path,
            runs: int, warmup: int) -> None:
    subjects: Sequence[str] = [str(path) for path in workers]
    if experiment.over == "python":
        # One interpreter may have several workers: static, shared, hosted.
        subjects = sorted({facts["executable"] for facts in workers.values()})
    fixed = {"build": str(build), "job_file": str(JOB)}
    for name, value in list(fixed.items()) + [("worker", one) for one in subjects]:
        if any(letter in value for letter in " ,{}'\"\\"):
            raise Failure(f"{value}: hyperfine cannot be given a {name} with such a name", USAGE)
    command = experiment.command
    for name, value in fixed.items():
        command = command.replace("{" + name + "}", value)
    argv = ["hyperfine", "--shell=none", "--style=basic", f"--runs={runs}", f"--warmup={warmup}",
            f"--export-json={out / experiment.name}.json",
            f"--export-markdown={out / experiment.name}.md",
            "--parameter-list", "subject", ",".join(subjects)]
    for name, values in experiment.parameters:
        argv += ["--parameter-list", name, values]
    if subprocess.run(argv + [command], stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failure(f"{experiment.name}: hyperfine failed, see above")


if __name__ == "__main__":
    sys.exit(main())
