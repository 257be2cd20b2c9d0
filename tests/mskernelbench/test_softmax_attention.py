"""What passes and what fails as attention, in both precisions."""

from collections.abc import Iterator

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "softmax_attention"
FP32, BF16 = Precision.FP32, Precision.BF16


def operands(case: Case, operand: e.Round) -> list[e.F32]:
    return [operand(case.arrays[name].astype(np.float32)) for name in "QKV"]


def attention(
    operand: e.Round = e.fp32, add: e.Sum = e.sequential, weights: e.Round = e.fp32, dropped: int = 0
) -> Kernel:
    """FP32 attention with operands, and the softmax's weights before the second product, rounded."""

    def kernel(case: Case) -> e.F32:
        q, k, v = operands(case, operand)
        keys = slice(max(len(k) - dropped, 1))
        scores = e.product(q, k[keys].T, add=add) * np.float32(1 / np.sqrt(q.shape[1]))
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = add(p)[:, None]
        return e.product(operand(weights(p)), v[keys], add=add) / total

    return kernel


def tiled(case: Case, tile: int = 32) -> e.F32:
    """The softmax taken along with the keys, a tile at a time, rescaling what was summed before."""
    q, k, v = operands(case, e.fp32)
    highest = np.full((len(q), 1), -np.inf, np.float32)
    total = np.zeros((len(q), 1), np.float32)
    y = np.zeros((len(q), v.shape[1]), np.float32)
    for start in range(0, len(k), tile):
        scores = e.product(q, k[start : start + tile].T, add=e.pairwise) / np.float32(np.sqrt(q.shape[1]))
        new = np.maximum(highest, scores.max(axis=1, keepdims=True))
        keep, p = np.exp(highest - new), np.exp(scores - new)
        total = total * keep + e.pairwise(p)[:, None]
        y = y * keep + e.product(p, v[start : start + tile], add=e.pairwise)
        highest = new
    return y / total


@pytest.mark.parametrize("precision", Precision)
def test_a_maximum_over_many_keys_that_begins_at_0_fails(precision: Precision) -> None:
    def kernel(case: Case) -> e.F32:
        q, k, v = operands(case, e.fp32)
        scores = e.product(q, k.T, add=e.pairwise) / np.float32(np.sqrt(q.shape[1]))
        highest = scores.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            p = np.exp(scores - (highest if len(k) <= 1024 else np.maximum(highest, 0)))
            return e.product(p, v, add=e.pairwise) / e.pairwise(p)[:, None]

    assert refused(NAME, precision, kernel)


@pytest.mark.parametrize("kernel", [attention(), attention(add=e.pairwise), attention(add=e.split_k), tiled])
def test_fp32_in_any_order_stays_below_half_the_bound(kernel: Kernel) -> None:
    assert worst(NAME, FP32, kernel) <= 0.5


@pytest.mark.parametrize("kernel", [attention(), attention(weights=e.bf16), tiled])
def test_bf16_with_fp32_sums_passes_also_with_weights_rounded_for_the_tensor_core(kernel: Kernel) -> None:
    assert not refused(NAME, BF16, kernel)


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, attention(operand))) >= 6


@pytest.mark.parametrize("weights", [e.tf32, e.fp16, e.bf16])
def test_narrow_weights_fail_as_fp32(weights: e.Round) -> None:
    assert refused(NAME, FP32, attention(weights=weights))


@pytest.mark.parametrize("precision", Precision)
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    assert refused(NAME, precision, attention(add=lambda terms: e.sequential(terms, keep=e.bf16)))


@pytest.mark.parametrize("precision", Precision)
def test_attention_that_ignores_k_fails(precision: Precision) -> None:
    def mean_of_v(case: Case) -> np.ndarray:
        mean = case.arrays["V"].astype(np.float64).mean(axis=0)
        return np.broadcast_to(mean, case.answer.reference.shape)

    assert len(refused(NAME, precision, mean_of_v)) >= 8


@pytest.mark.parametrize("precision", Precision)
def test_a_dropped_key_fails(precision: Precision) -> None:
    assert len(refused(NAME, precision, attention(dropped=1))) >= 5


@pytest.mark.parametrize("precision", Precision)
def test_a_softmax_without_the_maximum_subtracted_fails(precision: Precision) -> None:
    def plain(case: Case) -> e.F32:
        q, k, v = operands(case, e.fp32)
        p = np.exp(e.product(q, k.T) / np.float32(np.sqrt(q.shape[1])))
        return e.product(p, v) / e.sequential(p)[:, None]

    assert len(refused(NAME, precision, plain)) >= 2


def groups(key: np.ndarray, kind: str) -> Iterator[np.ndarray]:
    """What a maximum leaves out: a lane's keys, a warp's of a block of eight, or a tile of so many."""
    if kind == "lane":
        yield from (key % 32 == lane for lane in range(32))
    elif kind == "vector":
        yield from (key // 4 % 32 == lane for lane in range(32))
    elif kind == "warp":
        yield from (key // 32 % 8 == warp for warp in range(8))
    else:
        tile = int(kind)
        yield from (key // tile == at for at in range(-(-len(key) // tile)))


@pytest.mark.parametrize("kind", ["lane", "vector", "warp", "32", "64", "128", "256"])
@pytest.mark.parametrize("precision", Precision)
def test_a_maximum_that_leaves_out_some_keys_after_the_first_tile_fails(
    precision: Precision, kind: str
) -> None:
    """It takes all of the first 32 keys, so that short workloads say nothing."""
    (case,) = (case for case in cases(NAME, precision) if case.workload.values == "one_above")
    q, k, v = operands(case, e.fp32)
    key = np.arange(len(k))
    scores = e.product(q, k.T, add=e.pairwise) / np.float32(np.sqrt(q.shape[1]))
    for left_out in groups(key, kind):
        seen = np.where(left_out & (key >= 32), -np.inf, scores)
        with np.errstate(over="ignore", invalid="ignore"):
            p = np.exp(scores - seen.max(axis=1, keepdims=True)).astype(np.float32)
            y = e.product(p, v, add=e.pairwise) / e.pairwise(p)[:, None]
        assert case.compare(y).right == (not left_out[32:].any()), np.flatnonzero(left_out)


@pytest.mark.parametrize("precision", Precision)
def test_scores_that_are_not_scaled_fail(precision: Precision) -> None:
    def unscaled(case: Case) -> np.ndarray:
        q, k, v = (case.arrays[name].astype(np.float64) for name in "QKV")
        p = np.exp(q @ k.T - (q @ k.T).max(axis=1, keepdims=True))
        return p @ v / p.sum(axis=1, keepdims=True)

    assert len(refused(NAME, precision, unscaled)) >= 5
