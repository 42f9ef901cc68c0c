"""The probes see each fault of gctax_faults, and nothing about its sound types.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_faults.py

DIR holds gctax_faults and gctax_probe for that interpreter.
"""
import importlib
import importlib.util
import os
import re
import signal
import sys
import time
import unittest
from typing import Any, Callable, Dict, List, Optional

EXT_DIR = os.environ.get("GCTAX_EXT_DIR", "")
if EXT_DIR:
    sys.path.insert(0, EXT_DIR)

import gctax_faults  # noqa: E402
import gctax_probe  # noqa: E402
from gctax_check import facts  # noqa: E402

import contract  # noqa: E402
from contract import FREE_THREADED  # noqa: E402

# What must be among the deviations of each fault, as the beginning of one.
SEEN = {
    "missed_member": ["visits[1].visited", "cycle[1].partner_left"],
    "missed_dict": ["visits[__dict__].visited", "cycle[__dict__].partner_left"],
    "stops_at_null": ["visits[1].visited", "cycle[1].partner_left"],
    "base_not_traversed": ["visits[0].visited", "cycle[0].partner_left"],
    "missed_type": ["visits.type_visited"],
    "visits_borrowed": ["visits.module_visited"],
    "visits_mro": ["visits.shared_over"],
    "visits_itself": ["cycle[0].partner_left"],
    "visits_twice": ["visits[0].visited"],
    "base_traversed_twice": ["visits[0].visited", "visits.type_visited"],
    "visits_type_again": ["visits.type_visited"],
    "visits_null": ["halfbuilt"],
    "goes_on": ["visits.stops_ignored"],
    "alters_result": ["visits.stops_altered"],
    "traverse_increfs": ["visits.counts_changed"],
    "traverse_allocates": ["visits.allocations"],
    "traverse_raises": ["visits.raised"],
    "traverse_loses_exception": ["visits.exception_kept"],
    "traverse_wanders": ["visits.repeatable"],
    "missed_managed_dict": ["visits[__dict__].visited", "cycle[__dict__].partner_left"],
    "kept_managed_dict": ["cycle[__dict__].pair_left", "clear[__dict__].dropped_first"],
    "clear_nothing": ["clear[0].dropped_first", "cycle[0].pair_left"],
    "clear_misses": ["clear[1].dropped_first", "cycle[1].pair_left"],
    "no_clear": ["clear.has_clear", "cycle[0].pair_left"],
    "clear_keeps": ["clear[0].dropped_second"],
    "clear_late": ["clear[0].seen_while_cleared"],
    "clear_raises": ["clear.raised"],
    "clear_unshowable": ["clear: signalled"],
    "clear_undestroyable": ["clear: signalled"],
    "tracked_death": ["untrack[0].tracked"],
    "untracked_twice": ["lifetime: signalled"],
    "leaks_member": ["lifetime.planted_left"],
    "leaks_managed_dict": ["lifetime.planted_left"],
    "leaks_buffer": ["lifetime.blocks_growth"],
    "leaks_temporary": ["lifetime.blocks_growth"],
    "leaks_replaced": ["reentry.planted_left"],
    "leaks_type": ["lifetime.type_growth"],
    "releases_type_twice": ["lifetime"],
    "loses_exception": ["lifetime.exception_kept"],
    "reports_exception": ["lifetime.exception_kept"],
    "dealloc_raises": ["lifetime.raised"],
    "never_tracked": ["tracking.at_birth", "cycle[0].partner_left"],
    "plain_alloc": ["cycle"],  # what lies before the instance is no head: a leak or a crash
    "tracked_twice": ["tracking: signalled 6 while making two instances"],
    "tracked_early": ["tracking: signalled", "halfbuilt: signalled"],
    "tracked_half_way": ["reentry: signalled"],
    "tracked_in_callback": ["tracking: signalled"],
    "forgets_to_track": ["tracking[0].with_object", "cycle[0].partner_left"],
    "no_gc": ["visits[0].visited", "cycle[0].partner_left"],
    "no_gc_dict": ["visits[__dict__].visited", "cycle[__dict__].partner_left"],
    "no_gc_type": ["visits.type_visited"],
    "finalized_twice": ["finalizer.revived_again_calls"],
    "never_finalized": ["finalizer.calls"],
    "ignores_revival": ["finalizer"],
    "hides_revival": ["finalizer"],
    "finalizer_loses_exception": ["finalizer.exception_kept"],
    "finalizer_raises": ["finalizer.raised"],
    "finalizer_keeps": ["lifetime.left", "finalizer.revives_itself"],
    "keeps_weakrefs": ["weakref.callbacks"],
    "replaces_early": ["clear[0].seen_while_replaced"],
}
# What these do is not seen of a few instances of the type itself: OtherProbesTest shows them.
ELSEWHERE = {"exact_only", "releases_named_type", "clear_unusable", "wrong_free",
             "wrong_buffer_free", "leaks_raw_memory", "untracks_itself", "no_trashcan", "races",
             "imports_in_dealloc", "state_in_dealloc"}
# On debug builds the interpreter ends the child before some of these can be counted.
DEBUG = hasattr(sys, "gettotalrefcount")


def is_lazy(traits: Dict[str, Any]) -> bool:
    return "sound_lazy" in (traits["twin"], traits["type"].__name__)


def slow(type_: Any) -> Callable[[], Any]:
    """A factory of so few instances a second that probes which make many make fewer."""
    def make() -> Any:
        time.sleep(0.002)
        return type_()
    return make


def look(traits: Dict[str, Any], probes: Optional[List[str]] = None,
         make: Optional[Callable[[], Any]] = None) -> List[str]:
    """The deviations of a type of gctax_faults from what a sound one promises."""
    type_ = traits["type"]
    fields = traits["fields"]
    subject = contract.Subject(make or type_, contract.field_slots(type_, fields), None)
    has_dict = type_.__dictoffset__ != 0
    # What has nothing to clear needs no tp_clear.
    sound = {"collector": "yes" if fields else "traverse", "kind": "heap",
             "tracking": "lazy" if is_lazy(traits) else "birth",
             "slots": fields + has_dict, "inherit": "none",
             "dict": "struct" if has_dict else "none",
             "finalizer": "tp_finalize" if hasattr(type_, "__del__") else "none",
             "own_cycle": type_.__name__ == "sound_own_cycle",
             "cached": type_.__name__ == "sound_cached",
             "weak": type_.__weakrefoffset__ != 0}
    # Some hang on free-threaded builds.
    return contract.deviations(subject, sound, probes, seconds=10)


class FaultTest(unittest.TestCase):
    def test_every_fault_has_its_expectation(self) -> None:
        faulty = {name for name, traits in gctax_faults.faults().items() if traits["rule"]}
        of_other_releases = (set(SEEN) | ELSEWHERE) - faulty
        self.assertEqual(faulty, (set(SEEN) | ELSEWHERE) - of_other_releases)
        self.assertLessEqual(len(of_other_releases), 5)

    def sees(self, name: str, wanted: List[str], is_slow: bool = False) -> None:
        traits = gctax_faults.faults().get(name)
        if traits is None:
            return  # of other releases
        with self.subTest(fault=name):
            probes = sorted({re.split(r"\W", start)[0] for start in wanted})
            found = look(traits, probes, slow(traits["type"]) if is_slow else None)
            for start in wanted:
                seen = any(line.startswith(start) for line in found)
                aborted = DEBUG and any("signalled" in line for line in found)
                self.assertTrue(seen or aborted, "%s not in\n%s" % (start, "\n".join(found)))

    def test_faults_are_seen(self) -> None:
        for name, wanted in SEEN.items():
            self.sees(name, wanted)

    def test_faults_are_seen_of_few_instances(self) -> None:
        for name, wanted in SEEN.items():
            of_many = [start for start in wanted if start.startswith(("visits", "lifetime"))]
            if of_many:
                self.sees(name, of_many, is_slow=True)
        self.assertEqual(look(gctax_faults.faults()["sound"], None,
                              slow(gctax_faults.sound)), [])

    def test_few_are_made_where_that_is_slow(self) -> None:
        for probe in "visits", "blocks", "lifetime", "growth":
            few, many = (getattr(gctax_probe, probe)(make, [])["seen"]["instances"]
                         for make in (slow(gctax_faults.sound), gctax_faults.sound))
            self.assertGreaterEqual(few, 4, probe)
            self.assertLess(few, many, probe)

    def test_sound_types_are_well(self) -> None:
        for name, traits in gctax_faults.faults().items():
            if traits["rule"] is None:
                with self.subTest(type=name):
                    self.assertEqual(look(traits), [])


class OtherProbesTest(unittest.TestCase):
    """What takes a subclass, a method after tp_clear, a look at memory, a chain, threads, or the
    end of an interpreter; each beside a sound type."""

    def observe(self, probe: str, name: str, subclass: bool = False,
                **facts: Any) -> Dict[str, Any]:
        traits = gctax_faults.faults().get(name)
        if traits is None:
            self.skipTest("%s does not exist on this release" % name)
        type_ = type("Sub", (traits["type"],), {}) if subclass else traits["type"]
        result: Dict[str, Any] = getattr(gctax_probe, probe)(
            type_, contract.field_slots(type_, traits["fields"]), facts=facts)
        result.update(result["seen"])
        return result

    def test_subclass(self) -> None:
        for name, visited in ("sound", 3), ("exact_only", 0):
            slot = self.observe("visits", name, True)["slots"]["1"]
            self.assertEqual((slot["owned"], slot["visited"]), (3, visited), name)
        seen = self.observe("lifetime", "releases_named_type", True)
        if seen["type_growth"] is not None:
            self.assertEqual((seen["type_growth"], seen["base_growth"]),
                             (seen["instances"], -seen["instances"]))

    def test_untracked(self) -> None:
        self.assertTrue(self.observe("tracking", "sound_lazy")["slots"]["0"]["beside_atom"])
        self.assertFalse(self.observe("tracking", "untracks_itself")["slots"]["0"]["beside_atom"])

    @unittest.skipIf(DEBUG, "the interpreter looks after its memory itself")
    def test_blocks(self) -> None:
        for name, field in ((("sound", None), ("sound_buffer", None), ("no_gc", None),
                             ("wrong_buffer_free", "freed_by_object")) +
                            (() if FREE_THREADED else (("wrong_free", "freed_inside"),))):
            seen = self.observe("blocks", name)
            for kind in "freed_inside", "freed_by_object", "freed_twice":
                self.assertEqual(seen[kind] > 0, kind == field, (name, kind))
        if not FREE_THREADED:
            self.assertEqual(self.observe("blocks", "plain_alloc")["offset"], 0)
            self.assertGreaterEqual(self.observe("blocks", "sound")["offset"], 16)

    def test_growth(self) -> None:
        for name in "leaks_temporary", "leaks_replaced", "leaks_buffer":
            seen = self.observe("growth", name)
            self.assertGreaterEqual(seen["blocks_least"], seen["instances"], name)
            self.assertGreater(seen["blocks_fit"], 990, name)
        seen = self.observe("growth", "leaks_raw_memory")
        if seen["bytes_fit"] is not None:
            self.assertGreaterEqual(seen["bytes_least"], 256 * seen["instances"])
        seen = self.observe("growth", "sound")
        self.assertLess(seen["blocks_least"], seen["instances"] // 2)

    def test_methods(self) -> None:
        self.assertEqual(self.observe("methods", "sound_filled")["crashed"], 0)
        seen = self.observe("methods", "clear_unusable")
        self.assertEqual(seen["crashed"], 1)
        self.assertEqual(seen["step"], "calling get() on a cleared instance")

    def test_chain(self) -> None:
        slot = self.observe("chain", "sound", deep_chain=300000)["slots"]["0"]
        self.assertEqual((slot["survived"], slot["crashed"]), (300000, 0))
        slot = self.observe("chain", "no_trashcan", deep_chain=300000)["slots"]["0"]
        self.assertGreater(slot["crashed"], slot["survived"])

    def test_shutdown(self) -> None:
        def copy() -> Any:
            spec = importlib.util.find_spec("gctax_faults")
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
        for name, place in ("sound", None), ("imports_in_dealloc", "in_sys"), (
                "state_in_dealloc", "in_copy"):
            seen = self.observe("shutdown", name, copy=copy,
                                copy_make=lambda module: getattr(module, name)())
            self.assertEqual(seen["all"] > 0, place is not None, name)
            if place is not None:
                self.assertEqual(seen["without"], 0)
                self.assertGreater(seen[place], 0, name)

    def test_threads(self) -> None:
        seen = self.observe("threads", "sound")
        self.assertEqual((seen["status"], seen["released"], seen["kept"]), ("finished", 0, 0))
        seen = self.observe("threads", "races")
        self.assertTrue(seen["status"] != "finished" or seen["released"] or seen["kept"], seen)


class ModuleFaultsTest(unittest.TestCase):
    """Faults of a whole module."""

    def check(self, name: str, rule: str) -> Dict[str, Any]:
        gil_was_on = facts.gil_is_on()
        module = importlib.import_module(name)
        known = {"copy": facts.copier(module), "copy_make": lambda copy: copy.item(),
                 "make_source": "import %s; made = %s.item()" % (name, name),
                 "turned_gil_on": None if gil_was_on else facts.gil_is_on()}
        found = gctax_probe.check([("type", module.item, [])], known)
        return {one["rule"]: one for one in found}[rule]

    def test_kept_type(self) -> None:
        self.assertEqual(self.check("gctax_fault_kept_type", "module-state")["verdict"], "breach")
        self.assertEqual(self.check("gctax_fault_shared_type", "second-interpreter")["verdict"],
                         "suspect" if sys.version_info < (3, 12) else "breach")
        self.assertEqual(self.check("gctax_fault_kept_type", "second-interpreter")["verdict"],
                         "ok")

    @unittest.skipUnless(FREE_THREADED, "there is a GIL")
    def test_needs_gil(self) -> None:
        self.assertEqual(self.check("gctax_fault_kept_type", "mod-gil")["verdict"], "ok")
        # The last one: it stays on.
        self.assertEqual(self.check("gctax_fault_needs_gil", "mod-gil")["verdict"], "suspect")


class ChildTest(unittest.TestCase):
    """However a child ends, the probe says how."""

    def test_crash(self) -> None:
        def crash() -> None:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # AddressSanitizer has a handler there
            os.kill(os.getpid(), signal.SIGSEGV)
        result = gctax_probe.tracking(crash)
        self.assertEqual((result["status"], result["signal"]), ("signalled", signal.SIGSEGV))
        self.assertEqual(result["step"], "making two instances")

    def test_abort_with_its_message(self) -> None:
        def abort() -> None:
            os.write(2, b"assertion failed: x")
            os.abort()
        result = gctax_probe.tracking(abort)
        self.assertEqual((result["status"], result["signal"]), ("signalled", signal.SIGABRT))
        self.assertIn("assertion failed: x", result["output"])

    def test_hang(self) -> None:
        began = time.monotonic()
        result = gctax_probe.tracking(lambda: time.sleep(600), seconds=0.3)
        self.assertEqual(result["status"], "timed-out")
        self.assertLess(time.monotonic() - began, 60)

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "needs /proc")
    def test_memory(self) -> None:
        def eat() -> None:
            held = bytearray()
            while True:
                held += b"x" * (1 << 20)
        result = gctax_probe.tracking(eat, seconds=60, memory_bytes=300 << 20)
        self.assertEqual(result["status"], "out-of-memory")

    def test_exit(self) -> None:
        result = gctax_probe.tracking(lambda: os._exit(7))
        self.assertEqual((result["status"], result["exit_code"]), ("exited", 7))

    def test_exception(self) -> None:
        result = gctax_probe.tracking(lambda: 1 // 0)
        self.assertEqual(result["status"], "failed")
        self.assertIn("ZeroDivisionError", result["message"])

    def test_shared_object(self) -> None:
        result = gctax_probe.tracking(lambda: gctax_probe)
        self.assertEqual(result["status"], "failed")
        self.assertIn("shared", result["message"])

    def test_caller_is_left_alone(self) -> None:
        before = (sys.unraisablehook, os.getpid())
        gctax_probe.finalizer(gctax_faults.sound_finalizer)
        self.assertEqual((sys.unraisablehook, os.getpid()), before)


if __name__ == "__main__":
    unittest.main()
