"""What `gctax check` knows: rules, the workers it asks, and what a worker said of a target."""
import shlex
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

USAGE, ENVIRONMENT, FINDING = 2, 3, 1  # exit codes, docs/design.md

BREACH, SUSPECT, UNTESTED, OK = "breach", "suspect", "untested", "ok"
VERDICTS = (BREACH, SUSPECT, UNTESTED, OK)  # what is to be read first comes first

# In what a statically linked worker says of a module that its library has in part alone
# (cmake/GctaxEmbedding.cmake).
NOT_IN_WORKER = ": not in this worker, because "

# No rule of the contract: the process that made the instances ended as no process should.
PROCESS_RULE = "process"


class CheckError(Exception):
    """One line for the user."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Rule(NamedTuple):
    """A row of rules.def, as `gctax list rules` prints it."""

    id: str
    number: int
    severity: str
    leads_to: str
    source: str
    doc: str
    probed: str


PROCESS = Rule(PROCESS_RULE, 0, "error", "crash", "", "the process that made instances of the "
               "target, outside any probe, ends by itself and in time", "exit status of the worker")


class Verdict(NamedTuple):
    """What one rule came to on one target. `second` is what a debug build said of it."""

    rule: str
    number: int
    verdict: str
    form: str = ""
    slot: str = ""
    done: str = ""
    seen: str = ""
    expected: str = ""
    certainty: str = ""
    leads_to: str = ""
    reason: str = ""
    second: str = ""

    def where(self) -> str:
        """The form of the type and the place of the reference, where they say something."""
        return ", ".join(part for part in (self.form, self.slot) if part)


class Worker(NamedTuple):
    """A command that ends in a worker."""

    name: str
    words: Tuple[str, ...]
    facts: Dict[str, str]  # of `describe`
    given: bool  # by --worker, else found

    def command(self) -> str:
        return shlex.join(self.words)

    def debug(self) -> bool:
        return self.facts.get("debug") == "1"


class Job(NamedTuple):
    """One process: a target on a worker."""

    target: str
    worker: Worker
    options: Tuple[str, ...] = ()  # --make, --link, --path …: words of the worker's command line
    rules: str = ""  # globs, by comma: these alone


class Outcome:
    """What the process left."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.head: Dict[str, Any] = {}  # the line of kind target
        self.verdicts: List[Verdict] = []
        self.members: List[str] = []
        self.error = ""  # the target cannot be imported or does not parse
        self.code = USAGE  # exit code of that error
        self.died = ""  # how the process ended that should not have
        self.seconds = 0.0

    def fact(self, name: str) -> str:
        value = self.head.get(name)
        return "" if value is None else str(value)

    def type_name(self) -> str:
        return self.fact("type") or self.job.target

    def lines(self, name: str) -> List[str]:
        """A list of the head (forms, slots, notes), as text."""
        return [f"{item.get('form')}" + (f" (none: {item['missing']})" if "missing" in item else "")
                if isinstance(item, dict) else str(item) for item in self.head.get(name) or ()]

    def python(self) -> str:
        facts = self.job.worker.facts
        return self.fact("python_version") or facts.get("python_version", "")

    def build(self) -> str:
        return self.fact("python_build") or self.job.worker.facts.get("python_build", "")

    def linkage(self) -> str:
        return self.fact("linkage") or self.job.worker.facts.get("linkage", "")

    def of(self, verdict: str) -> List[Verdict]:
        return [one for one in self.verdicts if one.verdict == verdict]

    def findings(self) -> List[Verdict]:
        return self.of(BREACH) + self.of(SUSPECT)

    def untested(self) -> str:
        """Why nothing could be said of the target at all; "" where something could."""
        if self.fact("untested"):
            return self.fact("untested")
        if self.error or self.findings() or self.of(OK):
            return ""
        return "no rule could be tried: " + (", ".join(
            reason for reason, _ in reasons(self.verdicts)) or "the worker named none")

    def lacks_module(self) -> bool:
        """The worker was linked without the target's module."""
        return NOT_IN_WORKER in self.error

    def status(self) -> str:
        """error, or the worst verdict."""
        if self.error:
            return "error"
        if self.untested():
            return UNTESTED
        return next(verdict for verdict in (BREACH, SUSPECT, OK) if self.of(verdict))


def reasons(verdicts: Iterable[Verdict]) -> List[Tuple[str, int]]:
    """Why rules were not tried, the most frequent first."""
    counts: Dict[str, int] = {}
    for one in verdicts:
        if one.verdict == UNTESTED:
            counts[one.reason or "no reason given"] = counts.get(one.reason or "no reason given",
                                                                 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def again(outcome: Outcome, rule: str) -> str:
    """The command that shows a finding again."""
    words = ["gctax", "check", "--worker", outcome.job.worker.command(), *outcome.job.options]
    if rule != PROCESS_RULE:
        words += ["--rules", rule]
    return shlex.join(words + [outcome.job.target])


def exit_code(outcomes: Sequence[Outcome], strict: bool) -> int:
    """A target that is none comes before what others broke: it was not looked at."""
    states = [outcome.status() for outcome in outcomes]
    if "error" in states:
        return min(outcome.code for outcome in outcomes if outcome.error)
    if BREACH in states or (strict and SUSPECT in states):
        return FINDING
    if all(state == UNTESTED for state in states):
        return ENVIRONMENT
    return 0


def find_rule(rules: Dict[str, Rule], verdict: Verdict) -> Optional[Rule]:
    return PROCESS if verdict.rule == PROCESS_RULE else rules.get(verdict.rule)
