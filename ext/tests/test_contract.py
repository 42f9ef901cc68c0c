"""Every variant keeps exactly the contract that its row promises, as the probes see it.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_contract.py

DIR holds gctax_ext and gctax_probe for that interpreter. The rows are the cases, contract.promises
is the table of what follows from their traits.
"""
import os
import sys
import unittest
from typing import Any, Dict, Iterator, List, Optional, Tuple

EXT_DIR = os.environ.get("GCTAX_EXT_DIR", "")
if EXT_DIR:
    sys.path.insert(0, EXT_DIR)

import gctax_ext  # noqa: E402

import contract  # noqa: E402

Traits = Dict[str, Any]

# Each probe is a process. A family's functions are the same text at each size: it is probed in full
# where it holds one object, and elsewhere for the fields that may be forgotten.
SIZE_PROBES = ["visits", "lifetime"]
END_PROBES = SIZE_PROBES + ["cycle", "clear"]

# What a subclass may change: the rest is the base's code, which its own row has checked, and what
# a subclass with a dict has beside it the rows of Python subclasses.
DICT_PROBES = ["visits", "lifetime", "cycle"]
SLOTS_PROBES = ["lifetime", "cycle"]
DEL_PROBES = ["finalizer", "lifetime"]


def variants() -> Iterator[Tuple[str, Traits]]:
    """The variants that this release has."""
    for name, traits in gctax_ext.variants().items():
        if traits["type"] is not None:
            yield name, traits


def one_of_each_family() -> Iterator[Tuple[str, Traits]]:
    """Of a family's sizes the smallest that holds something, where one does."""
    chosen: Dict[str, Tuple[str, Traits]] = {}
    for name, traits in variants():
        known = chosen.get(traits["family"])
        if known is None or known[1]["fields"] == 0:
            chosen[traits["family"]] = (name, traits)
    return iter(chosen.values())


def subject_of(type_: Any, traits: Traits) -> Tuple[contract.Subject, Traits]:
    """How to probe a type, and its traits with what else the promises depend on."""
    slots: List[Tuple[Any, ...]] = []
    if traits["content"] == "pointers":
        slots = contract.field_slots(type_, traits["fields"])
    has_dict = type_.__dictoffset__ != 0
    own = dict(traits, slots=len(slots) + has_dict, weak=type_.__weakrefoffset__ != 0)
    if own["collector"] == "subclass" and not slots:
        own["collector"] = "yes"  # nothing stays unseen: the base holds nothing
    return contract.Subject(type_, slots, gctax_ext.destroyed), own


def subclass_of(traits: Traits, body: Dict[str, Any]) -> Optional[Any]:
    """A Python subclass, None where the type allows none."""
    try:
        return type("Sub", (traits["type"],), dict(body))
    except TypeError:
        return None


class ContractTest(unittest.TestCase):
    def keeps(self, type_: Any, traits: Traits, probes: Optional[List[str]] = None) -> None:
        subject, own = subject_of(type_, traits)
        found = contract.deviations(subject, own, probes)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_each_variant(self) -> None:
        sizes: Dict[str, List[int]] = {}
        for _, traits in variants():
            sizes.setdefault(traits["family"], []).append(traits["size"])
        for name, traits in variants():
            of_family = sizes[traits["family"]]
            full = traits["size"] == 1 or len(of_family) == 1
            end = traits["size"] in (min(of_family), max(of_family))
            with self.subTest(variant=name):
                self.keeps(traits["type"], traits,
                           None if full else END_PROBES if end else SIZE_PROBES)

    def check_subclasses(self, body: Dict[str, Any], probes: List[str], **changed: str) -> None:
        checked = 0
        for name, traits in one_of_each_family():
            if traits["inherit"].startswith("python"):
                continue  # a row of its own
            if traits["tracking"] == "never" and traits["collector"] != "no":
                continue  # a subclass of it is tracked by nobody, as it is itself
            type_ = subclass_of(traits, body)
            if type_ is None:
                continue
            own = dict(traits, **changed)
            own["kind"] = "heap"
            if traits["collector"] == "no":
                # With nothing to add it is without GC as its base is.
                own["collector"] = "subclass" if type_.__flags__ & (1 << 14) else "no"
                own["tracking"] = "birth" if own["collector"] == "subclass" else "never"
            with self.subTest(variant=name):
                self.keeps(type_, own, probes)
            checked += 1
        self.assertGreater(checked, 0)

    def test_subclass_with_dict(self) -> None:
        self.check_subclasses({}, DICT_PROBES)

    def test_subclass_with_slots(self) -> None:
        self.check_subclasses({"__slots__": ()}, SLOTS_PROBES)

    def test_subclass_with_del(self) -> None:
        self.check_subclasses({"__del__": lambda self: None}, DEL_PROBES, finalizer="__del__")


if __name__ == "__main__":
    unittest.main()
