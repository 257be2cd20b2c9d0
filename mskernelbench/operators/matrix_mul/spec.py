"""matrix_mul: C = A·B for row-major A (M×K) and B (K×N)."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, ternary, values
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

ROWS_A_BLOCK = 512
"""Rows of A converted to float64 at once."""


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
    if workload.values in PROBES:
        a, b = PROBES[workload.values](m, n, k, precision, rng)
    else:
        a, b = (values(workload.values, rng, count, precision) for count in (m * k, k * n))
    return {"A": a.reshape(m, k), "B": b.reshape(k, n)}


Pair = tuple[NDArray[np.generic], NDArray[np.generic]]


def integers(m: int, n: int, k: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """Partial sums are whole numbers below 2^24: FP32 is exact in any order, fewer bits are not."""
    return probe_integers(rng, m * k, precision), ternary(rng, k * n, precision)


def ones(m: int, n: int, k: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """Every sum is K; an accumulator with 8 bits stops at 256."""
    return np.ones(m * k, precision.dtype), np.ones(k * n, precision.dtype)


def one_hot(m: int, n: int, k: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """One full-mantissa number in each row of A, the last row's at its end: C holds single products."""
    a = np.zeros((m, k), precision.dtype)
    columns = rng.integers(0, k, m)
    columns[-1] = k - 1
    a[np.arange(m), columns] = full_mantissa(rng, m, precision)
    return a, full_mantissa(rng, k * n, precision)


def nan_row(m: int, n: int, k: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """One NaN at the end of A's middle row: exactly that row of C is NaN."""
    a, b = (values("ordinary", rng, count, precision) for count in (m * k, k * n))
    a[(m // 2 + 1) * k - 1] = np.nan
    return a, b


PROBES = {"integers": integers, "ones": ones, "one_hot": one_hot, "nan_row": nan_row}


def blocked_product(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.float64]:
    """A·B in float64, a block of rows at a time."""
    right = b.astype(np.float64)
    blocks = [a[i : i + ROWS_A_BLOCK].astype(np.float64) @ right for i in range(0, len(a), ROWS_A_BLOCK)]
    return np.concatenate(blocks)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """C in float64, a row at a time where rows hold NaN."""
    with np.errstate(invalid="ignore"):
        return {"C": blocked_product(arrays["A"], arrays["B"])}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of K products: Σ|a||b|; a one-hot row sums one."""
    with np.errstate(invalid="ignore"):
        scale = blocked_product(abs(arrays["A"]), abs(arrays["B"]))
    return {"C": (Rounding(1 if workload.values == "one_hot" else int(workload.shape["K"]), scale),)}


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
    source="N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5 (error bound)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"C": (int(shape["M"]), int(shape["N"]))},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=dram_bytes,
    weight=volume,
    matrix_product=True,
)
