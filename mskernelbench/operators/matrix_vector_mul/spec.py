"""matrix_vector_mul: y = A·x for a row-major M×N matrix."""

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
from mskernelbench.products import HIGHAM, Matrix, pair, product, product_rounding


def shape(m: int, n: int) -> Shape:
    """Sizes in the entry's order."""
    return {"M": m, "N": n}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(2051, 2), "mixed"),
    Workload("check", shape(64, 64)),
    Workload("check", shape(31, 257), "one_hot"),
    Workload("check", shape(33, 264), "shifted"),
    Workload("check", shape(127, 1031)),
    Workload("check", shape(5, 2048), "mixed"),
    Workload("check", shape(67, 129), "nan_row"),
    Workload("check", shape(263, 4093), "integers", exact=True),
    Workload("check", shape(2, 16_411), "shifted"),
    Workload("check", shape(17, 2047), "ones", exact=True),
    Workload("check", shape(65_601, 2), "mixed"),
    Workload("check", shape(2, 65_601), "one_hot"),
)
PAPER = tuple(Workload("paper", shape(2048, 2**p), "shifted") for p in (8, 10, 12, 14, 16))
REAL = (
    Workload("real", shape(4096, 4096), "shifted"),
    Workload("real", shape(4099, 11_009), "shifted"),
    Workload("real", shape(14_336, 4096), "shifted"),
    Workload("real", shape(128_256, 4096), "shifted"),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A and x."""
    m, n = int(workload.shape["M"]), int(workload.shape["N"])
    a, x = pair(workload.values, (m, 1, n), precision, rng)
    return {"A": a, "x": x.reshape(n)}


def operands(arrays: Arrays) -> tuple[Matrix, Matrix]:
    """A, and x as a matrix of one column."""
    return arrays["A"], arrays["x"][:, None]


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """y in float64."""
    return {"y": product(*operands(arrays))[:, 0]}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a product with one column."""
    whole = product_rounding(workload, *operands(arrays))
    return {"y": (Rounding(whole.terms, whole.scale[:, 0]),)}


def elements(shape: Shape) -> int:
    """M·N."""
    return int(shape["M"]) * int(shape["N"])


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """A, x and y once."""
    return precision.value_bytes * (elements(shape) + int(shape["M"]) + int(shape["N"]))


OPERATOR = Operator(
    name="matrix_vector_mul",
    symbol="matrix_vector_mul",
    title="Matrix times vector",
    category=Category.ALGEBRA,
    signature=(
        tensor("A", "M×N, row-major"),
        tensor("x", "N"),
        output("y", "M"),
        size("M"),
        size("N"),
    ),
    contract=Contract.POISONED,
    mathematics="y = A·x: y[m] = Σ_n A[m,n]·x[n], A row-major.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"y": (int(shape["M"]),)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 2 * elements(shape),
    dram_bytes=dram_bytes,
    probe="one_hot",
    weight=elements,
    cut=along(M={"A": 0, "y": 0}),
)
