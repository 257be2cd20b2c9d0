"""Gains are shown by blocks that nobody can foresee, too."""

from dataclasses import replace

import pytest

from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.evaluation import WorkloadResult
from mskernelbench.lane import Lane
from mskernelbench.materials import Materials
from mskernelbench.unforeseen import Unforeseen
from tests.doubles.scripted_device import Script, honest
from tests.mskernelbench.test_sampled import FP32, ROWS, SOFTMAX, timing
from tests.mskernelbench.test_within import SOURCE, Telling


def shown(*told: Timing | RunFailure) -> tuple[bool, list[TimingPlan]]:
    """Whether draws of other blocks, which tell this, show a row of 1 ms; and what was asked."""
    device = Telling({SOURCE.text: Script(honest(SOFTMAX))}, next_told=list(told), told=told[-1])
    lane = Lane(device, SOFTMAX, FP32, Materials(SOFTMAX, FP32, 0), 7)
    row = WorkloadResult(ROWS.set, ROWS.shape, candidate_ms=1.0)
    return Unforeseen(lane, device.build(SOURCE)).shows(ROWS, row), device.plans


def test_each_call_is_counted_by_blocks_that_nobody_can_foresee() -> None:
    seeds = {shown(timing(SOFTMAX, ROWS))[1][0].seed for _ in range(8)}
    assert len(seeds) > 1


def test_a_gain_is_shown_by_other_blocks_that_write_what_is_right_in_as_much_time() -> None:
    found, plans = shown(timing(SOFTMAX, ROWS))
    assert found
    assert [(plan.anywhere, plan.traces) for plan in plans] == [(True, True)]


@pytest.mark.parametrize(
    "told",
    [
        timing(SOFTMAX, ROWS, error=1e-3),
        replace(timing(SOFTMAX, ROWS), samples_ms=(1.2,)),
        RunFailure(FailureKind.TIMED_OUT, "late"),
    ],
)
def test_other_blocks_that_do_something_else_do_not_show_it(told: Timing | RunFailure) -> None:
    assert not shown(told)[0]
    assert shown(told, told, told, timing(SOFTMAX, ROWS))[0]
