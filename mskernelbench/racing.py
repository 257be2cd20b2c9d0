"""Times a candidate against the baseline, workload by workload, on one device."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import NoReturn

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from mskernelbench.checking import failure_refusal
from mskernelbench.errors import BaselineBroken, BenchmarkError, UnsteadyClock
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.evidence import TimeEvidence
from mskernelbench.materials import Kept, Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.pairing import PAIRS, Pairs, paired
from mskernelbench.ratios import speedup
from mskernelbench.roofline import roofline
from mskernelbench.scores import attainment
from mskernelbench.seeds import generator

CONTROLS = 2
"""Times that a clock may tell the baseline from a copy before it is not believed."""
KEPT_TIMINGS = 1024


@dataclass(frozen=True, slots=True)
class Lane:
    """Whose work is timed, on what."""

    device: Device
    operator: Operator
    precision: Precision
    materials: Materials
    seed: int
    without: Collection[str] = ()
    """Guards that do not count."""


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
        timing = self._baseline_timing(workload)
        return self._row(workload, timing, timing)

    @contextmanager
    def beside(self, workloads: Sequence[Workload]) -> Iterator[None]:
        """Time a modelled baseline on another processor while the block runs; what is left then is left.

        What goes wrong goes wrong again, and is told, when the time is asked for.
        """
        stop = Event()

        def work() -> None:
            with suppress(BenchmarkError, ToolchainError):
                for workload in workloads:
                    if stop.is_set():
                        return
                    self._baseline_timing(workload)

        thread = Thread(target=work, daemon=True)
        if self._lane.device.clock is Clock.MODELLED:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            if thread.is_alive():
                thread.join()

    def run(self, candidate: Build, workload: Workload) -> WorkloadResult | Refusal:
        """One workload's row, or why the candidate has no time on it.

        Raises BaselineBroken, and UnsteadyClock where the device's times prove nothing.
        """
        measured = self._lane.device.clock is Clock.MEASURED
        pair = self._measured(candidate, workload) if measured else self._once(candidate, workload)
        if isinstance(pair, RunFailure):
            return failure_refusal(pair, workload)
        row = self._row(workload, *pair)
        roof = roofline(self._lane.device.spec, self._lane.operator, self._lane.precision, workload)
        evidence = TimeEvidence(workload, pair[1].median_ms, roof.floor_ms, self._lane.device.clock)
        return first_refusal("times", evidence, self._lane.without) or row

    def _once(self, candidate: Build, workload: Workload) -> tuple[Timing, Timing] | RunFailure:
        if candidate.key == self.baseline.key:
            return (self._baseline_timing(workload),) * 2
        timing = self._time(candidate, workload, 1)
        if isinstance(timing, RunFailure):
            return timing
        return self._baseline_timing(workload), timing

    def _measured(self, candidate: Build, workload: Workload) -> Pairs | RunFailure:
        self._controls.get("control", lambda: self._control(workload))
        return self._pairs(candidate, workload, candidate.key)

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

    def _pairs(self, candidate: Build, workload: Workload, label: str) -> Pairs | RunFailure:
        def call(arm: int) -> Timing | RunFailure:
            timing = self._time((self.baseline, candidate)[arm], workload, 1)
            if isinstance(timing, RunFailure) and arm == 0:
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

    def _time(self, build: Build, workload: Workload, samples: int) -> Timing | RunFailure:
        plan = TimingPlan(samples=samples, seed=self._lane.seed)
        return self._lane.device.time(build, self._lane.materials.arguments(workload), plan)

    def _give_up(self, failure: RunFailure, workload: Workload) -> NoReturn:
        raise BaselineBroken(
            f"the baseline of {self._lane.operator.name} {self._lane.precision} could not be timed on "
            f"{self._lane.device.name}: {failure.reason} (workload {workload.label})"
        )

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
        )


def copy_of(source: KernelSource) -> KernelSource:
    """The same kernel, built and run apart from `source`."""
    return replace(source, text=f"{source.text}\n// a copy\n")
