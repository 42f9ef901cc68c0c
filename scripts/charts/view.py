"""What a chart sees of one or several runs: groups of processes, selected and named."""
import re
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from results import Group, Run, by_worker


class NoData(Exception):
    """The runs do not hold what a chart shows; the message says what is missing."""


class Variant(NamedTuple):
    family: str
    fields: int


def variant(target: str) -> Optional[Variant]:
    """gc8 -> (gc, 8); None for a target that is no sized variant."""
    match = re.fullmatch(r"(plain|gc|gc_var)([0-9]+)", target)
    return Variant(match[1], int(match[2])) if match else None


class View:
    """The ok groups of some runs. Workers of several runs stay apart, each named with its run."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.groups = [group for run in runs for group in run.groups()]

    def name(self, group: Group) -> str:
        """A worker as charts call it."""
        short = re.sub(r"^gctax-worker-", "", group.worker)
        return short if len(self.runs) == 1 else f"{short} ({group.run.path.resolve().name})"

    def select(self, wanted: Callable[[Group], bool]) -> List[Group]:
        return [group for group in self.groups if wanted(group)]

    def by_name(self, groups: Sequence[Group]) -> Iterator[Tuple[str, List[Group]]]:
        """The groups of each worker by the worker's name, oldest release first."""
        for _, same_worker in by_worker(groups):
            for run in self.runs:
                found = [group for group in same_worker if group.run is run]
                if found:
                    yield self.name(found[0]), found
