"""matrix_copy: B = A for row-major M×N matrices."""

from pathlib import Path

from mskernelbench.exact_maps import (
    COPIED_PAPER,
    MATRIX_REAL,
    MATRIX_SIZES,
    MATRIX_VALUES,
    exact_map,
    matrices,
    matrix,
)
from mskernelbench.operator import output, size, tensor
from mskernelbench.pieces import along

WORKLOADS = (
    *matrices("check", MATRIX_SIZES, MATRIX_VALUES),
    *matrices("paper", COPIED_PAPER),
    *matrices("real", MATRIX_REAL),
)

OPERATOR = exact_map(
    name="matrix_copy",
    symbol="matrix_copy",
    title="Matrix copy",
    signature=(
        tensor("A", "M×N, row-major"),
        output("B", "M×N, row-major"),
        size("M"),
        size("N"),
    ),
    mathematics="B[m,n] = A[m,n], bit for bit.",
    source="BLAS Technical Forum Standard, 2001, section 2.8.6 (GE_COPY)",
    folder=Path(__file__).parent,
    workloads=WORKLOADS,
    extents=matrix,
    answer=lambda workload, arrays: arrays[0],
    cut=along(M={"A": 0, "B": 0}, N={"A": 1, "B": 1}),
)
