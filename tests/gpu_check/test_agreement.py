"""How modelled times agree with measured ones."""

import pytest

from benchmarks.gpu_check.agreement import Both, fitted, fitted_by_bound, ordered_right, rank_correlation


def times(*pairs: tuple[float, float], bound: str = "memory", subject: str = "relu") -> list[Both]:
    return [Both(subject, bound, measured, modelled) for measured, modelled in pairs]


def test_ranks_agree_wholly_whatever_the_factor_and_oppose_where_reversed() -> None:
    assert rank_correlation(times((1, 2), (2, 4), (3, 90))) == pytest.approx(1)
    assert rank_correlation(times((1, 3), (2, 2), (3, 1))) == pytest.approx(-1)


def test_two_times_have_no_ranks_to_speak_of_and_equal_ones_none() -> None:
    assert rank_correlation(times((1, 2), (2, 4))) is None
    assert rank_correlation(times((1, 2), (1, 4), (1, 5))) is None
    assert fitted(times((1, 2), (2, 4))) is None


def test_only_clearly_different_times_are_asked_to_be_in_order() -> None:
    mixed = times((1.0, 1.0), (1.2, 0.5), (3.0, 0.7))
    assert ordered_right(mixed, within_subject=False) == (1, 2)


def test_kernels_for_other_work_are_left_out_where_only_the_same_work_counts() -> None:
    mixed = times((1.0, 1.0), (3.0, 2.0)) + times((9.0, 0.1), subject="softmax")
    assert ordered_right(mixed, within_subject=True) == (1, 1)
    assert ordered_right(mixed, within_subject=False) == (1, 3)


def test_the_factor_is_the_median_of_measured_over_modelled() -> None:
    fit = fitted(times((1, 1), (4, 2), (9, 3), (40, 10), (500, 100)))
    assert fit is not None
    assert (fit.factor, fit.times) == (pytest.approx(3), 5)
    assert fit.quartiles == (pytest.approx(2), pytest.approx(4))


def test_each_kind_of_limit_with_enough_times_has_its_factor() -> None:
    mixed = times((2, 1), (2, 1), (2, 1)) + times((3, 1), bound="compute")
    assert {bound: fit.factor for bound, fit in fitted_by_bound(mixed).items()} == {
        "memory": pytest.approx(2)
    }
