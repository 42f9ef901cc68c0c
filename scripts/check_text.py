"""The report of `gctax check` for people: findings first, then what was tried and what was not."""
import shutil
import textwrap
from typing import Dict, List, Sequence, Tuple

from check_model import (BREACH, OK, SUSPECT, UNTESTED, VERDICTS, Outcome, Rule, Verdict, again,
                         find_rule, reasons)

LABEL_WIDTH = 9
CODES = {BREACH: "31;1", SUSPECT: "33;1", OK: "32", UNTESTED: "2", "head": "1", "label": "2"}
# Plurals are written where they are counted.
NOUN = {BREACH: ("breach", "breaches"), SUSPECT: ("suspect", "suspects"), OK: ("ok", "ok"),
        UNTESTED: ("untested", "untested"), "error": ("error", "errors")}


class Style:
    """Colours and line width of the place where the report goes."""

    def __init__(self, terminal: bool) -> None:
        self.colour = terminal
        self.width = max(60, shutil.get_terminal_size().columns) if terminal else 0

    def paint(self, text: str, code: str) -> str:
        return f"\033[{CODES[code]}m{text}\033[0m" if self.colour else text

    def wrapped(self, label: str, text: str, indent: int, fold: bool = True) -> List[str]:
        """`label   text`, folded to the width of a terminal; whole elsewhere, for grep."""
        hang = indent + LABEL_WIDTH + 1
        lines = textwrap.wrap(text, self.width - hang, break_long_words=False,
                              break_on_hyphens=False) if self.width and fold else [text]
        first = " " * indent + self.paint(label.ljust(LABEL_WIDTH), "label") + " "
        return [(first if place == 0 else " " * hang) + line for place, line in enumerate(lines)]


def report(outcome: Outcome, rules: Dict[str, Rule], style: Style, verbose: bool) -> List[str]:
    """The lines of one target."""
    lines = [headline(outcome, style)]
    if outcome.error:
        return lines + ["  " + style.paint("error", BREACH) + f"  {outcome.error}"]
    for verdict in outcome.findings():
        lines += finding(outcome, verdict, rules, style)
    if outcome.fact("untested"):
        lines += style.wrapped("untested", outcome.fact("untested"), 2)
    elif outcome.verdicts:
        lines.append("  " + counts(outcome))
    if verbose:
        lines += details(outcome, rules, style)
    return lines


def headline(outcome: Outcome, style: Style) -> str:
    name = outcome.fact("type")
    of_type = f"  {name}" if name and name != outcome.job.target else ""
    build = " ".join(part for part in (outcome.python(), outcome.build().replace("release+", ""))
                     if part)
    made = f", made by {outcome.fact('made_by')}" if outcome.fact("made_by") else ""
    return (style.paint(outcome.job.target, "head") + f"{of_type}  [CPython {build}"
            f"{', ' + outcome.linkage() if outcome.linkage() else ''}{made}]")


def finding(outcome: Outcome, verdict: Verdict, rules: Dict[str, Rule],
            style: Style) -> List[str]:
    rule = find_rule(rules, verdict)
    number = f" ({verdict.number})" if verdict.number else ""
    where = f"  {verdict.where()}" if verdict.where() else ""
    lines = ["  " + style.paint(verdict.verdict.upper(), verdict.verdict)
             + f"  {style.paint(verdict.rule, 'head')}{number}{where}"]
    sure = ", ".join(part for part in (
        verdict.certainty, f"leads to: {verdict.leads_to}" if verdict.leads_to else "") if part)
    for label, text in (("rule", rule.doc if rule else ""), ("done", verdict.done),
                        ("seen", verdict.seen), ("expected", verdict.expected), ("sure", sure),
                        ("reason", verdict.reason), ("debug", verdict.second)):
        if text:
            lines += style.wrapped(label, text, 4)
    if rule and rule.source:
        lines += style.wrapped("source", rule.source, 4, fold=False)
    return lines + style.wrapped("again", again(outcome, verdict.rule), 4, fold=False)


def counts(outcome: Outcome) -> str:
    """ok 30, untested 9 (no GC flag 6, cannot be subclassed 3)"""
    parts = []
    for verdict in VERDICTS:
        number = len(outcome.of(verdict))
        if number and verdict == UNTESTED:
            why = ", ".join(f"{reason} {count}" for reason, count in reasons(outcome.verdicts))
            parts.append(f"{verdict} {number} ({why})")
        elif number:
            parts.append(f"{verdict} {number}")
    return ", ".join(reversed(parts))


def details(outcome: Outcome, rules: Dict[str, Rule], style: Style) -> List[str]:
    """All rules, and how the target was taken apart."""
    lines: List[str] = []
    for label, name in (("forms", "forms"), ("slots", "slots"), ("note", "notes")):
        values = outcome.lines(name)
        if label == "note":
            for value in values:
                lines += style.wrapped(label, value, 4)
        elif values:
            lines += style.wrapped(label, ", ".join(values), 4)
    width = max([len(rule) for rule in rules] or [0])
    for verdict in sorted(outcome.verdicts, key=lambda one: one.number):
        if verdict.verdict in (OK, UNTESTED):
            text = verdict.reason or verdict.seen or verdict.done
            word = style.paint(verdict.verdict.ljust(len(UNTESTED)), verdict.verdict)
            line = f"    {word}  {verdict.number:>2} {verdict.rule:<{width}}  {text}"
            lines.append(line.rstrip())
    return lines


def summary(outcomes: Sequence[Outcome]) -> str:
    """3 targets: 1 breach, 2 ok"""
    states: Dict[str, int] = {}
    for outcome in outcomes:
        states[outcome.status()] = states.get(outcome.status(), 0) + 1
    order: Tuple[str, ...] = ("error", BREACH, SUSPECT, UNTESTED, OK)
    parts = [f"{states[state]} {NOUN[state][states[state] != 1]}"
             for state in order if state in states]
    number = len(outcomes)
    return f"{number} target{'s' if number != 1 else ''}: " + ", ".join(parts)
