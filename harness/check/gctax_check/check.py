"""From a command line to JSON lines."""
from __future__ import annotations

import gc
import os
import sys

import gctax_probe

from . import facts, forms, members, slots, target, ways
from .options import ENVIRONMENT, Options, Refused, parse
from .record import json, matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

# Instances: chains take their time, and are tried where the rule is named.
LONGEST_CHAIN = 300000


class Output:
    """One JSON object a line, on a descriptor that nothing else writes to."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def line(self, kind: str, **content: Any) -> None:
        text = json({"kind": kind, **content}) + "\n"
        data = text.encode()
        while data:
            data = data[os.write(self.fd, data):]


def _empty_folder() -> str:
    """Where files that the checked code makes end up; the process works there."""
    base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")
    for number in range(1000):  # one that was killed may have left its own under the same id
        folder = os.path.join(base, "gctax-check-%d-%d" % (os.getpid(), number))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            continue
        os.chdir(folder)
        return folder
    raise Refused("no folder can be made in %s: remove its gctax-check-*" % base, ENVIRONMENT)


def _remove(folder: str) -> None:
    os.chdir("/")
    try:
        os.rmdir(folder)
    except OSError:
        import shutil
        shutil.rmtree(folder, ignore_errors=True)


def _destroyed(type_: type) -> Optional[Callable[[], int]]:
    """Our variants count the instances that were destroyed."""
    if type_.__module__ != "gctax_ext":
        return None
    count: Callable[[], int] = sys.modules["gctax_ext"].destroyed
    return count


def _constants(module: Any) -> Dict[str, int]:
    return {name: value for name, value in vars(module).items() if type(value) is int}


def _asked_for(options: Options, rule: str) -> bool:
    return options.rules is None or matcher(options.rules)(rule)


def _import(modules: List[str]) -> None:
    """Once, here, so that not each child that uses instances does it."""
    for name in modules:
        try:
            __import__(name)
        except Exception:
            pass  # it was made without a file, say
    if modules:
        gc.freeze()


def _check(options: Options, output: Output, about: Dict[str, Any]) -> None:
    gil_was_on = facts.gil_is_on()
    try:
        found = target.resolve(options)
    except target.Untested as why:
        output.line("target", target=options.target, untested=str(why), **about)
        return
    gc.disable()  # instances of what may be broken live here: the children collect
    gc.freeze()  # once, here: builds without a GIL mark each object, which copies it in a child
    recipe, type_ = found.recipe, found.type
    close = [output.fd]
    statement = None
    if options.link is not None:
        try:
            statement = ways.statement_of(options.link, recipe.scope)
        except SyntaxError as error:
            raise Refused("link '%s' raises %s" % (options.link, target.line(error))) from None
    callee = recipe.callee() if recipe.callee is not None else None
    places = slots.search(slots.Subject(recipe, type_, callee, statement,
                                        _constants(found.module)), close)
    _import(places.modules)
    built, missing = forms.build(recipe, type_, close)
    notes = list(places.notes)
    if statement is not None and not any(way.kind == "statement" for way in places.slots):
        notes.append("--link '%s' leaves no reference to b in a" % options.link)
    known = facts.gather(recipe, type_, found.module, gil_was_on)
    known["own_cycle"], known["frozen"] = places.own_cycle, True
    if options.rules is not None:
        known["rules"] = asked = [row["id"] for row in gctax_probe.rules()
                                  if _asked_for(options, row["id"])]
        known["deep_chain"] = LONGEST_CHAIN if "deep-chain" in asked else None
        known["threads_long"] = True if "threads" in asked else None
    if places.own_cycle:
        notes.append("an instance does not die by its count: the collector alone destroys it")
    output.line(
        "target", target=options.target, type="%s.%s" % (type_.__module__, type_.__qualname__),
        module=known["module"], made_by=recipe.source,
        forms=[*({"form": form.name} for form in built),
               *({"form": name, "missing": reason} for name, reason in missing)],
        slots=[way.text() for way in places.slots], notes=notes, **about)
    subjects = [forms.subject_of(form, recipe, places.slots, statement, _destroyed(type_))
                for form in built]
    for verdict in gctax_probe.check(subjects, known):
        if _asked_for(options, verdict["rule"]):
            output.line("verdict", **verdict)


def _run(options: Options, output: Output, about: Dict[str, Any]) -> None:
    if options.all_of is None:
        _check(options, output, about)
        return
    module = target.import_module(options.all_of, options.venv is not None)
    for name in members.find(module, [output.fd]):
        output.line("member", target=name)


def run(words: List[str], fd: int, python_build: str, linkage: str, free_threaded: bool) -> int:
    """Checks what the words say and prints JSON lines to `fd`. The exit code: 0, or what the error
    line says."""
    output = Output(fd)
    about = {"python_version": sys.version.split()[0] + ("t" if free_threaded else ""),
             "python_build": python_build, "linkage": linkage}
    folder = ""
    try:
        options = parse(words)
        target.add_paths(options)  # relative to where the user is
        folder = _empty_folder()
        _run(options, output, about)
        code = 0
    except Refused as error:
        output.line("error", message=str(error), exit=error.code)
        code = error.code
    except OSError as error:
        output.line("error", message=target.line(error), exit=ENVIRONMENT)
        code = ENVIRONMENT
    finally:
        if folder:
            _remove(folder)
    output.line("end")
    return code
