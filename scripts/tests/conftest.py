"""Where the programs under test are.

GCTAX_BUILD_DIR is a build folder (default: build/ of the tree), GCTAX_SOURCE_DIR the tree.
"""
import os
import signal
import sys
from pathlib import Path
from typing import List

import pytest

SOURCE = Path(os.environ.get("GCTAX_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path[:0] = [str(SOURCE / "scripts"), str(Path(__file__).resolve().parent)]

# A shell makes a job in the background ignore it, and what a test starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

from programs import Gctax, Worker, find_workers  # noqa: E402  (the path is set first)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `worker` is run for each worker of the build."""
    if "worker" in metafunc.fixturenames:
        found = find_workers()
        metafunc.parametrize("worker", found, ids=[worker.name for worker in found])


@pytest.fixture(scope="session")
def gctax() -> Gctax:
    return Gctax()


@pytest.fixture(scope="session")
def workers() -> List[Worker]:
    found = find_workers()
    assert found, "the build holds no worker"
    return list(found)


@pytest.fixture
def newest(workers: List[Worker]) -> Worker:
    return max(workers, key=lambda worker: worker.release)
