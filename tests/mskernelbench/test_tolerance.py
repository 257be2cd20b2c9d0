"""How outputs are compared with answers."""

import ml_dtypes
import numpy as np
import pytest

from mskernelbench.operator import Rounding
from mskernelbench.tolerance import CONSTANT, allowed_error, compare, growth

NAN, INF = np.nan, np.inf


def ratio(got: float, reference: float, bound: float = 1e-3) -> float:
    array = np.array([reference])
    return compare(np.array([got], np.float32), array, np.array([bound])).ratio


def test_growth_is_at_most_n_and_a_small_constant_times_its_root() -> None:
    n = np.arange(1, 10_000)
    assert (growth(n) <= n).all()
    assert (growth(n) <= 1.25 * np.sqrt(n)).all()
    assert growth(0) == 0


def test_the_bound_of_a_dot_product_is_a_rounding_and_its_accumulation() -> None:
    bound = allowed_error(np.array([2.0]), [Rounding(100, np.array([5.0]))], 2.0**-24)
    assert bound[0] == pytest.approx(2.0**-23 + CONSTANT * 3.5 * 2.0**-24 * 5)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float32])
def test_one_rounding_of_a_subnormal_answer_is_right_and_two_off_are_wrong(dtype: type) -> None:
    answer = np.array([1.37 * 2.0**-130])
    unit = float(ml_dtypes.finfo(dtype).eps) / 2
    bound = allowed_error(answer, [Rounding(1, answer / CONSTANT)], unit)
    assert compare(answer.astype(dtype), answer, bound).right
    step = 2.0**-125 * unit
    assert not compare((answer + 2.1 * step).astype(dtype), answer, bound).right


@pytest.mark.parametrize(
    ("got", "reference"), [(NAN, 1.0), (1.0, NAN), (INF, 1.0), (1.0, INF), (INF, -INF), (INF, NAN)]
)
def test_a_special_value_in_the_wrong_place_is_infinitely_wrong(got: float, reference: float) -> None:
    assert ratio(got, reference) == INF


@pytest.mark.parametrize("value", [NAN, INF, -INF, 0.0])
def test_a_special_value_in_its_place_is_right(value: float) -> None:
    assert ratio(value, value) == 0


def test_an_answer_beyond_the_outputs_range_is_an_infinity() -> None:
    assert ratio(INF, 1e39) == 0
    assert ratio(3.4e38, 1e39) == INF


def test_zeros_of_both_signs_are_equal_even_where_no_error_is_allowed() -> None:
    assert ratio(-0.0, 0.0, bound=0) == 0


def test_any_error_is_infinite_where_none_is_allowed() -> None:
    assert ratio(1e-30, 0.0, bound=0) == INF


def test_a_bound_that_is_not_a_number_lets_nothing_but_equality_pass() -> None:
    assert ratio(1.0, 1.0, bound=NAN) == 0
    assert ratio(1.0001, 1.0, bound=NAN) == INF


def test_the_first_element_outside_is_reported_with_the_worst_ratio() -> None:
    reference = np.zeros((2, 3))
    got = np.array([[0, 0, 0.5], [4.0, 0, 0]], ml_dtypes.bfloat16)
    comparison = compare(got, reference, np.full((2, 3), 0.25))
    assert (comparison.index, comparison.ratio, comparison.element_ratio) == ((0, 2), 16.0, 2.0)
    assert (comparison.got, comparison.expected, comparison.bound) == (0.5, 0.0, 0.25)


def test_an_empty_output_is_right() -> None:
    assert compare(np.empty(0, np.float32), np.empty(0), np.empty(0)).right
