#!/usr/bin/env python3
"""gctax check: which rules of the collector's contract does a compiled type break?"""
import argparse
import difflib
import fnmatch
import os
import re
import sys
from pathlib import Path
from typing import Dict, List, NoReturn, Optional, Sequence

import check_formats
import check_second
import check_text
from check_main import guarded, replace
from check_model import PROCESS_RULE, CheckError, Job, Outcome, Rule, Worker, exit_code
from check_run import Pool, given_worker, members, newest_worker, read_rules

PROGRAM = "gctax check"
TEXT = "text"
TIMEOUT_S = 120.0
TARGET = re.compile(r"[A-Za-z_][\w.]*(:.+)?$", re.S)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CheckError(f"{message} (--help shows all)")


def main() -> int:
    return guarded(PROGRAM, lambda: run(options(sys.argv[1:])))


# ---- Command line -------------------------------------------------------------------------------

def options(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog=PROGRAM, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Says which rules of the garbage collector's contract an extension type breaks,"
        "\nwith evidence. A target is MODULE:EXPR, where EXPR makes an instance or is callable\n"
        "without arguments (zlib:compressobj, \"lxml.etree:Element('a')\", mymod:Node), or the "
        "name\nof a variant of ours. `gctax list rules` shows the rules.",
        epilog="Verdicts: ok; breach: a leak counted, a crash, a lost exception, a count that does "
        "not add up;\nsuspect: a documented rule not followed, whose harm could not be shown; "
        "untested: with a reason.\n"
        "Exit: 0 nothing broken, 1 a breach (with --strict also a suspect), 2 bad input, 3 no "
        "worker, or\nevery target untested, 130 interrupted.")
    add = parser.add_argument
    add("targets", metavar="TARGET", nargs="*", help="what to check")
    add("--all-of", metavar="MODULE", action="append", default=[],
        help="every type that this module gives; repeatable")
    add("--make", metavar="EXPR", help="the expression that makes an instance of the one target")
    add("--link", metavar="STMT", help="how instance a comes to hold instance b: 'a.peer = b'")
    add("--path", metavar="DIR", action="append", default=[], help="where modules are; repeatable")
    add("--venv", metavar="DIR", help="a virtual environment whose modules are used")
    add("--worker", metavar="CMD", action="append", default=[],
        help="check on this worker, a command that ends in one; repeatable (default: the newest "
        "release beside gctax)")
    add("--second-opinion", metavar="CMD", help="a worker of a debug build: what its assertions "
        "say of the same targets is added")
    add("--rules", metavar="GLOB", action="append", default=[],
        help="these rules alone: names or globs, by comma; repeatable")
    add("--strict", action="store_true", help="a suspect fails the run too")
    add("--timeout", metavar="S", type=positive, default=TIMEOUT_S,
        help=f"limit of one target's process (default {TIMEOUT_S:g} s)")
    add("--jobs", metavar="N", type=whole, default=2, help="processes side by side (default 2)")
    add("--format", metavar="FORMAT", default=TEXT,
        help="text (default), json, sarif (2.1.0) or junit")
    add("--source", metavar="FILE", default="", help="sarif: the file that findings are put at, "
        "relative to the repository; GitHub's code scanning takes no finding without one")
    add("--out", metavar="FILE", type=Path, help="write there instead of standard output")
    add("--verbose", action="store_true", help="text: a line for each rule, and how the target "
        "was taken apart")
    return parser.parse_intermixed_args(list(words))


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds")
    return value


def whole(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 256")
    return int(text)


def require(arguments: argparse.Namespace, rules: Dict[str, Rule]) -> None:
    """Refuses what cannot be meant, before anything runs."""
    known = [TEXT, *check_formats.FORMATS]
    if arguments.format not in known:
        raise CheckError(f"--format: no {arguments.format}{near(arguments.format, known)}")
    if not arguments.targets and not arguments.all_of:
        raise CheckError("no target: MODULE:EXPR, a variant, or --all-of MODULE (--help)")
    for target in arguments.targets:
        require_target(target)
    for option in ("make", "link"):
        if getattr(arguments, option) and (len(arguments.targets) != 1 or arguments.all_of):
            raise CheckError(f"--{option} says how instances of one target are made or linked: "
                             "give one target")
        if getattr(arguments, option):
            require_code(f"--{option}", getattr(arguments, option),
                         "eval" if option == "make" else "exec")
    for glob in globs(arguments.rules):
        if not fnmatch.filter(rules, glob):
            raise CheckError(f"--rules: no rule {glob}{near(glob, list(rules))}; "
                             "see `gctax list rules`")
    if arguments.out is not None and not arguments.out.resolve().parent.is_dir():
        raise CheckError(f"--out: no folder {arguments.out.resolve().parent}")


def require_target(target: str) -> None:
    if not TARGET.match(target):
        raise CheckError(f"{target!r} is no target: MODULE:EXPR, or the name of a variant")
    if ":" in target:
        require_code(target, target.partition(":")[2], "eval")


def require_code(name: str, code: str, mode: str) -> None:
    try:
        compile(code, name, mode)
    except (SyntaxError, ValueError) as error:
        raise CheckError(f"{name}: {getattr(error, 'msg', error)}: {code}") from None


def near(word: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(word, known, 3)
    return f"; did you mean {' or '.join(found)}?" if found else f": {', '.join(known[:50])}"


def globs(words: Sequence[str]) -> List[str]:
    return [glob for word in words for glob in word.split(",") if glob]


# ---- The run ------------------------------------------------------------------------------------

def run(arguments: argparse.Namespace) -> int:
    rules = read_rules()
    require(arguments, rules)
    workers = [given_worker(word) for word in arguments.worker] or [newest_worker()]
    second = (check_second.require_debug(given_worker(arguments.second_opinion,
                                                      "--second-opinion"))
              if arguments.second_opinion else None)
    pool = Pool(arguments.jobs, arguments.timeout)
    jobs = plan(arguments, workers, pool)
    report = Report(arguments, rules, sum(1 for _ in jobs))
    both = [job._replace(worker=second) for job in jobs] if second else []
    asked = [job for pair in zip(jobs, both) for job in pair] if second else jobs
    outcomes: List[Outcome] = []
    held: Optional[Outcome] = None
    for outcome in pool.run(asked):
        if second and held is None:
            held = outcome
            continue
        if held is not None:
            check_second.merge(held, outcome)
            outcome, held = held, None
        choose(outcome, arguments.rules)
        outcomes.append(outcome)
        report.tell(outcome)
    report.end(outcomes)
    return exit_code(outcomes, arguments.strict)


def plan(arguments: argparse.Namespace, workers: Sequence[Worker], pool: Pool) -> List[Job]:
    """A target on all workers before the next target."""
    # Absolute: a worker works in a folder of its own.
    where = [word for folder in arguments.path for word in ("--path", os.path.abspath(folder))]
    where += ["--venv", os.path.abspath(arguments.venv)] if arguments.venv else []
    how = [word for name in ("make", "link") if getattr(arguments, name)
           for word in (f"--{name}", getattr(arguments, name))]
    rules = ",".join(globs(arguments.rules))
    jobs = [Job(target, worker, tuple(how + where), rules)
            for target in arguments.targets for worker in workers]
    for module in arguments.all_of:
        for worker in workers:
            jobs += [Job(target, worker, tuple(where), rules)
                     for target in members(pool, worker, module, tuple(where))]
    return jobs


def choose(outcome: Outcome, rules: Sequence[str]) -> None:
    if rules:
        outcome.verdicts = [one for one in outcome.verdicts if one.rule == PROCESS_RULE or
                            any(fnmatch.fnmatch(one.rule, glob) for glob in globs(rules))]


class Report:
    """Text is written as it comes, the other formats at the end."""

    def __init__(self, arguments: argparse.Namespace, rules: Dict[str, Rule], total: int) -> None:
        self.arguments = arguments
        self.rules = rules
        self.total = total
        terminal = arguments.out is None and sys.stdout.isatty() and (
            "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")
        self.style = check_text.Style(terminal)
        self.progress = sys.stderr.isatty() and (arguments.out is not None or
                                                 arguments.format != TEXT)
        self.text: List[str] = []
        self.done = 0

    def write(self, lines: Sequence[str]) -> None:
        if self.arguments.out is not None:
            self.text += lines
            return
        for line in lines:
            # A lone surrogate, which a target's name may hold, is no reason to stop.
            sys.stdout.buffer.write((line + "\n").encode("utf-8", "backslashreplace"))
        sys.stdout.flush()

    def tell(self, outcome: Outcome) -> None:
        self.done += 1
        if self.progress:
            end = "\n" if self.done == self.total else ""
            print(f"\r\033[K{self.done}/{self.total} {outcome.job.target[:60]}{end}",
                  end="", file=sys.stderr, flush=True)
        if self.arguments.format != TEXT:
            return
        if self.done == 1 and not outcome.job.worker.given:
            worker = outcome.job.worker
            self.write([f"worker: {worker.command()}, the newest beside gctax (--worker chooses)",
                        ""])
        self.write([*check_text.report(outcome, self.rules, self.style, self.arguments.verbose),
                    ""])

    def end(self, outcomes: Sequence[Outcome]) -> None:
        if self.arguments.format == TEXT:
            if len(outcomes) > 1:
                self.write([check_text.summary(outcomes)])
        else:
            context = check_formats.Context(self.rules, self.arguments.strict,
                                            self.arguments.source)
            make = check_formats.FORMATS[self.arguments.format]
            self.write([make(outcomes, context).rstrip("\n")])
        if self.arguments.out is not None:
            replace(self.arguments.out, "\n".join(self.text) + "\n")
        for outcome in outcomes:
            if outcome.error:
                print(f"{PROGRAM}: {outcome.job.target}: {outcome.error}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
