"""Sums of products over one index: data, float64 answer and rounding errors of whatever is a matrix product.

Operators whose arguments are laid out otherwise bring them into the form A·B, A (M×K) and B (K×N).
"""

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, ternary, values
from mskernelbench.operator import Precision, Rounding, Workload

ROWS_A_BLOCK = 512
"""Rows of A converted to float64 at once."""

HIGHAM = "N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5 (error bound)"
"""Where the error bound of a product comes from."""

Matrix = NDArray[np.generic]
Pair = tuple[Matrix, Matrix]


def pair(
    kind: str, sizes: tuple[int, int, int], precision: Precision, rng: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """A and B of the kind that a workload's `values` names; `sizes` are M, N and K."""
    m, n, k = sizes
    if kind in PROBES:
        a, b = PROBES[kind](m, n, k, precision, rng)
    else:
        a, b = (values(kind, rng, count, precision) for count in (m * k, k * n))
    return a.reshape(m, k), b.reshape(k, n)


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


def product(a: Matrix, b: Matrix) -> NDArray[np.float64]:
    """A·B in float64, a block of rows at a time."""
    right = b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        blocks = [a[i : i + ROWS_A_BLOCK].astype(np.float64) @ right for i in range(0, len(a), ROWS_A_BLOCK)]
    return np.concatenate(blocks)


def product_rounding(workload: Workload, a: Matrix, b: Matrix) -> Rounding:
    """A sum of K products: Σ|a||b|; a one-hot row sums one."""
    return Rounding(1 if workload.values == "one_hot" else a.shape[1], product(abs(a), abs(b)))
