"""What passes and what fails as a softmax of rows, in both precisions."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from mskernelbench.cases import check_cases
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision, Workload
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "softmax"
FP32, BF16 = Precision.FP32, Precision.BF16
both = pytest.mark.parametrize("precision", Precision)


def rows(case: Case) -> e.F32:
    return case.arrays["input"].astype(np.float32)


def softmax(
    operand: e.Round = e.fp32,
    add: e.Sum = e.pairwise,
    exponential: e.Round = e.expf,
    weights: e.Round = e.fp32,
) -> Kernel:
    """Two passes in FP32 with operands or exponentials rounded."""

    def kernel(case: Case) -> e.F32:
        x = operand(rows(case))
        with np.errstate(invalid="ignore"):
            p = weights(exponential(x - x.max(axis=1, keepdims=True)))
        return p / add(p)[:, None]

    return kernel


def online(case: Case, threads: int = 32) -> e.F32:
    """Each thread keeps a running maximum and a rescaled sum over its stride; then they are merged."""
    x = rows(case)
    pad = -x.shape[1] % threads
    lanes = np.pad(x, ((0, 0), (0, pad)), constant_values=-np.inf).reshape(len(x), -1, threads)
    highest = np.full((len(x), threads), -np.inf, np.float32)
    total = np.zeros((len(x), threads), np.float32)
    with np.errstate(invalid="ignore"):
        for step in range(lanes.shape[1]):
            new = np.maximum(highest, lanes[:, step])
            safe = np.where(np.isinf(new), np.float32(0), new)
            total = total * e.expf(highest - safe) + e.expf(lanes[:, step] - safe)
            highest = new
        top = highest.max(axis=1, keepdims=True)
        whole = e.pairwise(total * e.expf(highest - top))[:, None]
        return e.expf(x - top) / whole


@both
def test_a_maximum_of_long_rows_that_begins_at_0_fails(precision: Precision) -> None:
    def kernel(case: Case) -> e.F32:
        x = rows(case)
        highest = x.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            p = e.expf(x - (highest if x.shape[1] <= 4096 else np.maximum(highest, 0)))
            return p / e.pairwise(p)[:, None]

    assert refused(NAME, precision, kernel)


@pytest.mark.parametrize("add", [e.pairwise, e.split_k, e.sequential])
@both
def test_fp32_sums_in_any_order_pass(precision: Precision, add: e.Sum) -> None:
    assert worst(NAME, precision, softmax(add=add)) <= 1


@both
def test_a_softmax_in_one_pass_passes(precision: Precision) -> None:
    assert worst(NAME, precision, online) <= 1


@both
def test_an_exponential_as_a_power_of_two_passes(precision: Precision) -> None:
    assert worst(NAME, precision, softmax(exponential=e.fast_expf)) <= 1


@both
def test_multiplying_with_the_reciprocal_passes(precision: Precision) -> None:
    def reciprocal(case: Case) -> e.F32:
        x = rows(case)
        with np.errstate(invalid="ignore"):
            p = e.expf(x - x.max(axis=1, keepdims=True))
        return p * (np.float32(1) / e.pairwise(p)[:, None])

    assert not refused(NAME, precision, reciprocal)


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_or_exponentials_fail_as_fp32(narrow: e.Round) -> None:
    assert len(refused(NAME, FP32, softmax(operand=narrow))) >= 7
    assert len(refused(NAME, FP32, softmax(weights=narrow))) >= 7


@both
def test_bf16_exponentials_or_sums_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, softmax(weights=e.bf16))) >= 6
    assert refused(NAME, precision, softmax(add=lambda terms: e.sequential(terms, keep=e.bf16)))


@both
def test_a_softmax_without_the_maximum_subtracted_fails(precision: Precision) -> None:
    def plain(case: Case) -> e.F32:
        p = e.expf(rows(case))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return p / e.pairwise(p)[:, None]

    assert len(refused(NAME, precision, plain)) >= 4


@both
def test_a_maximum_that_starts_at_zero_or_is_that_of_the_whole_matrix_fails(precision: Precision) -> None:
    def lowered_by(highest: np.ndarray, x: e.F32) -> e.F32:
        with np.errstate(invalid="ignore", divide="ignore"):
            p = e.expf(x - highest)
            return p / e.pairwise(p)[:, None]

    from_zero = refused(
        NAME, precision, lambda c: lowered_by(rows(c).max(axis=1, initial=0)[:, None], rows(c))
    )
    assert any("far_below" in label for label in from_zero)
    from_low = refused(
        NAME, precision, lambda c: lowered_by(rows(c).max(axis=1, initial=-1e9)[:, None], rows(c))
    )
    assert any("abyss" in label for label in from_low)
    assert refused(NAME, precision, lambda case: lowered_by(np.nanmax(rows(case)), rows(case)))


def from_row(x: e.F32) -> np.ndarray:
    return np.broadcast_to(np.arange(x.shape[1]), x.shape)


def from_matrix(x: e.F32) -> np.ndarray:
    return np.arange(x.size).reshape(x.shape)


@pytest.mark.parametrize(
    ("every", "counted"), [(4, from_row), (32, from_row), (2, from_matrix), (4, from_matrix)]
)
@both
def test_a_maximum_that_leaves_out_one_number_of_so_many_fails(
    precision: Precision, every: int, counted: Callable[[e.F32], np.ndarray]
) -> None:
    def leaving_out(place: int, case: Case) -> e.F32:
        x = rows(case)
        left_out = counted(x) % every == place
        with np.errstate(over="ignore", invalid="ignore"):
            p = e.expf(x - np.where(left_out, -np.inf, x).max(axis=1, keepdims=True))
            return p / e.pairwise(p)[:, None]

    for place in range(every):
        found = refused(NAME, precision, partial(leaving_out, place))
        assert any("huge" in label for label in found), place


@both
def test_a_running_maximum_without_care_for_minus_infinity_fails(precision: Precision) -> None:
    def careless(case: Case) -> e.F32:
        x = rows(case)
        with np.errstate(invalid="ignore"):
            starts = x[:, :32].max(axis=1, keepdims=True)
            return e.expf(x - np.maximum(starts, x.max(axis=1, keepdims=True))) * e.expf(starts - starts)

    assert any("masked" in label for label in refused(NAME, precision, careless))


@both
def test_a_sum_that_drops_the_last_column_fails(precision: Precision) -> None:
    def dropped(case: Case) -> e.F32:
        x = rows(case)
        with np.errstate(invalid="ignore", divide="ignore"):
            p = e.expf(x - x.max(axis=1, keepdims=True))
            return p / e.pairwise(p[:, :-1])[:, None]

    assert len(refused(NAME, precision, dropped)) >= 6


@both
def test_a_softmax_of_columns_or_of_everything_fails(precision: Precision) -> None:
    def along(axis: int | None) -> Kernel:
        def kernel(case: Case) -> np.ndarray:
            x = rows(case).astype(np.float64)
            with np.errstate(invalid="ignore"):
                p = np.exp(x - x.max(axis=axis, keepdims=True))
                return p / p.sum(axis=axis, keepdims=True)

        return kernel

    several = sum(case.workload.shape["N"] > 1 for case in cases(NAME, precision))
    assert len(refused(NAME, precision, along(0))) >= several - 1
    assert len(refused(NAME, precision, along(None))) == several


def test_shares_below_the_normal_range_flushed_to_zero_fail_as_fp32() -> None:
    def flushed(case: Case) -> np.ndarray:
        answer = case.answer.reference
        return np.where(np.abs(answer) < 2.0**-126, 0, answer)

    assert refused(NAME, FP32, flushed)


def test_one_element_off_by_sixteen_ulp_fails_as_fp32_where_nothing_is_summed() -> None:
    def one_off(case: Case) -> np.ndarray:
        answer = case.answer.reference.astype(np.float32)
        answer.flat[-1] += 16 * np.spacing(answer.flat[-1])
        return answer

    assert "N=1,C=1 ordinary" in refused(NAME, FP32, one_off)


def test_long_rows_added_up_from_end_to_end_pass_and_half_precision_does_not() -> None:
    vocabulary = Workload("check", {"N": 4, "C": 128_256}, "logits")
    (case,) = check_cases(replace(load_operator(NAME), workloads=(vocabulary,)), FP32, seed=1)
    assert case.outcome(softmax(add=e.sequential)).right
    assert not case.outcome(softmax(weights=e.fp16)).right
    assert not case.outcome(softmax(operand=e.tf32)).right
