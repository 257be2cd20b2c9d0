"""What normalising operators share: their data, mean and variance, and where their rounding errors come from.

The variance is the mean of (x − mean)², whose error does not grow with the mean. E[x²] − mean² loses as many
digits as mean²/variance has, and passes only where these are few (Higham, 2002, section 1.9).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import Values, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Parameter,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    scalar,
    size,
    tensor,
)
from mskernelbench.tolerance import CONSTANT, growth

FloatArray = NDArray[np.float64]
F32 = NDArray[np.float32]

EPSILON = scalar("epsilon")
USUAL = 1e-5
"""ε as published."""


def vector(count: int, epsilon: float = USUAL) -> Shape:
    """The shape of an operator on one vector."""
    return {"epsilon": epsilon, "N": count}


VECTOR_SIGNATURE: tuple[Parameter, ...] = (
    output("output", "N"),
    tensor("input", "N"),
    tensor("weight", "N"),
    tensor("bias", "N"),
    EPSILON,
    size("N"),
)
VECTOR_CHECK = (
    Workload("check", vector(1)),
    Workload("check", vector(31, 0.1)),
    Workload("check", vector(64), "equal"),
    Workload("check", vector(257), "offset"),
    Workload("check", vector(264), "small"),
    Workload("check", vector(1000, 1e-6), "outlier"),
    Workload("check", vector(1031), "mixed"),
    Workload("check", vector(2053), "offset"),
    Workload("check", vector(2056), "zeros"),
    Workload("check", vector(4099), "shifted"),
    Workload("check", vector(65_601), "outlier"),
)
VECTOR_PAPER = tuple(Workload("paper", vector(2**k), "shifted") for k in range(6, 11))
VECTOR_REAL = tuple(Workload("real", vector(count), "shifted") for count in (14_336, 1_000_003, 2**24))


def elements(shape: Shape) -> int:
    """N, the vector's length."""
    return int(shape["N"])


def vector_inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The vector, its weight and its bias."""
    count = elements(workload.shape)
    x = samples(workload.values, rng, count, 1, precision)
    return {"input": x.ravel(), **affine("weight", "bias", rng, count, precision)}


def affine(
    gain: str, shift: str, rng: np.random.Generator, count: int, precision: Precision
) -> dict[str, Values]:
    """What the normalised numbers are multiplied with, around 0.75, and what is added."""
    return {
        gain: values("shifted", rng, count, precision),
        shift: values("ordinary", rng, count, precision),
    }


def samples(name: str, rng: np.random.Generator, rows: int, columns: int, precision: Precision) -> Values:
    """`rows`×`columns` numbers whose columns are to be normalised, of the kind called `name`."""
    if name in PROBES:
        x = values("ordinary", rng, rows * columns, Precision.FP32).astype(np.float32)
        return PROBES[name](x.reshape(rows, columns), precision).astype(precision.dtype)
    return values(name, rng, rows * columns, precision).reshape(rows, columns)


def offset(x: F32, precision: Precision) -> F32:
    """A mean far larger than the spread: E[x²] − mean² keeps few digits.

    It grows with the length, as bounds do: that loss grows with its square, and a bound with itself. In BF16
    the numbers would lose their spread.
    """
    if precision is Precision.BF16:
        return x + np.float32(64)
    return x + np.float32(256 * max(1.0, (len(x) / 4096) ** 0.5))


def small(x: F32, precision: Precision) -> F32:
    """A variance below ε."""
    return x * np.float32(2.0**-10)


def equal(x: F32, precision: Precision) -> F32:
    """One number in each column: no variance at all."""
    return np.repeat(x[:1] + np.float32(3), len(x), axis=0)


def zeros(x: F32, precision: Precision) -> F32:
    """Zeros of both signs: ε alone stands under the root."""
    return np.copysign(np.float32(0), x)


def outlier(x: F32, precision: Precision) -> F32:
    """The last row 1000 times as large as the others: leaving it out changes everything."""
    x[-1] = np.copysign(np.float32(1000), x[-1])
    return x


def nan_column(x: F32, precision: Precision) -> F32:
    """One NaN at the end of the middle column: exactly that column is NaN."""
    x[-1, x.shape[1] // 2] = np.nan
    return x


PROBES = {
    "offset": offset,
    "small": small,
    "equal": equal,
    "zeros": zeros,
    "outlier": outlier,
    "nan_column": nan_column,
}


def epsilon(workload: Workload) -> float:
    """ε as the entry receives it: rounded to FP32."""
    return float(np.float32(workload.shape["epsilon"]))


def standardised(x: FloatArray, gain: FloatArray, shift: FloatArray, least: float) -> FloatArray:
    """gain·(x − mean)/√(variance + ε) + shift along the first axis, with the biased variance."""
    distance = x - x.mean(axis=0)
    spread = np.sqrt((distance**2).mean(axis=0) + least)
    answer: FloatArray = gain * distance / spread + shift
    return answer


def standardised_rounding(
    x: FloatArray, gain: FloatArray, shift: FloatArray, least: float
) -> tuple[Rounding, ...]:
    """The mean's sum, the variance's sum, and single operations.

    The mean is off by c·g(n)·u·mean|x|: it moves every element by as much over the spread, and the variance
    by its square. The variance's own sum changes the spread by half its relative error. Eight more units of u
    hold the reciprocal root (2 ulp), two products and the quotients.
    """
    average, distance = np.abs(x).mean(axis=0), x - x.mean(axis=0)
    variance = (distance**2).mean(axis=0)
    inverse = 1 / np.sqrt(variance + least)
    sizes = np.abs(gain * distance) * inverse
    unit = Precision.FP32.unit_roundoff
    moved = (CONSTANT * growth(len(x)) * unit * average * inverse) ** 2 / 2
    return (
        Rounding(len(x), np.abs(gain) * average * inverse * np.ones_like(x)),
        Rounding(len(x), sizes * variance * inverse**2 / 2),
        Rounding(1, sizes * (1 + moved / (CONSTANT * unit)) + np.abs(shift)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorNorm:
    """An operator on one vector with weight and bias, but for what all of them share."""

    title: str
    mathematics: str
    source: str
    folder: Path
    reference: Callable[[Workload, Arrays], Mapping[str, FloatArray]]
    rounding: Callable[[Workload, Arrays, Precision], Mapping[str, tuple[Rounding, ...]]]
    operations: int
    """Floating-point operations an element."""

    def operator(self) -> Operator:
        """The operator, in the folder's name."""
        return Operator(
            name=self.folder.name,
            symbol=self.folder.name,
            title=self.title,
            category=Category.LLM,
            signature=VECTOR_SIGNATURE,
            contract=Contract.POISONED,
            mathematics=self.mathematics,
            source=self.source,
            folder=self.folder,
            workloads=VECTOR_CHECK + VECTOR_PAPER + VECTOR_REAL,
            inputs=vector_inputs,
            outputs=lambda shape: {"output": (elements(shape),)},
            reference=self.reference,
            rounding=self.rounding,
            flops=lambda shape: self.operations * elements(shape),
            dram_bytes=lambda shape, precision: 4 * precision.value_bytes * elements(shape),
            weight=elements,
            probe="offset",
        )


def parts(arrays: Arrays, *names: str) -> tuple[FloatArray, ...]:
    """The tensors called `names` in float64."""
    return tuple(arrays[name].astype(np.float64) for name in names)
