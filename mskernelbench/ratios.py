"""Speedups with their intervals, of one workload and over many."""

from collections.abc import Sequence

import numpy as np

from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench.evaluation import Interval
from mskernelbench.scores import geometric_mean

RESOLUTION = 1.10
"""The time model's: two modelled times closer than this factor are not told apart."""
CONFIDENCE = 0.99
RESAMPLES = 1000


def speedup(baseline: Timing, candidate: Timing, seed: int) -> Interval:
    """Baseline time ÷ candidate time. Raises ClockMismatch when the two clocks differ.

    Modelled: a single value, but within a factor of RESOLUTION of 1 the interval holds 1, since the model
    cannot tell. Measured: the 99 % bootstrap interval of the ratio of medians (B. Efron, Annals of Statistics
    7(1), 1979).
    """
    centre = candidate.speedup_over(baseline)
    if candidate.clock is Clock.MODELLED:
        return resolved(centre)
    rng = np.random.default_rng(seed)
    low, high = np.quantile(
        _medians(baseline, rng) / _medians(candidate, rng), ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    )
    return Interval(centre, min(float(low), centre), max(float(high), centre))


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


def resolved(centre: float) -> Interval:
    """A modelled ratio: itself where the model can tell it from 1, else an interval that holds 1."""
    if 1 / RESOLUTION <= centre <= RESOLUTION:
        return Interval(centre, min(centre, 1.0), max(centre, 1.0))
    return Interval(centre, centre, centre)


def _medians(timing: Timing, rng: np.random.Generator) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Medians of resampled times."""
    samples = np.asarray(timing.samples_ms)
    medians: np.ndarray[tuple[int], np.dtype[np.float64]] = np.median(
        rng.choice(samples, (RESAMPLES, len(samples))), axis=1
    )
    return medians
