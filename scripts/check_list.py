#!/usr/bin/env python3
"""gctax check-list: whole lists of types on every worker, and reports of what they break."""
import argparse
import csv
import io
import json
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from check_lists import TABLES, Explained, Listed, read_explained, read_list
from check_main import guarded, replace
from check_model import (BREACH, FINDING, OK, SUSPECT, UNTESTED, CheckError, Job,
                         Outcome, Verdict, Worker)
from check_run import Pool, all_workers, given_worker

PROGRAM = "gctax check-list"
TIMEOUT_S = 120.0
NOT_HERE = "not here"
COLUMNS = ("worker", "target", "type", "status", "rule", "verdict", "form", "slot", "done", "seen",
           "expected", "certainty", "leads_to", "reason", "explained")


class Entry(NamedTuple):
    """One type of the list on one worker. Without an outcome it was not tried: `why`."""

    listed: Listed
    worker: Worker
    outcome: Optional[Outcome]
    why: str

    def status(self) -> str:
        if self.outcome is None or self.outcome.lacks_module():
            return NOT_HERE
        return self.outcome.status()


class Result(NamedTuple):
    """What a list gave on a worker."""

    name: str
    worker: Worker
    entries: List[Entry]
    seconds: float

    def count(self, status: str) -> int:
        return sum(1 for entry in self.entries if entry.status() == status)

    def breaches(self) -> List[Tuple[Entry, Outcome, Verdict]]:
        return [(entry, entry.outcome, verdict) for entry in self.entries if entry.outcome
                for verdict in entry.outcome.of(BREACH)]


def main() -> int:
    arguments = parse()
    return guarded(PROGRAM, lambda: try_all(arguments))


def try_all(arguments: argparse.Namespace) -> int:
    explained = read_explained()
    workers = [given_worker(word) for word in arguments.worker] or all_workers()
    results = [check(path, worker, arguments) for path in lists(arguments.lists)
               for worker in workers]
    if arguments.out:
        write(arguments.out, results, explained)
    print("\n".join(summary(results, explained)))
    left = [breach for result in results for breach in unexplained(result, explained)]
    for _, outcome, verdict in left:
        print(f"unexplained: {outcome.python()} {outcome.job.target} {verdict.rule} "
              f"[{verdict.where()}]: {verdict.seen}")
    return FINDING if left else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Checks every type of some lists on every worker. A breach that "
        "harness/check/explained.toml does not explain is shown, and the exit code is 1.")
    parser.add_argument("lists", metavar="FILE", nargs="*", default=["stdlib"],
                        help="a list (TOML), or the name of one of ours: stdlib (default), debian")
    parser.add_argument("--worker", metavar="CMD", action="append", default=[],
                        help="as of gctax check (default: all beside gctax)")
    parser.add_argument("--jobs", metavar="N", type=int, default=2)
    parser.add_argument("--timeout", metavar="S", type=float, default=TIMEOUT_S)
    parser.add_argument("--only", metavar="TARGET", action="append", default=[],
                        help="targets that contain this text (repeatable)")
    parser.add_argument("--every", metavar="N", type=int, default=1,
                        help="each N-th type alone: a sample (default 1, all)")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write the reports there")
    parser.add_argument("--runs", metavar="DIR", type=Path, help="keep there what was seen, a file "
                        "a list and worker; what is there is not run again")
    return parser.parse_args()


def lists(words: Sequence[str]) -> List[Path]:
    return [Path(word) if word.endswith(".toml") else TABLES / f"{word}.toml" for word in words]


def check(path: Path, worker: Worker, arguments: argparse.Namespace) -> Result:
    pool = Pool(arguments.jobs, arguments.timeout)
    rows = [listed for listed in read_list(path)
            if not arguments.only or any(part in listed.target for part in arguments.only)]
    rows = rows[::max(1, arguments.every)]
    reasons = {listed: listed.absent(worker) for listed in map(frozen, rows)}
    jobs = {listed: Job(listed.target, worker, listed.options())
            for listed, why in reasons.items() if not why}
    kept = arguments.runs / f"{path.stem}-{worker.name}.json" if arguments.runs else None
    seconds, outcomes = recall(kept, jobs)
    if outcomes is None:
        print(f"{PROGRAM}: {path.stem} on {worker.name}: {len(jobs)} types", file=sys.stderr,
              flush=True)
        start = time.monotonic()
        outcomes = dict(zip(jobs, pool.run(list(jobs.values()))))
        seconds = time.monotonic() - start
        keep(kept, seconds, outcomes)
    entries = [Entry(listed, worker, outcomes.get(listed), why)
               for listed, why in reasons.items()]
    return Result(path.stem, worker, entries, seconds)


def keep(path: Optional[Path], seconds: float, outcomes: Dict[Listed, Outcome]) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"target": outcome.job.target, "options": outcome.job.options, "head": outcome.head,
             "error": outcome.error, "died": outcome.died, "seconds": round(outcome.seconds, 3),
             "verdicts": [verdict._asdict() for verdict in outcome.verdicts]}
            for outcome in outcomes.values()]
    replace(path, json.dumps({"seconds": seconds, "outcomes": rows}, indent=1) + "\n")


def recall(path: Optional[Path],
           jobs: Dict[Listed, Job]) -> Tuple[float, Optional[Dict[Listed, Outcome]]]:
    """What keep() has kept, if that is of these targets."""
    if path is None or not path.exists():
        return 0.0, None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = {(row["target"], tuple(row["options"])): row for row in document["outcomes"]}
        seconds = float(document["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        raise CheckError(f"{path}: {error}") from None
    outcomes = {}
    for listed, job in jobs.items():
        row = rows.get((job.target, job.options))
        if row is None:
            print(f"{PROGRAM}: {path}: {job.target} is not in it: all is run again",
                  file=sys.stderr)
            return 0.0, None
        outcome = Outcome(job)
        outcome.head, outcome.error, outcome.died = row["head"], row["error"], row["died"]
        outcome.seconds = row["seconds"]
        outcome.verdicts = [Verdict(**verdict) for verdict in row["verdicts"]]
        outcomes[listed] = outcome
    return seconds, outcomes


def frozen(listed: Listed) -> Listed:
    """With a tuple where TOML gave a list: a key."""
    return listed._replace(package=tuple(listed.package))


def explanation(outcome: Outcome, verdict: Verdict,
                explained: Sequence[Explained]) -> Optional[Explained]:
    return next((one for one in explained if one.covers(outcome, verdict)), None)


def unexplained(result: Result,
                explained: Sequence[Explained]) -> List[Tuple[Entry, Outcome, Verdict]]:
    return [breach for breach in result.breaches()
            if explanation(breach[1], breach[2], explained) is None]


# ---- Reports ------------------------------------------------------------------------------------

def summary(results: Sequence[Result], explained: Sequence[Explained]) -> List[str]:
    rows = [["list", "worker", "types", OK, "with breaches", "suspect", UNTESTED, NOT_HERE,
             "errors", "breaches", "unexplained", "seconds"]]
    for one in results:
        rows.append([one.name, one.worker.name] + [str(number) for number in (
            len(one.entries), one.count(OK), one.count(BREACH), one.count(SUSPECT),
            one.count(UNTESTED), one.count(NOT_HERE), one.count("error"), len(one.breaches()),
            len(unexplained(one, explained)))] + [f"{one.seconds:.0f}"])
    return markdown(rows)


def markdown(rows: Sequence[Sequence[str]]) -> List[str]:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def write(folder: Path, results: Sequence[Result], explained: Sequence[Explained]) -> None:
    """A table of all findings and untested types of a list, a page for each release of it, and a
    page on top."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted({one.name for one in results}):
        of_list = [one for one in results if one.name == name]
        replace(folder / f"{name}.csv", table(of_list, explained))
        for one in of_list:
            replace(folder / f"{name}-{one.worker.name}.md",
                    "\n".join(release(one, explained)) + "\n")
        replace(folder / f"{name}.md", "\n".join(overview(of_list, explained)) + "\n")


def table(results: Sequence[Result], explained: Sequence[Explained]) -> str:
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, restval="")
    rows.writeheader()
    for one in results:
        for entry in one.entries:
            base: Dict[str, Any] = {"worker": one.worker.name, "target": entry.listed.target,
                                    "status": entry.status(), "reason": entry.why}
            if entry.outcome is not None:
                base["type"] = entry.outcome.fact("type")
                base["reason"] = entry.outcome.error or entry.outcome.untested()
            findings = entry.outcome.findings() if entry.outcome else []
            if entry.outcome is None or not findings:
                rows.writerow(base)
                continue
            for verdict in findings:
                known = explanation(entry.outcome, verdict, explained)
                values = {name: value for name, value in verdict._asdict().items()
                          if name in COLUMNS}
                rows.writerow({**base, **values,
                               "explained": known.link or "yes" if known else ""})
    return text.getvalue()


def release(one: Result, explained: Sequence[Explained]) -> List[str]:
    facts = one.worker.facts
    lines = [f"# {one.name} on CPython {one.worker.name}", "",
             f"{facts.get('python_build', '')}, {facts.get('linkage', '')}. Written by `gctax "
             f"check-list`; {len(one.entries)} types in {one.seconds:.0f} s.", "",
             *summary([one], explained), ""]
    rows = [["type", "target", "verdict", "rule", "where", "seen", "leads to", "explained"]]
    for entry in one.entries:
        if entry.outcome is None:
            rows.append(["", f"`{entry.listed.target}`", NOT_HERE, "", "", entry.why, "", ""])
            continue
        outcome = entry.outcome
        name = f"`{outcome.fact('type')}`" if outcome.fact("type") else ""
        shown = f"`{' '.join([outcome.job.target, *outcome.job.options])}`"
        if not outcome.findings():
            rows.append([name, shown, entry.status(), "", "",
                         outcome.error or outcome.untested(), "", ""])
        for verdict in outcome.findings():
            known = explanation(outcome, verdict, explained)
            rows.append([name, shown, f"**{verdict.verdict}**" if verdict.verdict == BREACH
                         else verdict.verdict, verdict.rule, verdict.where(), verdict.seen,
                         verdict.leads_to, text_of(known) if verdict.verdict == BREACH else ""])
    return lines + markdown(rows)


def text_of(known: Optional[Explained]) -> str:
    if known is None:
        return "**no**"
    return f"[{known.why}]({known.link})" if known.link else known.why


def overview(results: Sequence[Result], explained: Sequence[Explained]) -> List[str]:
    """Which type breaks which rule on which release."""
    found: Dict[Tuple[str, str], Dict[str, str]] = {}
    why: Dict[Tuple[str, str], Optional[Explained]] = {}
    for one in results:
        for entry in one.entries:
            for verdict in entry.outcome.findings() if entry.outcome else ():
                assert entry.outcome is not None
                key = entry.outcome.type_name(), verdict.rule
                place = found.setdefault(key, {})
                if place.get(one.worker.name) != BREACH:
                    place[one.worker.name] = verdict.verdict
                if verdict.verdict == BREACH:
                    why[key] = explanation(entry.outcome, verdict, explained) or why.get(key)
    names = [one.worker.name for one in results]
    rows = [["type", "rule", *names, "explained"]]
    for key, place in sorted(found.items()):
        rows.append([f"`{key[0]}`", key[1], *[place.get(name, "") for name in names],
                     text_of(why.get(key)) if BREACH in place.values() else ""])
    return [f"# {results[0].name}: types and the rules they break", "",
            "Written by `gctax check-list`. An empty field: nothing found, or the type is not "
            "there; the pages of the releases tell.", "", *summary(results, explained), "",
            *markdown(rows)]


if __name__ == "__main__":
    sys.exit(main())
