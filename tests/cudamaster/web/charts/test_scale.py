"""Values to places along an axis."""

import pytest
from hypothesis import given
from hypothesis.strategies import floats, lists

from cudamaster.web.charts.scale import Scale, fitting, logarithmic

VALUES = lists(floats(1e-6, 1e15), min_size=1, max_size=6)


@given(VALUES)
def test_every_value_lies_on_the_axis_and_in_order(values: list[float]) -> None:
    axis = fitting(values, 100.0, 500.0)
    places = [axis.at(value) for value in sorted(values)]

    assert places == sorted(places)
    assert places[0] >= 100.0
    assert places[-1] <= 500.0


@given(VALUES)
def test_an_axis_has_a_few_ticks_at_different_places(values: list[float]) -> None:
    ticks = fitting(values, 100.0, 500.0).ticks()

    assert 1 <= len(ticks) <= 16
    assert len({tick.text for tick in ticks}) == len(ticks)


def test_values_near_each_other_start_from_zero_and_others_are_logarithmic() -> None:
    near, far = fitting([1.0, 2.0], 0.0, 100.0), fitting([0.01, 10.0], 0.0, 100.0)

    assert (near.logarithmic, near.low) == (False, 0.0)
    assert far.logarithmic
    assert far.at(0.1) - far.at(0.01) == pytest.approx(far.at(10) - far.at(1), abs=0.2)


def test_ticks_are_round_numbers() -> None:
    assert [tick.text for tick in logarithmic([0.001, 1.0], 0, 100).ticks()] == ["0.001", "0.01", "0.1", "1"]
    assert [tick.text for tick in Scale(0, 10, 0, 100, False).ticks()] == ["0", "2", "4", "6", "8", "10"]
    assert "1.5" in [tick.text for tick in logarithmic([0.7, 1.8], 0, 100).ticks()]


def test_an_axis_may_run_down() -> None:
    axis = logarithmic([1.0, 100.0], 300, 0, room=1)
    assert (axis.at(1.0), axis.at(10.0), axis.at(100.0)) == (300, 150, 0)
