"""`WORKER --check`: the front of `gctax check`, for each worker: targets, forms, slots, notes."""
import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest

from programs import Worker, call
from results import release_key


class Report(NamedTuple):
    target: Dict[str, Any]
    verdicts: Dict[str, List[Dict[str, Any]]]  # by rule

    def worst(self, rule: str) -> str:
        found: List[str] = [row["verdict"] for row in self.verdicts[rule]]
        return min(found, key=["breach", "suspect", "ok", "untested"].index)

    def breaches(self) -> List[str]:
        return sorted(rule for rule in self.verdicts if self.worst(rule) == "breach")

    def slots(self) -> str:
        return "; ".join(self.target["slots"])


def lines(worker: Worker, *words: Any, code: int = 0, **options: Any) -> List[Dict[str, Any]]:
    """What it prints, without the line that ends it."""
    result = call(worker.path, "--check", "--", *words, **options)
    assert result.code == code, result
    printed: List[Dict[str, Any]] = [json.loads(line) for line in result.lines()]
    assert printed[-1] == {"kind": "end"}
    return printed[:-1]


def check(worker: Worker, *words: Any, **options: Any) -> Report:
    first, *others = lines(worker, *words, **options)
    assert first["kind"] == "target", first
    verdicts: Dict[str, List[Dict[str, Any]]] = {}
    for row in others:
        assert row["kind"] == "verdict"
        verdicts.setdefault(row["rule"], []).append(row)
    return Report(first, verdicts)


def test_variant(worker: Worker) -> None:
    report = check(worker, "gc2")
    assert report.target["type"] == "gctax_ext.gc2"
    assert [form["form"] for form in report.target["forms"]] == ["type", "subclass", "slots"]
    assert report.target["slots"][:2] == ["argument 1", "argument 2"]
    assert {"set(0, object)", "set(1, object)"} <= set(report.target["slots"])
    assert report.verdicts and not report.breaches()


def test_missed_member(worker: Worker) -> None:
    report = check(worker, "gctax_faults:missed_member")
    assert report.worst("visit-owned") == "breach"
    slots = {row["slot"] for row in report.verdicts["visit-owned"] if row["verdict"] == "breach"}
    assert any("set(1, object)" in str(slot) for slot in slots)
    assert not any("set(0, object)" in str(slot) for slot in slots)


def test_containers_and_their_wraps(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-*", "builtins:list")
    assert {rule: report.worst(rule) for rule in report.verdicts} == dict.fromkeys(
        ["visit-once", "visit-owned", "visit-result", "visit-type", "visit-unowned"], "ok")
    assert {"append(object)", "insert(0, object)"} <= set(report.target["slots"])
    assert "argument 1 in a callable" in report.target["slots"]  # whose items it takes
    assert not report.breaches()


def test_str_subclass(worker: Worker) -> None:
    """A scanner holds its string unseen; it is a GC type from 3.10 on."""
    report = check(worker, "--rules", "needs-gc,visit-owned", "re:compile('a').scanner('a')")
    assert "argument 1 in a str subclass" in report.target["slots"]
    assert report.breaches() == ["needs-gc" if worker.release <= 9 else "visit-owned"]


def test_memo_of_real_work(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "_pickle:Pickler")
    assert "dump(object)" in report.slots()
    release = release_key(worker.facts["python_version"])[0]  # mended in 3.11.7 and 3.12.1
    affected = release < (3, 11, 7) or release == (3, 12, 0)
    assert (report.worst("visit-owned") == "breach") == affected


def test_contents_of_a_member(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "pyexpat:ParserCreate()")
    assert "contents of intern" in report.slots() or "attribute intern" in report.slots()
    assert report.worst("visit-owned") == "breach"


def test_factory_that_cannot_be_subclassed(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "zlib:compressobj")
    assert report.target["made_by"] == "compressobj()"
    assert report.target["forms"][1] == {"form": "subclass", "missing": "cannot be subclassed"}


def test_guessed_arguments(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "functools:partial")
    assert report.target["made_by"].startswith("partial(lambda")


def test_link(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "--link", "a.set(1, b)",
                   "gctax_faults:missed_member")
    assert report.target["slots"][0] == "--link"
    breaches = [row for row in report.verdicts["visit-owned"] if row["verdict"] == "breach"]
    assert any("--link" in str(row["slot"]) for row in breaches)


@pytest.mark.parametrize("statement", [
    "[a.set(i, b) for i in range(2)]", "(lambda: a.set(1, b))()", "for i in (0, 1): a.set(i, b)",
    "x = b\na.set(1, x)"])
def test_link_sees_both_everywhere(worker: Worker, statement: str) -> None:
    """In comprehensions, inner functions and over several lines."""
    report = check(worker, "--rules", "visit-owned", "--link", statement,
                   "gctax_faults:missed_member")
    assert report.target["slots"][0] == "--link" and not report.target["notes"], report
    assert any("--link" in str(row["slot"]) for row in report.verdicts["visit-owned"])


def test_link_that_is_no_statement(worker: Worker) -> None:
    result = call(worker.path, "--check", "--", "--link", "a.set(", "gctax_faults:sound")
    assert result.code == 2 and "link 'a.set(' raises SyntaxError" in result.out, result


def test_make(worker: Worker) -> None:
    report = check(worker, "--rules", "visit-owned", "--make=partial(print)", "functools:partial")
    assert report.target["made_by"] == "partial(print)"


def test_shared_object(worker: Worker) -> None:
    target, = lines(worker, "builtins:tuple()")
    assert target["untested"].startswith("shared object")


def test_what_cannot_be_made(worker: Worker) -> None:
    target, = lines(worker, "types:GeneratorType")
    assert "--make" in target["untested"]
    assert "cannot create" in target["untested"]


def test_helper_is_not_blamed_on_the_target(worker: Worker, tmp_path: Path) -> None:
    """An instance of a Python class owns a C object, which holds what is put there unseen."""
    (tmp_path / "nested.py").write_text(
        "import gctax_faults\n"
        "class Owner:\n"
        "    __slots__ = ('inner',)\n"
        "    def __init__(self):\n"
        "        self.inner = gctax_faults.missed_member()\n"
        "    def put(self, value):\n"
        "        self.inner.set(1, value)\n")
    report = check(worker, "--rules", "visit-owned", "--path", tmp_path, "nested:Owner")
    assert not any(slot.startswith("put(") for slot in report.target["slots"])
    assert any("gctax_faults.missed_member" in note for note in report.target["notes"])
    assert not report.breaches()


def test_finalizers_of_helpers(worker: Worker, tmp_path: Path) -> None:
    """What they release in the garbage of a revived instance is no breach of its type."""
    (tmp_path / "revived.py").write_text(
        "import gctax_faults\n"
        "class Helper:\n"
        "    def __init__(self):\n"
        "        self.held = []\n"
        "    def __del__(self):\n"
        "        self.held.clear()\n"
        "class Sound(gctax_faults.sound):\n"
        "    __slots__ = ('helper',)\n"
        "    def __init__(self):\n"
        "        self.helper = Helper()\n"
        "    def append(self, value):\n"
        "        self.helper.held.append(value)\n"
        "    def __del__(self):\n"
        "        pass\n")
    for target in ("revived:Sound", "io:TextIOWrapper(__import__('io').BytesIO())",
                   "_asyncio:Future(loop=__import__('asyncio').new_event_loop())"):
        report = check(worker, "--rules", "resurrection", "--path", tmp_path, target)
        assert report.worst("resurrection") == "ok", target


def test_made_anew_by_threads(worker: Worker, tmp_path: Path) -> None:
    """A method that races is a breach; __init__ of an instance that others use is no use of it."""
    (tmp_path / "racing.py").write_text(
        "import gctax_faults\n"
        "class Used(gctax_faults.races):\n"
        "    set = None\n"
        "    def put(self, value):\n"
        "        super().set(0, value)\n"
        "class Anew(gctax_faults.races):\n"
        "    set = None\n"
        "    def __init__(self, value=None):\n"
        "        super().set(0, value)\n")
    for target, slot, verdict in (("racing:Used", "put(object)", "breach"),
                                  ("racing:Anew", "__init__(object)", "ok")):
        report = check(worker, "--rules", "threads", "--path", tmp_path, target)
        assert slot in report.slots() and report.worst("threads") == verdict, (target, report)


def test_checked_code_cannot_disturb(worker: Worker, tmp_path: Path) -> None:
    """It prints, exits, hangs, crashes and leaves files: none of this shows."""
    if not Path(worker.facts["executable"]).exists():
        pytest.skip("a worker of a chroot does not see the module's folder")
    (tmp_path / "wild.py").write_text(
        "import os, time\n"
        "print('imported')\n"
        "class Wild:\n"
        "    __slots__ = ('kept',)\n"
        "    def __init__(self): print('made')\n"
        "    def put(self, value): open('file', 'w').write('x'); self.kept = value\n"
        "    def leave(self, value): os._exit(0)\n"
        "    def crash(self, value): os.abort()\n"
        "    def hang(self, value): time.sleep(60)\n")
    report = check(worker, "--rules", "visit-owned", "--path", ".", "wild:Wild", cwd=tmp_path)
    assert "put(object)" in report.slots() and "attribute kept" in report.slots()
    assert any("crash" in note and "SIGABRT" in note for note in report.target["notes"])
    assert any("leave" in note and "exit code 0" in note for note in report.target["notes"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wild.py"]


def test_all_of(worker: Worker) -> None:
    found = [row["target"] for row in lines(worker, "--all-of", "zlib")]
    assert {"zlib:compressobj()", "zlib:decompressobj()"} <= set(found)
    found = [row["target"] for row in lines(worker, "--all-of", "_collections")]
    assert "_collections:deque" in found


def test_errors(worker: Worker) -> None:
    cases: List[Tuple[List[str], int, str]] = [
        (["gctax_no_such_module:x"], 3, "--path DIR"),
        (["builtins:no_such_name"], 2, "NameError"),
        (["builtins:list("], 2, "SyntaxError"),
        (["no_such_variant"], 2, "no variant"),
        (["sys:maxsize"], 2, "cannot be called"),
        (["--link", "a.b =", "gc1"], 2, "SyntaxError"),
        (["--unknown", "x", "gc1"], 2, "--make"),
        ([], 2, "one target")]
    for words, code, text in cases:
        error, = lines(worker, *words, code=code)
        assert error["kind"] == "error" and text in error["message"], error
        assert "\n" not in error["message"] and error["exit"] == code
