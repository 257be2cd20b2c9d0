"""Times a candidate against the baseline, workload by workload, on one device."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from mskernelbench.ahead import Job
from mskernelbench.call_cost import call_steps
from mskernelbench.checking import failure_refusal
from mskernelbench.errors import BaselineBroken, UnsteadyClock
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.first_calls import REMEMBERS, remembering
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.lane import Lane
from mskernelbench.lateness import late
from mskernelbench.materials import Kept
from mskernelbench.operator import Workload
from mskernelbench.pairing import PAIRS, Pairs, paired
from mskernelbench.ratios import speedup
from mskernelbench.roofline import roofline
from mskernelbench.scores import attainment
from mskernelbench.seeds import generator
from mskernelbench.timed_outputs import TIMED, TimedLook
from mskernelbench.unforeseen import Unforeseen
from mskernelbench.whole_times import Within
from mskernelbench.within import timed_within

CONTROLS = 2
"""Times that a clock may tell the baseline from a copy before it is not believed."""
KEPT_TIMINGS = 1024
TOO_COSTLY = (
    "its sampled blocks depend on others, and the whole call, which nobody looked at, is too costly here"
)
"""Why a workload has no time."""


class TooLarge(Exception):
    """A workload's data does not fit on the device, whichever kernel is called; the message has its size."""


class Race:
    """Times candidates against one baseline build. Safe to use from several threads.

    A modelled baseline is timed once a workload, a measured one beside every candidate, since clocks and
    temperatures drift; and before the first of them beside a copy of itself, which must show no difference.
    """

    def __init__(self, lane: Lane, baseline: Build) -> None:
        self._lane = lane
        self.baseline = baseline
        self._modelled: Kept[Timing] = Kept(KEPT_TIMINGS, lambda timing: 1)
        self._controls: Kept[Interval] = Kept(1, lambda interval: 1)

    def baseline_alone(self, workload: Workload) -> WorkloadResult:
        """The baseline's own row: its speedup over itself is 1. Raises BaselineBroken."""
        try:
            timing = self._baseline_timing(workload)
        except TooLarge as large:
            return _left_out(workload, large)
        return self._row(workload, timing, timing)

    def jobs(
        self, workloads: Sequence[Workload], candidate: Build, looked_at: Sequence[Workload]
    ) -> Iterator[Job]:
        """Model times before they are asked for, the baseline's first.

        Then the candidate's where its timed call is `looked_at`, in an order that it cannot know.
        """
        if self._lane.device.clock is Clock.MEASURED:
            return
        for workload in workloads:
            yield partial(self._baseline_timing, workload)
        if candidate.key != self.baseline.key:
            for workload in secrets.SystemRandom().sample(looked_at, len(looked_at)):
                yield partial(self._time, candidate, workload, 1, traces=True)

    def run(
        self, candidate: Build, workload: Workload, *, looked_at: bool = False
    ) -> WorkloadResult | Refusal:
        """One workload's row, or why the candidate has no time on it; what does not fit is left out.

        Where the timed call is `looked_at`, some of what it wrote is compared, if the device tells it.
        Raises BaselineBroken, and UnsteadyClock where the device's times prove nothing.
        """
        pair = self._pair(candidate, workload, looked_at)
        if isinstance(pair, WorkloadResult | Refusal):
            return pair
        row = self._row(workload, *pair)
        refusal = first_refusal("times", self._lane.evidence(workload, pair[1]), self._lane.without)
        if candidate.key != self.baseline.key:
            refusal = refusal or self.unforeseen(candidate).unfair(workload, pair[1])
        return refusal or replace(row, sampled=self._lane.right_in_samples(workload, pair[1]))

    def looks_right(self, candidate: Build, workload: Workload) -> bool:
        """Whether sampled blocks of one call write the right numbers; False says little."""
        timing = self._time(candidate, workload, 1, traces=True)
        return isinstance(timing, Timing) and self._lane.right_in_samples(workload, timing)

    def gain_on(self, candidate: Build, workload: Workload) -> Interval | None:
        """Its speedup on a workload that has no row; None where it has none."""
        row = self.times(candidate, workload)
        return None if isinstance(row, Refusal) else row.speedup

    def cost(self, candidate: Build, workload: Workload) -> float:
        """Steps of a call whose launches run whole, and of a look at what it wrote."""
        lane, timing = self._lane, None
        if lane.device.clock is Clock.MODELLED:
            timing = self._time(candidate, workload, 1)
        counted = timing if isinstance(timing, Timing) else None
        return call_steps(lane.operator, lane.precision, workload, counted)

    def within(
        self, candidate: Build, workload: Workload, *, known: bool, most_seconds: float | None = None
    ) -> Within:
        """A modelled call whose blocks are counted as all of them run; some of what it wrote is compared."""
        return timed_within(self._lane, candidate, workload, known=known, most_seconds=most_seconds)

    def unforeseen(self, candidate: Build) -> Unforeseen:
        """Its calls as modelled by blocks that nobody can foresee."""
        return Unforeseen(self._lane, candidate)

    def remembered(self, candidate: Build, workload: Workload, row: WorkloadResult) -> Refusal | None:
        """Why the times in `row` are not believed: the candidate keeps answers from call to call."""
        lane, builds = self._lane, (self.baseline, candidate)
        keeps = remembering(lane.device, lane.materials, builds, workload, row)
        return None if REMEMBERS in lane.without else keeps

    def times(self, candidate: Build, workload: Workload) -> WorkloadResult | Refusal:
        """A row of a candidate that another race has judged: its times alone. Raises as `run`."""
        pair = self._pair(candidate, workload, looked_at=False)
        return pair if isinstance(pair, WorkloadResult | Refusal) else self._row(workload, *pair)

    def _pair(
        self, candidate: Build, workload: Workload, looked_at: bool
    ) -> tuple[Timing, Timing] | WorkloadResult | Refusal:
        measured = self._lane.device.clock is Clock.MEASURED
        try:
            pair = (self._measured if measured else self._once)(candidate, workload, looked_at)
        except TooLarge as large:
            return _left_out(workload, large)
        if isinstance(pair, RunFailure) and not measured and self._is_too_costly(pair, workload):
            return self._without_time(workload)
        return failure_refusal(pair, workload) if isinstance(pair, RunFailure) else pair

    def _without_time(self, workload: Workload) -> WorkloadResult:
        """The row of a call that is too costly here: the means take it for as long as the baseline's."""
        row = self.baseline_alone(workload)
        words = row.left_out or f"{TOO_COSTLY} ({workload.label})"
        return replace(row, candidate_ms=None, speedup=None, left_out=words, counted=bool(row.left_out))

    def _is_too_costly(self, failure: RunFailure, workload: Workload) -> bool:
        """Whether a call that has no time would have none here either if it did no more than it must.

        Blocks that depend on others cannot be sampled alone.
        """
        return failure.kind is FailureKind.TIMED_OUT and self._lane.is_heavy(workload)

    def _once(
        self, candidate: Build, workload: Workload, looked_at: bool
    ) -> tuple[Timing, Timing] | RunFailure:
        if candidate.key == self.baseline.key:
            return (self._baseline_timing(workload),) * 2
        timing = self._time(candidate, workload, 1, traces=looked_at)
        if isinstance(timing, RunFailure):
            return timing
        return self._baseline_timing(workload), timing

    def _measured(
        self, candidate: Build, workload: Workload, looked_at: bool
    ) -> Pairs | RunFailure | Refusal:
        """Pairs, unless one of the timed calls wrote what is not right."""
        self._controls.get("control", lambda: self._control(workload))
        lane = self._lane
        look = TimedLook(lane.device, lane.operator, lane.precision, lane.materials)
        pairs = self._pairs(
            candidate,
            workload,
            candidate.key,
            lambda: look.after_call(candidate, workload, known=not looked_at),
        )
        if look.refusal is not None and TIMED not in lane.without:
            return look.refusal
        if isinstance(pairs, RunFailure):
            return pairs
        return pairs._replace(candidate=replace(pairs.candidate, written=look.written))

    def _control(self, workload: Workload) -> Interval:
        """The baseline's speedup over its copy, as measured. Raises UnsteadyClock where that excludes 1."""
        copy = self._lane.device.build(copy_of(self.baseline.source))
        for attempt in range(CONTROLS):
            pairs = self._pairs(copy, workload, f"control {attempt}")
            if isinstance(pairs, RunFailure):
                self._give_up(pairs, workload)
            own = speedup(*pairs)
            self._lane.device.release(copy)
            if own.low <= 1 <= own.high:
                return own
        raise UnsteadyClock(
            f"{self._lane.device.name} takes a copy of the baseline for {own.centre:.3f} times as fast "
            f"(workload {workload.label}): lock its clocks or stop its other work, then try again"
        )

    def _pairs(
        self, candidate: Build, workload: Workload, label: str, look: Callable[[], None] = lambda: None
    ) -> Pairs | RunFailure:
        """Pairs of calls; after each of the candidate's, `look`."""

        def call(arm: int) -> Timing | RunFailure:
            timing = self._time((self.baseline, candidate)[arm], workload, 1)
            if arm == 1 and isinstance(timing, Timing):
                look()
            if isinstance(timing, RunFailure) and (arm == 0 or timing.too_large):
                self._give_up(timing, workload)
            return timing

        order = generator(self._lane.seed, f"order {label} {workload.label}")
        return paired(call, order, f"workload {workload.label} on {self._lane.device.name}")

    def _baseline_timing(self, workload: Workload) -> Timing:
        """The baseline alone, timed once and kept."""
        return self._modelled.get(workload.label, lambda: self._time_baseline(workload))

    def _time_baseline(self, workload: Workload) -> Timing:
        timing = self._time(self.baseline, workload, PAIRS)
        if isinstance(timing, RunFailure):
            self._give_up(timing, workload)
        return timing

    def _time(
        self, build: Build, workload: Workload, samples: int, *, traces: bool = False
    ) -> Timing | RunFailure:
        plan = TimingPlan(
            samples=samples,
            seed=self._lane.seed,
            traces=traces,
            least_bytes=self._lane.least_bytes(workload),
            alone=self._lane.is_heavy(workload),
        )
        return self._lane.device.time(build, self._lane.materials.arguments(workload), plan)

    def _give_up(self, failure: RunFailure, workload: Workload) -> NoReturn:
        if failure.too_large:
            raise TooLarge(failure.reason)
        told = (
            f"the baseline of {self._lane.operator.name} {self._lane.precision} could not be timed on "
            f"{self._lane.device.name}: {failure.reason} (workload {workload.label})"
        )
        raise late(told) if failure.kind is FailureKind.TIMED_OUT else BaselineBroken(told)

    def _row(self, workload: Workload, baseline: Timing, candidate: Timing) -> WorkloadResult:
        roof = roofline(self._lane.device.spec, self._lane.operator, self._lane.precision, workload)
        return WorkloadResult(
            workload.set,
            workload.shape,
            pattern=workload.pattern,
            baseline_ms=baseline.median_ms,
            candidate_ms=candidate.median_ms,
            speedup=speedup(baseline, candidate),
            attainment=attainment(roof.time_ms, candidate.median_ms),
            bound=roof.bound,
            weight=self._lane.operator.weight(workload.shape),
            pairs_ms=_pairs_of(baseline, candidate),
        )


def _pairs_of(baseline: Timing, candidate: Timing) -> tuple[tuple[float, float], ...]:
    """Measured times, pair by pair; of modelled ones there is one."""
    if candidate.clock is Clock.MODELLED:
        return ()
    return tuple(zip(baseline.samples_ms, candidate.samples_ms, strict=True))


def _left_out(workload: Workload, large: TooLarge) -> WorkloadResult:
    return WorkloadResult(workload.set, workload.shape, pattern=workload.pattern, left_out=str(large))


def copy_of(source: KernelSource) -> KernelSource:
    """The same kernel, built and run apart from `source`."""
    return replace(source, text=f"{source.text}\n// a copy\n")
