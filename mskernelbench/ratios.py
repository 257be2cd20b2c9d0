"""Speedups with their intervals, of one workload and over many."""

from collections.abc import Sequence
from math import comb

import numpy as np

from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench.evaluation import Interval
from mskernelbench.scores import geometric_mean

RESOLUTION = 1.10
"""The time model's: two modelled times closer than this factor are not told apart."""
CONFIDENCE = 0.99
PROCESS_SPREAD = 1.005
"""Between a kernel and itself in another process, which no number of pairs in one process shows."""


def speedup(baseline: Timing, candidate: Timing) -> Interval:
    """Baseline time ÷ candidate time. Raises ClockMismatch when the two clocks differ.

    Modelled: a single value, but within a factor of RESOLUTION of 1 the interval holds 1, since the model
    cannot tell. Measured: the median of the pairs' ratios with its interval between order statistics
    (`median_ranks`), wider by PROCESS_SPREAD either way.
    """
    modelled = candidate.speedup_over(baseline)
    if candidate.clock is Clock.MODELLED:
        return resolved(modelled)
    return of_pairs(baseline.samples_ms, candidate.samples_ms)


def of_pairs(baseline_ms: Sequence[float], candidate_ms: Sequence[float]) -> Interval:
    """The measured speedup that follows from the times of both in every pair."""
    ratios = np.sort(np.asarray(baseline_ms) / np.asarray(candidate_ms))
    low, high = median_ranks(len(ratios))
    return Interval(
        float(np.median(ratios)), float(ratios[low]) / PROCESS_SPREAD, float(ratios[high]) * PROCESS_SPREAD
    )


def median_ranks(count: int) -> tuple[int, int]:
    """Between which two of `count` sorted values (from 0) the median of their distribution lies.

    At least CONFIDENCE sure whatever the distribution, since the number of values below its median is
    binomial (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1). Raises ValueError for
    fewer values than can be so sure.
    """
    outside, below = 0.0, 0
    while outside + comb(count, below) / 2**count <= (1 - CONFIDENCE) / 2:
        outside += comb(count, below) / 2**count
        below += 1
    if not below:
        raise ValueError(f"{count} pairs are too few for an interval of {CONFIDENCE:.0%} confidence")
    return below - 1, count - below


def over_all(intervals: Sequence[Interval], clock: Clock) -> Interval:
    """The geometric mean of speedups, with that of their lower and upper ends.

    Modelled means within RESOLUTION of 1 are no difference, whatever single workloads say.
    """
    centre = geometric_mean([i.centre for i in intervals])
    if clock is Clock.MODELLED:
        return resolved(centre)
    return Interval(
        centre, geometric_mean([i.low for i in intervals]), geometric_mean([i.high for i in intervals])
    )


def faster_than(speedup: Interval, other: Interval, clock: str) -> bool:
    """Whether the clock can tell that the first of two speedups over one baseline is the higher.

    Modelled: by more than RESOLUTION. Measured: their intervals do not meet.
    """
    if clock == Clock.MODELLED:
        return speedup.centre > other.centre * RESOLUTION
    return speedup.low > other.high


def resolved(centre: float) -> Interval:
    """A modelled ratio: itself where the model can tell it from 1, else an interval that holds 1."""
    if 1 / RESOLUTION <= centre <= RESOLUTION:
        return Interval(centre, min(centre, 1.0), max(centre, 1.0))
    return Interval(centre, centre, centre)


def ratio_text(ratio: float) -> str:
    """`1.84x`; three significant digits below 0.1, where two decimals would say nothing."""
    return f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.3g}x"
