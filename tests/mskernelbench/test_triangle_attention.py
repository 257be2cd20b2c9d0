"""What passes and what fails as triangle attention, in both precisions."""

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "triangle_attention"
FP32, BF16 = Precision.FP32, Precision.BF16
each_precision = pytest.mark.parametrize("precision", Precision)


def allowed(case: Case, threshold: float = 0.5, future: int = 0) -> np.ndarray:
    """Which keys count for which query, [B, S, S]."""
    mask = case.arrays["mask"]
    return (mask <= threshold) & np.tril(np.ones(mask.shape[1:], bool), future)


def operands(case: Case, operand: e.Round = e.fp32) -> list[e.F32]:
    return [operand(case.arrays[name].astype(np.float32)) for name in "qkv"]


def attention(
    operand: e.Round = e.fp32,
    weights: e.Round = e.fp32,
    scaled: bool = True,
    highest: bool = True,
    threshold: float = 0.5,
    future: int = 0,
) -> Kernel:
    """FP32 attention of every channel, with operands and the softmax's weights rounded; sums as trees."""

    def kernel(case: Case) -> e.F32:
        q, k, v = operands(case, operand)
        q = q / np.float32(np.sqrt(q.shape[-1])) if scaled else q
        scores = q[:, :, :, None] * k[:, :, None]
        counts = np.broadcast_to(allowed(case, threshold, future)[:, None, :, :, None], scores.shape)
        scores[~counts] = -np.inf
        top = scores.max(axis=3, keepdims=True) if highest else np.zeros(1, np.float32)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            p = np.exp(scores - np.where(np.isneginf(top), np.float32(0), top))
            seen = np.where(p == 0, np.float32(0), weights(p) * v[:, :, None])
            total, some = (e.pairwise(np.moveaxis(terms, 3, -1)) for terms in (p, seen))
            return np.where(total == 0, np.float32(0), some / total)

    return kernel


def along_the_keys(keep: e.Round = e.fp32) -> Kernel:
    """The softmax one key after another, for all queries at once; sums are held as `keep` rounds them."""

    def kernel(case: Case) -> e.F32:
        q, k, v = operands(case)
        q = q / np.float32(np.sqrt(q.shape[-1]))
        highest = np.full_like(q, -np.inf)
        total, sums = np.zeros_like(q), np.zeros_like(q)
        counts = allowed(case)
        for j in range(q.shape[2]):
            seen = counts[:, None, :, j, None]
            score = np.where(seen, q * k[:, :, j, None], np.float32(-np.inf))
            new = np.fmax(highest, score)
            shift = np.where(np.isneginf(new), np.float32(0), new)
            before, p = np.exp(highest - shift), np.exp(score - shift)
            total = keep(total * before + p)
            sums = keep(sums * before + np.where(seen, p * v[:, :, j, None], np.float32(0)))
            highest = new
        with np.errstate(invalid="ignore"):
            return np.where(total == 0, np.float32(0), sums / total)

    return kernel


@pytest.mark.parametrize("kernel", [attention(), along_the_keys()])
def test_fp32_in_any_order_stays_below_half_the_bound(kernel: Kernel) -> None:
    assert worst(NAME, FP32, kernel) <= 0.5


@pytest.mark.parametrize("kernel", [attention(), along_the_keys()])
def test_bf16_with_fp32_sums_passes(kernel: Kernel) -> None:
    assert not refused(NAME, BF16, kernel)


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_and_weights_fail_as_fp32(narrow: e.Round) -> None:
    assert len(refused(NAME, FP32, attention(narrow))) >= 9
    assert len(refused(NAME, FP32, attention(weights=narrow))) >= 6


@each_precision
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    assert len(refused(NAME, precision, along_the_keys(e.bf16))) >= 6


@each_precision
def test_a_softmax_without_the_maximum_subtracted_fails(precision: Precision) -> None:
    assert len(refused(NAME, precision, attention(highest=False))) >= 2


def without(left_out: np.ndarray, case: Case) -> e.F32:
    """Attention whose maximum does not see keys that are left out, but where no other counts."""
    q, k, v = operands(case)
    scores = (q / np.float32(np.sqrt(q.shape[-1])))[:, :, :, None] * k[:, :, None]
    scores = np.where(allowed(case)[:, None, :, :, None], scores, np.float32(-np.inf))
    top = np.where(left_out[:, None], np.float32(-np.inf), scores).max(axis=3, keepdims=True)
    top = np.where(np.isneginf(top), scores.max(axis=3, keepdims=True), top)
    with np.errstate(invalid="ignore", over="ignore"):
        p = np.exp(scores - np.where(np.isneginf(top), np.float32(0), top))
        total, some = (e.pairwise(np.moveaxis(terms, 3, -1)) for terms in (p, p * v[:, :, None]))
        return np.where(total == 0, np.float32(0), some / total)


@each_precision
@pytest.mark.parametrize("first", [32, 64, 128, 256, 512])
def test_a_maximum_that_leaves_out_some_keys_after_so_many_fails(precision: Precision, first: int) -> None:
    (case,) = (case for case in cases(NAME, precision) if case.workload.values == "one_above")
    key = np.arange(case.workload.shape["S"])
    assert case.compare(without(key < 0, case)).right
    assert not case.compare(without(key // first == len(key) // first, case)).right
    for left_out in (key % 32 == 5, key // 4 % 32 == 1, key // 32 % 8 == 0) if first < 512 else ():
        assert not case.compare(without(left_out & (key >= first), case)).right


@each_precision
def test_a_maximum_that_leaves_out_one_key_of_32_fails_in_short_sequences(precision: Precision) -> None:
    """Key 1 is above another for a single query only, if the mask lets both: not for every seed."""
    (case,) = (case for case in cases(NAME, precision) if case.workload.values == "one_hot")
    key = np.arange(case.workload.shape["S"])
    assert case.compare(without(key < 0, case)).right
    for lane in key[2:]:
        assert not case.compare(without(key == lane, case)).right, lane


@each_precision
def test_scores_that_are_not_scaled_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, attention(scaled=False))) >= 6


@each_precision
def test_scores_summed_over_channels_fail(precision: Precision) -> None:
    def one_score_a_head(case: Case) -> np.ndarray:
        q, k, v = (case.arrays[name].astype(np.float64) for name in "qkv")
        scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
        scores = np.where(allowed(case)[:, None], scores, -1e30)
        p = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = p / p.sum(axis=-1, keepdims=True)
        return np.asarray(np.einsum("bhij,bhjd->bhid", shares, v))

    assert len(refused(NAME, precision, one_score_a_head)) >= 9


@each_precision
def test_a_mask_that_is_ignored_or_read_otherwise_fails(precision: Precision) -> None:
    assert len(refused(NAME, precision, attention(threshold=np.inf))) >= 8
    (only,) = refused(NAME, precision, attention(threshold=0.49))
    assert "mask_values" in only


@each_precision
def test_keys_after_the_query_and_a_query_without_its_own_key_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, attention(future=1))) >= 8
    assert len(refused(NAME, precision, attention(future=-1))) >= 8


@each_precision
@pytest.mark.parametrize("instead", ["mean", "nan"])
def test_a_query_without_keys_that_is_not_zero_fails(precision: Precision, instead: str) -> None:
    def mean_of_v(case: Case) -> np.ndarray:
        out = case.answer.reference.copy()
        v = case.arrays["v"].astype(np.float64)
        none_left = np.logical_not(allowed(case).any(axis=2))
        seen = np.cumsum(v, axis=2) / np.arange(1, v.shape[2] + 1)[:, None]
        empty = np.broadcast_to(none_left[:, None, :, None], out.shape)
        out[empty] = seen[empty] if instead == "mean" else np.nan
        return out

    assert len(refused(NAME, precision, mean_of_v)) >= 2
