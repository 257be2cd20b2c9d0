"""What passes and what fails as a sum of products over one index, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Arrays, Precision
from mskernelbench.operators.high_order_contraction import spec as contraction
from mskernelbench.operators.matrix_vector_mul import spec as matrix_vector
from mskernelbench.products import Pair
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16


def as_they_are(arrays: Arrays) -> Pair:
    return arrays["A"], arrays["B"]


OPERANDS: dict[str, Callable[[Arrays], Pair]] = {
    "matrix_mul": as_they_are,
    "square_matrix_mul": as_they_are,
    "matrix_vector_mul": matrix_vector.operands,
    "high_order_contraction": contraction.operands,
}
ORDERS = [e.sequential, e.pairwise, e.split_k]

every = pytest.mark.parametrize("name", OPERANDS)
both = pytest.mark.parametrize("precision", Precision)


def by(name: str, add: e.Sum = e.sequential, operand: e.Round = e.fp32) -> Kernel:
    """The product of rounded operands, summed by `add`."""

    def kernel(case: Case) -> e.F32:
        return e.product(*OPERANDS[name](case.arrays), operand, add).reshape(case.answer.reference.shape)

    return kernel


def tensor_cores(name: str, narrow: e.Round, terms: int, kept: int) -> Kernel:
    multiply = e.split_product(narrow, terms, kept)

    def kernel(case: Case) -> e.F32:
        return multiply(*OPERANDS[name](case.arrays)).reshape(case.answer.reference.shape)

    return kernel


@every
@pytest.mark.parametrize("add", ORDERS)
def test_any_order_of_fp32_sums_stays_below_half_the_bound(name: str, add: e.Sum) -> None:
    assert worst(name, FP32, by(name, add)) <= 0.5


@every
@pytest.mark.parametrize("add", ORDERS)
def test_bf16_with_fp32_sums_passes(name: str, add: e.Sum) -> None:
    assert not refused(name, BF16, by(name, add))


@every
@pytest.mark.parametrize(("narrow", "terms", "kept"), [(e.tf32, 2, 2), (e.tf32, 3, 3), (e.bf16, 3, 3)])
def test_error_compensated_tensor_core_products_pass_as_fp32(
    name: str, narrow: e.Round, terms: int, kept: int
) -> None:
    assert not refused(name, FP32, tensor_cores(name, narrow, terms, kept))


@every
@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32_on_most_workloads(name: str, operand: e.Round) -> None:
    assert len(refused(name, FP32, by(name, operand=operand))) >= 8


@every
def test_two_bf16_terms_fail_as_fp32(name: str) -> None:
    assert refused(name, FP32, tensor_cores(name, e.bf16, 2, 2))


@both
@every
def test_a_bf16_accumulator_fails(name: str, precision: Precision) -> None:
    assert refused(name, precision, by(name, lambda terms: e.sequential(terms, keep=e.bf16)))


@both
@every
def test_one_dropped_term_fails(name: str, precision: Precision) -> None:
    def without_last(case: Case) -> np.ndarray:
        a, b = (x.astype(np.float64) for x in OPERANDS[name](case.arrays))
        return (a[:, :-1] @ b[:-1]).reshape(case.answer.reference.shape)

    assert len(refused(name, precision, without_last)) >= 8


@both
def test_a_square_product_in_the_wrong_order_or_of_transposes_fails(precision: Precision) -> None:
    def swapped(case: Case) -> np.ndarray:
        a, b = (case.arrays[name].astype(np.float64) for name in "AB")
        return b @ a

    def transposed(case: Case) -> np.ndarray:
        a, b = (case.arrays[name].astype(np.float64) for name in "AB")
        return a @ b.T

    for kernel in (swapped, transposed):
        assert len(refused("square_matrix_mul", precision, kernel)) >= 7


@both
@pytest.mark.parametrize("indices", ["axby,xcy->bac", "axby,xcy->acb", "axby,ycx->abc", "aybx,xcy->abc"])
def test_a_contraction_with_two_indices_exchanged_fails(precision: Precision, indices: str) -> None:
    """Where all extents are equal, so that nothing else tells."""

    def exchanged(case: Case) -> np.ndarray:
        return np.einsum(indices, *(case.arrays[name].astype(np.float64) for name in "AB"))

    (cube,) = (c for c in cases("high_order_contraction", precision) if c.answer.reference.shape == (8, 8, 8))
    assert not cube.outcome(exchanged).right


@both
def test_the_contraction_is_what_einsum_says(precision: Precision) -> None:
    def contracted(case: Case) -> np.ndarray:
        return np.einsum("axby,xcy->abc", *(case.arrays[name].astype(np.float64) for name in "AB"))

    assert not refused("high_order_contraction", precision, contracted)
