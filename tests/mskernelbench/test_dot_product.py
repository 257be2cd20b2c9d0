"""What passes and what fails as a dot product, in both precisions."""

import ml_dtypes
import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "dot_product"
FP32, BF16 = Precision.FP32, Precision.BF16
both = pytest.mark.parametrize("precision", Precision)


def one_after_another(terms: e.F32) -> e.F32:
    return np.cumsum(terms, dtype=np.float32)[-1:]


def tree(terms: e.F32) -> e.F32:
    return e.pairwise(terms[None])


def a_grid_apart(terms: e.F32) -> e.F32:
    """256 threads, each adding terms 256 apart, then a tree."""
    padded = np.concatenate([terms, np.zeros(-len(terms) % 256, np.float32)]).reshape(-1, 256)
    return tree(np.cumsum(padded, axis=0, dtype=np.float32)[-1])


def by(add: e.Sum, operand: e.Round = e.fp32) -> Kernel:
    """FP32 products of rounded operands, summed by `add`."""

    def kernel(case: Case) -> e.F32:
        x, y = (operand(case.arrays[name].astype(np.float32)) for name in "XY")
        return add(x * y)

    return kernel


def split(narrow: e.Round, terms: int) -> Kernel:
    """Products of narrow parts, the smallest first."""

    def kernel(case: Case) -> e.F32:
        x, y = (e.split(case.arrays[name].astype(np.float32), narrow, terms) for name in "XY")
        pairs = sorted(((i, j) for i in range(terms) for j in range(terms - i)), key=sum, reverse=True)
        return sum((tree(x[i] * y[j]) for i, j in pairs), start=np.zeros(1, np.float32))

    return kernel


@pytest.mark.parametrize("add", [one_after_another, tree, a_grid_apart])
def test_any_order_of_fp32_sums_stays_below_half_the_bound(add: e.Sum) -> None:
    assert worst(NAME, FP32, by(add)) <= 0.5
    assert not refused(NAME, BF16, by(add))


@pytest.mark.parametrize("narrow", [e.tf32, e.bf16])
def test_products_of_three_narrow_terms_pass_as_fp32(narrow: e.Round) -> None:
    assert not refused(NAME, FP32, split(narrow, 3))


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, by(a_grid_apart, operand))) >= 5


@both
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    def accumulated(case: Case) -> np.ndarray:
        x, y = (case.arrays[name].astype(np.float32) for name in "XY")
        return np.add.accumulate((x * y).astype(ml_dtypes.bfloat16))[-1:]

    assert len(refused(NAME, precision, accumulated)) >= 7


def test_a_result_rounded_to_bf16_fails_also_for_bf16_vectors() -> None:
    def rounded(case: Case) -> np.ndarray:
        return case.answer.reference.astype(ml_dtypes.bfloat16).astype(np.float64)

    assert len(refused(NAME, BF16, rounded)) >= 6


@both
@pytest.mark.parametrize("place", [0, -1, 255, 256])
def test_a_dropped_term_fails(precision: Precision, place: int) -> None:
    def dropped(case: Case) -> np.ndarray:
        terms = case.arrays["X"].astype(np.float64) * case.arrays["Y"].astype(np.float64)
        return np.delete(terms, place)[None].sum(axis=1) if -1 <= place < len(terms) else terms.sum()[None]

    assert len(refused(NAME, precision, dropped)) >= 4
    largest = max(cases(NAME, precision), key=lambda case: len(case.arrays["X"]))
    assert not largest.outcome(dropped).right


@both
def test_partial_sums_of_blocks_that_overwrite_each_other_fail(precision: Precision) -> None:
    def last_block(case: Case) -> np.ndarray:
        terms = case.arrays["X"].astype(np.float64) * case.arrays["Y"].astype(np.float64)
        return terms[(len(terms) - 1) // 256 * 256 :].sum()[None]

    assert len(refused(NAME, precision, last_block)) >= 8
