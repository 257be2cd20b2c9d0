"""What passes and what fails as an integral over samples, by both rules and in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
NAMES = ["monte_carlo_int", "simpson_int"]
each_name = pytest.mark.parametrize("name", NAMES)
each_precision = pytest.mark.parametrize("precision", Precision)


def one_after_another(terms: e.F32) -> e.F32:
    return np.cumsum(terms, dtype=np.float32)[-1] if terms.size else np.zeros((), np.float32)


def by_threads(terms: e.F32) -> e.F32:
    """256 threads stride over the terms, then add up as a tree."""
    padded = np.zeros(-(-terms.size // 256) * 256, np.float32)
    padded[: terms.size] = terms
    return e.pairwise(e.sequential(padded.reshape(-1, 256).T))


def terms_of(case: Case) -> tuple[e.F32, np.float32]:
    """What the rule sums, as FP32 computes it, and the factor of the sum."""
    y = case.arrays["y"].astype(np.float32)
    shape = {name: np.float32(value) for name, value in case.workload.shape.items()}
    if case.operator.name == "monte_carlo_int":
        return y, (shape["b"] - shape["a"]) / shape["N"]
    panels = (len(y) - 1) // 2
    left, middle, right = (y[i : i + 2 * panels : 2] for i in range(3))
    return left + 4 * middle + right, (shape["b"] - shape["a"]) / (shape["N"] - 1) / np.float32(3)


def by(add: Callable[[e.F32], e.F32] = by_threads, operand: e.Round = e.fp32) -> Kernel:
    def kernel(case: Case) -> e.F32:
        terms, factor = terms_of(case)
        return np.reshape(add(operand(terms)) * factor, 1)

    return kernel


def factor_in_every_term(case: Case) -> e.F32:
    terms, factor = terms_of(case)
    return np.reshape(by_threads(terms * factor), 1)


@each_name
@pytest.mark.parametrize("kernel", [by(one_after_another), by(), by(e.pairwise)])
def test_fp32_sums_in_any_order_stay_below_half_the_bound(name: str, kernel: Kernel) -> None:
    assert worst(name, FP32, kernel) <= 0.5


@each_name
@each_precision
def test_a_factor_in_every_term_passes_where_it_is_rounded(name: str, precision: Precision) -> None:
    assert not refused(name, precision, factor_in_every_term)


@each_name
@pytest.mark.parametrize("add", [one_after_another, by_threads, e.pairwise])
def test_bf16_with_fp32_sums_passes(name: str, add: Callable[[e.F32], e.F32]) -> None:
    assert not refused(name, BF16, by(add))


@each_name
@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_terms_fail_as_fp32(name: str, operand: e.Round) -> None:
    assert len(refused(name, FP32, by(operand=operand))) >= 5


@each_name
@each_precision
def test_a_bf16_accumulator_fails(name: str, precision: Precision) -> None:
    def threads(terms: e.F32) -> e.F32:
        padded = np.zeros(-(-terms.size // 16) * 16, np.float32)
        padded[: terms.size] = terms
        return e.bf16(e.sequential(e.sequential(padded.reshape(-1, 16).T, keep=e.bf16), keep=e.bf16))

    assert len(refused(name, precision, by(threads))) >= 6


@each_name
@each_precision
def test_a_dropped_last_sample_fails(name: str, precision: Precision) -> None:
    def without_last(case: Case) -> e.F32:
        terms, factor = terms_of(case)
        return np.reshape(by_threads(terms[:-1]) * factor, 1)

    assert len(refused(name, precision, without_last)) >= 3


@each_name
@each_precision
def test_limits_that_are_ignored_or_swapped_fail(name: str, precision: Precision) -> None:
    def over_one(case: Case) -> np.ndarray:
        width = case.workload.shape["b"] - case.workload.shape["a"]
        return case.answer.reference / width if width else case.answer.reference + 1

    assert len(refused(name, precision, over_one)) >= 6
    assert len(refused(name, precision, lambda case: -case.answer.reference)) >= 10


@each_precision
def test_the_other_number_of_intervals_fails(precision: Precision) -> None:
    def mean_of_one_less(case: Case) -> np.ndarray:
        count = case.workload.shape["N"]
        return case.answer.reference * count / max(count - 1, 1)

    def step_of_one_more(case: Case) -> np.ndarray:
        count = case.workload.shape["N"]
        return case.answer.reference * (count - 1) / count

    assert len(refused("monte_carlo_int", precision, mean_of_one_less)) >= 3
    assert len(refused("simpson_int", precision, step_of_one_more)) >= 3


@each_precision
def test_the_trapezoidal_rule_and_a_last_sample_of_an_even_number_fail(precision: Precision) -> None:
    def step(case: Case) -> float:
        shape = case.workload.shape
        return float(np.float32(shape["b"]) - np.float32(shape["a"])) / (shape["N"] - 1)

    def trapezoidal(case: Case) -> np.ndarray:
        y = case.arrays["y"].astype(np.float64)
        return np.array([integrate.trapezoid(y, dx=step(case))])

    def to_the_end(case: Case) -> np.ndarray:
        y = case.arrays["y"].astype(np.float64)
        return np.array([integrate.simpson(y, dx=step(case))])

    assert len(refused("simpson_int", precision, trapezoidal)) >= 7
    even = {
        case.workload.label for case in cases("simpson_int", precision) if case.workload.shape["N"] % 2 == 0
    }
    wrong = set(refused("simpson_int", precision, to_the_end))
    assert wrong <= even
    assert len(wrong) >= 3
