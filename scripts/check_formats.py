"""What `gctax check` writes for programs: JSON, SARIF 2.1.0, JUnit XML."""
import datetime
import hashlib
import json
import xml.etree.ElementTree as ElementTree
from typing import Any, Dict, List, NamedTuple, Sequence

from check_model import (BREACH, OK, SUSPECT, UNTESTED, Outcome, Rule, Verdict, again, exit_code,
                         find_rule)

SCHEMA = "gctax-check/1"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
               "sarif-schema-2.1.0.json"
LEVELS = {BREACH: "error", SUSPECT: "warning"}


class Context(NamedTuple):
    """What the formats need beside the outcomes."""

    rules: Dict[str, Rule]
    strict: bool
    source: str  # the file that SARIF results are put at, "" for none


# ---- JSON: docs/design.md describes it ----------------------------------------------------------

def as_json(outcomes: Sequence[Outcome], context: Context) -> str:
    workers = {outcome.job.worker.name: outcome.job.worker for outcome in outcomes}
    document = {
        "schema": SCHEMA,
        "workers": [{"name": worker.name, "command": list(worker.words), **worker.facts}
                    for worker in workers.values()],
        "rules": [rule._asdict() for rule in context.rules.values()],
        "targets": [json_target(outcome, context) for outcome in outcomes],
        "exit": exit_code(outcomes, context.strict),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def json_target(outcome: Outcome, context: Context) -> Dict[str, Any]:
    verdicts = []
    for verdict in outcome.verdicts:
        rule = find_rule(context.rules, verdict)
        row: Dict[str, Any] = {name: value for name, value in verdict._asdict().items() if value}
        row["number"] = verdict.number
        if verdict.verdict in LEVELS:
            row["source"] = rule.source if rule else ""
            row["again"] = again(outcome, verdict.rule)
        verdicts.append(row)
    return {
        "target": outcome.job.target, "type": outcome.fact("type"),
        "module": outcome.fact("module"), "worker": outcome.job.worker.name,
        "options": list(outcome.job.options), "python_version": outcome.python(),
        "python_build": outcome.build(), "linkage": outcome.linkage(),
        "made_by": outcome.fact("made_by"), "forms": outcome.lines("forms"),
        "slots": outcome.lines("slots"), "notes": outcome.lines("notes"),
        "status": outcome.status(), "error": outcome.error, "untested": outcome.untested(),
        "died": outcome.died, "seconds": round(outcome.seconds, 3), "verdicts": verdicts,
    }


# ---- SARIF --------------------------------------------------------------------------------------

def as_sarif(outcomes: Sequence[Outcome], context: Context) -> str:
    found = [(outcome, verdict) for outcome in outcomes for verdict in outcome.findings()]
    used = sorted({verdict.rule for _, verdict in found},
                  key=lambda name: next(v.number for _, v in found if v.rule == name))
    places = {name: place for place, name in enumerate(used)}
    samples = {verdict.rule: verdict for _, verdict in found}
    run = {
        "tool": {"driver": {
            "name": "gctax check",
            "informationUri": "https://docs.python.org/3/c-api/gcsupport.html",
            "rules": [sarif_rule(samples[name], context) for name in used],
        }},
        "invocations": [{
            "executionSuccessful": not any(outcome.error or outcome.died for outcome in outcomes),
            "toolExecutionNotifications": [
                {"level": "error" if outcome.error else "note",
                 "message": {"text": f"{outcome.job.target}: "
                                     f"{outcome.error or outcome.died or outcome.untested()}"}}
                for outcome in outcomes
                if outcome.error or outcome.died or outcome.untested()],
        }],
        "results": [sarif_result(outcome, verdict, places[verdict.rule], context)
                    for outcome, verdict in found],
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def sarif_rule(verdict: Verdict, context: Context) -> Dict[str, Any]:
    rule = find_rule(context.rules, verdict)
    row: Dict[str, Any] = {"id": verdict.rule}
    if rule is not None:
        row["shortDescription"] = {"text": rule.doc}
        row["fullDescription"] = {"text": f"{rule.doc}. Probed by: {rule.probed}"}
        row["help"] = {"text": f"{rule.doc}. Leads to: {rule.leads_to}."}
        row["properties"] = {"tags": ["garbage-collection", rule.severity]}
        if rule.source:
            row["helpUri"] = rule.source
    return row


def sarif_result(outcome: Outcome, verdict: Verdict, place: int,
                 context: Context) -> Dict[str, Any]:
    name = outcome.type_name()
    location: Dict[str, Any] = {"logicalLocations": [
        {"name": name.rpartition(".")[2], "fullyQualifiedName": name, "kind": "type"}]}
    if context.source:
        # A compiled type does not tell its file; readers that show findings in files want one.
        location["physicalLocation"] = {"artifactLocation": {"uri": context.source},
                                        "region": {"startLine": 1}}
    fingerprint = hashlib.sha256("\0".join(
        (name, verdict.rule, verdict.form, verdict.slot,
         ".".join(outcome.python().split(".")[:2]))).encode()).hexdigest()
    return {
        "ruleId": verdict.rule, "ruleIndex": place, "kind": "fail",
        "level": LEVELS[verdict.verdict], "message": {"text": sentence(outcome, verdict)},
        "locations": [location],
        # The second name is the only one that GitHub's code scanning compares.
        "partialFingerprints": {"gctaxFinding/v1": fingerprint,
                                "primaryLocationLineHash": f"{fingerprint[:16]}:1"},
        "properties": {"target": outcome.job.target, "worker": outcome.job.worker.name,
                       "python_version": outcome.python(), "certainty": verdict.certainty,
                       "leads_to": verdict.leads_to, "again": again(outcome, verdict.rule)},
    }


def sentence(outcome: Outcome, verdict: Verdict) -> str:
    where = f" ({verdict.where()})" if verdict.where() else ""
    parts = [f"{outcome.type_name()}{where} on CPython {outcome.python()}: {verdict.seen}."]
    for label, text in (("Done", verdict.done), ("Expected", verdict.expected),
                        ("Leads to", verdict.leads_to), ("Reason", verdict.reason),
                        ("Debug build", verdict.second)):
        if text:
            parts.append(f"{label}: {text}.")
    return " ".join(parts)


# ---- JUnit --------------------------------------------------------------------------------------

def as_junit(outcomes: Sequence[Outcome], context: Context) -> str:
    """A suite a target, a case a rule. Readers keep one failure a case, count what the attributes
    say, and fail on a character that XML 1.0 has not."""
    root = ElementTree.Element("testsuites", name="gctax check")
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for outcome in outcomes:
        suite = ElementTree.SubElement(root, "testsuite")
        cases = [junit_case(outcome, group, context) for group in by_rule(outcome.verdicts)]
        if outcome.error or outcome.fact("untested") or not cases:
            cases.append(junit_whole(outcome))
        number = {"tests": len(cases), "failures": count(cases, "failure"),
                  "errors": count(cases, "error"), "skipped": count(cases, "skipped")}
        several = len({one.job.worker.name for one in outcomes}) > 1
        suite.set("name", xml_text(outcome.job.target
                                   + (f" [{outcome.job.worker.name}]" if several else "")))
        for name, value in number.items():
            suite.set(name, str(value))
            total[name] += value
        suite.set("time", f"{outcome.seconds:.3f}")
        suite.set("timestamp", datetime.datetime.now().replace(microsecond=0).isoformat())
        properties = ElementTree.SubElement(suite, "properties")
        for name, text in (("worker", outcome.job.worker.command()),
                           ("python_version", outcome.python()),
                           ("python_build", outcome.build()), ("linkage", outcome.linkage())):
            ElementTree.SubElement(properties, "property", name=name, value=xml_text(text))
        suite.extend(cases)
    for name, value in total.items():
        root.set(name, str(value))
    root.set("time", f"{sum(outcome.seconds for outcome in outcomes):.3f}")
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + text + "\n"


def by_rule(verdicts: Sequence[Verdict]) -> List[List[Verdict]]:
    groups: Dict[str, List[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.rule, []).append(verdict)
    return list(groups.values())


def junit_case(outcome: Outcome, group: List[Verdict], context: Context) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=xml_text(outcome.type_name()),
                               name=xml_text(group[0].rule), time="0.000")
    worst = [verdict for state in (BREACH, SUSPECT, UNTESTED, OK)
             for verdict in group if verdict.verdict == state]
    first = worst[0]
    text = "\n\n".join(junit_text(outcome, verdict, context)
                       for verdict in worst if verdict.verdict == first.verdict)
    if first.verdict == BREACH or (first.verdict == SUSPECT and context.strict):
        kind = "failure"
    elif first.verdict == SUSPECT:
        kind = "skipped"  # seen by people, and fails nothing
    elif first.verdict == UNTESTED and not any(verdict.verdict == OK for verdict in group):
        kind = "skipped"
    else:
        return case
    message = first.seen if first.verdict in LEVELS else first.reason
    prefix = f"{first.verdict}: " if kind == "skipped" else ""
    child = ElementTree.SubElement(case, kind, message=xml_text(prefix + message))
    if kind == "failure":
        child.set("type", first.verdict)
    child.text = xml_text(text) if first.verdict in LEVELS else None
    return case


def junit_whole(outcome: Outcome) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=xml_text(outcome.type_name()), name="target",
                               time="0.000")
    kind = "error" if outcome.error else "skipped"
    child = ElementTree.SubElement(case, kind,
                                   message=xml_text(outcome.error or outcome.untested()))
    if kind == "error":
        child.set("type", "target")
    return case


def junit_text(outcome: Outcome, verdict: Verdict, context: Context) -> str:
    rule = find_rule(context.rules, verdict)
    lines = [f"{label}: {text}" for label, text in (
        ("rule", rule.doc if rule else ""), ("where", verdict.where()), ("done", verdict.done),
        ("seen", verdict.seen), ("expected", verdict.expected), ("sure", verdict.certainty),
        ("leads to", verdict.leads_to), ("reason", verdict.reason), ("debug", verdict.second),
        ("source", rule.source if rule else ""), ("again", again(outcome, verdict.rule))) if text]
    return "\n".join(lines)


def count(cases: Sequence[ElementTree.Element], kind: str) -> int:
    return sum(1 for case in cases if case.find(kind) is not None)


def xml_text(text: str) -> str:
    """Without what XML 1.0 cannot hold."""
    return "".join(letter for letter in text if letter in "\t\n\r" or
                   "\x20" <= letter <= "\ud7ff" or "\ue000" <= letter <= "\ufffd" or
                   letter >= "\U00010000")


FORMATS = {"json": as_json, "sarif": as_sarif, "junit": as_junit}
