"""triangle_attention: causal attention with a mask in which every channel has its own scores."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, full_mantissa, unit, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Element,
    Operator,
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

EXPONENTIAL = 8.0
"""Error of one exponential in units of u, beside the part that grows with its argument."""
EXCLUDED_SHARE = 0.125
"""Of the keys, where a workload does not say otherwise."""
FLOPS_A_PAIR = 5
"""A product, the maximum's subtraction, two sums and a product with v; exponentials are not counted."""

FloatArray = NDArray[np.float64]
Values = NDArray[Any]


def shape(b: int, h: int, s: int, d: int) -> Shape:
    """Sizes in the entry's order."""
    return {"B": b, "H": h, "S": s, "D": d}


CHECK = (
    Workload("check", shape(1, 1, 1, 1)),
    Workload("check", shape(2, 3, 37, 5)),
    Workload("check", shape(1, 1, 300, 8), "shifted"),
    Workload("check", shape(1, 1, 521, 3), "one_above"),
    Workload("check", shape(2, 1, 17, 264)),
    Workload("check", shape(3, 21_867, 1, 8)),
    Workload("check", shape(5, 9, 16, 16), "shifted"),
    Workload("check", shape(1, 2, 65, 33), "peaked"),
    Workload("check", shape(2, 2, 31, 7), "far_below"),
    Workload("check", shape(3, 2, 33, 24), "much_excluded"),
    Workload("check", shape(2, 2, 40, 9), "mask_values"),
    Workload("check", shape(1, 2, 64, 31), "equal"),
    Workload("check", shape(2, 1, 29, 16), "one_hot"),
    Workload("check", shape(1, 3, 24, 11), "nan_key"),
)
PAPER = tuple(
    Workload("paper", shape(*sizes), "shifted")
    for sizes in (
        (4, 8, 32, 128),
        (2, 16, 256, 256),
        (1, 96, 256, 128),
        (1, 32, 512, 128),
        (2, 64, 512, 128),
        (4, 32, 512, 128),
        (1, 48, 1024, 128),
        (8, 16, 512, 128),
    )
)
REAL = (
    Workload("real", shape(80, 4, 80, 32), "shifted"),
    Workload("real", shape(389, 4, 389, 32), "shifted"),
    Workload("real", shape(512, 4, 512, 32), "shifted"),
)


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


Triple = tuple[Values, Values, Values]


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

Mask = NDArray[Any]


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


class Row(NamedTuple):
    """All heads' softmax of one query, by [B, H, keys up to the query, D]."""

    query: int
    scores: FloatArray
    highest: FloatArray
    """Largest score of a key that counts; 0 where none does."""
    shares: FloatArray
    """The softmax; zeros where no key counts."""
    v: FloatArray


def rows(arrays: Arrays) -> Iterator[Row]:
    """One query after another, in float64."""
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    k /= np.sqrt(q.shape[-1])
    for i in range(q.shape[2]):
        scores = q[:, :, i, None] * k[:, :, : i + 1]
        excluded = (arrays["mask"][:, i, : i + 1] > 0.5)[:, None, :, None]
        counting = np.where(excluded, -np.inf, scores)
        highest = counting.max(axis=2, keepdims=True)
        highest[np.isneginf(highest)] = 0
        weights = np.exp(counting - highest)
        total = weights.sum(axis=2, keepdims=True)
        yield Row(i, scores, highest, weights / np.where(total == 0, 1, total), v[:, :, : i + 1])


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """The output in float64; 0 where every key is excluded."""
    out = np.zeros(extents(workload.shape))
    for row in rows(arrays):
        out[:, :, row.query] = (row.shares * row.v).sum(axis=2)
    return {"out": out}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """The sum over keys, and the scores' errors carried through the softmax.

    An error δ_j of score j moves the output by Σ p_j·δ_j·(v_j − out) to first order. δ_j/u is c·|s_j| for the
    two products, 2·|s_j − max| for the exponential's argument, and a constant.
    """
    summed, carried = (np.zeros(extents(workload.shape)) for _ in range(2))
    for i, scores, highest, p, v in rows(arrays):
        summed[:, :, i] = (p * np.abs(v)).sum(axis=2)
        error = CONSTANT * np.abs(scores) + 2 * np.abs(scores - highest) + EXPONENTIAL
        off = np.abs(v - (p * v).sum(axis=2, keepdims=True))
        carried[:, :, i] = (p * error * off).sum(axis=2)
    keys = np.arange(1, summed.shape[2] + 1)[:, None]
    return {"out": (Rounding(keys, summed), Rounding(1, carried / CONSTANT))}


def pairs(shape: Shape) -> int:
    """Queries and the keys up to them, of one head."""
    s = int(shape["S"])
    return s * (s + 1) // 2


def flops(shape: Shape) -> int:
    """A few operations for each query, key up to it, and channel."""
    b, h, _, d = extents(shape)
    return FLOPS_A_PAIR * b * h * d * pairs(shape)


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """q, k, v and out once, and the mask's lower triangle."""
    mask = Precision.FP32.value_bytes * int(shape["B"]) * pairs(shape)
    return 4 * precision.value_bytes * elements(shape) + mask


def weight(shape: Shape) -> int:
    """B·H·S²·D."""
    return elements(shape) * int(shape["S"])


OPERATOR = Operator(
    name="triangle_attention",
    symbol="triangle_attention",
    title="Triangle attention",
    category=Category.LLM,
    signature=(
        tensor("q", "B×H×S×D, row-major"),
        tensor("k", "B×H×S×D, row-major"),
        tensor("v", "B×H×S×D, row-major"),
        tensor("mask", "B×S×S, row-major; above 0.5 excludes", element=Element.FLOAT32),
        output("out", "B×H×S×D, row-major"),
        size("B"),
        size("H"),
        size("S"),
        size("D"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "For every batch b, head h, query i and channel d: s_j = q[i,d]·k[j,d]/√D for each key j ≤ i with "
        "mask[b,i,j] ≤ 0.5, and out[i,d] = Σ_j softmax(s)_j·v[j,d], or 0 where no key is left. "
        "Channels are not summed in the scores."
    ),
    source="J. Jumper et al., Highly accurate protein structure prediction with AlphaFold, 2021, supplement",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"out": extents(shape)},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=dram_bytes,
    weight=weight,
    probe="peaked",
    hard=("far_below", "equal"),
    cut=along(B=dict.fromkeys(("q", "k", "v", "mask", "out"), 0), H=dict.fromkeys(("q", "k", "v", "out"), 1)),
)
