"""Whole numbers whose sums FP32 holds exactly in any order: every lost term or bit shows."""

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, signs
from mskernelbench.operator import Precision

EXACT_BELOW = 2**24
"""FP32 holds every whole number up to here."""


def summable(rng: np.random.Generator, count: int, precision: Precision) -> NDArray[np.generic]:
    """Odd whole numbers of both signs whose magnitudes sum to less than 2^24.

    They fill 12 bits (FP32) or 8 (BF16), less where many have to share the sum; at most a quarter million.
    """
    bits = 12 if precision is Precision.FP32 else 8
    largest = min(2**bits, EXACT_BELOW // count)
    size = rng.integers(largest // 4, largest // 2, count) * 2 + 1
    return fill(count, (size * signs(rng, count)).astype(np.float32), precision, rng)
