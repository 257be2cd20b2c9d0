"""softmax_attention: Y = softmax(Q·Kᵀ/√dim_qk)·V, one head, no mask."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.operators.softmax_attention.data import counts, inputs, sizes
from mskernelbench.pieces import along
from mskernelbench.tolerance import CONSTANT, growth

EXPONENTIAL = 8.0
"""Error of one exponential in units of u, beside the part that grows with its argument."""

FloatArray = NDArray[np.float64]


def shape(q: int, kv: int, dqk: int, dv: int) -> Shape:
    """Sizes in the entry's order."""
    return {"q_len": q, "kv_len": kv, "dim_qk": dqk, "dim_v": dv}


CHECK = (
    Workload("check", shape(1, 1, 1, 1)),
    Workload("check", shape(32, 64, 64, 64)),
    Workload("check", shape(37, 129, 65, 33)),
    Workload("check", shape(3, 2053, 32, 48), "shifted"),
    Workload("check", shape(2, 1031, 1, 8), "far_below"),
    Workload("check", shape(2, 33, 520, 516), "shifted"),
    Workload("check", shape(2, 5, 3, 4099), "shifted"),
    Workload("check", shape(3, 264, 64, 264)),
    Workload("check", shape(5, 300, 64, 40), "peaked"),
    Workload("check", shape(6, 77, 16, 24), "far_below"),
    Workload("check", shape(4, 1024, 16, 24), "equal"),
    Workload("check", shape(33, 32, 33, 45), "one_hot"),
    Workload("check", shape(33, 289, 16, 8), "one_above"),
    Workload("check", shape(7, 33, 16, 17), "nan_row"),
)
PAPER = tuple(
    Workload("paper", shape(*sizes), "shifted")
    for sizes in (
        (128, 256, 512, 512),
        (256, 512, 1024, 1024),
        (512, 1024, 2048, 2048),
        (1024, 2048, 4096, 4096),
        (256, 1024, 2048, 1024),
        (512, 512, 1024, 2048),
        (1024, 1024, 4096, 2048),
        (128, 2048, 512, 4096),
    )
)
REAL = tuple(
    Workload("real", shape(*sizes), "shifted")
    for sizes in (
        (1, 32768, 128, 128),
        (1000, 4001, 64, 64),
        (4096, 4096, 128, 128),
        (16384, 16384, 128, 128),
    )
)


def scores(arrays: Arrays) -> FloatArray:
    """Q·Kᵀ/√dim_qk minus each row's maximum, in float64: at most 0."""
    q, k = (arrays[name].astype(np.float64) for name in "QK")
    lowered: FloatArray = q @ k.T
    lowered /= np.sqrt(q.shape[1])
    lowered -= lowered.max(axis=1, keepdims=True)
    return lowered


def probabilities(lowered: FloatArray) -> FloatArray:
    """The softmax of scores, rows summing to 1."""
    weights: FloatArray = np.exp(lowered)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """Y in float64; rows of queries are independent."""
    v = arrays["V"].astype(np.float64)
    with np.errstate(invalid="ignore"):
        return {"Y": probabilities(scores(arrays)) @ v}


BLOCK_COLUMNS, BLOCK_ELEMENTS = 256, 1 << 16
"""Of V: what is looked at together, and with one more array of its size stays in a processor's cache."""


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """The sum over keys, the scores' errors carried through the softmax, and BF16's rounded probabilities.

    An error δ_j of score j moves Y by Σ p_j·δ_j·(v_j − Y) to first order. δ_j/u is
    c·g(dim_qk)·Σ|q||k|/√dim_qk for the dot product, 2·|s_j − max| for the exponential's argument, and a
    constant. Tensor cores take BF16 operands, so in BF16 the probabilities may be rounded once to it: 2^-8·Σ
    p|v|.
    """
    with np.errstate(invalid="ignore"):
        lowered, v = scores(arrays), arrays["V"].astype(np.float64)
        p = probabilities(lowered)
        summed, y = p @ np.abs(v), p @ v
        p *= score_error(arrays, lowered)
        carried = deviation(p, v, y)
    terms = [Rounding(int(workload.shape["kv_len"]), summed), Rounding(1, carried / CONSTANT)]
    if precision is Precision.BF16:
        terms.append(Rounding(1, summed / CONSTANT, precision.unit_roundoff))
    return {"Y": tuple(terms)}


def score_error(arrays: Arrays, lowered: FloatArray) -> FloatArray:
    """δ_j/u for every query and key, of scores minus each row's maximum."""
    q, k = (np.abs(arrays[name].astype(np.float64)) for name in "QK")
    error: FloatArray = q @ k.T
    error *= CONSTANT * growth(q.shape[1]) / np.sqrt(q.shape[1])
    error -= 2 * lowered
    error += EXPONENTIAL
    return error


def deviation(weights: FloatArray, v: FloatArray, y: FloatArray) -> FloatArray:
    """Σ_j weights[i,j]·|v[j,d] − y[i,d]|, a block of V at a time for one query after the other.

    In float32, which is twice as fast: seven digits of an error are enough.
    """
    total = np.zeros_like(y)
    weights32, v32, y32 = (array.astype(np.float32) for array in (weights, v, y))
    width = min(v.shape[1], BLOCK_COLUMNS)
    for columns in blocks(v.shape[1], width):
        for keys in blocks(len(v), BLOCK_ELEMENTS // width):
            block = np.ascontiguousarray(v32[keys, columns])
            distance = np.empty_like(block)
            for i, row in enumerate(y32[:, columns]):
                np.abs(np.subtract(block, row, out=distance), out=distance)
                total[i, columns] += weights32[i, keys] @ distance
    return total


def blocks(length: int, most: int) -> list[slice]:
    """A range of this length in pieces of at most `most`."""
    return [slice(first, min(first + most, length)) for first in range(0, length, most)]


def flops(shape: Shape) -> int:
    """Two matrix products; the exponentials are not counted."""
    q_len, kv_len, dim_qk, dim_v = sizes(shape)
    return 2 * q_len * kv_len * (dim_qk + dim_v)


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """Q, K, V and Y once."""
    return precision.value_bytes * (sum(counts(shape)) + int(shape["q_len"]) * int(shape["dim_v"]))


def weight(shape: Shape) -> int:
    """q·kv·(dqk + dv + 1)."""
    q_len, kv_len, dim_qk, dim_v = sizes(shape)
    return q_len * kv_len * (dim_qk + dim_v + 1)


OPERATOR = Operator(
    name="softmax_attention",
    symbol="softmax_attention",
    title="Softmax attention",
    category=Category.LLM,
    aliases=("attention",),
    signature=(
        output("Y", "q_len×dim_v, row-major"),
        tensor("Q", "q_len×dim_qk, row-major"),
        tensor("K", "kv_len×dim_qk, row-major"),
        tensor("V", "kv_len×dim_v, row-major"),
        size("q_len"),
        size("kv_len"),
        size("dim_qk"),
        size("dim_v"),
    ),
    contract=Contract.POISONED,
    mathematics="Y = softmax(Q·Kᵀ/√dim_qk)·V: a softmax over the keys of each query; one head, no mask.",
    source="A. Vaswani et al., Attention Is All You Need, 2017, equation 1",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"Y": (int(shape["q_len"]), int(shape["dim_v"]))},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=dram_bytes,
    weight=weight,
    matrix_product=True,
    probe="peaked",
    hard=("far_below", "equal"),
    cut=along(q_len={"Q": 0, "Y": 0}, dim_v={"V": 1, "Y": 1}),
)
