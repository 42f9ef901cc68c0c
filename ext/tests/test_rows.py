"""Every variant is what its row says: there from its release on, one axis away from its twin, of
the bytes that the layout model gives it, part of a module that can be had again.

    GCTAX_EXT_DIR=DIR PYTHON ext/tests/test_rows.py

DIR holds gctax_ext for that interpreter. unittest alone, so that a bare interpreter can run it.
"""
import gc
import os
import subprocess
import sys
import unittest
import weakref

from rows import (EXT_DIR, FREE_THREADED, POINTER, RELEASE, SOURCE_DIR, Traits, VariantTest,
                  has_items, is_python)

import gctax_ext


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
            if traits["kind"] == "heap" or is_python(traits):
                traits["type"].note = 1
                del traits["type"].note
            else:
                with self.assertRaises(TypeError):
                    traits["type"].note = 1
        self.each(check)


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
    # A static type belongs to the main interpreter.
    assert traits["kind"] != "static" or traits["type"] is None, name
    if traits["type"] is not None:
        x = traits["type"]()
        if traits["fields"] and hasattr(x, "set"):
            x.set(0, x)
        if traits["fields"] and traits["collector"] in ("no", "subclass"):
            x.set(0, None)
        del x
gc.collect()
gc.collect()
'''
here = gctax_ext.destroyed()
made = sum(t["type"] is not None and t["kind"] != "static"
           for t in gctax_ext.variants().values())
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
