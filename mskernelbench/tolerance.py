"""How far an output may lie from the float64 answer, derived per element, and where it lies worst.

    |out − ref| ≤ u_out·|ref| + Σ c·g(n)·u·scale + η

with one term for each source of rounding an operator declares (`Rounding`), u_out the unit roundoff of the
output, η the smallest subnormals. g(n) = min(n, 1 + √n/4) and c = 8: rounding errors of n additions grow like
√n with high probability (Higham and Mary, 2019, SIAM J. Sci. Comput. 41(5); Ipsen and Zhou, 2020), and never
faster than n (Higham, 2002, section 3.1). c·g(n) is 8 + 2√n for long sums, and 8 for a single product, which
lets error-compensated tensor-core products pass (below 4 ulp) and plain TF32 (above 1000 ulp) fail.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import Rounding

CONSTANT = 8.0
"""c of the bound."""

FP32_SUBNORMAL = 2.0**-149
"""Smallest FP32 number: what a product or sum may lose by gradual underflow."""

SUBNORMAL_ROUNDING = 2.0**-126
"""Times an output's unit roundoff: half its smallest number, what one rounding may cost below 2^-126."""

PART_ELEMENTS = 1 << 15
"""Elements compared at a time: their intermediate values fit in a processor's cache."""

FloatArray = NDArray[np.float64]


def growth(terms: "int | NDArray[Any]") -> FloatArray:
    """g(n) = min(n, 1 + √n/4), elementwise; 0 where nothing is accumulated."""
    count = np.asarray(terms, dtype=np.float64)
    return np.minimum(count, 1 + np.sqrt(count) / 4)


def allowed_error(reference: FloatArray, roundings: Sequence[Rounding], unit_out: float) -> FloatArray:
    """The bound for every element of `reference`, same shape. NaN where a scale is not finite."""
    bound = unit_out * np.abs(reference)
    for rounding in roundings:
        bound = bound + CONSTANT * growth(rounding.terms) * rounding.unit * rounding.scale
        bound = bound + np.asarray(rounding.terms) * FP32_SUBNORMAL
    return bound if not roundings else bound + max(FP32_SUBNORMAL, SUBNORMAL_ROUNDING * unit_out)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One output against the answer."""

    ratio: float
    """Worst |error| ÷ bound; at most 1 in a right output, infinite where an error is not allowed at all."""
    index: tuple[int, ...] | None
    """The first element outside its bound; None in a right output."""
    got: float | None = None
    """The output there."""
    expected: float | None = None
    """The answer there."""
    bound: float | None = None
    """The error allowed there."""
    element_ratio: float | None = None
    """|error| ÷ bound there."""

    @property
    def right(self) -> bool:
        """Whether every element lies within its bound."""
        return self.index is None


def compare(got: NDArray[Any], reference: FloatArray, bound: FloatArray) -> Comparison:
    """Where `got` lies worst against `reference`, both of the same shape.

    A NaN must stand exactly where the answer is NaN, an infinity where the answer, rounded to the output's
    type, is infinite with the same sign. Zeros of both signs are equal.
    """
    bound, worst, outside = np.broadcast_to(bound, reference.shape), 0.0, None
    for part in _parts(reference.shape):
        mine = got[part].astype(np.float64), _as_stored(reference[part], got.dtype), reference[part]
        ratios = _ratios(*mine, bound[part])
        worst = max(worst, float(ratios.max()))
        if outside is None and worst > 1:
            outside = _outside(ratios, part)
    if outside is None:
        return Comparison(worst, None)
    index, ratio = outside
    return Comparison(
        ratio=worst,
        index=index,
        got=float(got[index]),
        expected=float(reference[index]),
        bound=float(bound[index]),
        element_ratio=ratio,
    )


def _parts(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Rows of an array, as many at a time as a processor's cache holds; nothing of an empty one."""
    if not shape:
        yield ()
    elif prod(shape):
        rows = max(1, PART_ELEMENTS // prod(shape[1:]))
        for first in range(0, shape[0], rows):
            yield (slice(first, first + rows),)


def _outside(ratios: FloatArray, part: tuple[slice, ...]) -> tuple[tuple[int, ...], float]:
    """The first element outside its bound, by its place in the whole array, and its ratio."""
    place = np.unravel_index(int(np.argmax(ratios.ravel() > 1)), ratios.shape)
    index = [int(i) for i in place]
    if part:
        index[0] += part[0].start
    return tuple(index), float(ratios[place])


def rounded_exactly(reference: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    """The answer that an exact workload demands: `reference` rounded once to `dtype`, in float64."""
    return _as_stored(reference, dtype)


def _as_stored(reference: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        return reference.astype(dtype).astype(np.float64)


def _ratios(got: FloatArray, stored: FloatArray, reference: FloatArray, bound: FloatArray) -> FloatArray:
    """|error| ÷ bound for every element; 0 where equal, infinite where no bound could hold."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.abs(got - reference)
        ratios: FloatArray = np.where(error == 0, 0.0, error / bound)
    special = ~np.isfinite(stored) | ~np.isfinite(got)
    equal = (got == stored) | (np.isnan(got) & np.isnan(stored))
    ratios = np.where(special, np.where(equal, 0.0, np.inf), ratios)
    return np.where(np.isnan(ratios), np.inf, ratios)
