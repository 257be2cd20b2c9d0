"""Each kind of fault is put where it should be, and nowhere else."""

import pytest

from benchmarks.mutation.mutators import HEADER, Mutant, mutants
from mskernelbench.operator import Precision

SOURCE = """\
// if (i >= N) return; in a comment is no place for a fault
__global__ void kernel(float* y, const float* x, int N) {
    __shared__ float part[THREADS];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < N; ++k) sum += x[k] * 1.702f;
    __syncthreads();
    y[i] = fmaxf(sum, part[0]);
}
extern "C" void ENTRY(float* y, const float* x, int N, cudaStream_t stream) {
    kernel<<<(N + 255) / 256, 256, 0, stream>>>(y, x, N);
}
"""


def found(fault: str, precision: Precision = Precision.FP32, most: int = 9) -> list[Mutant]:
    return [mutant for mutant in mutants(SOURCE, precision, ["N"], most) if mutant.mutator == fault]


@pytest.mark.parametrize(
    ("fault", "line", "text"),
    [
        ("the last element is left out", 5, "    if (i >= N - 1) return;"),
        ("the last element is left out", 7, "    for (int k = 0; k < N - 1; ++k) sum += x[k] * 1.702f;"),
        ("one element too many", 5, "    if (i > N) return;"),
        ("no guard", 5, "    "),
        ("no barrier", 8, "    ;"),
        ("swapped indices", 4, "    size_t i = (size_t)blockIdx.y * blockDim.x + threadIdx.x;"),
        ("wrong initial value", 6, "    float sum = 1.0f;"),
        ("the first step is left out", 7, "    for (int k = 1; k < N; ++k) sum += x[k] * 1.702f;"),
        ("wrong operator", 7, "    for (int k = 0; k < N; ++k) sum -= x[k] * 1.702f;"),
        ("wrong operator", 9, "    y[i] = fminf(sum, part[0]);"),
        ("a statement is left out", 9, "    ;"),
        ("indices of 16 bits", 4,
         "    size_t i = (unsigned short)blockIdx.x * blockDim.x + threadIdx.x;"),
        ("an array one too short", 3, "    __shared__ float part[THREADS - 1];"),
        ("a neighbour's value", 7,
         "    for (int k = 0; k < N; ++k) sum += x[k > 0 ? k - 1 : 0] * 1.702f;"),
        ("a sum of low precision", 7,
         "    for (int k = 0; k < N; ++k) sum = __half2float(__float2half(sum + (x[k] * 1.702f)));"),
        ("a result of low precision", 9,
         "    y[i] = __half2float(__float2half(fmaxf(sum, part[0])));"),
        ("nothing beyond 1000", 11,
         f"{SOURCE.splitlines()[10]} if (N > 1000) return;"),
    ],
)  # fmt: skip
def test_a_fault_changes_one_line(fault: str, line: int, text: str) -> None:
    honest = SOURCE.splitlines()
    (mutant,) = (mutant for mutant in found(fault) if text in mutant.source.splitlines())
    changed = mutant.source.removeprefix(HEADER).splitlines()
    places = [n for n, (mine, theirs) in enumerate(zip(honest, changed, strict=True)) if mine != theirs]
    assert places == [line - 1]
    assert mutant.source.startswith(HEADER) == ("__half2float" in text)
    assert mutant.line == line
    assert changed[places[0]] == text


def test_comments_and_array_bounds_are_left_alone() -> None:
    assert [mutant.line for mutant in found("no guard")] == [5]
    assert all("THREADS > 0" not in mutant.source for mutant in found("a neighbour's value"))


def test_constants_change_by_as_much_as_the_precision_shows() -> None:
    (single,), (half,) = (found(f"a constant {share} % off", precision) for share, precision in
                          (("0.01", Precision.FP32), ("2", Precision.BF16)))  # fmt: skip
    assert "1.70217" in single.source
    assert "1.73604f" in half.source


def test_no_more_than_so_many_of_a_kind_are_made_and_always_the_same() -> None:
    few = mutants(SOURCE, Precision.FP32, ["N"], most=1)
    assert len({mutant.mutator for mutant in few}) == len(few)
    assert few == mutants(SOURCE, Precision.FP32, ["N"], most=1)
