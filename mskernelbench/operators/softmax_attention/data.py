"""Inputs of softmax_attention: Q, K and V on which shortcuts of a softmax show."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, values
from mskernelbench.operator import Arrays, Precision, Shape, Workload

Triple = tuple[NDArray[np.generic], NDArray[np.generic], NDArray[np.generic]]


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """Q, K and V."""
    q_len, kv_len, dim_qk, dim_v = sizes(workload.shape)
    q, k, v = GENERATORS[workload.values](workload.shape, precision, rng)
    return {
        "Q": q.reshape(q_len, dim_qk),
        "K": k.reshape(kv_len, dim_qk),
        "V": v.reshape(kv_len, dim_v),
    }


def sizes(shape: Shape) -> tuple[int, int, int, int]:
    """q_len, kv_len, dim_qk and dim_v."""
    return int(shape["q_len"]), int(shape["kv_len"]), int(shape["dim_qk"]), int(shape["dim_v"])


def counts(shape: Shape) -> tuple[int, int, int]:
    """Elements of Q, K and V."""
    q_len, kv_len, dim_qk, dim_v = sizes(shape)
    return q_len * dim_qk, kv_len * dim_qk, kv_len * dim_v


def ordinary(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores of magnitude 1, values around 0."""
    q, k, v = (values("ordinary", rng, count, precision) for count in counts(shape))
    return q, k, v


def shifted(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores of magnitude 1, values around 0.75."""
    q, k, _ = ordinary(shape, precision, rng)
    return q, k, values("shifted", rng, counts(shape)[2], precision)


def peaked(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Scores up to ±200: an exponential without the maximum subtracted overflows."""
    q, k, v = ordinary(shape, precision, rng)
    return (q.astype(np.float32) * np.float32(64)).astype(precision.dtype), k, v


def far_below(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """All scores near −1000: a maximum that starts at 0 leaves nothing."""
    n_q, n_k, n_v = counts(shape)
    q = np.full(n_q, 16, precision.dtype)
    k = (values("ordinary", rng, n_k, Precision.FP32).astype(np.float32) / 16 - 16).astype(precision.dtype)
    return q, k, values("ordinary", rng, n_v, precision)


def equal(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Q holds signed zeros: every key counts the same and Y is V's mean; a BF16 sum stops growing at 256."""
    n_q, n_k, n_v = counts(shape)
    q = np.where(np.arange(n_q) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    return q, values("ordinary", rng, n_k, precision), np.abs(full_mantissa(rng, n_v, precision))


def one_hot(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """Every query picks one key so clearly that Y is that key's V, bit for bit; the first picks the last."""
    q_len, kv_len, dim_qk, dim_v = sizes(shape)
    chosen = (kv_len - 1 - np.arange(q_len)) % kv_len
    k = np.zeros((kv_len, dim_qk), precision.dtype)
    k[np.arange(kv_len), np.arange(kv_len) % dim_qk] = 32
    q = (k[chosen].astype(np.float32) * np.float32(32)).astype(precision.dtype)
    return q, k, full_mantissa(rng, kv_len * dim_v, precision)


def one_above(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """One score of each query stands hundreds above the others: Y is that key's V.

    Keys differ in their numbers' bits, which dim_qk has to have room for. Beyond the first 32 keys the chosen
    one moves through all remainders of 32 and all 32s, and for the last query it is the last: a maximum that
    leaves out a lane's, a warp's or a tile's keys overflows.
    """
    q_len, kv_len, dim_qk, dim_v = sizes(shape)
    query = np.arange(q_len)
    chosen = (32 * (1 + query % max(kv_len // 32 - 1, 1)) + query % 32) % kv_len
    chosen[-1] = kv_len - 1
    bit = np.arange(dim_qk) % max((kv_len - 1).bit_length(), 1)
    k = np.where(np.arange(kv_len)[:, None] >> bit & 1, 32, -32).astype(precision.dtype)
    return k[chosen], k, full_mantissa(rng, kv_len * dim_v, precision)


def nan_row(shape: Shape, precision: Precision, rng: np.random.Generator) -> Triple:
    """One NaN in the middle query: exactly that row of Y is NaN."""
    q, k, v = ordinary(shape, precision, rng)
    q[int(shape["q_len"]) // 2 * int(shape["dim_qk"])] = np.nan
    return q, k, v


GENERATORS: Mapping[str, Callable[[Shape, Precision, np.random.Generator], Triple]] = {
    "ordinary": ordinary,
    "shifted": shifted,
    "peaked": peaked,
    "far_below": far_below,
    "equal": equal,
    "one_hot": one_hot,
    "one_above": one_above,
    "nan_row": nan_row,
}
