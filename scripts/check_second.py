"""A second opinion: what the assertions of a debug build say of the same target."""
import re
from typing import Optional

from check_model import BREACH, CheckError, Outcome, Verdict, Worker

# Words of CPython's own assertions and of its debug allocator, and how such a process ends.
ASSERTION = re.compile(r"assert|fatal python error|ref ?count|bad (id|leading|trailing)|sigabrt|"
                       r"signal 6\b|debug memory block", re.I)
# An abort in another rule's probes, laid to the rule that is broken.
EXPLAINED = re.compile(r"the type breaks (\S+), which can explain: (.*(?:died|dies) of signal .*)")


def require_debug(worker: Worker) -> Worker:
    if not worker.debug():
        raise CheckError(f"--second-opinion: {worker.command()} is no debug build "
                         f"({worker.facts.get('python_build', 'of what kind it does not say')})")
    return worker


def merge(first: Outcome, debug: Outcome) -> None:
    """Strengthens the findings of `first`, or adds one: an assertion that fails is a proof."""
    version = f"CPython {debug.python()} {debug.build()}"
    missing = debug.error or debug.untested()
    if missing:
        first.head.setdefault("notes", [])
        first.head["notes"] = [*first.head["notes"], f"second opinion of {version}: {missing}"]
    findings = {verdict.rule: verdict for verdict in reversed(debug.findings())}
    said = {rule: verdict.seen for rule, verdict in findings.items()
            if ASSERTION.search(verdict.seen)}
    for verdict in debug.verdicts:
        match = EXPLAINED.match(verdict.reason)
        if match and match[1] in findings and ASSERTION.search(match[2]):
            said.setdefault(match[1], match[2])
    for rule, text in said.items():
        add(first, findings[rule], f"{version}: {text}")


def add(first: Outcome, verdict: Verdict, text: str) -> None:
    same = counterpart(first, verdict)
    if same is None:
        first.verdicts.append(verdict._replace(
            verdict=BREACH, certainty="shown", second=text,
            reason="only the debug build shows it"))
        return
    place = first.verdicts.index(same)
    if same in first.findings():
        first.verdicts[place] = same._replace(verdict=BREACH, certainty="shown", second=text)
    else:
        first.verdicts[place] = verdict._replace(
            verdict=BREACH, certainty="shown", second=text,
            reason="only the debug build shows it")


def counterpart(first: Outcome, verdict: Verdict) -> Optional[Verdict]:
    """The verdict of that rule: of the same form and slot where there are several."""
    alike = [one for one in first.verdicts if one.rule == verdict.rule]
    exact = [one for one in alike if (one.form, one.slot) == (verdict.form, verdict.slot)]
    findings = [one for one in alike if one in first.findings()]
    return next(iter(exact + findings + alike), None)
