"""reverse_array: the values of a vector in the opposite order, out of place."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mskernelbench.exact_maps import VECTOR_CHECK, VECTOR_PAPER, VECTOR_REAL, exact_map, vector
from mskernelbench.operator import Arrays, Workload, output, size, tensor
from mskernelbench.pieces import Piece, Wanted


def cut(workload: Workload, arrays: Arrays, wanted: Wanted) -> Iterator[Piece]:
    """The values that end at the wanted places, in their own order."""
    values = arrays["input"][::-1][wanted.places][::-1]
    where = np.arange(len(values))
    yield Piece(replace(workload, shape={"N": len(values)}), {"input": values}, where, (where,))


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
    cut=cut,
)
