"""Builds operators whose every output is one input value, or one correctly rounded operation on two.

Nothing but equality passes. A sum or product of two numbers of 24 or 8 bits, rounded to float64 and then to
the output's type, is the correctly rounded one: 53 ≥ 2·24 + 2 bits make the double rounding harmless
(S. A. Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30(3), 1995). FP32 arithmetic stored as
BF16 is as harmless: 24 ≥ 2·8 + 2.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, full_mantissa, ordinary, signs, values
from mskernelbench.operator import (
    Access,
    Arrays,
    Category,
    Contract,
    Kind,
    Operator,
    Parameter,
    Precision,
    Rounding,
    Shape,
    Workload,
)

FloatArray = NDArray[np.float64]
Values = NDArray[np.generic]
Extents = Callable[[Shape], tuple[tuple[int, ...], tuple[int, ...]]]
"""Dimensions of every input, and of the output."""


def special(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Ordinary numbers, one in four replaced: NaN, ±∞, signed zeros, subnormals, largest and smallest."""
    limits = np.array(
        [np.nan, np.inf, -np.inf, -0.0, 0.0, 2.0**-133, -(2.0**-130), 2.0**127, -(2.0**-126)], np.float32
    )
    base = ordinary(rng, count, Precision.FP32).astype(np.float32)
    chosen = np.array(limits, np.float32)[rng.integers(0, len(limits), len(base))]
    return fill(count, np.where(rng.integers(0, 4, len(base)) == 0, chosen, base), precision, rng)


def half_ulps(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """±1, ±3 and ±5 half units in the last place of numbers in [1, 2)."""
    odd = rng.integers(0, 3, count) * 2 + 1
    return fill(count, (odd * signs(rng, count) * precision.unit_roundoff).astype(np.float32), precision, rng)


def drawn(name: str, rng: np.random.Generator, count: int, precision: Precision, index: int) -> Values:
    """The values of the `index`-th input tensor, by the name of the workload's distribution.

    `ties` pairs full mantissas with half units of their last place: their sums lie between two numbers.
    """
    match name:
        case "special":
            return special(rng, count, precision)
        case "full_mantissa":
            return full_mantissa(rng, count, precision)
        case "ties":
            return (half_ulps if index else full_mantissa)(rng, count, precision)
        case _:
            return values(name, rng, count, precision)


def exact_map(
    *,
    signature: tuple[Parameter, ...],
    extents: Extents,
    answer: Callable[[Workload, list[Values]], Values],
    flops_a_value: int = 0,
    **declared: Any,
) -> Operator:
    """An operator with one exact output.

    `extents` gives the dimensions of every input and of the output; `answer` the exact answer from the
    inputs, in the order of the signature. `declared` is the rest of `Operator`.
    """
    names = [p.name for p in signature if p.kind is Kind.TENSOR and p.access is Access.INPUT]
    (result,) = (p.name for p in signature if p.access is Access.OUTPUT)

    def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
        with np.errstate(invalid="ignore", over="ignore"):
            return {result: answer(workload, [arrays[name] for name in names]).astype(np.float64)}

    def count(shape: Shape) -> int:
        return prod(extents(shape)[1])

    return Operator(
        category=Category.ALGEBRA,
        signature=signature,
        contract=Contract.POISONED,
        inputs=generator(names, extents),
        outputs=lambda shape: {result: extents(shape)[1]},
        reference=reference,
        rounding=no_rounding,
        flops=lambda shape: flops_a_value * count(shape),
        dram_bytes=lambda shape, precision: (len(names) + 1) * precision.value_bytes * count(shape),
        weight=count,
        exact=True,
        **declared,
    )


def generator(
    names: list[str], extents: Extents
) -> Callable[[Workload, Precision, np.random.Generator], Arrays]:
    """What draws the input tensors called `names`."""

    def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
        dimensions, _ = extents(workload.shape)
        count = prod(dimensions)
        draws = (drawn(workload.values, rng, count, precision, i) for i in range(len(names)))
        return {name: draw.reshape(dimensions) for name, draw in zip(names, draws, strict=True)}

    return inputs


def no_rounding(
    workload: Workload, arrays: Arrays, precision: Precision
) -> Mapping[str, tuple[Rounding, ...]]:
    """Exact operators have no rounding errors."""
    return {}


def vector(shape: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """N values in, N values out."""
    return (int(shape["N"]),), (int(shape["N"]),)


def matrix(shape: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """M×N in and out."""
    return (int(shape["M"]), int(shape["N"])), (int(shape["M"]), int(shape["N"]))


VECTOR_CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 2}, "full_mantissa"),
    Workload("check", {"N": 31}, "full_mantissa"),
    Workload("check", {"N": 255}, "mixed"),
    Workload("check", {"N": 257}, "full_mantissa"),
    Workload("check", {"N": 264}, "special"),
    Workload("check", {"N": 1031}, "mixed"),
    Workload("check", {"N": 2048}, "full_mantissa"),
    Workload("check", {"N": 300_007}, "mixed"),
)
"""Vectors from one value to more than most grids have threads."""
VECTOR_PAPER = tuple(Workload("paper", {"N": 2**p}, "shifted") for p in (10, 12, 14, 16, 18))
VECTOR_REAL = (
    Workload("real", {"N": 4096 * 4096}, "shifted"),
    Workload("real", {"N": 50_000_017}, "shifted"),
    Workload("real", {"N": 134_217_757}, "shifted"),
)

MATRIX_SIZES = (
    (1, 1),
    (1, 257),
    (263, 1),
    (31, 33),
    (64, 64),
    (5, 264),
    (293, 1031),
    (1031, 65),
    (2, 2051),
    (65_601, 3),
    (3, 65_601),
)
"""M and N of `check` matrices: single rows and columns, beyond one block and 2^16 rows, off powers of two."""
MATRIX_VALUES = ("full_mantissa", "mixed", "special")
"""Their distributions, in turn."""
COPIED_PAPER = tuple((2**p, 2048) for p in (8, 10, 12, 14, 16))
MATRIX_REAL = ((4096, 4096), (4097, 14_336), (11_009, 12_287))


def matrices(
    name: str, sizes: tuple[tuple[int, int], ...], kinds: tuple[str, ...] = ("shifted",)
) -> tuple[Workload, ...]:
    """Workloads of one set, the distributions `kinds` taken in turn."""
    return tuple(Workload(name, {"M": m, "N": n}, kinds[i % len(kinds)]) for i, (m, n) in enumerate(sizes))
