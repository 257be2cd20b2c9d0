"""triangle_attention: causal attention with a mask in which every channel has its own scores."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from mskernelbench.operators.triangle_attention.data import elements, extents, inputs
from mskernelbench.pieces import along
from mskernelbench.tolerance import CONSTANT

EXPONENTIAL = 8.0
"""Error of one exponential in units of u, beside the part that grows with its argument."""
FLOPS_A_PAIR = 5
"""A product, the maximum's subtraction, two sums and a product with v; exponentials are not counted."""

FloatArray = NDArray[np.float64]


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
