import math

import pytest

from cudamaster.search.reward import REFUSED, SLOWEST, advantages, reward
from mskernelbench.evaluation import Evaluation, Interval, Status


def evaluation(
    status: Status, speedup: Interval | None = None, attainment: float | None = None
) -> Evaluation:
    guard = "guard" if status is Status.CHEATED else None
    return Evaluation(
        operator="softmax",
        precision="fp32",
        entry="softmax",
        device="virtual:h200",
        clock="modelled",
        status=status,
        reason="",
        seed=0,
        guard=guard,
        speedup=speedup,
        attainment=attainment,
    )


def correct(low: float, attainment: float = 0.0) -> float:
    return reward(evaluation(Status.CORRECT, Interval(low + 1, low, low + 2), attainment))


def test_every_refusal_has_its_reward_and_each_is_below_the_slowest_correct_kernel() -> None:
    assert set(REFUSED) == set(Status) - {Status.CORRECT}
    assert all(reward(evaluation(status)) < SLOWEST for status in REFUSED)


def test_refusals_are_graded_by_how_far_they_are_from_running() -> None:
    order = [Status.CHEATED, Status.BUILD_FAILED, Status.LAUNCH_FAILED, Status.WRONG, Status.UNSUPPORTED]

    assert sorted(order, key=lambda status: reward(evaluation(status))) == order


def test_only_the_lower_bound_of_the_speedup_earns() -> None:
    assert correct(4.0) == 2.0
    assert correct(1.0) == 0.0


def test_doubling_is_worth_the_same_from_anywhere() -> None:
    assert math.isclose(correct(3.0) - correct(1.5), correct(12.0) - correct(6.0))


def test_attainment_tells_equal_speedups_apart() -> None:
    assert correct(2.0, attainment=0.8) > correct(2.0, attainment=0.4)


@pytest.mark.parametrize("low", [0.5, 0.1, 0.0])
def test_a_slow_correct_kernel_earns_the_floor(low: float) -> None:
    assert correct(low) == SLOWEST


def test_a_correct_kernel_that_was_not_timed_earns_nothing() -> None:
    assert reward(evaluation(Status.CORRECT)) == 0.0


def test_advantages_have_mean_zero_and_deviation_one() -> None:
    found = advantages([-2.0, 0.0, 1.0])

    assert math.isclose(sum(found), 0.0, abs_tol=1e-12)
    assert math.isclose(sum(a * a for a in found) / 3, 1.0)


@pytest.mark.parametrize("rewards", [[], [1.5], [0.1, 0.1, 0.1]])
def test_a_round_without_differences_has_no_advantages(rewards: list[float]) -> None:
    assert advantages(rewards) == [0.0] * len(rewards)
