"""Times as a GPU's clock might tell them: noise, outliers, drift, slowdowns. All by a fixed seed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Clock, ClockState, Timing, TimingPlan
from tests.doubles.scripted_device import ScriptedDevice

Times = NDArray[np.float64]
COOL = ClockState(1980.0)

NOISE = 0.01
OUTLIERS = 0.02
"""Share of calls that take up to half as long again."""
DRIFT = 0.03
"""Change of the clock over one session, in an unknown direction."""


def factors(rng: np.random.Generator, shape: tuple[int, ...], drift: float = DRIFT) -> Times:
    """What every call's time is multiplied by; the last axis is the order of the calls."""
    noise = np.exp(rng.normal(0, NOISE, shape))
    outliers = np.where(rng.random(shape) < OUTLIERS, rng.uniform(1.05, 1.5, shape), 1.0)
    direction = rng.choice([-1.0, 1.0], (*shape[:-1], 1))
    return noise * outliers * (1 + direction * np.linspace(0, drift, shape[-1]))


def ratios_in_pairs(rng: np.random.Generator, sessions: int, pairs: int, gain: float = 0.0) -> Times:
    """Baseline ÷ candidate of every pair: random order within a pair, the candidate faster by `gain`."""
    calls = factors(rng, (sessions, 2 * pairs)).reshape(sessions, pairs, 2)
    baseline_first = rng.random((sessions, pairs)) < 0.5
    ratios: Times = np.where(baseline_first, calls[..., 0] / calls[..., 1], calls[..., 1] / calls[..., 0]) * (
        1 + gain
    )
    return ratios


def ratios_in_blocks(rng: np.random.Generator, sessions: int, pairs: int) -> Times:
    """All calls of the baseline before all of an equally fast candidate."""
    calls = factors(rng, (sessions, 2 * pairs))
    ratios: Times = calls[:, :pairs] / calls[:, pairs:]
    return ratios


@dataclass
class NoisyDevice(ScriptedDevice):
    """A scripted device whose clock is measured and noisy; each call of `time` is one call of a kernel."""

    clock: Clock = Clock.MEASURED
    state: Callable[[int], ClockState] = lambda call: COOL
    """Of the clock at the n-th call."""
    bias: Callable[[int], float] = lambda call: 1.0
    calls: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        exact = super().time(build, arguments, plan)
        if isinstance(exact, RunFailure):
            return exact
        state = self.state(self.calls)
        factor = float(factors(self.rng, (1,), drift=0.0)[0]) * self.bias(self.calls) * 1980 / state.sm_mhz
        self.calls += 1
        return Timing(self.clock, tuple(factor * ms for ms in exact.samples_ms), 1, (state,) * plan.samples)
