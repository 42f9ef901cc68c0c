"""How the commands of `gctax check` end, whatever happens, and how they write a file."""
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, NoReturn

from check_model import ENVIRONMENT, CheckError
from results import RunError


def guarded(program: str, run: Callable[[], int]) -> int:
    """The exit code of run(). A signal that ends it leaves run()'s own `finally` to clean up."""
    signal.signal(signal.SIGTERM, terminate)
    try:
        return run()
    except (CheckError, RunError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # A reader that has seen enough (head) is no failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{program}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return ENVIRONMENT


def terminate(number: int, _frame: Any) -> NoReturn:
    raise SystemExit(128 + number)


def replace(path: Path, text: str) -> None:
    """The whole file or none."""
    handle, name = tempfile.mkstemp(dir=path.resolve().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
