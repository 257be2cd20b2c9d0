"""One kernel's speedups in a line of a table: from the slowest to the fastest workload, and their mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from cudamaster.web.charts.scale import Scale
from mskernelbench.evaluation import Interval
from mskernelbench.ratios import ratio_text

WIDTH, MARGIN = 220, 6
LEAST = 0.25
"""Slower workloads are drawn here: the axis is for gains."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Places along the line."""

    one: float
    low: float
    centre: float
    high: float
    words: str
    """The two ends, as text beside the line."""


def spread_scale(most: float) -> Scale:
    """The axis that all lines of a table share: from a quarter to `most` times."""
    return Scale(LEAST, max(most, 2.0), MARGIN, WIDTH - MARGIN, logarithmic=True)


def spread(mean: Interval, speedups: Sequence[float], axis: Scale) -> Spread:
    """The line of a kernel of at least one workload."""
    low, high = min(speedups), max(speedups)
    words = f"{ratio_text(low)} to {ratio_text(high)}"
    return Spread(axis.at(1.0), axis.at(low), axis.at(mean.centre), axis.at(high), words)
