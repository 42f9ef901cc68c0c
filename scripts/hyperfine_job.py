"""What scripts/hyperfine times: one job of real Python code in a process of its own, run by the
interpreter that is measured. Needs nothing but the standard library and gctax_ext.

    hyperfine_job.py BUILD startup none|types        start-up, with and without the types imported
    hyperfine_job.py BUILD fork no|yes               fork-like work on a heap, frozen before or not
    hyperfine_job.py BUILD tree|parse|cache THRESHOLD    a fixed job; default, 0 (off) or a number
"""
import gc
import glob
import importlib
import os
import random
import sys
from typing import Any, Callable, Dict, List, Tuple

NODES, RECORDS, REPLACEMENTS, ENTRIES = 150000, 30000, 250000, 20000
HEAP, CHILDREN = 200000, 4


def types(build: str) -> Any:
    """gctax_ext as it was built for this interpreter."""
    flags = ("t" if "t" in getattr(sys, "abiflags", "") else "") \
        + ("d" if hasattr(sys, "gettotalrefcount") else "")
    version = "{}.{}.{}".format(*sys.version_info) + flags
    for directory in sorted(glob.glob(os.path.join(build, "gctax-ext", version + "*"))):
        sys.path.insert(0, directory)
        try:
            return importlib.import_module("gctax_ext")
        except ImportError:
            del sys.path[0]
    sys.exit("hyperfine_job: no gctax_ext for {} in {}".format(version, build))


def tree(ext: Any) -> int:
    """Builds a tree as JSON has them: a node holds key, value, parent and children."""
    node = ext.gc4
    root = node("root", None, None, [])
    level, made = [root], 1
    while made < NODES:
        following: List[Any] = []
        for parent in level:
            children = [node(str(made + i), made + i, parent, []) for i in range(8)]
            parent.set(3, children)
            made += len(children)
            following += children
        level = following
    return made


def parse(ext: Any) -> int:
    """Parses a large document whose objects become instances of a C type."""
    import json
    record = ext.gc2
    text = json.dumps([{"id": i, "name": "record %d" % i, "tags": [{"key": j} for j in range(4)]}
                       for i in range(RECORDS)])

    def make(pairs: List[Tuple[str, Any]]) -> Any:
        return record(tuple(name for name, _ in pairs), [value for _, value in pairs])

    return len(json.loads(text, object_pairs_hook=make))


def cache(ext: Any) -> int:
    """Churns a cache: entries are replaced at random, and every tenth holds a list that holds it, a
    cycle that only the collector ends."""
    entry = ext.gc2
    chosen = random.Random(1)
    table: Dict[int, Any] = {}
    for i in range(REPLACEMENTS):
        made = entry(i, None)
        if i % 10 == 0:
            made.set(1, [made])
        table[chosen.randrange(ENTRIES)] = made
    return len(table)


def fork(ext: Any, freeze: bool) -> int:
    """Children that collect and end, one after the other, over a heap that their parent made, as a
    pre-forking server's. A full collection writes to every object, and so copies the pages that it
    shares with the parent; frozen objects it leaves alone."""
    heap = [ext.gc2(i, None) for i in range(HEAP)]
    if freeze:
        gc.collect()
        gc.freeze()
    for _ in range(CHILDREN):
        child = os.fork()
        if child == 0:
            gc.collect()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            sys.exit("hyperfine_job: a child ended with status {}".format(status))
    return len(heap)


JOBS: Dict[str, Callable[[Any], int]] = {"tree": tree, "parse": parse, "cache": cache}
EXPECTED = {"parse": RECORDS, "cache": ENTRIES * 9 // 10}


def main() -> None:
    build, job, setting = sys.argv[1:]
    if job == "startup":
        if setting == "types":
            types(build)
        return
    ext = types(build)
    if job == "fork":
        fork(ext, setting == "yes")
        return
    if setting == "0":
        gc.disable()
    elif setting != "default":
        gc.set_threshold(int(setting))
    done = JOBS[job](ext)
    if done < EXPECTED.get(job, NODES):
        sys.exit("hyperfine_job: {} did {}".format(job, done))


if __name__ == "__main__":
    main()
