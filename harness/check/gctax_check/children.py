"""Forked children: what may crash, hang, exit, print or touch files."""
from __future__ import annotations

import marshal
import os
import resource
import select
import time
from _signal import SIG_DFL, SIGALRM, SIGKILL, alarm, signal

from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple

    Tell = Callable[[Any], None]

MORE_BYTES = 2 << 30  # of memory that a child may take beyond what it has
MOST_FILE_BYTES = 1 << 20
LIMIT_S = 20.0
LOOK_S = 0.05
ASLEEP_S = 0.25  # without a word
SPENT_S = 1.0
BLIND_S = 2.0  # where /proc is missing
END = b"end of the messages"


class Told(NamedTuple):
    messages: List[Any]
    end: str  # "" when the work came to its end, else how the child died


def _limit_memory() -> None:
    try:
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[0])
    except OSError:
        return  # no /proc: no limit
    bytes_ = pages * resource.getpagesize() + MORE_BYTES
    try:
        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    except (OSError, ValueError):
        pass  # a lower one is set


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data):]


def _be_child(work: Callable[[Tell], None], fd: int, others: List[int], seconds: float) -> None:
    os.setpgid(0, 0)  # its signals to "its group" reach nobody else
    signal(SIGALRM, SIG_DFL)
    alarm(int(seconds) + 2)  # should the parent be killed
    for other in others:
        os.close(other)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    _limit_memory()

    def tell(message: Any) -> None:
        data = marshal.dumps(_plain(message))
        _write(fd, len(data).to_bytes(4, "little") + data)

    work(tell)
    _write(fd, END)


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(child, SIGKILL)
        except OSError:
            pass  # it has left


def _death(status: int, limit: str) -> str:
    if limit:
        return limit
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        import signal as names
        try:
            return "dies by %s" % names.Signals(number).name
        except ValueError:
            return "dies by signal %d" % number
    return "ends the process with exit code %d" % os.WEXITSTATUS(status)


class _Watch:
    """Is a silent child at work? Where others keep the processors busy, waiting for its turn is no
    hang: what counts is that it sleeps, or the processor time that it took."""

    def __init__(self, pid: int) -> None:
        self.path = "/proc/%d/stat" % pid
        self.asleep_s = self.spent_s = self.last_s = 0.0
        self.began = time.monotonic()
        self.heard()

    def _look(self) -> Optional[Tuple[bool, float]]:
        try:
            with open(self.path) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return None
        ticks = int(fields[11]) + int(fields[12])
        return fields[0] != "R", ticks / os.sysconf("SC_CLK_TCK")

    def heard(self) -> None:
        seen = self._look()
        self.spent_s = 0.0 if seen is None else seen[1]
        self.asleep_s = 0.0
        self.began = time.monotonic()

    def hangs(self, waited_s: float) -> bool:
        """After `waited_s` more without a word."""
        seen = self._look()
        if seen is None:
            return time.monotonic() - self.began > BLIND_S
        self.asleep_s = self.asleep_s + waited_s if seen[0] else 0.0
        return self.asleep_s >= ASLEEP_S or seen[1] - self.spent_s >= SPENT_S


def _listen(fd: int, watch: _Watch, deadline: float) -> Tuple[bytes, str]:
    """All that comes, and "" or why no more was waited for."""
    text = b""
    while not text.endswith(END):
        if not select.select([fd], [], [], LOOK_S)[0]:
            if watch.hangs(LOOK_S):
                return text, "hangs"
            if time.monotonic() >= deadline:
                return text, "takes too long"
            continue
        got = os.read(fd, 1 << 16)
        if not got:
            break
        text += got
        watch.heard()
    return text, ""


def _plain(message: Any) -> Any:
    """Without subclasses, which marshal does not take."""
    if isinstance(message, (list, tuple)):
        return [_plain(item) for item in message]
    return "".join(message) if isinstance(message, str) else message


def _messages(text: bytes) -> List[Any]:
    """Those that are whole."""
    messages = []
    text = text[:-len(END)] if text.endswith(END) else text
    while len(text) >= 4:
        end = 4 + int.from_bytes(text[:4], "little")
        if len(text) < end:
            break
        messages.append(marshal.loads(text[4:end]))
        text = text[end:]
    return messages


def run(work: Callable[[Tell], None], close: List[int], seconds: float = LIMIT_S) -> Told:
    """What work(tell) told from a child, which has `seconds` in all and must not be silent for
    long. `close` are descriptors that it must not have."""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _be_child(work, its, close + [ours], seconds)
            code = 0
        finally:
            os._exit(code)
    os.close(its)
    text, limit = b"", ""
    try:
        text, limit = _listen(ours, _Watch(child), time.monotonic() + seconds)
    finally:
        os.close(ours)
        if limit or text.endswith(END):
            _kill(child)
        status = os.waitpid(child, 0)[1]
        _kill(child)  # what it left in its group
    return Told(_messages(text), "" if text.endswith(END) else _death(status, limit))
