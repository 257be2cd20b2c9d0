"""What passes and what fails as merged attention states, in both precisions and for both outputs."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "merge_attn_states"
FP32, BF16 = Precision.FP32, Precision.BF16
each_precision = pytest.mark.parametrize("precision", Precision)

Weights = Callable[[e.F32, e.F32], tuple[e.F32, e.F32, e.F32]]
"""From two log-sum-exps to the shares of both states and the merged log-sum-exp."""


def plain(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
    m = np.maximum(a, b)
    pa, pb = np.exp(a - m), np.exp(b - m)
    return pa / (pa + pb), pb / (pa + pb), np.log(pa + pb) + m


def by_powers_of_two(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
    """Everything by exp₂ and log₂; log-sum-exps that overflow with log₂ e are left alone."""
    log2e, ln2 = np.float32(np.log2(np.e)), np.float32(np.log(2))
    m = np.maximum(a, b)
    with np.errstate(over="ignore", invalid="ignore"):
        top = m * log2e
        pa, pb = (np.exp2(np.where(x == m, np.float32(0), x * log2e - top)) for x in (a, b))
        lse = (np.log2(pa + pb) + top) * ln2
    return pa / (pa + pb), pb / (pa + pb), np.where(np.isfinite(top), lse, m)


def by_sigmoid(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
    """The smaller share from the difference alone."""
    small = np.exp(-np.abs(a - b))
    less, more = small / (1 + small), 1 / (1 + small)
    first = a >= b
    lse = np.maximum(a, b) + np.log1p(small)
    return np.where(first, more, less), np.where(first, less, more), lse


def without_maximum(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        pa, pb = np.exp(a), np.exp(b)
        return pa / (pa + pb), pb / (pa + pb), np.log(pa + pb)


def replaced(lse: e.F32) -> e.F32:
    return np.where(np.isinf(lse), np.finfo(np.float32).min, lse)


def merged(
    weights: Weights = plain,
    operand: e.Round = e.fp32,
    share: e.Round = e.fp32,
    finite: e.Round = replaced,
    crossed: bool = False,
) -> Kernel:
    """FP32 arithmetic with the states and their shares rounded; `finite` treats infinite log-sum-exps."""

    def kernel(case: Case) -> e.F32:
        arrays = {name: array.astype(np.float32) for name, array in case.arrays.items()}
        with np.errstate(over="ignore", invalid="ignore"):
            of_a, of_b, lse = weights(finite(arrays["lse_a"]), finite(arrays["lse_b"]))
            if case.output == "LSE_out":
                return lse
            a, b = (share(part).T[:, :, None] for part in ((of_b, of_a) if crossed else (of_a, of_b)))
            return operand(arrays["V_a"]) * a + operand(arrays["V_b"]) * b

    return kernel


@each_precision
@pytest.mark.parametrize("weights", [plain, by_powers_of_two, by_sigmoid])
def test_every_honest_formula_passes(precision: Precision, weights: Weights) -> None:
    assert not refused(NAME, precision, merged(weights))


@pytest.mark.parametrize("weights", [plain, by_powers_of_two, by_sigmoid])
def test_fp32_stays_below_two_thirds_of_the_bound(weights: Weights) -> None:
    assert worst(NAME, FP32, merged(weights)) <= 0.67


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_states_and_shares_fail_as_fp32(narrow: e.Round) -> None:
    assert len(refused(NAME, FP32, merged(operand=narrow))) >= 11
    assert len(refused(NAME, FP32, merged(share=narrow))) >= 7


def test_shares_rounded_to_bf16_fail_as_bf16() -> None:
    assert len(refused(NAME, BF16, merged(share=e.bf16))) >= 5


@each_precision
def test_exponentials_without_the_larger_one_subtracted_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, merged(without_maximum))) >= 3


@each_precision
def test_infinities_that_are_left_as_they_are_or_only_of_one_sign_replaced_fail(precision: Precision) -> None:
    def negative_only(lse: e.F32) -> e.F32:
        return np.where(np.isneginf(lse), np.finfo(np.float32).min, lse)

    def with_zero(lse: e.F32) -> e.F32:
        return np.where(np.isinf(lse), np.float32(0), lse)

    for finite in (e.fp32, negative_only, with_zero):
        (only,) = refused(NAME, precision, merged(finite=finite))
        assert "infinite" in only


@each_precision
def test_crossed_shares_and_a_mean_fail(precision: Precision) -> None:
    def half(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
        return np.full_like(a, 0.5), np.full_like(a, 0.5), plain(a, b)[2]

    assert len(refused(NAME, precision, merged(crossed=True))) >= 10
    assert len(refused(NAME, precision, merged(half))) >= 10


@each_precision
def test_log_sum_exps_read_or_written_by_token_instead_of_head_fail(precision: Precision) -> None:
    def by_token(case: Case) -> np.ndarray:
        heads, tokens = case.arrays["lse_a"].shape
        turned = {n: case.arrays[n].reshape(tokens, heads).T for n in ("lse_a", "lse_b")}
        return merged()(case._replace(arrays={**case.arrays, **turned}))

    def written_by_token(case: Case) -> np.ndarray:
        answer = case.answer.reference
        return answer.T.reshape(answer.shape) if case.output == "LSE_out" else answer

    assert len(refused(NAME, precision, by_token)) >= 10
    assert len(refused(NAME, precision, written_by_token)) >= 8


@each_precision
def test_a_logarithm_that_is_left_out_or_binary_fail(precision: Precision) -> None:
    def wrong(factor: float) -> Kernel:
        def weights(a: e.F32, b: e.F32) -> tuple[e.F32, e.F32, e.F32]:
            of_a, of_b, _ = plain(a, b)
            return of_a, of_b, np.maximum(a, b) + np.float32(factor) * np.log1p(np.exp(-np.abs(a - b)))

        return merged(weights)

    assert len(refused(NAME, precision, wrong(0))) >= 7
    assert len(refused(NAME, precision, wrong(1 / np.log(2)))) >= 6


@each_precision
def test_a_left_out_output_has_no_case(precision: Precision) -> None:
    absent = [case for case in cases(NAME, precision) if case.workload.absent]
    assert [case.output for case in absent] == ["V_out"]
