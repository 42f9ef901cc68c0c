"""The charts that `gctax plot` draws: one row each, the code of a row is a file of this folder.

A chart's function takes a `View` of the runs and returns a `Page`. It raises `NoData` with the
reason where the runs do not hold what it shows.
"""
from functools import partial
from typing import Callable, NamedTuple

from .allocation import draw as allocation
from .generations import draw as generations
from .heap_cost import draw as heap_cost
from .instruments import draw as instruments
from .latency import draw as latency
from .memory import draw as memory
from .page import Page
from .pause import draw as pause
from .tradeoff import draw as tradeoff
from .view import View
from .whole_processes import draw as whole_processes


class Chart(NamedTuple):
    name: str  # of its files, and what --only takes
    draw: Callable[[View], Page]


CHARTS = (
    Chart("allocation", allocation),
    Chart("bytes", memory),
    Chart("pause", pause),
    Chart("heap-cost", heap_cost),
    Chart("generations", generations),
    Chart("latency-retain", partial(latency, workload="retain")),
    Chart("latency-replace", partial(latency, workload="replace")),
    Chart("latency-ring", partial(latency, workload="ring")),
    Chart("tradeoff", tradeoff),
    Chart("instruments", instruments),
    Chart("processes", whole_processes),
)
