"""Heavy calls that nobody sees whole are made for a short time: who leaves out work ends in it."""

from dataclasses import replace

import pytest

from mskernelbench.evaluation import Interval, Status, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.operator import Workload
from mskernelbench.short_calls import MOST_CALLS, called_shortly, unseen_whole
from mskernelbench.whole_times import TELLING_STEPS, Within

TIMED = tuple(Workload("paper", {"N": n}) for n in range(6))
WRONG = Refusal(Status.WRONG, "by script", rule="comparison")
GAIN = Interval(2.0, 2.0, 2.0)
SAMPLED = WorkloadResult("paper", {"N": 0}, baseline_ms=2.0, candidate_ms=1.0, speedup=GAIN, sampled=True)


def unseen(row: WorkloadResult, steps: float, *, telling: bool) -> bool:
    return bool(unseen_whole(TIMED[:1], [row], lambda workload: steps, telling=telling))


def test_what_is_left_out_for_its_cost_is_unseen_and_what_does_not_fit_is_not() -> None:
    left_out = replace(SAMPLED, candidate_ms=None, speedup=None, left_out="by script")
    assert unseen(replace(left_out, counted=False), 0.0, telling=False)
    assert not unseen(left_out, 0.0, telling=True)


@pytest.mark.parametrize(("steps", "telling"), [(TELLING_STEPS, True), (2 * TELLING_STEPS, False)])
def test_samples_are_believed_of_light_calls_and_of_blocks_that_cannot_tell(
    steps: float, telling: bool
) -> None:
    assert not unseen(SAMPLED, steps, telling=telling)
    assert unseen(SAMPLED, 2 * TELLING_STEPS, telling=True)


def test_what_was_compared_whole_is_seen() -> None:
    assert not unseen(replace(SAMPLED, error_ratio=0.5), 2 * TELLING_STEPS, telling=True)


@pytest.mark.parametrize("wrong", TIMED[:MOST_CALLS])
def test_a_wrong_call_is_refused_wherever_it_stands_among_those_that_end_soon(wrong: Workload) -> None:
    def call(workload: Workload) -> Within:
        return Within(1.0, True, WRONG if workload is wrong else None)

    assert called_shortly(TIMED[:MOST_CALLS], call) is WRONG


def test_the_first_call_that_does_not_end_soon_is_the_last() -> None:
    made: list[Workload] = []

    def call(workload: Workload) -> Within:
        made.append(workload)
        return Within(None)

    assert called_shortly(TIMED, call) is None
    assert len(made) == 1


def test_no_more_than_a_few_calls_are_made() -> None:
    made: list[Workload] = []

    def call(workload: Workload) -> Within:
        made.append(workload)
        return Within(1.0, right=True)

    assert called_shortly(TIMED, call) is None
    assert len(made) == MOST_CALLS
    assert called_shortly((), call) is None
