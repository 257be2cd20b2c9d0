"""Figures of merit against hand-computed values."""

import pytest

from cudamaster.toolchain.errors import ClockMismatch
from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench import scores
from mskernelbench.ratios import over_all, resolved, speedup


def test_the_geometric_mean_of_a_ratio_and_its_inverse_is_one() -> None:
    assert scores.geometric_mean([4.0, 0.25]) == pytest.approx(1)
    with pytest.raises(ValueError, match="no ratios"):
        scores.geometric_mean([])


def test_the_papers_score_does_not_wrap_where_32_bits_would() -> None:
    assert scores.paper_score([2**40, 2**40], [1.0, 3.0]) == 2.0


def test_attainment_is_at_most_one() -> None:
    assert scores.attainment(1.0, 4.0) == 0.25
    assert scores.attainment(1.0, 0.9) == 1.0


def test_success_counts_incorrect_kernels_among_all() -> None:
    speedups = [None, 0.5, 1.0, 2.0]
    assert scores.success_share(speedups, 1.0) == 0.5
    assert scores.fast_p(speedups, 1.0) == 0.25
    assert scores.fast_p(speedups, 0) == 0.75


@pytest.mark.parametrize(
    ("centre", "low", "high"), [(1.09, 1.0, 1.09), (0.95, 0.95, 1.0), (1.5, 1.5, 1.5), (0.5, 0.5, 0.5)]
)
def test_a_modelled_ratio_near_one_holds_one(centre: float, low: float, high: float) -> None:
    assert (resolved(centre).low, resolved(centre).high) == (low, high)


def test_two_kernels_of_the_same_measured_times_are_not_told_apart() -> None:
    timing = Timing(Clock.MEASURED, (1.0, 1.02, 0.99, 1.01, 1.0, 0.98), 1)
    interval = speedup(timing, timing, seed=0)
    assert interval.low <= 1 <= interval.high
    assert over_all([interval, interval], Clock.MEASURED).centre == 1


def test_a_modelled_and_a_measured_time_are_not_divided() -> None:
    with pytest.raises(ClockMismatch):
        speedup(Timing(Clock.MEASURED, (1.0,), 1), Timing(Clock.MODELLED, (1.0,), 1), seed=0)
