"""How two kernels are timed against each other where time is measured: a fixed number of pairs of calls.

Within a pair the order is random, so that drift favours neither; the number of pairs is fixed beforehand,
since looking until something shows finds what is not there. Times are never dropped for their value, only for
the state of the clock, both of a pair together, and not without limit. After T. Hoefler and R. Belli,
"Scientific benchmarking of parallel computing systems", SC 2015.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import ClockState, Slowdown, Timing
from mskernelbench.errors import UnsteadyClock

PAIRS = 50
SPARE_PAIRS = 25
"""Pairs that the state of the clock may spoil before nothing is claimed."""
WARM_UP_PAIRS = 10
WARM_UP_MS = 50.0
"""Kernel time after which a device is warm, however few pairs that were."""
CLOCK_TOLERANCE = 0.02
"""Two clocks of one pair may differ by this share."""
OUTSIDE = frozenset({Slowdown.HEAT, Slowdown.POWER_BRAKE, Slowdown.HARDWARE})
"""What slows whichever kernel happens to run."""

Call = Callable[[int], Timing | RunFailure]
"""Times one call of the baseline (0) or of the candidate (1)."""


class Pairs(NamedTuple):
    """Times of both, the i-th samples being a pair."""

    baseline: Timing
    candidate: Timing


def paired(call: Call, rng: np.random.Generator, place: str) -> Pairs | RunFailure:
    """PAIRS pairs after a warm-up, or the first call's failure. Raises UnsteadyClock, which names `place`."""
    if failure := _warmed_up(call, rng):
        return failure
    kept: list[Pairs] = []
    for _ in range(PAIRS + SPARE_PAIRS):
        pair = _pair(call, rng)
        if isinstance(pair, RunFailure):
            return pair
        if comparable(pair):
            kept.append(pair)
        if len(kept) == PAIRS:
            return Pairs(joined([pair.baseline for pair in kept]), joined([pair.candidate for pair in kept]))
    raise UnsteadyClock(
        f"the GPU slowed down or changed its clock in more than {SPARE_PAIRS} of {PAIRS + SPARE_PAIRS} pairs "
        f"of calls ({place}): let it cool, lock its clocks or stop its other work, then try again"
    )


def comparable(pair: Pairs) -> bool:
    """Whether both calls ran under one clock, slowed by nothing but, perhaps, the power that they draw."""
    states = [*pair.baseline.states, *pair.candidate.states]
    if any(state.slowed_by & OUTSIDE for state in states):
        return False
    return any(Slowdown.POWER_CAP in state.slowed_by for state in states) or _same_clock(states)


def joined(timings: list[Timing]) -> Timing:
    """The samples of several timings of one kernel as one."""
    samples = tuple(ms for timing in timings for ms in timing.samples_ms)
    states = tuple(state for timing in timings for state in timing.states)
    return Timing(timings[0].clock, samples, timings[0].kernels, states)


def _same_clock(states: list[ClockState]) -> bool:
    clocks = [state.sm_mhz for state in states]
    return not clocks or max(clocks) <= (1 + CLOCK_TOLERANCE) * min(clocks)


def _pair(call: Call, rng: np.random.Generator) -> Pairs | RunFailure:
    times: dict[int, Timing] = {}
    for arm in rng.permutation(2).tolist():
        timing = call(arm)
        if isinstance(timing, RunFailure):
            return timing
        times[arm] = timing
    return Pairs(times[0], times[1])


def _warmed_up(call: Call, rng: np.random.Generator) -> RunFailure | None:
    spent_ms = 0.0
    for _ in range(WARM_UP_PAIRS):
        pair = _pair(call, rng)
        if isinstance(pair, RunFailure):
            return pair
        spent_ms += sum(sum(timing.samples_ms) for timing in pair)
        if spent_ms >= WARM_UP_MS:
            return None
    return None
