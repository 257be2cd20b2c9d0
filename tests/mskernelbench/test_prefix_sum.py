"""What passes and what fails as an inclusive scan, in both precisions."""

import ml_dtypes
import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "prefix_sum"
FP32, BF16 = Precision.FP32, Precision.BF16
BLOCK = 256
both = pytest.mark.parametrize("precision", Precision)


def running(x: e.F32) -> e.F32:
    return np.cumsum(x, dtype=np.float32)


def doubling(x: e.F32) -> e.F32:
    """Sums over 1, 2, 4, … values, as Hillis and Steele scan."""
    distance = 1
    while distance < len(x):
        x = np.concatenate([x[:distance], x[distance:] + x[:-distance]])
        distance *= 2
    return x


def in_blocks(x: e.F32, keep: e.Round = e.fp32, carried: bool = True) -> e.F32:
    """Blocks scanned apart and stored as `keep` rounds them, then raised by the sum of all before them."""
    blocks = np.concatenate([x, np.zeros(-len(x) % BLOCK, np.float32)]).reshape(-1, BLOCK)
    scanned = keep(np.cumsum(blocks, axis=1, dtype=np.float32))
    before = np.concatenate([np.zeros(1, np.float32), running(scanned[:-1, -1])])
    return (scanned + before[:, None] if carried else scanned).ravel()[: len(x)]


def by(scan: e.Sum, operand: e.Round = e.fp32) -> Kernel:
    """A scan of rounded values."""

    def kernel(case: Case) -> e.F32:
        with np.errstate(invalid="ignore"):
            return scan(operand(case.arrays["input"].astype(np.float32)))

    return kernel


@pytest.mark.parametrize("scan", [running, doubling, in_blocks])
def test_any_order_of_fp32_sums_stays_below_half_the_bound(scan: e.Sum) -> None:
    assert worst(NAME, FP32, by(scan)) <= 0.5
    assert not refused(NAME, BF16, by(scan))


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_values_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, by(running, operand))) >= 9


@both
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    def accumulated(case: Case) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.add.accumulate(case.arrays["input"].astype(ml_dtypes.bfloat16))

    assert len(refused(NAME, precision, accumulated)) >= 8


@both
def test_block_sums_that_went_through_bf16_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, by(lambda x: in_blocks(x, keep=e.bf16)))) >= 6


@both
def test_blocks_that_start_again_from_zero_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, by(lambda x: in_blocks(x, carried=False)))) >= 9


@both
def test_an_exclusive_scan_or_one_from_the_end_fails(precision: Precision) -> None:
    def exclusive(case: Case) -> np.ndarray:
        return np.concatenate([[0.0], case.answer.reference[:-1]])

    def backwards(case: Case) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.cumsum(case.arrays["input"].astype(np.float64)[::-1])[::-1]

    assert len(refused(NAME, precision, exclusive)) >= 11
    assert len(refused(NAME, precision, backwards)) >= 11


@both
@pytest.mark.parametrize("place", [0, 1023, -2])
def test_a_value_left_out_of_all_later_sums_fails(precision: Precision, place: int) -> None:
    def without(case: Case) -> np.ndarray:
        x = case.arrays["input"].astype(np.float64)
        if -2 <= place < len(x) > 1:
            x[place] = 0
        with np.errstate(invalid="ignore"):
            return np.cumsum(x)

    assert len(refused(NAME, precision, without)) >= 4
    largest = max(cases(NAME, precision), key=lambda case: len(case.arrays["input"]))
    assert not largest.outcome(without).right


@both
def test_an_infinity_stays_and_two_of_opposite_signs_make_nan(precision: Precision) -> None:
    (case,) = (c for c in cases(NAME, precision) if c.workload.values == "nan")
    kinds = [np.isfinite(case.answer.reference), np.isposinf(case.answer.reference)]
    assert all(kind.any() for kind in kinds)
    assert np.isnan(case.answer.reference[-1])
