"""A language model's coder as a script: real CUDA kernels, a wrong one first, then one that is faster.

The first plan is answered with a kernel that is refused (its last element or row is left out, or it does not
compile), which the debugger mends by an edit; the second with a quicker kernel.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from mskernelbench.operator import Precision
from tests.doubles.language_run import fenced, role_of
from tests.doubles.model_server import Act, Asked

PRELUDES = {
    Precision.FP32: "using T = float;\n__device__ T rounded(float x) { return x; }\n",
    Precision.BF16: "#include <cuda_bf16.h>\nusing T = __nv_bfloat16;\n"
    "__device__ T rounded(float x) { return __float2bfloat16(x); }\n",
}

SPMV = """
constexpr int LANES = 1;

__global__ void lanes_of_a_row(int rows, const T* values, const int* col_indices, const int* row_offsets,
                               const T* x, T* y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0.0f;
    if (row < rows)
        for (int p = row_offsets[row] + lane; p < row_offsets[row + 1]; p += LANES)
            sum += float(values[p]) * float(x[col_indices[p]]);
    for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0 && row < rows) y[row] = rounded(sum);
}

extern "C" void ENTRY(int rows, const T* values, const int* col_indices, const int* row_offsets, const T* x,
                      T* y, cudaStream_t stream) {
    int blocks = (rows * LANES + 127) / 128;
    lanes_of_a_row<<<blocks, 128, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}
"""

MATRIX_MUL = """
constexpr int ROWS = 1;

__global__ void rows_of_a_thread(const T* A, const T* B, T* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (column >= N) return;
    float sum[ROWS] = {};
#pragma unroll 8
    for (int k = 0; k < K; ++k) {
        float b = float(B[(size_t)k * N + column]);
        for (int i = 0; i < ROWS; ++i) sum[i] += float(A[(size_t)min(row + i, M - 1) * K + k]) * b;
    }
    for (int i = 0; i < ROWS && row + i < M; ++i) C[(size_t)(row + i) * N + column] = rounded(sum[i]);
}

extern "C" void ENTRY(const T* A, const T* B, T* C, int M, int N, int K, cudaStream_t stream) {
    dim3 grid((N + 31) / 32, (M + 4 * ROWS - 1) / (4 * ROWS));
    rows_of_a_thread<<<grid, dim3(32, 4), 0, stream>>>(A, B, C, M, N, K);
}
"""

SOFTMAX = """
#include <math.h>
constexpr int LANES = 1;

__device__ float share(T x, float highest) { return expf(float(x) - highest); }

__global__ void lanes_of_a_row(T* out, const T* input, int N, int C) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const T* from = input + (size_t)min(row, N - 1) * C;
    float highest = -INFINITY, sum = 0.0f;
    for (int c = lane; c < C; c += LANES) highest = fmaxf(highest, float(from[c]));
    for (int step = LANES / 2; step > 0; step /= 2)
        highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, step));
    for (int c = lane; c < C; c += LANES) sum += share(from[c], highest);
    for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    for (int c = lane; c < C && row < N; c += LANES)
        out[(size_t)row * C + c] = rounded(share(from[c], highest) / sum);
}

extern "C" void ENTRY(T* out, const T* input, int N, int C, cudaStream_t stream) {
    int blocks = (N * LANES + 127) / 128;
    lanes_of_a_row<<<blocks, 128, 0, stream>>>(out, input, N, C);
}
"""


@dataclass(frozen=True)
class Edit:
    """A text that stands once in a source and ends its line, and another."""

    old: str
    new: str

    def in_(self, source: str) -> str:
        """The source after it."""
        assert source.count(self.old) == 1
        return source.replace(self.old, self.new)

    @property
    def back(self) -> "Edit":
        """Undoes it."""
        return Edit(self.new, self.old)

    @property
    def block(self) -> str:
        """As a model writes it."""
        return f"<<<<<<< SEARCH\n{self.old}\n=======\n{self.new}\n>>>>>>> REPLACE\n"


@dataclass(frozen=True)
class Exercise:
    """One operator's kernels."""

    operator: str
    shape: str
    """Small, and one where the quicker kernel is quicker."""
    right: str
    mistake: Edit
    status: str
    """What the mistake leads to."""
    quicker: Edit

    def source(self, precision: Precision, entry: str) -> str:
        """The right kernel."""
        return f"#include <cuda_runtime.h>\n{PRELUDES[precision]}{self.right.replace('ENTRY', entry)}"


EXERCISES = {
    exercise.operator: exercise
    for exercise in (
        Exercise(
            "spmv_csr",
            "rows=512,cols=512,nnz_per_row=64,pattern=uniform",
            SPMV,
            Edit("row < rows) y[row] = rounded(sum);", "row < rows - 1) y[row] = rounded(sum);"),
            "wrong",
            Edit("constexpr int LANES = 1;", "constexpr int LANES = 8;"),
        ),
        Exercise(
            "matrix_mul",
            "M=512,N=512,K=256",
            MATRIX_MUL,
            Edit("float b = float(B[(size_t)k * N + column]);", "float b = float(B[(size_t)k * N + colum]);"),
            "build_failed",
            Edit("constexpr int ROWS = 1;", "constexpr int ROWS = 4;"),
        ),
        Exercise(
            "softmax",
            "N=4096,C=32",
            SOFTMAX,
            Edit(
                "c < C; c += LANES) sum += share(from[c], highest);",
                "c < C - 1; c += LANES) sum += share(from[c], highest);",
            ),
            "wrong",
            Edit("constexpr int LANES = 1;", "constexpr int LANES = 32;"),
        ),
    )
}


def scripted_coder(exercise: Exercise, precision: Precision, entry: str) -> Callable[[Asked], Act]:
    """Answers for every role; the planner asks for two candidates."""
    right = exercise.source(precision, entry)
    coder = {
        "a first kernel": fenced("cuda", exercise.mistake.in_(right)),
        "a quicker kernel": fenced("cuda", exercise.quicker.in_(right)),
    }
    plans = [{"strategy": f"s{i}", "change": change, "reason": "why"} for i, change in enumerate(coder)]
    reading = {"bound": "memory", "sentence": "DRAM binds.", "metrics": {}, "lesson": "It helped."}

    def answer(asked: Asked) -> Act:
        match role_of(asked):
            case "planner":
                return Act(fenced("json", json.dumps({"plans": plans})))
            case "coder":
                return Act(next(text for change, text in coder.items() if change in asked.task))
            case "debugger":
                return Act(exercise.mistake.back.block)
            case _:
                return Act(fenced("json", json.dumps(reading)))

    return answer
