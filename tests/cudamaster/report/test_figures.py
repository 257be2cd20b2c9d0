from cudamaster.report.figures import (
    clock_text,
    clocked,
    counted,
    interval_words,
    percent,
    shape_text,
    slower_words,
    times,
)
from mskernelbench.evaluation import Interval


def test_an_interval_is_shown_only_where_it_is_wider_than_the_digits() -> None:
    assert times(Interval(1.841, 1.840, 1.842)) == "1.84x"
    assert times(Interval(1.84, 1.7, 1.9)) == "1.84x [1.70, 1.90]"


def test_brackets_are_told_as_what_their_clock_makes_of_them() -> None:
    assert interval_words("1.84x [1.70, 1.90]", "measured") == (
        "[low, high]: the 99 % interval of what was measured"
    )
    assert interval_words("0.94x [0.94, 1.00]", "modelled").startswith("[low, high]: from the modelled ratio")
    assert interval_words("counts as 1.00x, [no] brackets", "modelled") == ""


def test_a_speedup_that_two_decimals_would_show_as_none_has_three_digits() -> None:
    assert times(Interval(0.00421, 0.00421, 0.00421)) == "0.00421x"
    assert times(Interval(0.0512, 0.0499, 0.11)) == "0.0512x [0.0499, 0.11]"


def test_a_speedup_below_one_is_said_to_be_none_and_whether_that_can_be_told() -> None:
    assert (
        slower_words(Interval(0.97, 0.97, 1.0)) == "slower than the baseline, by less than the clock can tell"
    )
    assert slower_words(Interval(0.5, 0.49, 0.51)) == "slower than the baseline"
    assert slower_words(Interval(0.998, 0.99, 1.01)) == slower_words(Interval(2.0, 2.0, 2.0)) == ""


def test_a_figure_that_does_not_exist_is_said_to_be_unknown() -> None:
    assert percent(None) == "unknown"
    assert percent(0.0813) == "8.1 %"
    assert [percent(0.00021), percent(0.0), percent(0.0006)] == ["0.02 %", "0.0 %", "0.1 %"]


def test_a_modelled_figure_says_that_no_gpu_measured_it() -> None:
    assert clocked("modelled") == "modelled (not measured on a GPU)"
    assert clocked("measured") == "measured"


def test_a_shape_is_names_and_sizes() -> None:
    assert shape_text({"M": 64, "r": 0.25}) == "M=64 r=0.25"


def test_one_thing_is_singular() -> None:
    assert [counted(n, "kernel") for n in (0, 1, 2)] == ["0 kernels", "1 kernel", "2 kernels"]


def test_a_time_model_is_called_so_and_taken_for_no_language_model() -> None:
    assert clock_text("model 807e0365256f") == "time model 807e0365256f"
    assert clock_text("driver 580.1") == "driver 580.1"
