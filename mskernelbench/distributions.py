"""Values to fill tensors with: the same bytes on every machine.

Only integer draws, IEEE additions and products. No `standard_normal`, `exp` or `power`: their last bits
depend on the machine's mathematics library.
"""

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import Precision

PERIOD = 1_048_573
"""Values that are drawn before they repeat: a prime just below 2^20, so that rows of no tensor line up."""
STRAY = 128
"""Of so many repeated values one, anywhere, is another of those drawn: who reads one period only is wrong."""

Values = NDArray[np.generic]


def fill(count: int, draw: NDArray[np.float32], precision: Precision, rng: np.random.Generator) -> Values:
    """`draw` rounded to the precision and repeated up to `count` values, with strays.

    A child of `rng` places them: what else is drawn from it stays the same.
    """
    block = draw.astype(precision.dtype)
    if len(block) >= count:
        return block[:count]
    repeated = np.empty(count, block.dtype)
    repeated[: len(block)] = block
    done = len(block)
    while done < count:
        step = min(done, count - done)
        repeated[done : done + step] = repeated[:step]
        done += step
    (child,) = rng.spawn(1)
    places = child.integers(0, count, count // STRAY)
    repeated[places] = block[child.integers(0, len(block), len(places))]
    return repeated


def unit(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """At most PERIOD numbers, uniform on [0, 1), with 24 bits."""
    return rng.random(min(count, PERIOD), dtype=np.float32)


def ordinary(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Bell-shaped around 0 with standard deviation 1: four uniform ones, summed and scaled (Irwin–Hall)."""
    total = unit(rng, count) + unit(rng, count) + unit(rng, count) + unit(rng, count)
    return fill(count, (total - np.float32(2)) * np.float32(1.7320508), precision, rng)


def shifted(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Uniform on [0.25, 1.25): sums grow with their length, so that no constant can pass."""
    return fill(count, unit(rng, count) + np.float32(0.25), precision, rng)


def mixed(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Ordinary numbers times 2^k, k uniform on −12 … 12, and one in 64 replaced by a signed zero."""
    base = ordinary(rng, min(count, PERIOD), Precision.FP32).astype(np.float32)
    scaled = np.ldexp(base, rng.integers(-12, 13, len(base), dtype=np.int32)).astype(np.float32)
    zeros = rng.integers(0, 64, len(base)) == 0
    return fill(count, np.where(zeros, np.copysign(np.float32(0), base), scaled), precision, rng)


def probe_integers(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Odd whole numbers of both signs that fill 12 bits (FP32) or 8 (BF16): fewer bits cannot hold them."""
    low = 1024 if precision is Precision.FP32 else 64
    size = rng.integers(low, 2 * low, min(count, PERIOD)) * 2 + 1
    return fill(count, (size * signs(rng, len(size))).astype(np.float32), precision, rng)


def ternary(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """−1, 0 and 1; times probe integers, sums of up to 4096 terms stay exact in FP32 in any order."""
    return fill(count, rng.integers(-1, 2, min(count, PERIOD)).astype(np.float32), precision, rng)


def full_mantissa(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """Numbers in ±[1, 2) that use every bit of the precision's mantissa, the last one always set."""
    bits = 23 if precision is Precision.FP32 else 7
    fraction = rng.integers(0, 2 ** (bits - 1), min(count, PERIOD)) * 2 + 1
    value = np.ldexp((2**bits + fraction).astype(np.float64), -bits)
    return fill(count, (value * signs(rng, len(value))).astype(np.float32), precision, rng)


def signs(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """−1 or 1."""
    return rng.integers(0, 2, count) * 2 - 1


DISTRIBUTIONS = {"ordinary": ordinary, "shifted": shifted, "mixed": mixed}
"""By the names that workloads give their values, where an operator treats all tensors alike."""


def values(name: str, rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """`count` numbers of the distribution called `name`."""
    return DISTRIBUTIONS[name](rng, count, precision)
