"""Whole processes, as hyperfine timed them: a panel an experiment, a line a CPython."""
from typing import Dict, List, Tuple

from results import Spread, release_key, scaled
from results_bench import outside

from .page import BLACK, BLUE, GREEN, ORANGE, Page, dashed, line, processes
from .view import NoData, View

STYLES = [BLUE, ORANGE, GREEN, BLACK] + [dashed(style) for style in (BLUE, ORANGE, GREEN, BLACK)]

Panel = Dict[str, List[Tuple[str, Spread]]]  # subject -> setting, seconds


def draw(view: View) -> Page:
    panels: Dict[str, Panel] = {}
    names: Dict[str, str] = {}
    for run in view.runs:
        for one in outside(run.path):
            if one.instrument != "hyperfine" or not one.parameters:
                continue
            *fixed, (name, value) = one.parameters  # the last one is what is scanned
            title = ", ".join([one.name] + [text for _, text in fixed])
            names[title] = name
            panel = panels.setdefault(title, {})
            panel.setdefault(one.subject, []).append((value, scaled(one.ns, 1e-6)))
    if not panels:
        raise NoData("no folder hyperfine in the run: scripts/hyperfine --out RUN makes it")
    subjects = sorted({subject for panel in panels.values() for subject in panel},
                      key=release_key)
    if len(subjects) > len(STYLES):
        raise NoData(f"{len(subjects)} interpreters are more than a panel can tell apart")
    page = Page("Whole processes, from start to exit", len(panels), sharex=False, sharey=False)
    page.label("setting", "ms")
    drawn: List[Spread] = []
    for axis, (title, panel) in zip(page.axes, panels.items()):
        axis.set_title(title)
        settings = list(dict.fromkeys(value for points in panel.values() for value, _ in points))
        for subject, style in zip(subjects, STYLES):
            points = panel.get(subject, [])
            if points:
                line(axis, [settings.index(value) for value, _ in points],
                     [ms for _, ms in points], style, subject, joined=len(settings) > 2)
                drawn += [ms for _, ms in points]
        axis.set_xticks(range(len(settings)), settings)
        if sum(map(len, settings)) > 20:  # they would run into each other
            axis.tick_params(axis="x", labelrotation=40)
        axis.set_xlabel(names[title])
        axis.set_xlim(-0.4, len(settings) - 0.6)
    page.from_zero()
    page.note(processes(drawn))
    page.note("Times of hyperfine, without a shell; interpreters are not interleaved.")
    return page
