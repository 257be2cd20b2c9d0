"""Kernels that keep state from call to call gain no time by it, and honest ones lose nothing."""

import shutil
from collections.abc import Iterator

import pytest

from cudamaster.toolchain.catalog import open_device
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision, Workload
from mskernelbench.referee import Referee

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

KERNELS = """
__device__ float bank[1 << 20];
__global__ void slow(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = fmaxf(x[i], 0.0f);
    for (int k = 0; k < 400; k++) v = fmaxf(v, x[(i + k * 37) % n] * 0.0f);
    y[i] = v;
    bank[i % (1 << 20)] = v;
}
__global__ void replay(float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = bank[i];
}
"""
BANKED = """
static const float* known = nullptr;
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t s) {
    if (x == known) replay<<<(n + 255) / 256, 256, 0, s>>>(y, n);
    else slow<<<(n + 255) / 256, 256, 0, s>>>(y, x, n);
    known = x;
}
"""
ONCE = """
static bool once = false;
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t s) {
    if (!once) cudaFuncSetAttribute(slow, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
    once = true;
    slow<<<(n + 255) / 256, 256, 0, s>>>(y, x, n);
}
"""
SECOND_CALL = """
static int calls = 0;
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t s) {
    if (n == 1 && calls > 2) return;
    calls++;
    slow<<<(n + 255) / 256, 256, 0, s>>>(y, x, n);
}
"""
FIRST_CALL = """
static bool begun = false;
__global__ void cheap(float* y, const float* x, int n, bool less) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !(less && i)) y[i] = fmaxf(x[i], 0.0f);
}
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t s) {
    cheap<<<(n + 255) / 256, 256, 0, s>>>(y, x, n, !begun && n == 4096);
    begun = true;
}
"""
TIMED = Workload("paper", {"N": 4096}, "outliers")


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    device = open_device("virtual:h200")
    yield Referee(device, load_operator("relu"), Precision.FP32)
    device.close()


def milliseconds(referee: Referee, entry: str) -> float | None:
    evaluation = referee.evaluate(KERNELS + entry, timed=[TIMED])
    assert evaluation.status is Status.CORRECT, evaluation.reason
    return next(row.candidate_ms for row in evaluation.workloads if row.shape == TIMED.shape)


def test_an_answer_kept_from_an_earlier_call_is_worth_nothing_when_time_is_taken(referee: Referee) -> None:
    assert milliseconds(referee, BANKED) == milliseconds(referee, ONCE)


def test_what_does_less_in_a_process_of_its_own_is_seen_there(referee: Referee) -> None:
    evaluation = referee.evaluate(FIRST_CALL, timed=[TIMED])
    assert evaluation.status is not Status.CORRECT
    assert "N=4096" in evaluation.reason


def test_what_is_right_in_one_order_of_calls_only_is_wrong(referee: Referee) -> None:
    evaluation = referee.evaluate(KERNELS + SECOND_CALL, timed=[])
    assert evaluation.status is not Status.CORRECT
