"""What passes and what fails as a matrix product, in both precisions."""

import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
NAME = "matrix_mul"


def by(add: e.Sum = e.sequential, operand: e.Round = e.fp32) -> Kernel:
    return lambda case: e.product(case.arrays["A"], case.arrays["B"], operand, add)


def tensor_cores(narrow: e.Round, terms: int, kept: int) -> Kernel:
    multiply = e.split_product(narrow, terms, kept)
    return lambda case: multiply(case.arrays["A"], case.arrays["B"])


@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_any_order_of_fp32_sums_stays_below_half_the_bound(add: e.Sum) -> None:
    assert worst(NAME, FP32, by(add)) <= 0.5


@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_bf16_with_fp32_sums_passes(add: e.Sum) -> None:
    assert not refused(NAME, BF16, by(add))


@pytest.mark.parametrize(("narrow", "terms", "kept"), [(e.tf32, 2, 2), (e.tf32, 3, 3), (e.bf16, 3, 3)])
def test_error_compensated_tensor_core_products_pass_as_fp32(narrow: e.Round, terms: int, kept: int) -> None:
    assert not refused(NAME, FP32, tensor_cores(narrow, terms, kept))


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32_on_most_workloads(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, by(operand=operand))) >= 8


def test_two_bf16_terms_fail_as_fp32() -> None:
    assert refused(NAME, FP32, tensor_cores(e.bf16, 2, 2))


@pytest.mark.parametrize("precision", Precision)
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    assert refused(NAME, precision, by(lambda terms: e.sequential(terms, keep=e.bf16)))


@pytest.mark.parametrize("precision", Precision)
def test_one_dropped_term_fails(precision: Precision) -> None:
    def without_last(case: Case) -> e.F32:
        return e.product(case.arrays["A"][:, :-1], case.arrays["B"][:-1])

    assert len(refused(NAME, precision, without_last)) >= 9
