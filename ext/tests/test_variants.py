"""Every variant does what its row promises, on the interpreter that runs this file.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_variants.py

DIR holds gctax_ext for that interpreter. unittest alone, so that a bare interpreter can run it. The
cases are the rows of variants.def: what a check expects follows from a row's traits.
"""
import gc
import os
import struct
import subprocess
import sys
import sysconfig
import unittest
import weakref
from collections import Counter
from typing import Any, Callable, Dict, Iterator, List, Tuple

EXT_DIR = os.environ.get("GCTAX_EXT_DIR", "")
SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if EXT_DIR:
    sys.path.insert(0, EXT_DIR)

import gctax_ext  # noqa: E402

Traits = Dict[str, Any]

POINTER = struct.calcsize("P")
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
RELEASE = sys.version_info[1]
ROUNDS = 200
DEPTH = 200000


def variants() -> Iterator[Tuple[str, Traits]]:
    """The variants that this release has."""
    for name, traits in gctax_ext.variants().items():
        if traits["type"] is not None:
            yield name, traits


def has_items(traits: Traits) -> bool:
    return traits["vector"] in ("itemsize", "newvar", "resize", "itematend")


def has_dict(traits: Traits) -> bool:
    return traits["dict"] != "none" or traits["inherit"] == "python"


def subclass(traits: Traits, **body: Any) -> Any:
    """A Python subclass; None where the type says that it can have none."""
    if not traits["type"].__flags__ & 1 << 10:  # Py_TPFLAGS_BASETYPE
        return None
    return type("Sub", (traits["type"],), body)


def destroyed_by(action: Callable[[], Any]) -> int:
    """How many instances are destroyed while `action` runs; what it returns is dropped, too."""
    before = int(gctax_ext.destroyed())
    action()
    return int(gctax_ext.destroyed()) - before


def full(traits: Traits) -> Tuple[Any, List[object]]:
    """An instance, and the payloads that its fields hold in order."""
    payloads = [object() for _ in range(traits["fields"])]
    return traits["type"](*payloads), payloads


class VariantTest(unittest.TestCase):
    """Runs each check over all rows. gc is off: collections happen where a check says so."""

    def setUp(self) -> None:
        gc.collect()
        gc.disable()

    def tearDown(self) -> None:
        gc.enable()

    def each(self, check: Callable[[Traits], None], **wanted: str) -> None:
        """check(traits) for each variant that has the wanted traits; at least one must."""
        rows = [row for row in variants() if all(row[1][k] == v for k, v in wanted.items())]
        for name, traits in rows:
            with self.subTest(variant=name):
                check(traits)
        if not rows:
            self.skipTest("no variant of this release has " + str(wanted))


class RowTest(VariantTest):
    def test_absent_exactly_before_its_release(self) -> None:
        for name, traits in gctax_ext.variants().items():
            with self.subTest(variant=name):
                self.assertEqual(traits["type"] is None, RELEASE < traits["since"])
                self.assertEqual(hasattr(gctax_ext, name), traits["type"] is not None)

    def test_twin_differs_in_its_axis_alone(self) -> None:
        # What the collector does not see it cannot track, either.
        follows = {"collector": {"tracking"}}
        traits = ("size kind collector tracking finalizer dict weakref vector dealloc construct "
                  "inherit content").split()
        rows = gctax_ext.variants()
        for name, row in rows.items():
            with self.subTest(variant=name):
                twin = rows[row["twin"]]
                differs = {t for t in traits if row[t] != twin[t]}
                self.assertEqual(differs - follows.get(row["axis"], set()), {row["axis"]})

    def test_docstring_says_what_it_is(self) -> None:
        def check(traits: Traits) -> None:
            doc = traits["type"].__doc__
            self.assertIn(traits["doc"], doc)
            self.assertIn("%d bytes" % traits["bytes"], doc)
            source = doc.split("Source: ext/")[1].split()[0]
            self.assertTrue(os.path.exists(os.path.join(SOURCE_DIR, source)), source)
        self.each(check)

    def test_size_follows_the_layout_model(self) -> None:
        def check(traits: Traits) -> None:
            size = 4 * POINTER if FREE_THREADED else 2 * POINTER
            size += traits["size"] * POINTER
            if has_items(traits):
                size += POINTER
            if traits["collector"] != "no" and not FREE_THREADED:
                size += 2 * POINTER
            pre_header = "managed" in (traits["dict"], traits["weakref"])
            size += POINTER * (traits["dict"] == "dictoffset")
            size += POINTER * (traits["weakref"] == "weaklistoffset")
            if traits["inherit"] == "python-slots":
                size += POINTER
            if traits["inherit"] == "python":
                # A dict and weak references unless its base has them, the latter not with items.
                adds_dict = traits["dict"] == "none"
                adds_weak = traits["weakref"] == "none" and not has_items(traits)
                pre_header |= RELEASE >= 12 and (adds_dict or adds_weak)
                pre_header |= RELEASE == 11 and adds_dict and not has_items(traits)
                if RELEASE < 11 or RELEASE == 11 and has_items(traits):
                    size += POINTER * adds_dict
                if RELEASE < 12:
                    size += POINTER * adds_weak
            if pre_header:
                size += 2 * POINTER
            self.assertEqual(traits["bytes"], size)
            if traits["vector"] == "extradata":
                size -= traits["size"] * POINTER  # which nobody but the type knows of
            self.assertEqual(sys.getsizeof(traits["type"]()), size)
        self.each(check)


    def test_type_can_be_changed_as_its_row_says(self) -> None:
        def check(traits: Traits) -> None:
            if traits["kind"] == "heap":
                traits["type"].note = 1
                del traits["type"].note
            else:
                with self.assertRaises(TypeError):
                    traits["type"].note = 1
        self.each(check)


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
            self.assertEqual(destroyed_by(lambda: self.fails(make, fields)), made)
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
            self.assertEqual(destroyed_by(keep.clear), 1)
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
            self.assertEqual(destroyed_by(keep.clear), DEPTH)
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
            self.assertEqual(sys.getrefcount(payload), before)
        self.each(check)

    def test_visits_exactly_what_it_owns(self) -> None:
        def check(traits: Traits) -> None:
            instance, payloads = full(traits)
            visited = Counter(map(id, gc.get_referents(instance)))
            owned = Counter(map(id, payloads + [traits["type"]]))
            if traits["collector"] == "no":
                owned = Counter()
            elif traits["collector"] == "subclass":
                owned = Counter([id(traits["type"])])
            self.assertEqual(visited, owned)
        self.each(check)

    def test_type_is_released(self) -> None:
        def check(traits: Traits) -> None:
            make = traits["type"]
            make()
            before = sys.getrefcount(make)
            self.assertEqual(destroyed_by(lambda: [make() for _ in range(ROUNDS)]), ROUNDS)
            self.assertEqual(sys.getrefcount(make), before)
        self.each(check)

    def test_subclass_is_released_and_its_base_kept(self) -> None:
        def check(traits: Traits) -> None:
            Sub = subclass(traits)
            if Sub is None:
                return
            Sub()
            before = sys.getrefcount(Sub), sys.getrefcount(traits["type"])
            self.assertEqual(destroyed_by(lambda: [Sub() for _ in range(ROUNDS)]), ROUNDS)
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
            self.assertEqual(destroyed_by(gc.collect), traits["fields"])
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
            if has_dict(traits) and traits["collector"] == "no":
                # The attribute is in the base's dict, which nobody visits.
                self.assertEqual(destroyed_by(gc.collect), 0)
                return
            self.assertEqual(destroyed_by(gc.collect), 2)
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
                self.assertEqual(destroyed_by(gc.collect), int(traits["collector"] != "no"),
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
                self.assertIsNone(watch())
                self.assertEqual(called, [watch])
        self.each(check)


class FinalizerTest(VariantTest):
    def test_slot_is_there_exactly_where_the_row_says(self) -> None:
        def check(traits: Traits) -> None:
            self.assertEqual(hasattr(traits["type"], "__del__"), traits["finalizer"] != "none")
        self.each(check)

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


class ModuleTest(VariantTest):
    def test_second_module_has_its_own_types_and_goes_away(self) -> None:
        kept = sys.modules.pop("gctax_ext")
        try:
            import gctax_ext as again
            self.assertIsNot(again, kept)
            self.assertIsNot(again.gc1, kept.gc1)
            self.assertIsNone(again.gc1(again.gc1()).get(0).get(0))
            watch = weakref.ref(again), weakref.ref(again.gc1)
        finally:
            sys.modules["gctax_ext"] = kept
        del again
        gc.collect()
        self.assertEqual([ref() for ref in watch], [None, None])

    def test_second_interpreter(self) -> None:
        program = """
import sys
sys.path.insert(0, %r)
import gctax_ext
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
import sys
sys.path.insert(0, %r)
import gc, gctax_ext
for name, traits in gctax_ext.variants().items():
    if traits["type"] is not None:
        x = traits["type"]()
        if traits["fields"] and hasattr(x, "set"):
            x.set(0, x)
        if traits["fields"] and traits["collector"] in ("no", "subclass"):
            x.set(0, None)
        del x
gc.collect()
'''
here = gctax_ext.destroyed()
made = sum(t["type"] is not None for t in gctax_ext.variants().values())
other = interpreters.create()
failure = interpreters.run_string(other, code)
assert failure is None, failure
interpreters.destroy(other)
assert gctax_ext.destroyed() - here == made, (gctax_ext.destroyed() - here, made)
gctax_ext.gc1(gctax_ext.gc1())
""" % (EXT_DIR, EXT_DIR)
        result = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, universal_newlines=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stdout)

    @unittest.skipUnless(FREE_THREADED, "only a free-threaded build can do without the GIL")
    def test_import_leaves_the_gil_off(self) -> None:
        result = subprocess.run(
            [sys.executable, "-c", "import sys; sys.path.insert(0, %r)\n"
             "import gctax_ext; print(sys._is_gil_enabled())" % EXT_DIR],
            stdout=subprocess.PIPE, universal_newlines=True, timeout=60)
        self.assertEqual(result.stdout.strip(), "False")


if __name__ == "__main__":
    unittest.main()
