"""How a profiler metric is declared: a decorated function whose docstring is what agents, reports and the
documentation show.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cudamaster.toolchain.counts import Counts

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One declared metric."""

    name: str
    section: str
    """One of SECTIONS."""
    unit: str
    better: Better
    ncu: str | None
    """Nsight Compute's name of it, or what it is made of: `a + b`, or `a / b`, in % where that is its unit.

    None where ncu counts nothing that it could be made of.
    """
    meaning: str
    """One or two sentences for agents and people."""
    compute: Callable[[Counts], float | None]
    """None where the counts hold nothing to speak of, such as no load at all."""


SECTIONS = ("speed of light", "memory", "shared", "compute", "instructions", "warp state", "occupancy")
"""As Nsight Compute groups them, in the order in which they are told."""
DECLARED: dict[str, Metric] = {}
"""Metrics by name, in the order of declaration."""

Compute = Callable[[Counts], float | None]


def metric(
    section: str, unit: str, better: Better = "neither", ncu: str | None = None
) -> Callable[[Compute], Compute]:
    """Declare the decorated function a metric."""

    def declare(compute: Compute) -> Compute:
        name = compute.__name__
        meaning = inspect.cleandoc(compute.__doc__ or "").replace("\n", " ")
        DECLARED[name] = Metric(name, section, unit, better, ncu, meaning, compute)
        return compute

    return declare


def ratio(part: float, whole: float) -> float | None:
    """`part` ÷ `whole`; None where there is nothing to speak of."""
    return part / whole if whole else None
