"""The referee on the virtual GPU: real candidates, compiled by nvcc, get the verdict they deserve.

Cheats are judged in `tests/gauntlet/`.
"""

import shutil
from collections.abc import Iterator

import pytest

from cudamaster.toolchain.catalog import open_device
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision
from mskernelbench.referee import Referee
from mskernelbench.shapes import parse_shape

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

ARGUMENTS = (
    "int rows, const float* values, const int* col_indices, const int* row_offsets, const float* x, float* y"
)
KERNEL = """
__global__ void kernel(ARGUMENTS) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = row_offsets[row] + lane; p < row_offsets[row + 1]; p += 32) sum += TERM;
    for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
}
"""
ENTRY = """
extern "C" void spmv_csr_optimized(ARGUMENTS, cudaStream_t stream) {
    kernel<<<(rows + 7) / 8, 256, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}
"""
TERM = "values[p] * x[col_indices[p]]"


def source(kernel: str = KERNEL, entry: str = ENTRY, term: str = TERM) -> str:
    return (kernel.replace("TERM", term) + entry).replace("ARGUMENTS", ARGUMENTS)


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    device = open_device("virtual:h200")
    operator = load_operator("spmv_csr")
    shape = parse_shape(operator, "rows=30011,cols=4096,nnz_per_row=200")
    yield Referee(device, operator, Precision.FP32, shapes=[shape])
    device.close()


def test_a_warp_a_row_is_correct_and_faster_than_a_thread_a_row(referee: Referee) -> None:
    evaluation = referee.evaluate(source())
    assert evaluation.status is Status.CORRECT, evaluation.reason
    assert evaluation.entry == "spmv_csr_optimized"
    assert evaluation.clock == "modelled"
    assert evaluation.speedup is not None
    assert evaluation.speedup.low > 1.1


def test_a_kernel_that_lies_above_a_thousand_rows_is_wrong_on_a_timed_workload(referee: Referee) -> None:
    lie = KERNEL.replace("kernel(", "lie(", 1).replace("TERM", "values[p] * x[0]")
    entry = ENTRY.replace("    kernel<<<", "    auto chosen = rows <= 1000 ? kernel : lie;\n    chosen<<<")
    evaluation = referee.evaluate(source(kernel=KERNEL + lie, entry=entry))
    assert evaluation.status is Status.WRONG
    assert "workload rows=" in evaluation.reason


def test_a_kernel_that_does_nothing_on_the_users_shape_is_wrong(referee: Referee) -> None:
    entry = ENTRY.replace("    kernel<<<", "    if (rows != 30011) kernel<<<")
    evaluation = referee.evaluate(source(entry=entry))
    assert evaluation.status is Status.WRONG
    assert "of user workload rows=30011" in evaluation.reason
    assert "never written" in evaluation.reason


SHARED = """
__global__ void kernel(ARGUMENTS) {
    __shared__ float sums[8];
    int row = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
    for (int p = row_offsets[row] + threadIdx.x; p < row_offsets[row + 1]; p += 256) sum += TERM;
    for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) sums[warp] = sum;
    BARRIER
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += sums[w];
        y[row] = sum;
    }
}
"""


def test_a_missing_barrier_is_told_with_both_lines_in_place_of_a_wrong_result(referee: Referee) -> None:
    entry = ENTRY.replace("(rows + 7) / 8", "rows")
    evaluation = referee.evaluate(source(kernel=SHARED.replace("BARRIER", ""), entry=entry))
    assert evaluation.status is Status.WRONG
    assert evaluation.reason is not None
    assert (
        "a race: thread (32, 0, 0) wrote 4 bytes at byte 4 of shared memory at line 8, and without"
        in evaluation.reason
    )
    assert "(kernel kernel, line 11)" in evaluation.reason
    assert "expected" not in evaluation.reason
    assert referee.evaluate(
        source(kernel=SHARED.replace("BARRIER", "__syncthreads();"), entry=entry)
    ).status is (Status.CORRECT)


def test_a_stream_of_its_own_is_not_supported(referee: Referee) -> None:
    body = ENTRY.replace("{\n", "{\n    cudaStreamCreate(&stream);\n", 1)
    evaluation = referee.evaluate(source(entry=body))
    assert (evaluation.status, evaluation.guard) == (Status.UNSUPPORTED, None)
    assert "cudaStreamCreate" in evaluation.reason
    assert "launch on the stream that is passed" in evaluation.reason


def test_a_syntax_error_is_a_failed_build_with_its_line(referee: Referee) -> None:
    evaluation = referee.evaluate(source(term="values[p] x"))
    assert evaluation.status is Status.BUILD_FAILED
    assert "kernel.cu:6" in evaluation.reason


def test_a_profile_counts_the_candidates_kernel(referee: Referee) -> None:
    profile = referee.profile(source())
    assert hasattr(profile, "kernels"), profile
    assert profile.kernels[0].name.startswith("kernel")
