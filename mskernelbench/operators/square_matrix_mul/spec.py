"""square_matrix_mul: C = A·B for row-major M×M matrices."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.pieces import along
from mskernelbench.products import HIGHAM, pair, product, product_rounding

CHECK = (
    Workload("check", {"M": 1}),
    Workload("check", {"M": 2}, "mixed"),
    Workload("check", {"M": 17}),
    Workload("check", {"M": 31}, "one_hot"),
    Workload("check", {"M": 64}),
    Workload("check", {"M": 65}, "nan_row"),
    Workload("check", {"M": 72}, "mixed"),
    Workload("check", {"M": 127}, "integers", exact=True),
    Workload("check", {"M": 129}, "shifted"),
    Workload("check", {"M": 264}, "ones", exact=True),
)
PAPER = tuple(Workload("paper", {"M": 2**p}, "shifted") for p in (4, 6, 8, 10, 12))
REAL = tuple(Workload("real", {"M": m}, "shifted") for m in (1000, 2049, 4096))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A and B."""
    m = int(workload.shape["M"])
    a, b = pair(workload.values, (m, m, m), precision, rng)
    return {"A": a, "B": b}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """C in float64."""
    return {"C": product(arrays["A"], arrays["B"])}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a product."""
    return {"C": (product_rounding(workload, arrays["A"], arrays["B"]),)}


def weight(shape: Shape) -> int:
    """M³."""
    return int(shape["M"]) ** 3


OPERATOR = Operator(
    name="square_matrix_mul",
    symbol="square_matrix_mul",
    title="Square matrix multiplication",
    category=Category.ALGEBRA,
    signature=(
        tensor("A", "M×M, row-major"),
        tensor("B", "M×M, row-major"),
        output("C", "M×M, row-major"),
        size("M"),
    ),
    contract=Contract.POISONED,
    mathematics="C = A·B: C[i,j] = Σ_k A[i,k]·B[k,j], all matrices M×M and row-major.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"C": (int(shape["M"]), int(shape["M"]))},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 2 * weight(shape),
    dram_bytes=lambda shape, precision: 3 * precision.value_bytes * int(shape["M"]) ** 2,
    probe="one_hot",
    weight=weight,
    matrix_product=True,
    cut=along(rows={"A": 0, "C": 0}, columns={"B": 1, "C": 1}),
)
