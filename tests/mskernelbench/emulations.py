"""Arithmetic of honest and dishonest kernels, in NumPy: what they do to operands, and their order of sums."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Round = Callable[[F32], F32]
"""Rounds FP32 numbers to what a unit's inputs can hold."""


def fp32(x: F32) -> F32:
    return x


def bf16(x: F32) -> F32:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def fp16(x: F32) -> F32:
    with np.errstate(over="ignore"):
        return x.astype(np.float16).astype(np.float32)


def tf32(x: F32) -> F32:
    """10 bits of fraction, round to nearest with ties away, NaN kept."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(x), rounded, x)


def expf(x: F32) -> F32:
    """e^x, rounded once."""
    with np.errstate(over="ignore"):
        return np.exp(x.astype(np.float64)).astype(np.float32)


def fast_expf(x: F32) -> F32:
    """`__expf`: the argument of the power of two is rounded."""
    with np.errstate(over="ignore"):
        return np.exp2((x * np.float32(1.4426950408889634)).astype(np.float64)).astype(np.float32)


def split(x: F32, narrow: Round, terms: int) -> list[F32]:
    """`x` as a sum of `terms` narrow numbers, the largest first."""
    parts = []
    for _ in range(terms):
        parts.append(narrow(x))
        x = x - parts[-1]
    return parts


def sequential(terms: F32, keep: Round = fp32) -> F32:
    """Sum over the last axis, one after another, the accumulator held as `keep` rounds it."""
    total = np.zeros(terms.shape[:-1], np.float32)
    for k in range(terms.shape[-1]):
        total = keep(total + terms[..., k])
    return total


def pairwise(terms: F32) -> F32:
    """Sum over the last axis as a tree."""
    while terms.shape[-1] > 1:
        if terms.shape[-1] % 2:
            terms = np.concatenate([terms, np.zeros((*terms.shape[:-1], 1), np.float32)], axis=-1)
        terms = terms[..., ::2] + terms[..., 1::2]
    return terms[..., 0] if terms.shape[-1] else np.zeros(terms.shape[:-1], np.float32)


def split_k(terms: F32) -> F32:
    """Four partial sums, added at the end."""
    return sequential(np.stack([sequential(part) for part in np.array_split(terms, 4, axis=-1)], axis=-1))


Sum = Callable[[F32], F32]


def product(a: NDArray[Any], b: NDArray[Any], operand: Round = fp32, add: Sum = sequential) -> F32:
    """A·B: operands rounded by `operand`, FP32 products, summed by `add`."""
    left, right = operand(a.astype(np.float32)), operand(b.astype(np.float32))
    with np.errstate(invalid="ignore", over="ignore"):
        return add(left[:, None, :] * right.T[None, :, :])


def split_product(narrow: Round, terms: int, kept: int) -> Callable[[NDArray[Any], NDArray[Any]], F32]:
    """A·B from narrow parts, without products of parts whose ranks sum to `kept` or more."""

    def multiply(a: NDArray[Any], b: NDArray[Any]) -> F32:
        left = split(a.astype(np.float32), narrow, terms)
        right = split(b.astype(np.float32), narrow, terms)
        pairs = [(i, j) for i in range(terms) for j in range(terms) if i + j < kept]
        total = np.zeros((a.shape[0], b.shape[1]), np.float32)
        for i, j in sorted(pairs, key=sum, reverse=True):
            total = total + product(left[i], right[j], add=pairwise)
        return total

    return multiply
