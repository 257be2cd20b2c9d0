"""The referee on the real GPU's device, with a fake GPU: kernels are host code on memory that is shared."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.cuda.device import CudaDevice
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import Referee
from tests.doubles.cuda_device import CudaBench

HOST = """
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t stream) {
    cudaMemcpyAsync(y, x, 0, cudaMemcpyDeviceToDevice, stream);
    WHAT
    for (int i = 0; i < n; i++) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
"""
PLAIN = HOST.replace("WHAT", "")
TWICE = HOST.replace("WHAT", "for (int i = 0; i < n; i++) for (volatile int k = 0; k < 10; k++);")
TIRES = HOST.replace("WHAT", "static int calls = 0; if (n == 4096 && calls++ > 20) n /= 2;")
TIMED = (Workload("paper", {"N": 4096}, "outliers"),)


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """ReLU with a baseline that does a little more than it must."""
    folder: Path = tmp_path_factory.mktemp("relu")
    (folder / "baseline_fp32.cu").write_text(TWICE)
    relu = load_operator("relu")
    return replace(relu, folder=folder, workloads=relu.in_set("check")[:3])


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CudaDevice]:
    device = CudaBench(tmp_path_factory.mktemp("judged")).device()
    yield device
    device.close()


def test_a_faster_kernel_has_a_measured_speedup(device: CudaDevice, operator: Operator) -> None:
    evaluation = Referee(device, operator, Precision.FP32).evaluate(PLAIN, timed=TIMED)
    assert evaluation.correct, evaluation.reason
    assert evaluation.speedup is not None
    assert 1 < evaluation.speedup.low <= evaluation.speedup.centre < 1000
    (row,) = (row for row in evaluation.workloads if row.set == "paper")
    assert row.candidate_ms is not None
    assert row.baseline_ms is not None
    assert row.candidate_ms < row.baseline_ms


def test_a_kernel_that_does_less_after_some_calls_is_refused(device: CudaDevice, operator: Operator) -> None:
    """Its own rule or that of outputs: it keeps count, and so begins anew where it is compared."""
    evaluation = Referee(device, operator, Precision.FP32).evaluate(TIRES, timed=TIMED)
    assert evaluation.status is Status.WRONG, evaluation
    assert "where only its time is taken" in evaluation.reason
