"""What passes and what fails as max pooling, in both precisions: nothing but equality."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from mskernelbench.operators.max_pooling_2d.spec import OPERATOR, dram_bytes, pooled_sizes, shape, window
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused

NAME = "max_pooling_2d"
each_precision = pytest.mark.parametrize("precision", Precision)


Reduce = Callable[..., np.ndarray]
"""Makes one number of every window."""


def pooled(
    reduce: Reduce = np.nanmax, outside: float = np.nan, operand: e.Round = e.fp32, swapped: bool = False
) -> Kernel:
    """Every window by itself, with `outside` around the image."""

    def kernel(case: Case) -> np.ndarray:
        k, s, p = window(case.workload.shape)
        around = ((0, 0), (0, 0), (p, p), (p, p))
        padded = np.pad(operand(case.arrays["input"].astype(np.float32)), around, constant_values=outside)
        if swapped:
            padded = padded.swapaxes(2, 3).reshape(padded.shape)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (k, k), axis=(2, 3))[:, :, ::s, ::s]
        return np.asarray(reduce(windows, axis=(4, 5)))

    return kernel


@each_precision
@pytest.mark.parametrize("outside", [np.nan, -np.inf, -3e38])
def test_nothing_outside_the_image_wins(precision: Precision, outside: float) -> None:
    assert not refused(NAME, precision, pooled(outside=outside))


@each_precision
def test_zeros_around_the_image_fail(precision: Precision) -> None:
    wrong = refused(NAME, precision, pooled(outside=0.0))
    assert len(wrong) >= 5
    assert all("padding=0" not in label for label in wrong)


@each_precision
def test_a_nan_that_spreads_and_a_nan_that_hides_its_window_fail(precision: Precision) -> None:
    def hidden(windows: np.ndarray, axis: tuple[int, int]) -> np.ndarray:
        spread = np.max(windows, axis=axis)
        return np.where(np.isnan(spread), -np.inf, spread)

    assert [label for label in refused(NAME, precision, pooled(np.max, -np.inf)) if "nans" in label]
    assert [label for label in refused(NAME, precision, pooled(hidden, -np.inf)) if "nans" in label]


@each_precision
@pytest.mark.parametrize("reduce", [np.nanmin, np.nanmean])
def test_the_least_and_the_mean_fail(precision: Precision, reduce: Reduce) -> None:
    assert len(refused(NAME, precision, pooled(reduce))) >= len(cases(NAME, precision)) - 3


@each_precision
def test_a_maximum_of_magnitudes_and_rows_taken_for_columns_fail(precision: Precision) -> None:
    def magnitudes(windows: np.ndarray, axis: tuple[int, int]) -> np.ndarray:
        return np.asarray(np.nanmax(np.abs(windows), axis=axis))

    assert len(refused(NAME, precision, pooled(magnitudes))) >= 9
    assert len(refused(NAME, precision, pooled(swapped=True))) >= 8


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_pixels_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, Precision.FP32, pooled(operand=operand))) >= len(cases(NAME, Precision.FP32)) - 2


@each_precision
def test_the_next_number_fails(precision: Precision) -> None:
    def bent(case: Case) -> np.ndarray:
        best = case.answer.reference.copy()
        best.flat[-1] += 2 * precision.unit_roundoff * max(abs(best.flat[-1]), 2.0**-100)
        return best

    assert len(refused(NAME, precision, bent)) == len(cases(NAME, precision))


def test_windows_beyond_the_padding_are_left_out() -> None:
    assert pooled_sizes(shape((2, 3, 608, 196), 4, 2, 1)) == (2, 3, 304, 98)
    assert pooled_sizes(shape((1, 1, 1079, 1919), 3, 2, 1)) == (1, 1, 540, 960)


def test_only_pixels_that_a_window_sees_are_read() -> None:
    assert dram_bytes(shape((1, 1, 10, 10), 2, 5), Precision.FP32) == 4 * (16 + 4)
    assert dram_bytes(shape((1, 1, 9, 9), 4, 2), Precision.BF16) == 2 * (64 + 9)
    assert dram_bytes(shape((1, 1, 8, 8), 3, 1, 1), Precision.BF16) == 2 * (64 + 64)
    assert OPERATOR.weight(shape((8, 3, 512, 512), 2, 1)) == 8 * 3 * 511 * 511 * 4
