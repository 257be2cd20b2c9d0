"""The vendor's arm beside candidates, on a device that follows a script."""

from dataclasses import dataclass
from typing import Any

import pytest

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import TOO_LARGE, FailureKind, Fault, RunFailure
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.racing import copy_of
from mskernelbench.referee import Referee
from mskernelbench.vendor.arms import find_arm
from tests.doubles.scripted_device import Compute, Script, ScriptedDevice, honest, outputs

FP32 = Precision.FP32
LOSS, GEMM = load_operator("mse_loss"), load_operator("matrix_mul")
SIZES = {"mse_loss": {"N": 1000}, "matrix_mul": {"M": 8, "N": 8, "K": 8}}
FAILS = RunFailure(FailureKind.UNSUPPORTED, "this is not supported")


def source_of(operator: Operator) -> KernelSource:
    arm = find_arm(operator, FP32)
    assert arm is not None
    return arm.source


def candidate_of(operator: Operator) -> str:
    return f"{operator.baseline(FP32)}\n// a candidate\n"


def device_for(
    operator: Operator, clock: Clock, arm: Compute | None = None, arm_ms: Any = 2.0
) -> ScriptedDevice:
    """The baseline takes 4 ms, the arm 2 ms and the candidate 1 ms."""
    entry = operator.entry_symbol(FP32)
    slow, right = Script(honest(operator), lambda a: 4.0), honest(operator)
    vendor = Script(arm or right, lambda a: arm_ms)
    scripts = {
        operator.baseline(FP32): slow,
        copy_of(KernelSource(operator.baseline(FP32), entry)).text: slow,
        candidate_of(operator): Script(right, lambda a: 1.0),
        source_of(operator).text: vendor,
        copy_of(source_of(operator)).text: vendor,
    }
    return ScriptedDevice(scripts, clock)


def verdict(device: ScriptedDevice, operator: Operator = LOSS, *, quick: bool = False) -> Evaluation:
    shape = Workload("user", SIZES[operator.name], "shifted")
    referee = Referee(device, operator, FP32, shapes=[shape])
    found = referee.evaluate(candidate_of(operator), timed=[shape] if quick else None)
    assert found.status is Status.CORRECT, found.reason
    return found


@pytest.mark.parametrize("clock", list(Clock))
def test_an_arm_of_headers_is_timed_on_either_clock(clock: Clock) -> None:
    found = verdict(device_for(LOSS, clock))
    timed = found.workloads[-1].document()

    assert found.vendor is not None
    assert found.vendor.library.startswith("CUB 3.")
    assert found.vendor.speedup is not None
    assert found.vendor.speedup.centre == pytest.approx(2.0, rel=0.03)
    assert timed["vendor_ms"] == pytest.approx(2.0, rel=0.03)
    assert timed["vendor_speedup"]["median"] == pytest.approx(2.0, rel=0.03)
    assert found.speedup is not None
    assert found.speedup.centre == pytest.approx(4.0, rel=0.03)
    assert "vendor_ms" not in found.workloads[0].document()


def test_an_arm_of_a_library_is_absent_where_times_are_modelled_and_nothing_more_is_timed() -> None:
    device = device_for(GEMM, Clock.MODELLED)
    found = verdict(device, GEMM)

    assert found.vendor is None
    assert not {"vendor", "vendor_ms"} & (found.document() | found.workloads[-1].document()).keys()
    on_other_values = 2 * len(("one_hot", "mixed or ordinary"))
    assert sum(verb == "time" for verb, _ in device.asked) == 4 + on_other_values, (
        "the baseline, the candidate, its cost and its gain once more, and both on other values"
    )


def test_a_quick_verdict_and_an_operator_without_an_arm_time_no_vendor() -> None:
    assert verdict(device_for(LOSS, Clock.MODELLED), quick=True).vendor is None
    assert find_arm(load_operator("relu"), FP32) is None


def test_an_arm_that_is_wrong_where_times_are_measured_has_none() -> None:
    wrong = device_for(LOSS, Clock.MEASURED, lambda arguments: FAILS)
    vendor = verdict(wrong).vendor

    assert vendor is not None
    assert vendor.document().keys() == {"library", "lacks"}
    assert vendor.library == "CUB"
    assert "its arm is unsupported: this is not supported" in str(vendor.lacks)


def test_a_library_whose_handle_keeps_memory_is_not_wrong_for_that() -> None:
    def keeps(arguments: Any) -> Any:
        answer = honest(LOSS)(arguments)
        assert not isinstance(answer, RunFailure)
        return outputs(answer.arrays, leaked_bytes=1 << 22)

    vendor = verdict(device_for(LOSS, Clock.MEASURED, keeps)).vendor

    assert vendor is not None
    assert vendor.speedup is not None


def test_an_arm_that_cannot_be_timed_leaves_the_verdict_as_it_is() -> None:
    found = verdict(device_for(LOSS, Clock.MODELLED, arm_ms=FAILS))

    assert found.vendor is not None
    assert "this is not supported" in str(found.vendor.lacks)
    assert found.speedup is not None


def test_an_arm_that_needs_more_memory_than_there_is_says_so() -> None:
    large = RunFailure(FailureKind.UNSUPPORTED, "it needs 9 GiB", Fault(TOO_LARGE, "it needs 9 GiB"))
    vendor = verdict(device_for(LOSS, Clock.MEASURED, arm_ms=large)).vendor

    assert vendor is not None
    assert (vendor.speedup, vendor.lacks) == (None, "it needs 9 GiB")


@dataclass
class WithoutLibraries(ScriptedDevice):
    """A machine where no vendor library is installed."""

    def build(self, source: KernelSource) -> Build:
        if source.libraries:
            raise EnvironmentLacks("cuBLAS is not installed: pip install nvidia-cublas")
        return super().build(source)


def test_a_library_that_is_not_installed_is_told_with_its_wheel() -> None:
    device = WithoutLibraries(device_for(GEMM, Clock.MEASURED).scripts, Clock.MEASURED)
    vendor = verdict(device, GEMM).vendor

    assert vendor is not None
    assert vendor.document() == {
        "library": "cuBLAS",
        "lacks": "cuBLAS is not installed: pip install nvidia-cublas",
    }
