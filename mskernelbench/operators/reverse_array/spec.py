"""reverse_array: the values of a vector in the opposite order, out of place."""

from pathlib import Path

from mskernelbench.exact_maps import VECTOR_CHECK, VECTOR_PAPER, VECTOR_REAL, exact_map, vector
from mskernelbench.operator import output, size, tensor

OPERATOR = exact_map(
    name="reverse_array",
    symbol="reverse_array",
    title="Array reversal",
    signature=(output("output", "N"), tensor("input", "N"), size("N")),
    mathematics="output[i] = input[N−1−i], bit for bit.",
    source="D. E. Knuth, The Art of Computer Programming, vol. 1, section 1.3.3 (inverting a permutation)",
    folder=Path(__file__).parent,
    workloads=VECTOR_CHECK + VECTOR_PAPER + VECTOR_REAL,
    extents=vector,
    answer=lambda workload, arrays: arrays[0][::-1],
)
