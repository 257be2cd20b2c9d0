"""What passes and what fails as a sorted vector, in both precisions."""

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, cases, refused

NAME = "sorting"
FP32 = Precision.FP32
both = pytest.mark.parametrize("precision", Precision)


def data(case: Case) -> np.ndarray:
    return case.arrays["data"].astype(np.float64)


def bits(case: Case) -> np.ndarray:
    return case.arrays["data"].view(f"i{case.dtype.itemsize}")


def by_bits(case: Case, signed_magnitude: bool) -> np.ndarray:
    """Sorted as whole numbers: the bits as they are, or with those of negative numbers turned round."""
    whole = bits(case).astype(np.int64)
    keys = np.where(whole < 0, np.iinfo(bits(case).dtype).min - whole, whole) if signed_magnitude else whole
    return data(case)[np.argsort(keys, kind="stable")]


@both
def test_zeros_may_come_in_either_order(precision: Precision) -> None:
    def minus_zero_first(case: Case) -> np.ndarray:
        x = data(case)
        return x[np.lexsort((~np.signbit(x), x))]

    def plus_zero_first(case: Case) -> np.ndarray:
        x = data(case)
        return x[np.lexsort((np.signbit(x), x))]

    for kernel in (minus_zero_first, plus_zero_first, lambda case: by_bits(case, signed_magnitude=True)):
        assert not refused(NAME, precision, kernel)


@both
def test_a_long_vector_that_loses_its_infinities_fails(precision: Precision) -> None:
    def padded(case: Case) -> np.ndarray:
        x = np.sort(data(case))
        return x if len(x) <= 4096 else np.minimum(x, np.finfo(np.float32).max / 2)

    assert refused(NAME, precision, padded)


@both
def test_descending_order_and_a_vector_left_alone_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, lambda case: np.sort(data(case))[::-1])) >= 10
    assert len(refused(NAME, precision, data)) >= 9


@both
def test_bits_sorted_as_whole_numbers_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, lambda case: by_bits(case, signed_magnitude=False))) >= 8


@both
@pytest.mark.parametrize("place", [0, -1])
def test_a_value_that_takes_anothers_place_fails(precision: Precision, place: int) -> None:
    """In order, but no permutation of the input."""

    def doubled(case: Case) -> np.ndarray:
        x = np.sort(data(case))
        x[place] = x[place + 1 if place == 0 else place - 1] if len(x) > 1 else x[0] + 1
        return x

    assert len(refused(NAME, precision, doubled)) >= 6


@both
def test_padding_that_reaches_the_result_fails(precision: Precision) -> None:
    """Padded to a power of two with the smallest number, not the largest: the end is cut off."""

    def padded(case: Case) -> np.ndarray:
        x = data(case)
        missing = (1 << (len(x) - 1).bit_length()) - len(x)
        return np.sort(np.concatenate([x, np.full(missing, -np.inf)]))[: len(x)]

    assert len(refused(NAME, precision, padded)) >= 8


@both
def test_a_finite_number_as_padding_fails_beside_infinities(precision: Precision) -> None:
    def padded(case: Case) -> np.ndarray:
        x = data(case)
        missing = (1 << (len(x) - 1).bit_length()) - len(x)
        return np.sort(np.concatenate([x, np.full(missing, 2.0**127)]))[: len(x)]

    assert refused(NAME, precision, padded)


@both
@pytest.mark.parametrize("chunk", [32, 256, 1024, 2048])
def test_chunks_sorted_apart_fail(precision: Precision, chunk: int) -> None:
    def apart(case: Case) -> np.ndarray:
        x = data(case)
        return np.concatenate([np.sort(x[i : i + chunk]) for i in range(0, len(x), chunk)])

    assert len(refused(NAME, precision, apart)) >= 3


@both
def test_two_values_in_each_others_place_fail(precision: Precision) -> None:
    def exchanged(case: Case) -> np.ndarray:
        x = np.sort(data(case))
        places = [len(x) // 2, len(x) * 3 // 4]
        x[places] = x[places[::-1]]
        return x

    assert len(refused(NAME, precision, exchanged)) >= 9


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_keys_fail_as_fp32(operand: e.Round) -> None:
    def narrow_keys(case: Case) -> np.ndarray:
        return data(case)[np.argsort(operand(case.arrays["data"].astype(np.float32)), kind="stable")]

    assert len(refused(NAME, FP32, narrow_keys)) >= 4


def test_check_data_hold_ties_infinities_and_zeros_of_both_signs() -> None:
    values = np.concatenate([data(case) for case in cases(NAME, FP32)])
    zeros = np.signbit(values[values == 0])
    assert not np.isnan(values).any()
    assert zeros.any()
    assert not zeros.all()
    assert {np.inf, -np.inf} <= set(values)
