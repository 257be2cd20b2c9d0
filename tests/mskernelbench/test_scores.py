"""Figures of merit against hand-computed values."""

import pytest

from cudamaster.toolchain.errors import ClockMismatch
from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench import scores
from mskernelbench.catalog import all_tasks, operator_names
from mskernelbench.ratios import over_all, resolved, speedup


def test_the_geometric_mean_of_a_ratio_and_its_inverse_is_one() -> None:
    assert scores.geometric_mean([4.0, 0.25]) == pytest.approx(1)
    with pytest.raises(ValueError, match="no ratios"):
        scores.geometric_mean([])


def test_the_papers_score_does_not_wrap_where_32_bits_would() -> None:
    assert scores.paper_score([2**40, 2**40], [1.0, 3.0]) == 2.0
    assert scores.paper_score([2**64, 3 * 2**64], [1.0, 5.0]) == 4.0
    huge = 16384 * 2048 * 4096  # matrix_mul's largest paper size: 2^37, which 32 bits hold as 0
    assert scores.paper_score([64 * 2048 * 4096, huge], [9.0, 1.0]) == pytest.approx((9 + 256) / 257)


def test_the_papers_score_follows_the_largest_sizes_and_the_geometric_mean_does_not() -> None:
    weights, speedups = [1, 9], [8.0, 2.0]
    assert scores.paper_score(weights, speedups) == pytest.approx(0.1 * 8 + 0.9 * 2)
    assert scores.geometric_mean(speedups) == pytest.approx(4)
    with pytest.raises(ValueError, match="weights must be positive"):
        scores.paper_score([0, 0], speedups)


def test_attainment_is_at_most_one() -> None:
    assert scores.attainment(1.0, 4.0) == 0.25
    assert scores.attainment(1.0, 0.9) == 1.0


def test_success_counts_incorrect_kernels_among_all() -> None:
    speedups = [None, 0.5, 1.0, 2.0]
    assert scores.success_share(speedups, 1.0) == 0.5
    assert scores.fast_p(speedups, 1.0) == 0.25
    assert scores.fast_p(speedups, 0) == 0.75


def test_cumulative_success_is_at_1_2_4_and_8_over_all_tasks() -> None:
    tasks = all_tasks()
    assert len(tasks) == 2 * len(operator_names())
    found = dict(zip(tasks, (8.0, 4.0, 7.99, 0.99, None), strict=False))
    shares = scores.cumulative_success(scores.over_tasks(found, tasks))
    assert shares == {1.0: 3 / len(tasks), 2.0: 3 / len(tasks), 4.0: 3 / len(tasks), 8.0: 1 / len(tasks)}
    assert scores.fast_p(scores.over_tasks(found, tasks), 4.0) == 2 / len(tasks)
    assert scores.fast_p(scores.over_tasks(found, tasks), 0.0) == 4 / len(tasks)


def test_a_task_that_the_benchmark_lacks_is_not_counted() -> None:
    with pytest.raises(ValueError, match="no such task: \\('softmux', 'fp32'\\)"):
        scores.over_tasks({("softmux", "fp32"): 2.0}, [("softmax", "fp32")])


@pytest.mark.parametrize(
    ("centre", "low", "high"), [(1.09, 1.0, 1.09), (0.95, 0.95, 1.0), (1.5, 1.5, 1.5), (0.5, 0.5, 0.5)]
)
def test_a_modelled_ratio_near_one_holds_one(centre: float, low: float, high: float) -> None:
    assert (resolved(centre).low, resolved(centre).high) == (low, high)


def test_two_kernels_of_the_same_measured_times_are_not_told_apart() -> None:
    timing = Timing(Clock.MEASURED, (1.0, 1.02, 0.99, 1.01, 1.0, 0.98, 1.01, 1.0), 1)
    interval = speedup(timing, timing)
    assert interval.low <= 1 <= interval.high
    assert over_all([interval, interval], Clock.MEASURED).centre == 1


def test_a_modelled_and_a_measured_time_are_not_divided() -> None:
    with pytest.raises(ClockMismatch):
        speedup(Timing(Clock.MEASURED, (1.0,), 1), Timing(Clock.MODELLED, (1.0,), 1))
