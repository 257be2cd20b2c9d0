"""Whole calls are paid for in steps, which a machine's load does not change."""

import pytest

from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench.call_cost import STEPS_A_BYTE, affordable_calls, call_steps
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision, Workload

TIMED = tuple(Workload("paper", {"N": n}) for n in (4, 2, 3))


@pytest.mark.parametrize(("steps", "called"), [(0.0, 1), (5.0, 1), (6.0, 2), (9.0, 3)])
def test_the_first_call_is_made_at_any_rate_and_others_while_steps_last(steps: float, called: int) -> None:
    found = affordable_calls(TIMED, lambda workload: float(workload.shape["N"]), steps)
    assert tuple(found) == TIMED[:called]


def test_no_call_is_made_that_costs_too_much_where_none_has_to_be() -> None:
    assert [*affordable_calls(TIMED, lambda workload: 2.0, 1.0, least=0)] == []


def test_a_call_costs_the_instructions_of_its_threads_and_its_bytes() -> None:
    relu, workload = load_operator("relu"), Workload("paper", {"N": 1000})
    timing = Timing(Clock.MODELLED, (1.0,), kernels=1, steps=5e5)
    moved = STEPS_A_BYTE * 8000
    assert call_steps(relu, Precision.FP32, workload, timing) == 5e5 + moved
    assert call_steps(relu, Precision.FP32, workload, None) == moved
