"""Every variant does what its row promises, on the interpreter that runs this file.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_variants.py

DIR holds gctax_ext for that interpreter. unittest alone, so that a bare interpreter can run it. The
cases are the rows of variants.def: what a check expects follows from a row's traits.
"""
import gc
import sys
import unittest
import weakref
from collections import Counter
from typing import Any, Callable, List, Tuple

from rows import (FREE_THREADED, RELEASE, Traits, VariantTest, destroyed_by, finish, full, has_dict,
                  has_items, is_python, subclass)

import gctax_ext

ROUNDS = 200
DEPTH = 200000


class ConstructorTest(VariantTest):
    def test_payloads_go_into_the_fields_in_order(self) -> None:
        def check(traits: Traits) -> None:
            instance, payloads = full(traits)
            self.assertIs(type(instance), traits["type"])
            for i, payload in enumerate(payloads):
                self.assertIs(instance.get(i), payload)
        self.each(check)

    def test_fields_are_empty_at_birth(self) -> None:
        def check(traits: Traits) -> None:
            instance = traits["type"]()
            self.assertEqual([instance.get(i) for i in range(traits["fields"])],
                             [None] * traits["fields"])
        self.each(check)

    def test_bad_arguments(self) -> None:
        def check(traits: Traits) -> None:
            fields, make = traits["fields"], traits["type"]
            instance = make()
            calls: List[Tuple[Any, Callable[[], Any]]] = [
                (TypeError, lambda: make(*[None] * (fields + 1))),
                (TypeError, lambda: make(payload=1)),
                (TypeError, lambda: instance.get("0")),
                (IndexError, lambda: instance.get(fields)),
                (IndexError, lambda: instance.get(-1)),
            ]
            if hasattr(make, "set"):
                calls += [(TypeError, lambda: instance.set(0)),
                          (IndexError, lambda: instance.set(fields, None))]
            for error, call in calls:
                with self.assertRaises(error):
                    call()
            made = int(traits["construct"] == "new+init")  # it is tp_init that fails
            self.assertEqual(destroyed_by(lambda: self.fails(make, fields), traits), made)
        self.each(check)

    @staticmethod
    def fails(make: Any, fields: int) -> None:
        try:
            make(*range(fields + 1))
        except TypeError:
            pass

    def test_half_built(self) -> None:
        """What tp_new alone has made is traversed and destroyed like any other."""
        def check(traits: Traits) -> None:
            instance = traits["type"].__new__(traits["type"])
            self.assertEqual([x for x in gc.get_referents(instance) if x is not traits["type"]],
                             [])
            gc.collect()
            keep = [instance]
            del instance
            self.assertEqual(destroyed_by(keep.clear, traits), 1)
        self.each(check)

    def test_init_again_replaces_the_payload(self) -> None:
        def check(traits: Traits) -> None:
            instance, [payload] = full(traits)
            before = sys.getrefcount(payload)
            instance.__init__()
            self.assertEqual(sys.getrefcount(payload), before - 1)
            self.assertIsNone(instance.get(0))
        self.each(check, construct="new+init")


class DeallocTest(VariantTest):
    def test_deep_chain(self) -> None:
        """The trashcan bounds the stack; from 3.14 on the interpreter does, for types with GC."""
        def check(traits: Traits) -> None:
            safe = traits["dealloc"] == "trashcan" or RELEASE >= 14 and traits["collector"] == "yes"
            if not safe or traits["fields"] != 1 or traits["inherit"] != "none":
                return
            head = None
            for _ in range(DEPTH):
                link = traits["type"]()
                link.set(0, head)
                head = link
            link = None
            keep = [head]
            head = None
            self.assertEqual(destroyed_by(keep.clear, traits), DEPTH)
        self.each(check)

    @unittest.skipIf(FREE_THREADED, "counts of allocations reach the collector in batches there")
    def test_free_list_bypasses_the_collectors_counter(self) -> None:
        def check(traits: Traits) -> None:
            make = traits["type"]
            make()
            gc.get_count()
            before = gc.get_count()[0]
            instance = make()
            after = gc.get_count()[0]
            self.assertEqual(after - before, int(traits["dealloc"] != "freelist"))
            del instance
        for dealloc in ("plain", "freelist"):
            self.each(check, dealloc=dealloc, collector="yes", inherit="none", vector="none")


class ReferenceTest(VariantTest):
    def test_holds_and_releases_its_payloads(self) -> None:
        def check(traits: Traits) -> None:
            payload = object()
            before = sys.getrefcount(payload)
            instance = traits["type"](*[payload] * traits["fields"])
            self.assertEqual(sys.getrefcount(payload), before + traits["fields"])
            for i in range(traits["fields"] if hasattr(instance, "set") else 0):
                instance.set(i, None)
                self.assertEqual(sys.getrefcount(payload), before + traits["fields"] - 1)
                instance.set(i, payload)
            del instance
            finish(traits)
            self.assertEqual(sys.getrefcount(payload), before)
        self.each(check)

    def test_visits_exactly_what_it_owns(self) -> None:
        def check(traits: Traits) -> None:
            instance, payloads = full(traits)
            visited = Counter(map(id, gc.get_referents(instance)))
            fields = payloads if traits["collector"] in ("yes", "traverse") else []
            heap = traits["kind"] != "static" or is_python(traits)
            owned = Counter(map(id, fields + [traits["type"]] * heap))
            if traits["collector"] == "no":
                owned = Counter()
            self.assertEqual(visited, owned)
        self.each(check)

    def test_type_is_released(self) -> None:
        def check(traits: Traits) -> None:
            make = traits["type"]
            make()
            finish(traits)
            before = sys.getrefcount(make)
            self.assertEqual(destroyed_by(lambda: [make() for _ in range(ROUNDS)], traits), ROUNDS)
            self.assertEqual(sys.getrefcount(make), before)
        self.each(check)

    def test_subclass_is_released_and_its_base_kept(self) -> None:
        def check(traits: Traits) -> None:
            Sub = subclass(traits)
            if Sub is None:
                return
            Sub()
            finish(traits)
            before = sys.getrefcount(Sub), sys.getrefcount(traits["type"])
            self.assertEqual(destroyed_by(lambda: [Sub() for _ in range(ROUNDS)], traits), ROUNDS)
            self.assertEqual((sys.getrefcount(Sub), sys.getrefcount(traits["type"])), before)
        self.each(check)


class CollectorTest(VariantTest):
    def test_tracked_as_its_row_says(self) -> None:
        def check(traits: Traits) -> None:
            self.assertEqual(gc.is_tracked(traits["type"]()),
                             traits["tracking"] in ("birth", "hand"))
        self.each(check)

    def test_lazily_tracked_with_the_first_object_of_a_type_with_gc(self) -> None:
        def check(traits: Traits) -> None:
            for i in range(traits["fields"]):
                instance = traits["type"](*[1] * traits["fields"])
                self.assertFalse(gc.is_tracked(instance))
                instance.set(i, [])
                self.assertTrue(gc.is_tracked(instance))
        self.each(check, tracking="lazy")

    def test_cycle_is_broken_in_the_partner(self) -> None:
        def check(traits: Traits) -> None:
            self.assertFalse(hasattr(traits["type"], "set"))
            partner: List[Any] = []
            partner.append(traits["type"](partner))
            del partner
            self.assertEqual(destroyed_by(gc.collect), 1)
        self.each(check, collector="traverse")

    def test_cycle_through_each_field_is_collected_at_once(self) -> None:
        def check(traits: Traits) -> None:
            for i in range(traits["fields"]):
                instance = traits["type"]()
                instance.set(i, instance)
                del instance
            self.assertEqual(destroyed_by(gc.collect, traits), traits["fields"])
        self.each(check, collector="yes")

    def test_cycle_without_collector_stays(self) -> None:
        def check(traits: Traits) -> None:
            keep = [traits["type"]() for _ in range(traits["fields"])]
            for i, instance in enumerate(keep):
                instance.set(i, instance)
            # By hand, through the field: what destroys it is the reference that it held.
            for i in reversed(range(len(keep))):
                instance = None
                self.assertEqual(destroyed_by(lambda: keep.pop().set(i, None)), 1)
            if traits["fields"]:
                lost = traits["type"]()
                lost.set(0, lost)
                del lost
                self.assertEqual(destroyed_by(gc.collect), 0)
        self.each(check, collector="no")

    def test_ring_of_two_through_subclass_attribute_is_collected(self) -> None:
        def check(traits: Traits) -> None:
            Sub = subclass(traits)
            if Sub is None:
                return
            a, b = Sub(), Sub()
            a.other, b.other = b, a
            died: List[bool] = []
            # A subclass of a type with items has no weak references of its own, as with tuple.
            watched = not has_items(traits)
            watch = weakref.ref(a, lambda _: died.append(True)) if watched else None
            del a, b
            if traits["dict"] != "none" and traits["collector"] in ("no", "subclass"):
                # The attribute is in the base's dict, which nobody visits.
                self.assertEqual(destroyed_by(gc.collect), 0)
                return
            self.assertEqual(destroyed_by(gc.collect, traits), 2)
            if watch is not None:
                self.assertEqual((watch(), died), (None, [True]))
        self.each(check)

    def test_many_instances_under_the_lowest_threshold(self) -> None:
        """Automatic collections at every point where one can happen find half-linked rings."""
        def check(traits: Traits) -> None:
            def rings() -> None:
                for _ in range(ROUNDS):
                    a, b = traits["type"](), traits["type"]()
                    for i in range(traits["fields"] if hasattr(a, "set") else 0):
                        a.set(i, b)
                        b.set(i, a)
                    if traits["collector"] not in ("yes", "traverse"):
                        for i in range(traits["fields"]):
                            a.set(i, None)
            thresholds = gc.get_threshold()
            gc.set_threshold(1, 1, 1)
            gc.enable()
            try:
                before = gctax_ext.destroyed()
                rings()
                gc.collect()
                finish(traits)
                self.assertEqual(gctax_ext.destroyed() - before, 2 * ROUNDS)
            finally:
                gc.disable()
                gc.set_threshold(*thresholds)
        self.each(check)


class DictTest(VariantTest):
    def each_with_dict(self, check: Callable[[Traits], None]) -> None:
        self.each(lambda traits: check(traits) if has_dict(traits) else None)

    def test_attributes(self) -> None:
        def check(traits: Traits) -> None:
            instance = traits["type"]()
            payload = object()
            before = sys.getrefcount(payload)
            instance.payload = payload
            self.assertEqual(instance.__dict__, {"payload": payload})
            del instance
            finish(traits)
            self.assertEqual(sys.getrefcount(payload), before)
        self.each_with_dict(check)

    def test_cycle_through_the_dict_is_collected_at_once(self) -> None:
        def check(traits: Traits) -> None:
            for materialize in (False, True):
                instance = traits["type"]()
                instance.self = instance
                if materialize:
                    self.assertIs(instance.__dict__["self"], instance)
                del instance
                seen = traits["collector"] in ("yes", "traverse") or traits["dict"] == "none"
                self.assertEqual(destroyed_by(gc.collect, traits), int(seen),
                                 "__dict__: %s" % materialize)
        self.each_with_dict(check)

    def test_without_a_dict_there_are_no_attributes(self) -> None:
        def check(traits: Traits) -> None:
            if not has_dict(traits):
                with self.assertRaises(AttributeError):
                    traits["type"]().payload = 1
        self.each(check)


class WeakReferenceTest(VariantTest):
    def test_end_with_the_instance(self) -> None:
        def check(traits: Traits) -> None:
            if traits["weakref"] == "none" and traits["inherit"] != "python":
                with self.assertRaises(TypeError):
                    weakref.ref(traits["type"]())
                return
            if has_items(traits):
                return
            for cycle in (False, True):
                instance = traits["type"]()
                called: List[Any] = []
                watch = weakref.ref(instance, called.append)
                if cycle and traits["collector"] == "yes":
                    instance.set(0, instance)
                del instance
                gc.collect()
                finish(traits)
                self.assertIsNone(watch())
                self.assertEqual(called, [watch])
        self.each(check)


class FinalizerTest(VariantTest):
    def test_slot_is_there_exactly_where_the_row_says(self) -> None:
        def check(traits: Traits) -> None:
            self.assertEqual(hasattr(traits["type"], "__del__"), traits["finalizer"] != "none")
        self.each(check)

    def test_resurrected_once(self) -> None:
        def check(traits: Traits) -> None:
            payload: List[Any] = []

            def found() -> int:
                """Instances that the collector knows and that hold the payload."""
                return sum(type(o) is traits["type"] and o.get(0) is payload
                           for o in gc.get_objects())
            for cycle in (False, True):
                instance = traits["type"](payload)
                if cycle:
                    payload.append(instance)
                    del instance
                    payload = []
                    self.assertEqual(destroyed_by(gc.collect), 0, "found and brought back")
                else:
                    keep = [instance]
                    del instance
                    self.assertEqual(destroyed_by(keep.clear), 0, "dropped and brought back")
                    self.assertEqual(found(), 1)
                self.assertEqual(destroyed_by(gc.collect), 1)
                self.assertEqual(destroyed_by(gc.collect), 0)
        self.each(check, finalizer="resurrect")

    def test_subclass_finalizer_runs_once_and_may_resurrect(self) -> None:
        def check(traits: Traits) -> None:
            saved: List[object] = []

            Sub = subclass(traits, __del__=lambda self: saved.append(self))
            if Sub is None:
                return
            self.assertEqual(destroyed_by(Sub), 0)
            self.assertEqual(len(saved), 1)
            self.assertEqual(destroyed_by(saved.pop), 1)
            self.assertEqual(saved, [])
        self.each(check, collector="yes")


if __name__ == "__main__":
    unittest.main()
