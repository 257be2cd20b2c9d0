"""Inputs of triangle_attention: q, k, v and masks on which shortcuts of a causal softmax show."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, full_mantissa, unit, values
from mskernelbench.operator import Arrays, Precision, Shape, Workload

EXCLUDED_SHARE = 0.125
"""Of the keys, where a workload does not say otherwise."""

Values = NDArray[Any]
Triple = tuple[Values, Values, Values]
Mask = NDArray[Any]


def extents(shape: Shape) -> tuple[int, int, int, int]:
    """B, H, S and D."""
    return int(shape["B"]), int(shape["H"]), int(shape["S"]), int(shape["D"])


def elements(shape: Shape) -> int:
    """Of q, and of k, v and out alike."""
    b, h, s, d = extents(shape)
    return b * h * s * d


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """q, k, v and the mask."""
    b, _, s, _ = sizes = extents(workload.shape)
    q, k, v = GENERATORS[workload.values](workload.shape, precision, rng)
    mask = MASKS.get(workload.values, usual_mask)(b * s * s, rng)
    if workload.values == "nan_key":
        mask[-1] = 0
    heads = {"q": q, "k": k, "v": v}
    return {name: array.reshape(sizes) for name, array in heads.items()} | {"mask": mask.reshape(b, s, s)}


def ordinary(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores of magnitude 1, values around 0."""
    count = elements(shape)
    scale = np.float32(np.sqrt(extents(shape)[3]))
    q = (values("ordinary", rng, count, Precision.FP32).astype(np.float32) * scale).astype(precision.dtype)
    return q, values("ordinary", rng, count, precision), values("ordinary", rng, count, precision)


def shifted(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores of magnitude 1, values around 0.75."""
    q, k, _ = ordinary(shape, precision, rng)
    return q, k, values("shifted", rng, elements(shape), precision)


def peaked(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores up to some hundreds: an exponential without the maximum subtracted overflows."""
    q, k, v = ordinary(shape, precision, rng)
    return (q.astype(np.float32) * np.float32(64)).astype(precision.dtype), k, v


def far_below(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """All scores near −1000: a maximum that starts at 0 leaves nothing."""
    q, k, v = ordinary(shape, precision, rng)
    scale = np.float32(np.sqrt(extents(shape)[3]))
    q[:] = 32 * scale
    return q, (k.astype(np.float32) / 32 - 32).astype(precision.dtype), v


def equal(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """q holds signed zeros: every key counts the same, and the output is a mean of v."""
    count = elements(shape)
    q = np.where(np.arange(count) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    return q, values("ordinary", rng, count, precision), np.abs(full_mantissa(rng, count, precision))


def one_hot(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """One key wins so clearly that the output is its v, bit for bit: of those that the mask allows, the last.

    In even channels it is the first, wherever the mask allows that one.
    """
    count = elements(shape)
    _, _, s, d = extents(shape)
    k = np.zeros((count // (s * d), s, d), precision.dtype)
    k[:, 0, ::2] = 1024
    k[:, :, 1::2] = 8 * np.arange(s)[:, None]
    return np.full(count, 64, precision.dtype), k.ravel(), full_mantissa(rng, count, precision)


def one_above(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """As shifted in the first channel; in every other one score stands 128 above the rest.

    It is that of the last key that the mask allows of the channel's own: they take turns. So almost every key
    is above all others for some query: a maximum that leaves out a lane's, a warp's or a tile's overflows.
    """
    q, k, v = (array.reshape(-1, *extents(shape)[2:]) for array in shifted(shape, precision, rng))
    _, _, s, d = extents(shape)
    key, turns = np.arange(s), max(d - 1, 1)
    q[..., 1:] = np.float32(128 * np.sqrt(d))
    height = key // turns - s // turns // 2
    own = key[:, None] % turns == np.arange(d - 1)
    k[..., 1:] = np.where(own, height[:, None], height[0] - 1)
    return q.ravel(), k.ravel(), v.ravel()


def nan_key(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """NaN in the last key: only the last query sees it."""
    q, k, v = ordinary(shape, precision, rng)
    k[-1] = np.nan
    return q, k, v


GENERATORS: Mapping[str, Callable[[Shape, Precision, np.random.Generator], Triple]] = {
    "ordinary": ordinary,
    "shifted": shifted,
    "peaked": peaked,
    "far_below": far_below,
    "much_excluded": ordinary,
    "mask_values": shifted,
    "equal": equal,
    "one_hot": one_hot,
    "one_above": one_above,
    "nan_key": nan_key,
}


def usual_mask(count: int, rng: np.random.Generator) -> Mask:
    """Some keys excluded: 1, the others 0."""
    return excluding(EXCLUDED_SHARE, count, rng)


def excluding(share: float, count: int, rng: np.random.Generator) -> Mask:
    """1 for a share of the keys, 0 for the others."""
    return fill(count, (unit(rng, count) < share).astype(np.float32), Precision.FP32, rng)


def mask_of_most(count: int, rng: np.random.Generator) -> Mask:
    """Most keys excluded: some queries have none left."""
    return excluding(0.875, count, rng)


def mask_around_one_half(count: int, rng: np.random.Generator) -> Mask:
    """Numbers on both sides of 0.5, and 0.5 itself, which excludes nothing."""
    half = np.float32(0.5)
    chosen = np.array([0, -1, half, np.nextafter(half, np.float32(1)), 0.25, 1, 7, half], np.float32)
    return chosen[rng.integers(0, len(chosen), count)]


MASKS: Mapping[str, Callable[[int, np.random.Generator], Mask]] = {
    "much_excluded": mask_of_most,
    "mask_values": mask_around_one_half,
}
