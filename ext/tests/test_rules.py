"""Each fault of gctax_faults is found by its rule, and no rule finds anything else.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_rules.py [NAME…]

DIR holds gctax_ext, gctax_faults and gctax_probe for that interpreter. A check takes a second or
two: each release looks at a third of the types, another one than its neighbours, and at all of them
with GCTAX_TEST_RULES=all in the environment. With names of faults or variants, what the check says
of these is shown instead.
"""
import importlib.util
import os
import sys
import time
import unittest
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

EXT_DIR = os.environ.get("GCTAX_EXT_DIR", "")
if EXT_DIR:
    sys.path.insert(0, EXT_DIR)

import gctax_ext  # noqa: E402
import gctax_faults  # noqa: E402
import gctax_probe  # noqa: E402

import contract  # noqa: E402
from contract import FREE_THREADED  # noqa: E402

Verdict = Dict[str, Any]
Slots = List[Tuple[Any, ...]]
SECONDS = 10.0  # some faults hang on free-threaded builds
FOUND = ("breach", "suspect")

# What the deep-chain rule is asked of: building a chain takes its time.
CHAINED = ("sound", "no_trashcan")
LONGEST = 300000

# What else a fault is, by its nature: a heap type without HAVE_GC lacks a visit of its type as well
# as one of what it holds.
ALSO = {"needs-gc": {"heap-type-no-gc": "breach"}}
# The same of a single fault, on builds with a GIL: a visit too many hides garbage from the second
# look that follows finalizers. A free-threaded collector takes it for garbage there.
ALSO_OF = {"hides_revival": {"clear-breaks-cycles": "breach"}}

# A fault that kills the process, or corrupts its memory: where else it dies of that is chance.
DEADLY = ("shutdown-crash", "matching-free", "gc-allocator", "module-state")

THIRDS = 1 if os.environ.get("GCTAX_TEST_RULES") == "all" else 3


def fresh_copy(module: Any) -> Any:
    """Another module object of the same file."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    assert spec is not None and spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def subclasses(type_: Any, slots: Slots) -> List[Tuple[Any, ...]]:
    """The forms of its Python subclasses, none where it allows none."""
    forms: List[Tuple[Any, ...]] = []
    bodies: List[Tuple[str, Dict[str, Any]]] = [("subclass", {}),
                                                ("slots subclass", {"__slots__": ("extra",)})]
    for name, body in bodies:
        try:
            sub: Any = type("Sub", (type_,), dict(body))
        except TypeError:
            continue
        more = list(slots) if hasattr(type_, "set") else contract.field_slots(sub, len(slots))
        if body:
            more.append(("extra", lambda self, value: setattr(self, "extra", value)))
        forms.append((name, sub, more))
    return forms


def check(module: Any, name: str, type_: Any, slots: Slots,
          destroyed: Optional[Callable[[], int]], with_subclasses: bool = True) -> List[Verdict]:
    """What all rules say of a type without arguments."""
    forms: List[Tuple[Any, ...]] = [("type", type_, slots, destroyed)]
    if with_subclasses:
        forms += [form + (None,) for form in subclasses(type_, slots)]
    facts = {"module": module.__name__, "copy": lambda: fresh_copy(module),
             "copy_make": lambda copy: getattr(copy, name)(),
             "deep_chain": LONGEST if name in CHAINED else None}
    return list(gctax_probe.check(forms, facts, seconds=SECONDS))


def check_fault(name: str, traits: Dict[str, Any]) -> List[Verdict]:
    return check(gctax_faults, name, traits["type"],
                 contract.field_slots(traits["type"], traits["fields"]), None)


def check_variant(name: str, traits: Dict[str, Any]) -> List[Verdict]:
    slots: Slots = []
    if traits["content"] == "pointers":
        slots = contract.field_slots(traits["type"], min(traits["fields"], contract.FEW_SLOTS))
    return check(gctax_ext, name, traits["type"], slots, gctax_ext.destroyed,
                 with_subclasses=not traits["inherit"].startswith("python"))


def one_of_each_family() -> List[Tuple[str, Dict[str, Any]]]:
    """Of a family's sizes the smallest that holds something, where one does."""
    chosen: Dict[str, Tuple[str, Dict[str, Any]]] = {}
    for name, traits in gctax_ext.variants().items():
        known = chosen.get(traits["family"])
        if traits["type"] is not None and (known is None or known[1]["fields"] == 0):
            chosen[traits["family"]] = (name, traits)
    return list(chosen.values())


def of_this_release(rows: Iterable[Tuple[str, Any]]) -> List[Tuple[str, Any]]:
    return [row for number, row in enumerate(rows)
            if number % THIRDS == sys.version_info[1] % THIRDS]


def found(verdicts: List[Verdict]) -> List[str]:
    """What was found, for people."""
    return ["%s: %s on %s%s: %s: %s, expected %s" % (
        one["rule"], one["verdict"], one["form"], " ." + one["slot"] if one["slot"] else "",
        one["done"], one["seen"], one["expected"])
            for one in verdicts if one["verdict"] in FOUND]


class TableTest(unittest.TestCase):
    def test_every_rule_is_there(self) -> None:
        rules = gctax_probe.rules()
        self.assertEqual([rule["number"] for rule in rules], list(range(1, 44)))
        ids = [rule["id"] for rule in rules]
        self.assertEqual(len(set(ids)), 43)
        for rule in rules:
            self.assertTrue(rule["source"].startswith("https://docs.python.org/3/"), rule)

    def test_every_fault_names_a_rule(self) -> None:
        ids = {rule["id"] for rule in gctax_probe.rules()}
        for name, traits in gctax_faults.faults().items():
            self.assertIn(traits["rule"], ids | {None}, name)

    def test_cases_name_rules(self) -> None:
        ids = {rule["id"] for rule in gctax_probe.rules()}
        for name, (rule, verdict) in gctax_probe.cases().items():
            self.assertIn(rule, ids, name)
            self.assertIn(verdict, FOUND, name)


class AskedTest(unittest.TestCase):
    def test_one_rule(self) -> None:
        """What is asked for is judged, and what explains it; the rest is not."""
        fault = gctax_faults.faults()["leaks_member"]["type"]
        forms = [("type", fault, contract.field_slots(fault, 2), None)]
        verdicts = gctax_probe.check(forms, {"rules": ["dealloc-releases"]})
        said = {one["rule"]: one for one in verdicts}
        self.assertEqual(said["dealloc-releases"]["verdict"], "breach")
        self.assertEqual(said["visit-owned"]["reason"], "not asked for")

    def test_factory_that_fails(self) -> None:
        """Nothing is known, and each rule says why."""
        verdicts = gctax_probe.check([("type", lambda: 1 // 0, (), None)])
        self.assertEqual({one["verdict"] for one in verdicts}, {"untested"})
        self.assertIn("ZeroDivisionError", verdicts[0]["reason"])

    def test_forms_must_be_forms(self) -> None:
        with self.assertRaises(TypeError):
            gctax_probe.check([gctax_faults.sound])
        with self.assertRaises(ValueError):
            gctax_probe.check([])


class VerdictTest(unittest.TestCase):
    def test_faults(self) -> None:
        """Each is found by the rule of its row, with evidence, and by no other."""
        for name, traits in of_this_release(gctax_faults.faults().items()):
            with self.subTest(fault=name):
                verdicts = check_fault(name, traits)
                seen = {one["rule"]: one["verdict"] for one in verdicts
                        if one["verdict"] in FOUND}
                expected = {traits["rule"]: traits["verdict"]} if traits["rule"] else {}
                expected.update(ALSO.get(traits["rule"], {}))
                if not FREE_THREADED:
                    expected.update(ALSO_OF.get(name, {}))
                if traits["rule"] in DEADLY:
                    seen = {rule: verdict for rule, verdict in seen.items() if rule in expected}
                self.assertEqual(seen, expected, "\n" + "\n".join(found(verdicts)))
                for one in verdicts:
                    if one["verdict"] in FOUND:
                        for key in ("done", "seen", "expected", "certainty", "leads_to", "form"):
                            self.assertTrue(one[key], "%s of %s" % (key, one["rule"]))
                    if one["verdict"] == "untested":
                        self.assertTrue(one["reason"], one["rule"])

    def test_variants(self) -> None:
        """Of each family a size that holds something: what its row expects, and nothing else."""
        for name, traits in of_this_release(one_of_each_family()):
            with self.subTest(variant=name):
                expected = set(filter(None, (traits["expect"] or "").split(",")))
                verdicts = check_variant(name, traits)
                seen = {one["rule"] for one in verdicts if one["verdict"] in FOUND}
                self.assertEqual(seen, expected, "\n" + "\n".join(found(verdicts)))


def show(names: List[str]) -> None:
    for name in names:
        began = time.monotonic()
        if name in gctax_ext.variants():
            verdicts = check_variant(name, gctax_ext.variants()[name])
        else:
            verdicts = check_fault(name, gctax_faults.faults()[name])
        print("%s, %.2f s" % (name, time.monotonic() - began))
        for one in verdicts:
            print("  %2d %-24s %-9s %s" % (one["number"], one["rule"], one["verdict"],
                                           one["reason"] or ""))
        print("\n".join(found(verdicts)))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        show(sys.argv[1:])
    else:
        unittest.main()
