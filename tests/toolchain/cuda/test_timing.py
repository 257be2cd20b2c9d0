"""Samples from what a worker claims: scripted workers are honest, kept waiting, or lie in one place only."""

from dataclasses import dataclass, field, replace

import pytest

from cudamaster.toolchain.devices.cuda.agreement import TRIES
from cudamaster.toolchain.devices.cuda.requests import ROW, Claims, Manner
from cudamaster.toolchain.devices.cuda.timing import DISAGREE, CallTimer, Pace
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import ClockState, Timing

BESIDE_MS = 0.1
"""A flush and what belongs to it."""


@dataclass
class ScriptedWorker:
    """Answers as a worker whose calls take `call_ms`."""

    call_ms: float
    sample_ms: float | None = None
    """What it claims of timed calls, where that is another."""
    late_ms: list[float] = field(default_factory=list)
    """How long the next answers are kept waiting for."""
    launches: int = 2
    asked: list[Manner] = field(default_factory=list)

    def ask(self, manner: Manner) -> Claims | RunFailure:
        self.asked.append(manner)
        late_ms = self.late_ms.pop(0) if self.late_ms else 0.0
        waited_ms = 0.3 + manner.calls * (self.call_ms + BESIDE_MS * manner.flush) + late_ms
        claimed_ms = self.call_ms if self.sample_ms is None else self.sample_ms
        times = (manner.calls * self.call_ms,) if manner.do == ROW else (claimed_ms,) * manner.calls
        return Claims(self.launches * manner.calls, 0, 0, 0.0, times, waited_ms)

    def timer(self, one_a_request: bool = False) -> CallTimer:
        return CallTimer(
            self.ask, lambda: ClockState(1980.0), 0.1, True, one_a_request, lambda: BESIDE_MS, cold_share=0.75
        )


def timed(worker: ScriptedWorker, samples: int = 3, one_a_request: bool = False) -> Timing | RunFailure:
    timer = worker.timer(one_a_request)
    pace = timer.pace()
    return timer.times(pace, samples) if isinstance(pace, Pace) else pace


@pytest.mark.parametrize(("call_ms", "calls"), [(0.4, 1), (0.005, 25), (0.002, 157)])
def test_a_sample_is_the_mean_of_as_many_calls_as_it_takes(call_ms: float, calls: int) -> None:
    worker = ScriptedWorker(call_ms)
    timing = timed(worker)
    assert isinstance(timing, Timing)
    assert timing.samples_ms == pytest.approx((call_ms,) * 3)
    assert (timing.kernels, len(timing.states)) == (2, 3)
    assert [manner.calls for manner in worker.asked[-3:]] == [calls] * 3
    assert all(manner.flush for manner in worker.asked[-3:])


def test_first_calls_are_single_and_not_repeated_where_they_were_waited_for() -> None:
    worker = ScriptedWorker(0.4, late_ms=[0.0, 500.0, 0.0])
    timing = worker.timer().first(3)
    assert isinstance(timing, Timing)
    assert timing.samples_ms == pytest.approx((0.4, 500.8, 0.4))
    assert worker.asked == [Manner(1, flush=True)] * 3


def test_what_a_call_changes_is_restored_before_each() -> None:
    worker = ScriptedWorker(0.005)
    assert isinstance(timed(worker, samples=1, one_a_request=True), Timing)
    assert [manner.calls for manner in worker.asked[-25:]] == [1] * 25


def test_an_answer_that_is_kept_waiting_for_is_asked_for_again() -> None:
    worker = ScriptedWorker(0.4)
    pace = worker.timer().pace()
    assert isinstance(pace, Pace)
    worker.late_ms = [500.0] * (TRIES - 1)
    assert isinstance(worker.timer().times(pace, 1), Timing)
    worker.late_ms = [500.0] * TRIES
    failure = worker.timer().times(pace, 1)
    assert isinstance(failure, RunFailure)
    assert "to have the answer" in failure.reason


def test_samples_that_claim_less_than_rows_take_are_refused() -> None:
    failure = timed(ScriptedWorker(call_ms=2.0, sample_ms=1.0))
    assert isinstance(failure, RunFailure)
    assert failure.kind is FailureKind.LAUNCH_FAILED
    assert failure.fault is not None
    assert failure.fault.kind == DISAGREE
    assert "calls in a row take 2 ms each" in failure.reason


def test_an_entry_that_launches_nothing_has_no_time() -> None:
    failure = timed(ScriptedWorker(0.4, launches=0))
    assert isinstance(failure, RunFailure)
    assert "launched no kernel" in failure.reason


@dataclass
class LyingOfSamples(ScriptedWorker):
    """Honest where many calls are asked for, and not of one sample."""

    def ask(self, manner: Manner) -> Claims | RunFailure:
        claims = super().ask(manner)
        assert isinstance(claims, Claims)
        if manner.do == ROW or manner.calls > 3:
            return claims
        return replace(claims, times_ms=(self.call_ms / 2,) * manner.calls)


@pytest.mark.parametrize("call_ms", [0.08, 0.1, 0.25])
def test_a_short_kernels_events_cannot_claim_half_of_what_its_batches_take(call_ms: float) -> None:
    """Rows do not tell: the host may be what takes their time, up to 0.2 ms."""
    everywhere = timed(ScriptedWorker(call_ms, sample_ms=call_ms / 2))
    samples = timed(LyingOfSamples(call_ms))

    for failure in (everywhere, samples):
        assert isinstance(failure, RunFailure)
        assert failure.fault is not None
        assert failure.fault.kind == DISAGREE
    assert "a call takes" in everywhere.reason
    assert "many such calls take" in samples.reason


@dataclass
class LyingAtFirst(LyingOfSamples):
    """Claims much of the calls that decide whether there are batches."""

    def ask(self, manner: Manner) -> Claims | RunFailure:
        claims = super().ask(manner)
        assert isinstance(claims, Claims)
        return replace(claims, times_ms=(0.6,) * 3) if manner.calls == 3 else claims


def test_whether_there_are_batches_is_not_for_the_events_to_say() -> None:
    failure = timed(LyingAtFirst(0.25, late_ms=[2.0]))
    assert isinstance(failure, RunFailure)
    assert "many such calls take" in failure.reason


def test_a_short_kernels_times_are_its_own_where_the_host_is_slow() -> None:
    timing = timed(ScriptedWorker(0.02, late_ms=[5.0] * 12))
    assert isinstance(timing, Timing)
    assert timing.samples_ms == pytest.approx((0.02,) * 3)
