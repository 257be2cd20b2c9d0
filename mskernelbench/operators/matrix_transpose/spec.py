"""matrix_transpose: B = Aᵀ for a row-major M×N matrix."""

from itertools import product
from pathlib import Path

from mskernelbench.exact_maps import (
    MATRIX_REAL,
    MATRIX_SIZES,
    MATRIX_VALUES,
    exact_map,
    matrices,
)
from mskernelbench.operator import Shape, output, size, tensor
from mskernelbench.pieces import along

PAPER = tuple(product((2**p for p in range(10, 15)), repeat=2))
WORKLOADS = (
    *matrices("check", MATRIX_SIZES, MATRIX_VALUES),
    *matrices("paper", PAPER),
    *matrices("real", MATRIX_REAL),
)


def extents(shape: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """M×N in, N×M out."""
    m, n = int(shape["M"]), int(shape["N"])
    return (m, n), (n, m)


OPERATOR = exact_map(
    name="matrix_transpose",
    symbol="matrix_transpose",
    title="Matrix transposition",
    signature=(
        tensor("A", "M×N, row-major"),
        output("B", "N×M, row-major"),
        size("M"),
        size("N"),
    ),
    mathematics="B[n,m] = A[m,n], bit for bit; A is M×N, B is N×M, both row-major.",
    source="BLAS Technical Forum Standard, 2001, section 2.8.6 (GE_TRANS)",
    folder=Path(__file__).parent,
    workloads=WORKLOADS,
    extents=extents,
    answer=lambda workload, arrays: arrays[0].T,
    cut=along(M={"A": 0, "B": 1}, N={"A": 1, "B": 0}),
)
