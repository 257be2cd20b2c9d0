"""matrix_power: B = A^P for a row-major N×N matrix and a whole P ≥ 0."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, values
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
from mskernelbench.tolerance import CONSTANT

GROWTH = 0.25
"""By how much sums of rows of positive matrices exceed 1: one factor more or less shows."""
BAND, OUTSIDE = 32, 2.0**-8
"""Of a `banded` matrix: one in BAND elements of a row is in the band, and those outside are so much less.

So powers up to A^16 keep dozens of ranks, and no sum is too large for the least of its terms.
"""
MOST_GROWTH = 16
"""Exponents above MOST_GROWTH / GROWTH get less, so that (1 + MOST_GROWTH / P)^P stays below e^16."""

Matrix = NDArray[np.generic]


def shape(n: int, p: int) -> Shape:
    """Size and exponent."""
    return {"N": n, "P": p}


CHECK = (
    Workload("check", shape(1, 0)),
    Workload("check", shape(1, 5)),
    Workload("check", shape(37, 0)),
    Workload("check", shape(33, 1), "mixed"),
    Workload("check", shape(31, 2), "mixed"),
    Workload("check", shape(29, 2), "nan"),
    Workload("check", shape(65, 3)),
    Workload("check", shape(40, 5), "integers", exact=True),
    Workload("check", shape(47, 6), "monomial"),
    Workload("check", shape(72, 7), "positive"),
    Workload("check", shape(64, 16), "positive"),
    Workload("check", shape(17, 37), "positive"),
    Workload("check", shape(129, 4), "positive"),
    Workload("check", shape(264, 3), "positive"),
    Workload("check", shape(96, 9), "banded"),
)
PAPER = tuple(Workload("paper", shape(n, p), "banded") for n in (256, 512, 1024) for p in (2, 5, 8, 11, 16))
REAL = (
    Workload("real", shape(1000, 12), "banded"),
    Workload("real", shape(2048, 4), "banded"),
    Workload("real", shape(3001, 3), "banded"),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A."""
    n = int(workload.shape["N"])
    match workload.values:
        case "positive" | "banded":
            even = POSITIVE[workload.values](n, rng)
            a = spread(even * np.float32(row_sum(int(workload.shape["P"]))), precision, rng)
        case "integers" | "monomial" | "nan":
            a = PROBES[workload.values](n, precision, rng)
        case name:
            a = values(name, rng, n * n, precision).reshape(n, n)
    return {"A": a}


def row_sum(p: int) -> float:
    """About what rows of positive matrices sum to, and the largest eigenvalue."""
    return 1 + min(GROWTH, MOST_GROWTH / max(p, 1))


def spread(a: NDArray[np.float32], precision: Precision, rng: np.random.Generator) -> Matrix:
    """A similarity with powers of two: it spreads the elements of every power, and keeps eigenvalues."""
    exponents = rng.integers(0, 4, len(a))
    rounded: Matrix = np.ldexp(a, exponents[:, None] - exponents).astype(precision.dtype)
    return rounded


def positive(n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Positive numbers near 1/N: no power cancels, and high ones have about one rank."""
    even = values("shifted", rng, n * n, Precision.FP32).reshape(n, n).astype(np.float32)
    return even * np.float32(1 / (0.75 * n))


def banded(n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Positive numbers, large in a band around the ring of all indices in some order."""
    places = rng.permutation(n)
    steps = np.abs(places[:, None] - places)
    inside = np.minimum(steps, n - steps) * 2 < max(3, n // BAND)
    a = positive(n, rng) * np.where(inside, np.float32(1), np.float32(OUTSIDE))
    rows: NDArray[np.float32] = a / a.sum(axis=1, keepdims=True)
    return rows


POSITIVE = {"positive": positive, "banded": banded}


def integers(n: int, precision: Precision, rng: np.random.Generator) -> Matrix:
    """−1, 0 and 1, at most three a row that are not 0: powers up to A⁵ stay below 256, exact in BF16."""
    a = np.zeros((n, n), precision.dtype)
    a[np.arange(n)[:, None], rng.integers(0, n, (n, 3))] = rng.choice([-1.0, 1.0], (n, 3))
    return a


def monomial(n: int, precision: Precision, rng: np.random.Generator) -> Matrix:
    """One full-mantissa number in each row and column: elements of powers are single products."""
    a = np.zeros((n, n), precision.dtype)
    a[np.arange(n), rng.permutation(n)] = full_mantissa(rng, n, precision)
    return a


def nan(n: int, precision: Precision, rng: np.random.Generator) -> Matrix:
    """One NaN: it fills a row and a column of A²."""
    a = values("ordinary", rng, n * n, precision).reshape(n, n)
    a[n // 2, n - 1] = np.nan
    return a


PROBES: Mapping[str, Callable[[int, Precision, np.random.Generator], Matrix]] = {
    "integers": integers,
    "monomial": monomial,
    "nan": nan,
}


def power(a: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """A^P by repeated squaring."""
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = np.linalg.matrix_power(a, exponent)
    return result


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """B in float64."""
    return {"B": power(arrays["A"].astype(np.float64), int(workload.shape["P"]))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """P − 1 products of N terms on |A|^P, and in BF16 the roundings of what lies between them.

    However the P factors are bracketed, an error of relative size δ in the product of some of them moves the
    result by at most δ·|A|^P for every time that product is used, and these uses number P − 1 with the result
    itself: A⁸ is (A⁴)², A⁴ twice (A²)². Tensor cores take BF16 operands, so in BF16 the P − 2 intermediate
    products may be rounded to it: 2^-8·|A|^P each.
    """
    exponent = int(workload.shape["P"])
    size = power(np.abs(arrays["A"].astype(np.float64)), exponent)
    terms = 1 if workload.values == "monomial" else int(workload.shape["N"])
    sources = [Rounding(terms, max(exponent - 1, 0) * size)]
    if precision is Precision.BF16:
        sources.append(Rounding(1, max(exponent - 2, 0) * size / CONSTANT, precision.unit_roundoff))
    return {"B": tuple(sources)}


def flops(shape: Shape) -> int:
    """⌈log₂ P⌉ matrix products: one at most doubles the exponent."""
    return 2 * int(shape["N"]) ** 3 * max(int(shape["P"]) - 1, 0).bit_length()


def weight(shape: Shape) -> int:
    """N³·P."""
    return int(shape["N"]) ** 3 * int(shape["P"])


OPERATOR = Operator(
    name="matrix_power",
    symbol="matrix_power",
    title="Matrix power",
    category=Category.ALGEBRA,
    signature=(
        tensor("A", "N×N, row-major"),
        output("B", "N×N, row-major"),
        size("N"),
        size("P", least=0),
    ),
    contract=Contract.POISONED,
    mathematics="B = A^P, the product of P factors A; A⁰ is the identity.",
    source="N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 18 (powers)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"B": (int(shape["N"]), int(shape["N"]))},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * int(shape["N"]) ** 2,
    weight=weight,
    matrix_product=True,
    probe="monomial",
    small=("mixed",),
)
