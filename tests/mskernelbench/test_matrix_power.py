"""What passes and what fails as a matrix power, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from mskernelbench.shapes import parse_shape
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "matrix_power"
FP32, BF16 = Precision.FP32, Precision.BF16
both = pytest.mark.parametrize("precision", Precision)
Multiply = Callable[[e.F32, e.F32], e.F32]


def one_factor_a_time(a: e.F32, p: int, multiply: Multiply) -> e.F32:
    result = a
    for _ in range(p - 1):
        result = multiply(result, a)
    return result


def squaring(a: e.F32, p: int, multiply: Multiply) -> e.F32:
    """Squares for every binary digit of P, from the first on."""
    result = a
    for digit in bin(p)[3:]:
        result = multiply(result, result)
        result = multiply(result, a) if digit == "1" else result
    return result


def by(
    chain: Callable[[e.F32, int, Multiply], e.F32] = one_factor_a_time,
    multiply: Multiply = e.product,
    keep: e.Round = e.fp32,
) -> Kernel:
    """A chain of products, each stored as `keep` rounds it."""

    def kernel(case: Case) -> e.F32:
        a, p = case.arrays["A"].astype(np.float32), int(case.workload.shape["P"])
        if p == 0:
            return np.eye(len(a), dtype=np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            return chain(a, p, lambda x, y: keep(multiply(x, y)))

    return kernel


@both
def test_a_power_beyond_the_published_ones_is_not_cut_to_them(precision: Precision) -> None:
    def cut(a: e.F32, p: int, multiply: Multiply) -> e.F32:
        return one_factor_a_time(a, min(p, 16), multiply)

    assert refused(NAME, precision, by(cut, quick))


def quick(a: e.F32, b: e.F32) -> e.F32:
    """An FP32 product in the order of the processor's library."""
    return a @ b


def narrow(operand: e.Round) -> Multiply:
    return lambda a, b: operand(a) @ operand(b)


def split(operand: e.Round, terms: int) -> Multiply:
    def multiply(a: e.F32, b: e.F32) -> e.F32:
        left, right = e.split(a, operand, terms), e.split(b, operand, terms)
        pairs = sorted(((i, j) for i in range(terms) for j in range(terms - i)), key=sum, reverse=True)
        return sum((left[i] @ right[j] for i, j in pairs), start=np.zeros_like(a))

    return multiply


CHAINS = [one_factor_a_time, squaring]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("multiply", [quick, e.product], ids=["library", "sequential"])
def test_fp32_products_in_any_bracketing_stay_below_half_the_bound(
    chain: Callable[[e.F32, int, Multiply], e.F32], multiply: Multiply
) -> None:
    assert worst(NAME, FP32, by(chain, multiply)) <= 0.5
    assert not refused(NAME, BF16, by(chain, multiply))


@pytest.mark.parametrize("chain", CHAINS)
def test_bf16_powers_rounded_for_the_tensor_core_pass(
    chain: Callable[[e.F32, int, Multiply], e.F32],
) -> None:
    assert not refused(NAME, BF16, by(chain, quick, keep=e.bf16))


@pytest.mark.parametrize("operand", [e.tf32, e.bf16])
def test_products_of_three_narrow_terms_pass_as_fp32(operand: e.Round) -> None:
    assert not refused(NAME, FP32, by(squaring, split(operand, 3)))


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, by(squaring, narrow(operand)))) >= 7


def test_powers_stored_as_bf16_fail_as_fp32() -> None:
    assert len(refused(NAME, FP32, by(keep=e.bf16, multiply=quick))) >= 8


@both
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    def accumulated(a: e.F32, b: e.F32) -> e.F32:
        return e.product(a, b, add=lambda terms: e.sequential(terms, keep=e.bf16))

    assert refused(NAME, precision, by(squaring, accumulated))


@both
@pytest.mark.parametrize("more", [-1, 1])
def test_one_factor_more_or_less_fails(precision: Precision, more: int) -> None:
    def another(case: Case) -> np.ndarray:
        p = max(int(case.workload.shape["P"]) + more, 0)
        with np.errstate(invalid="ignore"):
            return np.linalg.matrix_power(case.arrays["A"].astype(np.float64), p)

    assert len(refused(NAME, precision, another)) >= len(cases(NAME, precision)) - 2


@both
def test_the_power_of_each_element_fails(precision: Precision) -> None:
    def elementwise(case: Case) -> np.ndarray:
        with np.errstate(over="ignore"):
            return case.arrays["A"].astype(np.float64) ** int(case.workload.shape["P"])

    assert len(refused(NAME, precision, elementwise)) >= 10


@both
def test_a_dropped_term_fails(precision: Precision) -> None:
    def without_last(a: e.F32, b: e.F32) -> e.F32:
        return a[:, :-1] @ b[:-1]

    assert len(refused(NAME, precision, by(multiply=without_last))) >= 7


@both
def test_squaring_that_ignores_the_binary_digits_fails(precision: Precision) -> None:
    """A^P for the power of two below P."""

    def rounded_down(a: e.F32, p: int, multiply: Multiply) -> e.F32:
        return squaring(a, 1 << (p.bit_length() - 1), multiply)

    assert len(refused(NAME, precision, by(rounded_down, quick))) >= 5


@both
def test_the_zeroth_power_is_due_as_the_identity(precision: Precision) -> None:
    def a_itself(case: Case) -> np.ndarray:
        return case.arrays["A"].astype(np.float64)

    zeroth = [case for case in cases(NAME, precision) if case.workload.shape["P"] == 0]
    assert len(zeroth) >= 2
    assert not any(case.outcome(a_itself).right for case in zeroth)


@both
@pytest.mark.parametrize("exponent", [0, 1, 65, 1000])
def test_powers_that_a_user_asks_for_stay_in_range(precision: Precision, exponent: int) -> None:
    operator = load_operator(NAME)
    workload = parse_shape(operator, f"N=40,P={exponent}")
    arrays = draw_inputs(operator, workload, precision, seed=0)
    power = operator.reference(workload, arrays)["B"]
    assert 2.0**-60 < np.abs(power).max() < 2.0**60
