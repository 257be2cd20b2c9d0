"""matrix_scalar_mul: B = s·A for row-major M×N matrices."""

from pathlib import Path

import numpy as np

from mskernelbench.exact_maps import COPIED_PAPER, MATRIX_REAL, Values, exact_map, matrix
from mskernelbench.operator import Element, Workload, output, scalar, size, tensor
from mskernelbench.pieces import along


def workload(name: str, s: float, m: int, n: int, kind: str = "shifted") -> Workload:
    """One workload; the scalar is rounded to the precision when it is passed."""
    return Workload(name, {"scalar": s, "M": m, "N": n}, kind)


CHECK = (
    workload("check", 0.7, 1, 1, "ordinary"),
    workload("check", 3.0, 1, 257, "full_mantissa"),
    workload("check", -0.7, 263, 1, "full_mantissa"),
    workload("check", 0.1, 31, 33, "mixed"),
    workload("check", 1.0, 64, 64, "full_mantissa"),
    workload("check", 0.0, 5, 264, "special"),
    workload("check", -(2.0**100), 127, 103, "special"),
    workload("check", 1.0e-3, 293, 1031, "mixed"),
    workload("check", 1.7, 1031, 65, "full_mantissa"),
    workload("check", 0.3, 2, 2051, "special"),
    workload("check", 1.3, 65_601, 3, "mixed"),
    workload("check", 0.9, 3, 65_601, "full_mantissa"),
)
PAPER = tuple(workload("paper", 0.7, m, n) for m, n in COPIED_PAPER)
REAL = tuple(workload("real", 0.7, m, n) for m, n in MATRIX_REAL)


def scaled(workload: Workload, arrays: list[Values]) -> Values:
    """The float64 product with the scalar as the entry receives it."""
    passed = np.asarray(workload.shape["scalar"], np.float32).astype(arrays[0].dtype)
    product: Values = arrays[0].astype(np.float64) * passed.astype(np.float64)
    return product


OPERATOR = exact_map(
    name="matrix_scalar_mul",
    symbol="matrix_scalar_mul",
    title="Matrix times scalar",
    signature=(
        tensor("A", "M×N, row-major"),
        output("B", "M×N, row-major"),
        scalar("scalar", element=Element.VALUE),
        size("M"),
        size("N"),
    ),
    mathematics="B[m,n] = scalar·A[m,n], correctly rounded.",
    source="IEEE 754-2019, section 5.4.1 (multiplication)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    extents=matrix,
    answer=scaled,
    flops_a_value=1,
    cut=along(M={"A": 0, "B": 0}, N={"A": 1, "B": 1}),
)
