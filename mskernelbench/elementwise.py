"""Elementwise operators of one tensor: each is a function, its rounding error, and where it is undefined.

An error is given in units of u = 2^-24 at every element: what one honest FP32 kernel may be off by beside the
rounding of its output. It is derived from the operations on the way and from the errors that NVIDIA documents
for its mathematical functions (CUDA C++ Programming Guide, "Mathematical Functions": at most 2 ulp for those
used here), so that the formula as a textbook has it passes, with its cancellations, and nothing coarser.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import PERIOD, Values, fill, ordinary, signs, unit, values
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
    size,
    tensor,
)
from mskernelbench.pieces import along
from mskernelbench.tolerance import CONSTANT

FloatArray = NDArray[np.float64]

PIECE = 1 << 20
"""Elements; the largest tensors have 2^27, and formulas need a dozen arrays on the way."""
LIBRARY = 4.0
"""Error of one library function, relative to its value, in units of u: 2 ulp."""
FAST_ARGUMENT = 2.4
"""Beside it, that of a fast exponential for each unit of its argument (`__expf`: 1.16 ulp)."""
OVERFLOW = 88.7
"""The FP32 exponential of numbers above ln(FLT_MAX) = 88.72 is infinite."""

SPECIAL = (
    *(0.0, -0.0, 1.0, -1.0, 3e-39, -3e-39, 2.0**-126, -(2.0**-126), np.inf, -np.inf, np.nan),
    *(sign * x for x in (0.3, 2.7, 5.5, 12.0, 80.0, 87.5, 88.5, 89.0, 100.0, 1e4, 1e30) for sign in (1, -1)),
)
"""Zeros, subnormals and both sides of every exponential's limits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Elementwise:
    """What tells one operator from another. `function` and `error` take x and the scalars in order."""

    symbol: str
    title: str
    mathematics: str
    source: str
    folder: Path
    function: Callable[..., FloatArray]
    """The answer in float64."""
    error: Callable[..., FloatArray] | None
    """(x, precision, *scalars): the FP32 error in units of u; None where the answer is exact."""
    operations: int
    """Floating-point operations an element."""
    output: str = "output"
    """Name of the output."""
    scalars: tuple[Parameter, ...] = ()
    """Scalars after N."""
    undefined: tuple[float, ...] = ()
    """Special values for which the mathematics does not say what must happen."""

    def operator(self) -> Operator:
        """The operator, in the folder's name."""
        return Operator(
            name=self.folder.name,
            symbol=self.symbol,
            title=self.title,
            category=Category.LLM,
            signature=(output(self.output, "N"), tensor("input", "N"), size("N"), *self.scalars),
            contract=Contract.POISONED,
            mathematics=self.mathematics,
            source=self.source,
            folder=self.folder,
            workloads=CHECK + PAPER + REAL,
            inputs=self._inputs,
            outputs=lambda shape: {self.output: (elements(shape),)},
            reference=self._reference,
            rounding=self._rounding,
            flops=lambda shape: self.operations * elements(shape),
            dram_bytes=lambda shape, precision: 2 * precision.value_bytes * elements(shape),
            weight=elements,
            exact=self.error is None,
            hard=("special",),
            cut=along(N={"input": 0, self.output: 0}),
        )

    def _inputs(self, workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
        special = tuple(x for x in SPECIAL if x not in self.undefined)
        return {"input": activations(workload.values, rng, elements(workload.shape), precision, special)}

    def _given(self, workload: Workload) -> list[float]:
        return [as_passed(workload, parameter) for parameter in self.scalars]

    def _reference(self, workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
        given = self._given(workload)
        with np.errstate(over="ignore", invalid="ignore"):
            return {self.output: by_pieces(lambda x: self.function(x, *given), arrays["input"])}

    def _rounding(
        self, workload: Workload, arrays: Arrays, precision: Precision
    ) -> Mapping[str, tuple[Rounding, ...]]:
        assert self.error is not None
        error, given = self.error, self._given(workload)
        with np.errstate(over="ignore"):
            found = by_pieces(lambda x: error(finite(x), precision, *given), arrays["input"])
        return {self.output: units(found)}


def by_pieces(function: Callable[[FloatArray], FloatArray], x: NDArray[Any]) -> FloatArray:
    """An elementwise function of `x` in float64; what it works with is no larger than a piece."""
    answer = np.empty(x.shape)
    for start in range(0, len(x), PIECE):
        piece = slice(start, start + PIECE)
        answer[piece] = function(x[piece].astype(np.float64))
    return answer


def units(error: FloatArray) -> tuple[Rounding, ...]:
    """An error in units of u as a source of rounding."""
    return (Rounding(1, error / CONSTANT),)


def finite(x: FloatArray) -> FloatArray:
    """`x` with 0 for infinities and NaN, whose answers are exact."""
    return np.where(np.isfinite(x), x, 0.0)


def as_passed(workload: Workload, parameter: Parameter) -> float:
    """A scalar as the entry receives it: rounded to FP32."""
    return float(np.float32(workload.shape.get(parameter.name, parameter.default)))


def elements(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


def exponential_error(x: FloatArray, precision: Precision) -> FloatArray:
    """Error of e^x relative to it, in units of u.

    A BF16 result cannot tell a fast exponential from a good one, so kernels may use it there; an FP32 result
    tells it clearly on large |x|.
    """
    fast = FAST_ARGUMENT if precision is Precision.BF16 else 0.0
    return LIBRARY + fast * np.abs(x)


EXACT_TAILS = "FP32 keeps its digits in both tails: expf has them, __expf and ex2.approx do not."
"""What operators with a logistic function say of it: how far off a fast exponential is grows with |x|."""


def logistic(x: FloatArray) -> FloatArray:
    """1/(1 + e^-x), accurate in both tails."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def logistic_error(x: FloatArray, precision: Precision) -> FloatArray:
    """Error of 1/(1 + e^-x) relative to it, in units of u: the exponential's share, a sum and a quotient.

    Where e^-x overflows the result is 0, which is allowed: the answer is below the smallest normal number.
    """
    share = exponential_error(x, precision) * logistic(-x) + 2.0
    return np.where(x < -OVERFLOW, 1 / Precision.FP32.unit_roundoff, share)


def wide(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Magnitudes spread evenly in logarithm from 2^-4 to 2^7, both signs: all curves saturate."""
    return _spread(rng, count, precision, -4, 7)


def near_zero(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Magnitudes from 2^-24 to 2^-4, both signs: where e^x − 1 cancels."""
    return _spread(rng, count, precision, -24, -4)


def _spread(rng: np.random.Generator, count: int, precision: Precision, low: int, high: int) -> Values:
    base = unit(rng, count) + np.float32(1)
    scaled = np.ldexp(base, rng.integers(low, high, len(base), dtype=np.int32))
    return fill(count, (scaled * signs(rng, len(base))).astype(np.float32), precision, rng)


def outliers(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Ordinary numbers, one in 64 of them replaced by a `wide` one."""
    base = ordinary(rng, min(count, PERIOD), Precision.FP32).astype(np.float32)
    rare = rng.integers(0, 64, len(base)) == 0
    far = wide(rng, min(count, PERIOD), Precision.FP32).astype(np.float32)
    return fill(count, np.where(rare, far, base), precision, rng)


def shuffled(
    rng: np.random.Generator, count: int, precision: Precision, special: tuple[float, ...]
) -> Values:
    """The special values and as many ordinary ones, repeated and shuffled; what is not finite ends them too.

    Kernels that take vectors have other code for a tail.
    """
    between = ordinary(rng, len(special), Precision.FP32).astype(np.float32)
    all_values = np.concatenate([np.asarray(special, np.float32), between])
    x = fill(count, rng.permutation(np.resize(all_values, min(count, PERIOD))), precision, rng)
    last = [value for value in special if not np.isfinite(value)][-count:]
    x[count - len(last) :] = np.asarray(last, precision.dtype)
    return x


DRAWS = {"wide": wide, "near_zero": near_zero, "outliers": outliers}


def activations(
    name: str, rng: np.random.Generator, count: int, precision: Precision, special: tuple[float, ...]
) -> Values:
    """`count` numbers of the distribution called `name`."""
    if name == "special":
        return shuffled(rng, count, precision, special)
    return DRAWS[name](rng, count, precision) if name in DRAWS else values(name, rng, count, precision)


CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 31}, "wide"),
    Workload("check", {"N": 64}),
    Workload("check", {"N": 259}, "special"),
    Workload("check", {"N": 1023}, "near_zero"),
    Workload("check", {"N": 1032}, "mixed"),
    Workload("check", {"N": 2053}, "special"),
    Workload("check", {"N": 4099}, "wide"),
    Workload("check", {"N": 16411}, "outliers"),
    Workload("check", {"N": 65_601}, "wide"),
)
PAPER = tuple(Workload("paper", {"N": 2**k}, "outliers") for k in (10, 12, 14, 16, 18))
REAL = tuple(
    Workload("real", {"N": count}, "outliers") for count in (4096 * 11008 + 7, 4096 * 14336, 16384 * 8192)
)
"""One layer's activations: a ragged batch and two full ones."""
