"""Honest calls keep their times on a noisy machine, whatever the clock does; who lies is found out."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.cuda.requests import Manner
from cudamaster.toolchain.devices.cuda.timing import DISAGREE
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing
from tests.doubles.cuda_clock import BOOST_MHZ, NoisyCalls, Times

LENGTHS_MS = (0.002, 0.02, 0.3, 1.0, 50.0)
VERDICTS, SAMPLES = 12, 10
"""Of 18 000 verdicts of 61 samples, 1000 for each length and clock, none was refused."""
LOW_MHZ = 1755.0
Clock = Callable[[float, Manner], float]


def steady(rng: np.random.Generator) -> Clock:
    return lambda now_ms, manner: BOOST_MHZ


def drifts(rng: np.random.Generator) -> Clock:
    """By 4 % in two seconds, as a GPU gets warm."""
    return lambda now_ms, manner: BOOST_MHZ * (1 - 0.04 * min(1.0, now_ms / 2000))


def steps(rng: np.random.Generator) -> Clock:
    """Once, up or down."""
    first, then = rng.permutation([BOOST_MHZ, LOW_MHZ])
    at_ms = rng.uniform(0, 300)
    return lambda now_ms, manner: first if now_ms < at_ms else then


def sags(rng: np.random.Generator) -> Clock:
    """While many calls are asked for at once: they draw more power than is allowed."""
    low_mhz = rng.uniform(1300, BOOST_MHZ)
    return lambda now_ms, manner: low_mhz if manner.calls > 8 else BOOST_MHZ


def verdict(calls: NoisyCalls, samples: int) -> Timing | RunFailure:
    """The first failure, or the last of so many samples, each asked for by itself as pairs are."""
    timer = calls.timer()
    pace, found = timer.timed(None, 1)
    for _ in range(samples - 1):
        if isinstance(found, RunFailure):
            break
        pace, found = timer.timed(pace, 1)
    return found


@pytest.mark.parametrize("call_ms", LENGTHS_MS)
@pytest.mark.parametrize("clock", [steady, drifts, steps, sags])
def test_no_honest_call_is_refused(clock: Callable[[np.random.Generator], Clock], call_ms: float) -> None:
    for seed in range(VERDICTS):
        rng = np.random.default_rng(seed)
        found = verdict(NoisyCalls(call_ms, rng, clock(rng)), SAMPLES)
        assert isinstance(found, Timing), found.reason


@pytest.mark.parametrize("clock", [steady, steps])
@pytest.mark.parametrize("call_ms", [0.1, 0.3])
def test_samples_that_claim_half_are_refused_and_nobody_is_called_a_cheat(
    clock: Callable[[np.random.Generator], Clock], call_ms: float
) -> None:
    def half(manner: Manner, times: Times) -> Times:
        return times / 2 if manner.calls <= 3 else times

    for seed in range(VERDICTS):
        rng = np.random.default_rng(seed)
        found = verdict(NoisyCalls(call_ms, rng, clock(rng), claims=half), 3)
        assert isinstance(found, RunFailure)
        assert found.fault is not None
        assert found.fault.kind == DISAGREE
        assert found.reason.startswith("inconclusive: ")


def test_what_noise_spoilt_is_heard_again() -> None:
    """A GPU that woke up while its batches were made is believed once it is awake."""
    rng = np.random.default_rng(1)
    calls = NoisyCalls(0.1, rng)
    timer = calls.timer()
    pace, _ = timer.timed(None, 1)
    assert pace is not None
    spoilt = replace(pace, cold_ms=1.0)
    healed, found = timer.timed(spoilt, 1)
    assert isinstance(found, Timing)
    assert healed is not None
    assert healed.cold_ms < 0.2


def test_other_programs_that_spoil_two_hearings_spoil_no_verdict() -> None:
    """By this seed a processor is taken away amid both batches that are heard first."""
    rng = np.random.default_rng([559, 20, 4])
    assert isinstance(verdict(NoisyCalls(0.002, rng, sags(rng)), 61), Timing)
