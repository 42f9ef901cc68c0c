"""What the tests of the variants share: the rows, instances, and what destroys them."""
import gc
import os
import struct
import sys
import sysconfig
import unittest
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

EXT_DIR = os.environ.get("GCTAX_EXT_DIR", "")
SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if EXT_DIR:
    sys.path.insert(0, EXT_DIR)

import gctax_ext  # noqa: E402

Traits = Dict[str, Any]

POINTER = struct.calcsize("P")
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
RELEASE = sys.version_info[1]


def variants() -> Iterator[Tuple[str, Traits]]:
    """The variants that this release has."""
    for name, traits in gctax_ext.variants().items():
        if traits["type"] is not None:
            yield name, traits


def has_items(traits: Traits) -> bool:
    return bool(traits["vector"] in ("itemsize", "newvar", "resize", "itematend"))


def has_dict(traits: Traits) -> bool:
    return bool(traits["dict"] != "none" or traits["inherit"] == "python")


def is_python(traits: Traits) -> bool:
    return bool(traits["inherit"].startswith("python"))


def subclass(traits: Traits, **body: Any) -> Any:
    """A Python subclass; None where the type says that it can have none."""
    if not traits["type"].__flags__ & 1 << 10:  # Py_TPFLAGS_BASETYPE
        return None
    return type("Sub", (traits["type"],), body)


def finish(traits: Traits) -> None:
    """What comes back when it is dropped, the collector destroys: in a second look, if it was the
    collector itself that found it."""
    if traits["finalizer"] == "resurrect":
        gc.collect()
        gc.collect()


def destroyed_by(action: Callable[[], Any], traits: Optional[Traits] = None) -> int:
    """How many instances are destroyed while `action` runs; what it returns is dropped, too. With
    `traits`, those that came back are given their end."""
    before = int(gctax_ext.destroyed())
    action()
    if traits is not None:
        finish(traits)
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
                finish(traits)
        if not rows:
            self.skipTest("no variant of this release has " + str(wanted))
