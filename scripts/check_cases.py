#!/usr/bin/env python3
"""gctax check-cases: public reports of broken contracts, and whether a check finds them here."""
import argparse
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from check_lists import missing, read_toml, within
from check_main import guarded, replace
from check_model import ENVIRONMENT, FINDING, CheckError, Job, Outcome, Rule, Worker
from check_run import Pool, all_workers, given_worker, read_rules

CASES = Path(__file__).resolve().parent.parent / "harness" / "check" / "cases.toml"
PROGRAM = "gctax check-cases"
TIMEOUT_S = 120.0
CLEAN = "clean"  # no finding of the rule
ANY_RULE = "*"


class Case(NamedTuple):
    id: str
    name: str
    link: str
    kind: str
    rule: str
    verdict: str
    own: Sequence[str] = ()
    real: Sequence[Dict[str, Any]] = ()


class Subject(NamedTuple):
    """One type of a case."""

    case: Case
    target: str
    rule: str
    verdict: str
    make: str = ""
    link: str = ""
    own: bool = False  # one of ours: expected wherever it exists
    found: Sequence[str] = ()
    clean: Sequence[str] = ()
    package: Sequence[str] = ()

    def options(self) -> Tuple[str, ...]:
        return tuple(word for name, value in (("--make", self.make), ("--link", self.link))
                     if value for word in (name, value))

    def expected(self, worker: Worker) -> str:
        """The verdict, clean, or "" where the report says nothing of this release."""
        version = worker.facts["python_version"]
        if self.own or within(version, self.found):
            return self.verdict
        return CLEAN if within(version, self.clean) else ""


class Line(NamedTuple):
    """What one subject gave on one worker."""

    subject: Subject
    worker: Worker
    expected: str
    seen: str
    right: Optional[bool]

    def word(self) -> str:
        return {True: "yes", False: "NO", None: "-"}[self.right]


def main() -> int:
    arguments = parse()
    return guarded(PROGRAM, lambda: try_all(arguments))


def try_all(arguments: argparse.Namespace) -> int:
    rules = read_rules()
    chosen = choose(read_cases(CASES, rules), arguments.only)
    workers = [given_worker(word) for word in arguments.worker] or all_workers()
    lines = run(subjects(chosen), workers, Pool(arguments.jobs, arguments.timeout))
    text = "\n".join(table(lines)) + "\n"
    print(text, end="")
    if arguments.table:
        replace(arguments.table, text)
    wrong = sum(1 for line in lines if line.right is False)
    right = sum(1 for line in lines if line.right)
    print(f"{right} as expected, {wrong} not, {len(lines) - right - wrong} not judged",
          file=sys.stderr)
    return FINDING if wrong else 0 if right else ENVIRONMENT


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Checks the types of harness/check/cases.toml on every worker, "
        "and says where the verdict is the expected one. Exit 1 where it is not.")
    parser.add_argument("--only", metavar="ID", action="append", help="this case (repeatable)")
    parser.add_argument("--worker", metavar="CMD", action="append", default=[],
                        help="as of gctax check (default: all beside gctax)")
    parser.add_argument("--jobs", metavar="N", type=int, default=2)
    parser.add_argument("--timeout", metavar="S", type=float, default=TIMEOUT_S)
    parser.add_argument("--table", metavar="FILE", type=Path, help="write the table there as well")
    return parser.parse_args()


# ---- The table ----------------------------------------------------------------------------------

def read_cases(path: Path, rules: Dict[str, Rule]) -> List[Case]:
    try:
        found = [Case(**row) for row in read_toml(path, "case")]
    except TypeError as error:
        raise CheckError(f"{path}: {error}") from None
    for subject in subjects(found):
        if subject.rule != ANY_RULE and subject.rule not in rules:
            raise CheckError(f"{path}: {subject.case.id}: no rule {subject.rule}")
    return found


def choose(found: List[Case], only: Optional[List[str]]) -> List[Case]:
    known = [case.id for case in found]
    for name in only or []:
        if name not in known:
            raise CheckError(f"no case {name}: {', '.join(known)}")
    return [case for case in found if not only or case.id in only]


def subjects(found: Sequence[Case]) -> List[Subject]:
    result = []
    for case in found:
        for row in case.real:
            words: Dict[str, Any] = {"rule": case.rule, "verdict": case.verdict, **row}
            result.append(Subject(case, **words))
        result += [Subject(case, target, case.rule, case.verdict, own=True)
                   for target in case.own]
    return result


# ---- The run ------------------------------------------------------------------------------------

def run(found: Sequence[Subject], workers: Sequence[Worker], pool: Pool) -> List[Line]:
    """Each process once, however many cases look at it."""
    jobs: Dict[Tuple[str, Tuple[str, ...], str], Job] = {}
    plan: List[Tuple[Subject, Worker, str]] = []
    for subject in found:
        for worker in workers:
            why = missing(subject.package, worker)
            plan.append((subject, worker, why))
            if not why:
                key = (subject.target, subject.options(), worker.command())
                jobs[key] = Job(subject.target, worker, subject.options())
    print(f"{PROGRAM}: {len(jobs)} processes", file=sys.stderr)
    outcomes = dict(zip(jobs, pool.run(list(jobs.values()))))
    lines = []
    for subject, worker, why in plan:
        key = (subject.target, subject.options(), worker.command())
        lines.append(skipped(subject, worker, why) if why
                     else judge(subject, worker, outcomes[key]))
    return lines


def skipped(subject: Subject, worker: Worker, why: str) -> Line:
    return Line(subject, worker, subject.expected(worker), f"skipped: {why}", None)


def judge(subject: Subject, worker: Worker, outcome: Outcome) -> Line:
    expected = subject.expected(worker)
    if outcome.error:
        return Line(subject, worker, expected, f"not on this release: {outcome.error}", None)
    if subject.rule == ANY_RULE:
        seen = [f"{one.verdict} {one.rule}" for one in outcome.findings()]
        text = ", ".join(seen) or outcome.status()
        right = None if not expected else not outcome.of(subject.verdict) and \
            not outcome.untested()
        return Line(subject, worker, expected, text, right)
    alike = [one for one in outcome.verdicts if one.rule == subject.rule]
    best = min(alike, key=lambda one: ("breach", "suspect", "ok", "untested").index(one.verdict),
               default=None)
    state = best.verdict if best else "none"
    text = state + (f": {best.reason}" if best and state == "untested" and best.reason else "")
    if outcome.untested():
        text = f"untested: {outcome.untested()}"
    others = sorted({one.rule for one in outcome.of("breach")} - {subject.rule})
    if others and state != subject.verdict:
        text += f" (breach of {', '.join(others)})"
    if not expected:
        return Line(subject, worker, expected, text, None)
    if expected == CLEAN:
        return Line(subject, worker, expected, text, state not in ("breach", "suspect"))
    return Line(subject, worker, expected, text, state == expected)


def table(lines: Sequence[Line]) -> List[str]:
    """Markdown."""
    rows = ["| case | type | worker | rule | expected | seen | right |",
            "|---|---|---|---|---|---|---|"]
    for line in lines:
        case = line.subject.case
        title = f"[{case.id}]({case.link})" if case.link else case.id
        how = " ".join([line.subject.target, *line.subject.options()])
        cells = [title, f"`{how}`", line.worker.name, line.subject.rule,
                 line.expected or "not stated", line.seen, line.word()]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


if __name__ == "__main__":
    sys.exit(main())
