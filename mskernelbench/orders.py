"""Data for operators that put values in order: ties, runs, extremes, and no NaN."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, ordinary, values
from mskernelbench.operator import Precision

Values = NDArray[np.generic]


def few(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Seven values, zeros of both signs among them: nearly all are tied."""
    whole = rng.integers(-3, 4, count).astype(np.float32)
    return np.where(rng.integers(0, 2, count) == 0, whole, -whole).astype(precision.dtype)


def equal(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """One value throughout."""
    return np.full(count, rng.integers(1, 100) / -8, precision.dtype)


def ascending(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Already in order."""
    return np.sort(ordinary(rng, count, precision).astype(np.float32)).astype(precision.dtype)


def descending(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """In the opposite order."""
    return ascending(rng, count, precision)[::-1].copy()


def rising_and_falling(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """In order up to the middle, then back: what a merge of two halves must undo."""
    order = ascending(rng, count, precision)
    return np.concatenate([order[::2], order[1::2][::-1]])


def extremes(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Ordinary numbers, one in four replaced: ±∞ and the largest, zeros of both signs, subnormals."""
    limits = np.array(
        [np.inf, -np.inf, 2.0**127, -(2.0**127), 0.0, -0.0, 2.0**-130, -(2.0**-130)], np.float32
    )
    base = ordinary(rng, count, Precision.FP32).astype(np.float32)
    chosen = limits[rng.integers(0, len(limits), count)].astype(np.float32)
    return np.where(rng.integers(0, 4, count) == 0, chosen, base).astype(precision.dtype)


def negative(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Below zero throughout: a search that starts at 0 finds none of them."""
    return np.negative(values("shifted", rng, count, precision))


def zeros(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Zeros of both signs, equal and the largest, and numbers below them."""
    below = negative(rng, count, precision).astype(np.float32)
    kind = rng.integers(0, 3, count)
    kinds = [np.zeros_like(below), np.copysign(np.float32(0), below), below]
    return np.choose(kind, kinds).astype(precision.dtype)


def neighbours(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Between 1 and 2, some a unit in the last place apart: keys of fewer bits tie them."""
    steps = rng.integers(0, count, count) if precision is Precision.FP32 else rng.integers(0, 128, count)
    return fill(count, (1 + steps * 2 * precision.unit_roundoff).astype(np.float32), precision, rng)


ORDERS: Mapping[str, Callable[[np.random.Generator, int, Precision], Values]] = {
    "few": few,
    "equal": equal,
    "ascending": ascending,
    "descending": descending,
    "rising_and_falling": rising_and_falling,
    "extremes": extremes,
    "negative": negative,
    "zeros": zeros,
    "neighbours": neighbours,
}


def ordered(name: str, rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """`count` values of the distribution called `name`, one of ORDERS or of `distributions`."""
    draw = ORDERS.get(name)
    return draw(rng, count, precision) if draw else values(name, rng, count, precision)


def comparisons(count: int) -> int:
    """N·⌈log₂ N⌉, the paper's T of both operators."""
    return count * (count - 1).bit_length()
