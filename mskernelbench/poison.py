"""The pattern that fills outputs before a call: a NaN whose bits no arithmetic produces."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

PATTERNS = {2: 0x7FD5, 4: 0x7FD5A5C3}
"""Bits by element size: quiet NaNs, and an unlikely `int`. GPUs make 0x7FFF and 0x7FFFFFFF."""


def poisoned(dimensions: tuple[int, ...], dtype: "np.dtype[Any]") -> NDArray[Any]:
    """An array full of poison, read-only: one element in memory, however large it is."""
    bits = np.full(1, PATTERNS[dtype.itemsize], _bits(dtype))
    return np.broadcast_to(bits.view(dtype), dimensions)


def still_poisoned(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which elements still hold the poison's bits."""
    same: NDArray[np.bool_] = (
        np.ascontiguousarray(array).view(_bits(array.dtype)) == PATTERNS[array.dtype.itemsize]
    )
    return same


def _bits(dtype: "np.dtype[Any]") -> "np.dtype[Any]":
    return np.dtype(f"u{dtype.itemsize}")
