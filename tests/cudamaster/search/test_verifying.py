"""Records judged again: the vendor's times count while its library is the same version."""

import copy
from typing import Any

import pytest

from cudamaster.search.verifying import differences_when_judged
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision, Workload
from mskernelbench.referee import Referee
from mskernelbench.vendor.arms import find_arm
from tests.doubles.scripted_device import Script, ScriptedDevice, honest

LOSS = load_operator("mse_loss")
KERNEL = f"{LOSS.baseline(Precision.FP32)}\n// a kernel\n"


def timed(ms: float) -> Script:
    return Script(honest(LOSS), lambda arguments: ms)


@pytest.fixture
def referee() -> Referee:
    arm = find_arm(LOSS, Precision.FP32)
    assert arm is not None
    milliseconds = {LOSS.baseline(Precision.FP32): 4.0, KERNEL: 1.0, arm.source.text: 2.0}
    scripts = {text: timed(ms) for text, ms in milliseconds.items()}
    shape = Workload("user", {"N": 1000}, "shifted")
    return Referee(ScriptedDevice(scripts, Clock.MODELLED), LOSS, Precision.FP32, shapes=[shape])


@pytest.fixture
def record(referee: Referee) -> dict[str, Any]:
    evaluation = referee.evaluate(KERNEL).document()
    assert evaluation["workloads"][-1]["vendor_ms"] == 2.0
    return {"entry": None, "evaluation": evaluation}


def test_a_vendor_time_that_differs_is_told(referee: Referee, record: dict[str, Any]) -> None:
    assert not list(differences_when_judged(record, KERNEL, referee))
    changed = copy.deepcopy(record)
    changed["evaluation"]["workloads"][-1]["vendor_ms"] = 1.5

    assert [d.partition(" is ")[0] for d in differences_when_judged(changed, KERNEL, referee)] == [
        f"workloads[{len(record['evaluation']['workloads']) - 1}].vendor_ms"
    ]


def test_times_of_another_version_of_the_library_are_not_compared(
    referee: Referee, record: dict[str, Any]
) -> None:
    record["evaluation"]["vendor"]["library"] = "CUB 2.0.0"
    record["evaluation"]["workloads"][-1]["vendor_ms"] = 1.5

    assert not list(differences_when_judged(record, KERNEL, referee))


@pytest.mark.parametrize(("ratio", "told"), [(None, []), (0.75, ["error_ratio"])])
def test_a_workload_compared_by_one_verdict_only_is_no_difference(
    referee: Referee, record: dict[str, Any], ratio: float | None, told: list[str]
) -> None:
    """Of heavy ones each verdict draws its own."""
    assert record["evaluation"]["workloads"][-1]["error_ratio"] is not None
    record["evaluation"]["workloads"][-1]["error_ratio"] = ratio
    record["evaluation"]["workloads"][-1]["sampled"] = True

    found = [d.partition(" is ")[0] for d in differences_when_judged(record, KERNEL, referee)]
    assert [place.rpartition(".")[2] for place in found] == told
