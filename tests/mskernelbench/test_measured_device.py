"""The referee on the real GPU's device, with a fake GPU: kernels are host code on memory that is shared.

Pairs need a steady clock, which host code on a busy machine is not: `test_pairing.py` has one.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.cuda.device import CudaDevice
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.pairing import PAIRS
from mskernelbench.referee import Referee
from mskernelbench.timed_outputs import TimedLook
from tests.doubles.cuda_device import CudaBench

HOST = """
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, 0, cudaMemcpyDeviceToDevice, stream);
    WHAT
    for (int i = 0; i < n; i++) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
"""
PLAIN = HOST.replace("WHAT", "")
LEAVES_OUT = HOST.replace("WHAT", "if (n > 31) n--;")
TIRES = HOST.replace("WHAT", "static int calls = 0; if (n == 100000 && calls++ > 20) n /= 2;")
TIMED = Workload("paper", {"N": 100_000}, "outliers")
FP32 = Precision.FP32


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """ReLU on three sizes, its baseline host code too."""
    folder: Path = tmp_path_factory.mktemp("relu")
    (folder / "baseline_fp32.cu").write_text(PLAIN)
    relu = load_operator("relu")
    return replace(relu, folder=folder, workloads=relu.in_set("check")[:3])


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CudaDevice]:
    device = CudaBench(tmp_path_factory.mktemp("judged")).device()
    yield device
    device.close()


def test_a_right_kernel_is_accepted_and_a_wrong_one_refused(device: CudaDevice, operator: Operator) -> None:
    referee = Referee(device, operator, FP32, sets=("check",))
    right, wrong = referee.evaluate(PLAIN), referee.evaluate(LEAVES_OUT)
    assert right.correct, right.reason
    assert right.clock == Clock.MEASURED
    assert {row.error_ratio for row in right.workloads} == {0.0}
    assert wrong.status is Status.WRONG
    assert "was never written (1 of 64 elements)" in wrong.reason
    assert referee.baseline().evaluation.correct


@pytest.mark.parametrize("known", [True, False], ids=["whole", "in pieces"])
def test_a_kernel_that_does_less_after_some_calls_is_seen_in_its_timed_outputs(
    device: CudaDevice, operator: Operator, known: bool
) -> None:
    materials = Materials(operator, FP32, seed=0)
    for source, wrong in ((PLAIN, False), (TIRES, True)):
        build = device.build(KernelSource(source, "RELU"))
        timing = device.time(build, materials.arguments(TIMED), TimingPlan(samples=1))
        assert isinstance(timing, Timing), timing
        look = TimedLook(device, operator, FP32, materials)
        for _ in range(PAIRS):
            look.after_call(build, TIMED, known=known)
        assert (look.refusal is not None) == wrong
        device.release(build)
