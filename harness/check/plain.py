"""What explained.toml says was repeated in plain Python: nothing of gctax is used here.

    PYTHON harness/check/plain.py

Each line says how many of so many objects are left, after two full collections, though nothing
refers to them any more. What this Python does not have is passed over.
"""
import contextvars
import gc
import importlib
import importlib.util
import signal
import subprocess
import sys
import threading
import warnings
import weakref
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, List

N = 50


class Thing:
    """Has a dict, weak references and the GC flag."""

    held: Any


class Text(str):
    held: Any


class Number(int):
    held: Any


def module(name: str) -> Any:
    return importlib.import_module(name)


def left(make: Callable[[], Any]) -> int:
    """make() returns an object of a cycle that nothing else refers to."""
    gc.collect()
    references = [weakref.ref(make()) for _ in range(N)]
    gc.collect()
    gc.collect()
    return sum(1 for reference in references if reference() is not None)


def through(text: str, build: Callable[[str], Any]) -> Callable[[], Any]:
    """A cycle through a str subclass that build() was given."""
    def make() -> Any:
        name = Text(text)
        name.held = build(name)
        return name
    return make


def pairs(make: Callable[[], Any], link: Callable[[Any, Any], Any]) -> int:
    """Of 2 * N instances, linked two and two, how many the collector still knows."""
    kind = type(make())

    def alive() -> int:
        gc.collect()
        gc.collect()
        return sum(1 for one in gc.get_objects() if type(one) is kind)

    before = alive()
    for _ in range(N):
        a, b = make(), make()
        link(a, b)
        link(b, a)
        del a, b
    return alive() - before


def dropped(make: Callable[[], Any], put: Callable[[Any, Any], Any]) -> int:
    """How many of the objects that were put somewhere outlive what they were put into."""
    def once() -> Any:
        thing = Thing()
        put(make(), thing)
        return thing
    return left(once)


def blocks(use: Callable[[], Any]) -> float:
    """Memory blocks that one use leaves."""
    for _ in range(N):
        use()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(20 * N):
        use()
    gc.collect()
    return round((sys.getallocatedblocks() - before) / (20 * N), 2)


def after_a_thread(make: Callable[[], Any]) -> int:
    """What left() says once a thread was started: 3.13's free-threaded build makes functions,
    modules and types immortal from then on."""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return left(make)


def process(program: str, *words: str) -> str:
    """What a process that runs the program prints last, or how it ends."""
    try:
        done = subprocess.run([sys.executable, "-c", program, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    lines = done.stdout.decode().split()
    return lines[-1] if done.returncode == 0 and lines else "-"


# ---- The standard library -----------------------------------------------------------------------

def connection(method: str, *arguments: Any) -> Callable[[], Any]:
    import sqlite3

    def make() -> Any:
        thing = Thing()
        thing.held = sqlite3.connect(":memory:")
        getattr(thing.held, method)(*arguments, lambda *_, kept=thing: 0)
        return thing
    return make


def keylog() -> Any:
    import ssl
    path = Text("/dev/null")
    path.held = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    path.held.keylog_filename = path
    return path


def symbols() -> Any:
    thing = Thing()
    thing.held = module("symtable").symtable("def f(): pass", "a", "exec")._table
    thing.held.children.append(thing)
    return thing


def key() -> Any:
    wrap: Any = module("functools").cmp_to_key(lambda a, b: 0)
    thing = Thing()
    thing.held = wrap(thing)
    return thing


def span() -> Any:
    number = Number(5)
    thing = Thing()
    thing.held = range(number, 10 ** 9)
    number.held = thing
    return thing


def reader() -> Any:
    import io

    class Raw(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def writable(self) -> bool:
            return True

    raw: Any = Raw()
    raw.held = io.BufferedRWPair(raw, Raw())
    return raw


def written() -> Any:
    import io
    text = Text("a")
    text.held = io.StringIO()
    text.held.write(text)
    return text


# tp_dealloc of SemLock frees what the collector gave to a subclass by another function.
SEMLOCK = """
from _multiprocessing import SemLock
class Lock(SemLock):
    pass
for i in range(1000):
    Lock(0, 0, 1, "/plain%d" % i, True)
print("well")
"""

# One object in eight threads, each putting the same eight strings into it: into the value of a
# c_char_p, the args of an exception, a cell, the name of a property.
SETTERS = """
import ctypes, gc, sys, threading, types
shared, name, put = {"value": (ctypes.c_char_p(b"a"), "value", lambda item: item),
                     "args": (Exception(), "args", lambda item: (item,)),
                     "cell": (types.CellType(), "cell_contents", lambda item: item),
                     "name": (property(), "__name__", lambda item: item)}[sys.argv[1]]
values = [bytes([65 + i]) * 20 for i in range(8)]
def counts():
    return [sys.getrefcount(value) for value in values]
def use():
    for i in range(200000):
        setattr(shared, name, put(values[i % 8]))
before = counts()
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
setattr(shared, name, put(b"a"))
gc.collect()
gc.collect()
print(sum(1 for old, new in zip(before, counts()) if old != new))
"""

# One object in four threads: dump() of a Pickler, the attribute keylog_filename of an SSLContext,
# __init__() and write() of a TextIOWrapper. Prints how many of the objects that the threads gave to
# it are left.
THREADS = """
import gc, io, pickle, ssl, sys, threading, time, weakref
class Item(str):
    def __reduce__(self):
        return Item, ("/dev/null",)
def dump(one, item):
    one.dump([item, item])
def keylog(one, item):
    one.keylog_filename = item
def write(one, item):
    one.__init__(io.BytesIO(), errors=Item("strict"))
    one.write(item)
def use():
    while time.monotonic() < end:
        item = Item("/dev/null")
        given.append(weakref.ref(item))
        try:
            put(one, item)
        except (AttributeError, OSError, RuntimeError, ValueError, pickle.PicklingError):
            pass
        del item
given = []
one, put = {"dump": lambda: (pickle.Pickler(io.BytesIO()), dump),
            "write": lambda: (io.TextIOWrapper(io.BytesIO()), write),
            "keylog": lambda: (ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), keylog)}[sys.argv[1]]()
sys.setswitchinterval(1e-5)
end = time.monotonic() + 2
threads = [threading.Thread(target=use) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
del one
gc.collect()
gc.collect()
print(sum(1 for reference in given if reference() is not None))
"""


def copies(name: str, use: Callable[[Any], Any]) -> int:
    """Of five copies of the module, each used and dropped, how many are left."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    references: List["weakref.ref[ModuleType]"] = []
    for _ in range(5):
        copy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(copy)
        references.append(weakref.ref(copy))
        use(copy)
        del copy
    gc.collect()
    gc.collect()
    return sum(1 for reference in references if reference() is not None)


def standard() -> Dict[str, Callable[[], Any]]:
    _lsprof, datetime, itertools = module("_lsprof"), module("datetime"), module("itertools")
    operator, re, typing = module("operator"), module("re"), module("typing")
    zone = datetime.timezone
    found: Dict[str, Callable[[], Any]] = {
        "type: name": lambda: left(through("a", lambda name: type(name, (), {}))),
        "typing.TypeVar: name": lambda: left(through("a", typing.TypeVar)),
        "SSLContext.keylog_filename": lambda: left(keylog),
        "timezone: name": lambda: left(through(
            "a", lambda name: zone(datetime.timedelta(1 / 24), name))),
        "Pattern.scanner: string": lambda: left(through("a", re.compile("a").scanner)),
        "re.match: string": lambda: left(through("a", re.compile("a").match)),
        "operator.methodcaller: name": lambda: left(through("a", operator.methodcaller)),
        "sqlite3 create_function": lambda: left(connection("create_function", "a", 1)),
        "sqlite3 create_aggregate": lambda: left(connection("create_aggregate", "a", 1)),
        "sqlite3 create_collation": lambda: left(connection("create_collation", "a")),
        "symtable entry: children": lambda: left(symbols),
        "functools.cmp_to_key": lambda: left(key),
        "range: int subclass": lambda: left(span),
        "io.BufferedRWPair: reader": lambda: left(reader),
        "io.StringIO: written": lambda: left(written),
        "property: two (of 100)": lambda: pairs(property, lambda a, b: a.__init__(b)),
        "_lsprof.Profiler: two (of 100)": lambda: pairs(_lsprof.Profiler,
                                                        lambda a, b: a.__init__(b)),
        "multiprocessing.SemLock: a subclass": lambda: process(SEMLOCK),
        "functions made after a thread was started": lambda: after_a_thread(
            lambda: FunctionType(left.__code__, {})),
        "modules made after a thread was started": lambda: after_a_thread(
            lambda: ModuleType("m")),
        "types made after a thread was started": lambda: after_a_thread(lambda: type("T", (), {})),
        "ctypes.c_char_p in eight threads: counts that are off (of 8)": lambda: process(SETTERS, "value"),
        "pickle.Pickler in four threads": lambda: process(THREADS, "dump"),
        "io.TextIOWrapper in four threads": lambda: process(THREADS, "write"),
        "Exception.args in eight threads: counts that are off (of 8)": lambda: process(
            SETTERS, "args"),
        "cell_contents in eight threads: counts that are off (of 8)": lambda: process(
            SETTERS, "cell"),
        "property.__name__ in eight threads: counts that are off (of 8)": lambda: process(
            SETTERS, "name"),
        "SSLContext.keylog_filename in four threads": lambda: process(THREADS, "keylog"),
        "_decimal: copies with a context (of 5)": lambda: copies(
            "_decimal", lambda copy: copy.localcontext()),
        "_decimal: the same in a context of its own (of 5)": lambda: copies(
            "_decimal", lambda copy: contextvars.Context().run(copy.localcontext)),
        "_socket: copies (of 5)": lambda: copies("_socket", lambda copy: copy.socket),
    }
    if sys.version_info < (3, 14):
        found["itertools.accumulate: two (of 100)"] = lambda: pairs(
            lambda: itertools.accumulate(()), lambda a, b: a.__setstate__(b))
        found["itertools.zip_longest: two (of 100)"] = lambda: pairs(
            lambda: itertools.zip_longest((), ()), lambda a, b: a.__setstate__(b))
    return found


# ---- Packages -----------------------------------------------------------------------------------

def packages() -> Dict[str, Callable[[], Any]]:
    def psycopg2() -> int:
        AsIs = module("psycopg2.extensions").AsIs
        return dropped(lambda: AsIs([]), lambda one, thing: (one.__init__(thing),
                                                             one.__init__([])))

    def multidict() -> int:
        MultiDict = module("multidict").MultiDict
        return dropped(MultiDict, lambda one, thing: (one.__init__({"a": thing}),
                                                      one.__init__({"a": 1})))

    def pycurl() -> int:
        curl = module("pycurl")
        return dropped(curl.CurlMulti, lambda one, thing: (
            one.setopt(curl.M_SOCKETFUNCTION, lambda *_, kept=thing: 0),
            one.setopt(curl.M_SOCKETFUNCTION, lambda *_: 0)))

    def msgpack() -> float:
        pack = module("msgpack")
        return blocks(lambda: pack.Unpacker().__init__())

    def lxml() -> float:
        ObjectPath = module("lxml.objectify").ObjectPath
        return blocks(lambda: ObjectPath("a").__init__("b"))

    return {"psycopg2 AsIs.__init__ again": psycopg2, "MultiDict.__init__ again": multidict,
            "CurlMulti.setopt again": pycurl, "msgpack Unpacker.__init__ again: blocks": msgpack,
            "lxml ObjectPath.__init__ again: blocks": lxml}


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"CPython {sys.version.split()[0]}; of {N} each, where nothing else is said")
    for name, measure in {**standard(), **packages()}.items():
        try:
            print(f"{measure():>6}  {name}")
        except (ImportError, AttributeError, TypeError) as error:
            print(f"     -  {name}: {error}")


if __name__ == "__main__":
    main()
