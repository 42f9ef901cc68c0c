"""The create-destroy pair as Google Benchmark tells it, beside what the harness tells."""
from typing import Dict, List, Tuple

from results import Spread, one_setting, release_key
from results_bench import Outside, outside

from .page import BLUE, ORANGE, Page, dashed, line, processes
from .view import NoData, View, variant

STYLES = {("Google Benchmark", "gc"): BLUE, ("Google Benchmark", "plain"): dashed(BLUE),
          ("harness", "gc"): ORANGE, ("harness", "plain"): dashed(ORANGE)}

Points = Dict[Tuple[str, str], List[Tuple[int, Spread]]]  # (instrument, family) -> fields, ns


def draw(view: View) -> Page:
    subjects: Dict[str, Points] = {}
    for one in (one for run in view.runs for one in outside(run.path)):
        _add(subjects, one)
    if not subjects:
        raise NoData("no create_destroy of gctax-bench in the folder gbench of the run")
    groups, note = one_setting(
        view.select(lambda group: group.text("workload") == "churn"), {"target"})
    for group in groups:
        sized, ns = variant(group.text("target")), group.spread("op_mean_ns")
        subject = f"{group.text('python_version')} {group.text('linkage')}"
        if sized and ns and subject in subjects and ("harness", sized.family) in STYLES:
            points = subjects[subject].setdefault(("harness", sized.family), [])
            points.append((sized.fields, ns))
    page = Page("Time of one create-destroy pair, by two instruments", len(subjects))
    page.label("pointer fields", "ns a pair")
    drawn: List[Spread] = []
    for axis, subject in zip(page.axes, sorted(subjects, key=release_key)):
        axis.set_title(subject)
        for (instrument, family), style in STYLES.items():
            found = sorted(subjects[subject].get((instrument, family), []))
            if found:
                line(axis, [fields for fields, _ in found], [ns for _, ns in found], style,
                     f"{instrument}: {family}")
                drawn += [ns for _, ns in found]
        axis.set_xscale("symlog", base=2, linthresh=1, linscale=1)
        sizes = sorted({fields for found in subjects[subject].values() for fields, _ in found})
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.set_xticks([], minor=True)
    page.from_zero()
    page.note(note)
    page.note(processes(drawn))
    page.note("Means over batches, safe point included: create_destroy of gctax-bench, churn of the"
              " harness.")
    return page


def _add(subjects: Dict[str, Points], one: Outside) -> None:
    kind, _, name = one.name.partition("/")
    sized = variant(name)
    if one.instrument == "Google Benchmark" and kind == "create_destroy" and sized \
            and (one.instrument, sized.family) in STYLES:
        points = subjects.setdefault(one.subject, {})
        points.setdefault((one.instrument, sized.family), []).append((sized.fields, one.ns))
