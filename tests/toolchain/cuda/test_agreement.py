"""How many calls a sample takes, and which claims the outside clock bears out."""

from collections.abc import Callable

import numpy as np
import pytest

from cudamaster.toolchain.devices.cuda.agreement import (
    LONG_MS,
    PRECISION,
    RESOLUTION_MS,
    SHORT_ROW,
    Agreed,
    Row,
    agreed,
    calls_for,
    row_length,
    unlikely_time,
    unlikely_wait,
)
from cudamaster.toolchain.devices.cuda.stopwatch import MOST_CALLS
from cudamaster.toolchain.outputs import FailureKind, RunFailure


@pytest.mark.parametrize("time_ms", [0.002, 0.0033, 0.005, 0.0117, 0.019])
def test_the_mean_of_a_sample_is_as_precise_as_promised(time_ms: float) -> None:
    """Both ends of an interval fall anywhere between the ticks of a clock that counts in steps."""
    rng = np.random.default_rng(1)
    begin = rng.random((4000, calls_for(time_ms))) * 10
    ticks = np.floor((begin + time_ms) / RESOLUTION_MS) - np.floor(begin / RESOLUTION_MS)
    means = (ticks * RESOLUTION_MS).mean(axis=1)
    assert means.std() <= 1.1 * PRECISION * time_ms


def test_long_calls_are_samples_and_short_ones_are_bounded() -> None:
    assert calls_for(0.02) == calls_for(50.0) == 1
    assert 1 < calls_for(0.019) < calls_for(0.004)
    assert calls_for(1e-6) == calls_for(0.0) == MOST_CALLS


def rows(claimed_ms: float, hidden_ms: float = 0.0, noise_ms: float = 0.1) -> Callable[[int], Row]:
    """A GPU on which a call takes so long by its events, and besides where they do not see it."""
    rng = np.random.default_rng(4)

    def row(calls: int) -> Row:
        waited_ms = 0.3 + calls * (claimed_ms + hidden_ms) + float(rng.exponential(noise_ms))
        return Row(calls * claimed_ms, waited_ms)

    return row


@pytest.mark.parametrize("claimed_ms", [0.003, 0.02, 0.4, 30.0, 1000.0])
@pytest.mark.parametrize("noise_ms", [0.02, 2.0])
def test_honest_events_agree_on_a_busy_machine(claimed_ms: float, noise_ms: float) -> None:
    found = agreed(rows(claimed_ms, noise_ms=noise_ms), claimed_ms)
    assert isinstance(found, Agreed)
    assert claimed_ms / 2 < found.least_ms <= found.call_ms == pytest.approx(claimed_ms)


@pytest.mark.parametrize(
    ("claimed_ms", "hidden_ms"), [(0.003, 0.02), (0.003, 5.0), (0.5, 0.2), (100.0, 40.0)]
)
def test_work_that_events_do_not_see_is_seen(claimed_ms: float, hidden_ms: float) -> None:
    found = agreed(rows(claimed_ms, hidden_ms), claimed_ms)
    assert isinstance(found, str)
    assert "by the clock outside" in found


def test_gross_hiding_costs_few_calls() -> None:
    asked: list[int] = []
    row = rows(0.003, 50.0)

    def counted(calls: int) -> Row:
        asked.append(calls)
        return row(calls)

    assert isinstance(agreed(counted, 0.003), str)
    assert sum(asked) < 500


def test_a_clock_that_steps_between_two_rows_is_no_disagreement() -> None:
    """What was claimed at the one clock is never held against what was waited at the other."""
    asked: list[int] = []

    def row(calls: int) -> Row:
        asked.append(calls)
        if calls <= SHORT_ROW * 2:
            return Row(calls * 1.0, 0.3 + calls * 1.0)
        first_long_rows = len(asked) <= 4
        slower = 1.0 if first_long_rows else 1980 / 1755
        kept_waiting = 8.0 if len(asked) == 4 else 0.0
        return Row(calls * slower, 0.3 + calls * slower + kept_waiting)

    found = agreed(row, 1.0)
    assert isinstance(found, Agreed)
    assert found.call_ms == pytest.approx(1980 / 1755, abs=0.15)


def test_a_failure_ends_the_comparison() -> None:
    failure = RunFailure(FailureKind.CRASHED, "gone")
    assert agreed(lambda calls: failure, 1.0) is failure


def test_a_row_takes_a_while_and_very_long_calls_need_none() -> None:
    assert row_length(1000.0) == 1
    assert row_length(0.01) * 0.01 >= 19
    assert agreed(rows(LONG_MS, hidden_ms=1e6), LONG_MS) == Agreed(0.0, 0.0)


def test_the_wait_for_a_sample_bounds_its_claims() -> None:
    assert unlikely_wait(3000.0, 3100.0, calls=1, flush_ms=0.1) is None
    assert unlikely_wait(0.5, 90.0, calls=100, flush_ms=0.1) is None
    assert "claim 3000 ms" in str(unlikely_wait(3000.0, 2999.0, calls=1, flush_ms=0.1))
    assert "to have the answer" in str(unlikely_wait(3000.0, 4000.0, calls=1, flush_ms=0.1))


def test_a_sample_is_not_much_quicker_than_calls_in_a_row() -> None:
    assert unlikely_time(0.9, 1.0) is None
    assert unlikely_time(0.001, 0.2) is None, "the host takes as long between two calls in a row"
    assert unlikely_time(5.0, 0.0) is None, "no row was made"
    assert "claims 0.4 ms, and calls in a row take 1 ms" in str(unlikely_time(0.4, 1.0))
