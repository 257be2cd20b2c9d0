import pytest

from cudamaster.search.referee_judge import QUICK_BYTES, light, spread
from mskernelbench.operator import Precision, Workload
from mskernelbench.operators.matrix_mul.spec import OPERATOR

SIZES = [Workload("paper", {"N": n}) for n in range(10)]


def test_a_spread_ends_with_the_last_and_is_evenly_spaced() -> None:
    assert [w.shape["N"] for w in spread(SIZES, 4)] == [2, 4, 7, 9]


@pytest.mark.parametrize("count", [10, 12])
def test_a_few_workloads_are_all_taken_in_their_order(count: int) -> None:
    assert spread(SIZES, count) == SIZES


def test_light_workloads_come_by_weight_and_move_few_bytes() -> None:
    timed = [w for w in OPERATOR.workloads if w.set != "check"]
    found = light(timed, OPERATOR, Precision.FP32)
    weights = [OPERATOR.weight(w.shape) for w in found]

    assert weights == sorted(weights)
    assert all(OPERATOR.dram_bytes(w.shape, Precision.FP32) <= QUICK_BYTES for w in found)


def test_where_all_are_heavy_the_lightest_is_taken() -> None:
    heavy = [Workload("real", {"M": n, "N": 1 << 15, "K": 1 << 15}) for n in (1 << 15, 1 << 14)]

    assert light(heavy, OPERATOR, Precision.FP32) == [heavy[1]]
