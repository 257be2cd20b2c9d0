from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.search.referee_judge import QUICK_BYTES, RefereeJudge, light, spread
from mskernelbench.operator import Precision, Workload
from mskernelbench.operators.matrix_mul.spec import OPERATOR
from mskernelbench.operators.spmv_csr.spec import OPERATOR as SPMV
from tests.doubles.scripted_device import Script, ScriptedDevice, honest
from tests.doubles.scripted_run import settings

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


def test_a_champion_is_judged_in_a_new_process_and_on_other_inputs(tmp_path: Path) -> None:
    baseline = SPMV.baseline(Precision.FP32)
    candidate = "// another\n" + baseline
    device = ScriptedDevice({text: Script(honest(SPMV)) for text in (baseline, candidate)})
    shape = "rows=100,cols=64,nnz_per_row=4,pattern=uniform"
    judge = RefereeJudge(device, SPMV, Precision.FP32, replace(settings(tmp_path), shapes=(shape,)))
    assert judge.quick(candidate).correct
    quick = {label for verb, label in device.asked if verb == "run"}
    del device.asked[:]
    assert judge.full(candidate).correct
    assert device.asked[0][0] == "release"
    assert not quick & {label for verb, label in device.asked if verb == "run"}
