"""matrix_mul: C = A·B for row-major A (M×K) and B (K×N)."""

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


def shape(m: int, n: int, k: int) -> Shape:
    """Sizes in the entry's order."""
    return {"M": m, "N": n, "K": k}


CHECK = (
    Workload("check", shape(1, 1, 1)),
    Workload("check", shape(64, 64, 64)),
    Workload("check", shape(127, 65, 33)),
    Workload("check", shape(129, 264, 24), "shifted"),
    Workload("check", shape(3, 67, 4099)),
    Workload("check", shape(2, 2051, 40)),
    Workload("check", shape(65_601, 15, 17)),
    Workload("check", shape(17, 31, 128), "mixed"),
    Workload("check", shape(9, 21, 40), "nan_row"),
    Workload("check", shape(5, 64, 1031), "integers", exact=True),
    Workload("check", shape(2, 16, 2048), "ones", exact=True),
    Workload("check", shape(33, 47, 160), "one_hot"),
)
PAPER = tuple(Workload("paper", shape(m, 2048, 4096), "shifted") for m in (64, 256, 1024, 4096, 16384))
REAL = (
    Workload("real", shape(1, 4096, 4096), "shifted"),
    Workload("real", shape(17, 11008, 4096), "shifted"),
    Workload("real", shape(333, 4096, 11008), "shifted"),
    Workload("real", shape(2048, 14336, 4096), "shifted"),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A and B."""
    m, n, k = (int(workload.shape[name]) for name in "MNK")
    a, b = pair(workload.values, (m, n, k), precision, rng)
    return {"A": a, "B": b}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """C in float64."""
    return {"C": product(arrays["A"], arrays["B"])}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a product."""
    return {"C": (product_rounding(workload, arrays["A"], arrays["B"]),)}


def volume(shape: Shape) -> int:
    """M·N·K."""
    return int(shape["M"]) * int(shape["N"]) * int(shape["K"])


def flops(shape: Shape) -> int:
    """A product and an addition for each of M·N·K terms."""
    return 2 * volume(shape)


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """A, B and C once."""
    m, n, k = (int(shape[name]) for name in "MNK")
    return precision.value_bytes * (m * k + k * n + m * n)


OPERATOR = Operator(
    name="matrix_mul",
    symbol="matrix_mul",
    title="Matrix multiplication",
    category=Category.ALGEBRA,
    aliases=("gemm", "matmul"),
    signature=(
        tensor("A", "M×K, row-major"),
        tensor("B", "K×N, row-major"),
        output("C", "M×N, row-major"),
        size("M"),
        size("N"),
        size("K"),
    ),
    contract=Contract.POISONED,
    mathematics="C = A·B: C[m,n] = Σ_k A[m,k]·B[k,n], all matrices row-major.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"C": (int(shape["M"]), int(shape["N"]))},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=dram_bytes,
    probe="one_hot",
    weight=volume,
    matrix_product=True,
    cut=along(M={"A": 0, "C": 0}, N={"B": 1, "C": 1}),
)
