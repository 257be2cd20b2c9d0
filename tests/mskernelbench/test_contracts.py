"""Contracts of outputs, held by the referee on the virtual GPU: in place, zeroed, optional, whole numbers."""

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import Operator, Precision
from mskernelbench.referee import Referee
from tests.mskernelbench.small_operators import NEGATE, ORDER, STEP, WEIGHTED_SUM, sizes

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

ORDER_KERNEL = """
__global__ void rank(float* sorted, int* order, const float* x, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (i >= N) return;
    for (int j = 0; j < N; j++) at += x[j] > x[i] || (x[j] == x[i] && j < i);
    sorted[at] = x[i];
    if (order) order[at] = i;
}
extern "C" void order_optimized(float* sorted, int* order, const float* x, int N) {
    rank<<<(N + 63) / 64, 64>>>(sorted, order, x, N);
}
"""
NEGATE_KERNEL = """
#include <cuda_bf16.h>
__global__ void negate_all(__nv_bfloat16* x, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) x[i] = __hneg(x[i]);
}
extern "C" void negate_bf16(__nv_bfloat16* x, int N) { negate_all<<<(N + 63) / 64, 64>>>(x, N); }
"""
STEP_KERNEL = """
__global__ void step_all(float* x, float* before, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    before[i] = x[i];
    x[i] = -x[i];
}
extern "C" void step(float* x, float* before, int N) { step_all<<<(N + 63) / 64, 64>>>(x, before, N); }
"""
SUM_KERNEL = """
#include <cuda_bf16.h>
__global__ void add(float* total, const __nv_bfloat16* x, int N, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < N ? factor * __bfloat162float(x[i]) : 0.0f;
    for (int offset = 16; offset; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}
extern "C" void weighted_sum_bf16(float* total, const __nv_bfloat16* x, int N, __nv_bfloat16 factor) {
    add<<<(N + 63) / 64, 64>>>(total, x, N, __bfloat162float(factor));
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("virtual:h200")
    yield opened
    opened.close()


def verdict(device: Device, operator: Operator, precision: Precision, source: str) -> Evaluation:
    return Referee(device, operator, precision, sets=("check",)).evaluate(source)


def test_two_outputs_one_of_whole_numbers_and_optional_are_right(device: Device) -> None:
    evaluation = verdict(device, ORDER, Precision.FP32, ORDER_KERNEL)
    assert evaluation.correct, evaluation.reason
    assert len(evaluation.workloads) == 4


def test_a_wrong_whole_number_is_named_by_its_output(device: Device) -> None:
    evaluation = verdict(
        device, ORDER, Precision.FP32, ORDER_KERNEL.replace("order[at] = i", "order[at] = at")
    )
    assert evaluation.status is Status.WRONG
    assert "output order[0] of check workload N=37" in evaluation.reason
    assert "exactly" in evaluation.reason


def test_writing_an_output_that_was_left_out_is_refused(device: Device) -> None:
    evaluation = verdict(device, ORDER, Precision.FP32, ORDER_KERNEL.replace("if (order) ", ""))
    assert not evaluation.correct
    assert "order=null" in evaluation.reason


def test_a_buffer_is_overwritten_in_place_and_restored_before_every_call(device: Device) -> None:
    assert verdict(device, NEGATE, Precision.BF16, NEGATE_KERNEL).correct
    twice = NEGATE_KERNEL.replace("64>>>(x, N); }", "64>>>(x, N); negate_all<<<(N + 63) / 64, 64>>>(x, N); }")
    assert verdict(device, NEGATE, Precision.BF16, twice).status is Status.WRONG
    same = replace(NEGATE, workloads=sizes(37, 37))
    assert verdict(device, same, Precision.BF16, NEGATE_KERNEL).correct


def test_a_buffer_is_overwritten_in_place_beside_an_output_that_holds_garbage(device: Device) -> None:
    assert verdict(device, STEP, Precision.FP32, STEP_KERNEL).correct
    kept = verdict(device, STEP, Precision.FP32, STEP_KERNEL.replace("    x[i] = -x[i];", ""))
    assert (kept.status, "output x[0]" in kept.reason) == (Status.WRONG, True)
    unwritten = verdict(device, STEP, Precision.FP32, STEP_KERNEL.replace("    before[i] = x[i];", ""))
    assert (unwritten.status, "output before[0]" in unwritten.reason) == (Status.WRONG, True)
    twice = STEP_KERNEL.replace(
        "before, N); }", "before, N); step_all<<<(N + 63) / 64, 64>>>(x, before, N); }"
    )
    assert verdict(device, STEP, Precision.FP32, twice).status is Status.WRONG


def test_an_entry_adds_into_zeros_with_a_bf16_scalar_and_may_leave_it_out(device: Device) -> None:
    assert verdict(device, WEIGHTED_SUM, Precision.BF16, SUM_KERNEL).correct
    without = SUM_KERNEL.replace(", __nv_bfloat16 factor)", ")").replace("__bfloat162float(factor))", "0.5f)")
    usual = replace(WEIGHTED_SUM, workloads=sizes(1, 37, 1000, values="shifted"))
    evaluation = verdict(device, usual, Precision.BF16, without)
    assert evaluation.correct, evaluation.reason
    assert verdict(device, WEIGHTED_SUM, Precision.BF16, without).status is Status.WRONG


def test_one_number_that_stayed_as_it_was_is_wrong_and_no_cheat(device: Device) -> None:
    body = SUM_KERNEL.replace("    add<<<", "    if (N == 1) add<<<")
    evaluation = verdict(device, WEIGHTED_SUM, Precision.BF16, body)
    assert (evaluation.status, evaluation.guard) == (Status.WRONG, None)
