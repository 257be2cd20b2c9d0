"""What passes and what fails as a valid cross-correlation, in one and two dimensions and both precisions."""

import numpy as np
import pytest

from mskernelbench.convolutions import correlate
from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
each_name = pytest.mark.parametrize("name", ["conv_1d", "conv_2d"])
each_precision = pytest.mark.parametrize("precision", Precision)


def operands(case: Case) -> tuple[np.ndarray, np.ndarray]:
    return case.arrays["input"].astype(np.float64), case.arrays["kernel"].astype(np.float64)


def windows(case: Case) -> e.F32:
    """The part of the input under the kernel, for every output: the operand of a matrix product."""
    field = case.arrays["input"].astype(np.float32)
    seen = np.lib.stride_tricks.sliding_window_view(field, case.arrays["kernel"].shape)
    return seen.reshape(case.answer.reference.size, -1)


def by(add: e.Sum = e.sequential, operand: e.Round = e.fp32) -> Kernel:
    def kernel(case: Case) -> e.F32:
        taps = case.arrays["kernel"].astype(np.float32).reshape(-1, 1)
        sums = e.product(windows(case), taps, operand, add)
        return sums.reshape(case.answer.reference.shape)

    return kernel


def tensor_cores(narrow: e.Round, terms: int, kept: int) -> Kernel:
    multiply = e.split_product(narrow, terms, kept)

    def kernel(case: Case) -> e.F32:
        taps = case.arrays["kernel"].reshape(-1, 1)
        return multiply(windows(case), taps).reshape(case.answer.reference.shape)

    return kernel


@each_name
@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_any_order_of_fp32_sums_stays_below_half_the_bound(name: str, add: e.Sum) -> None:
    assert worst(name, FP32, by(add)) <= 0.5


@each_name
@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_bf16_with_fp32_sums_passes(name: str, add: e.Sum) -> None:
    assert not refused(name, BF16, by(add))


@each_name
@pytest.mark.parametrize(("narrow", "terms", "kept"), [(e.tf32, 3, 3), (e.bf16, 3, 3)])
def test_error_compensated_tensor_core_products_pass_as_fp32(
    name: str, narrow: e.Round, terms: int, kept: int
) -> None:
    finite = [case for case in cases(name, FP32) if case.workload.values != "nan_cell"]
    assert all(case.outcome(tensor_cores(narrow, terms, kept)).right for case in finite)


@each_name
@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(name: str, operand: e.Round) -> None:
    assert len(refused(name, FP32, by(operand=operand))) >= len(cases(name, FP32)) - 2


@each_name
@each_precision
def test_a_bf16_accumulator_fails(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, by(lambda terms: e.sequential(terms, keep=e.bf16)))) >= 7


@each_name
@each_precision
def test_a_dropped_last_tap_fails(name: str, precision: Precision) -> None:
    def without_last(case: Case) -> np.ndarray:
        field, taps = operands(case)
        taps.flat[-1] = 0
        return correlate(field, taps)

    assert len(refused(name, precision, without_last)) >= len(cases(name, precision)) - 3


@each_name
@each_precision
def test_a_flipped_kernel_fails(name: str, precision: Precision) -> None:
    def flipped(case: Case) -> np.ndarray:
        field, taps = operands(case)
        return correlate(field, np.flip(taps))

    assert len(refused(name, precision, flipped)) >= 9


@each_name
@each_precision
def test_padding_with_zeros_so_that_the_kernel_is_centred_fails(name: str, precision: Precision) -> None:
    def centred(case: Case) -> np.ndarray:
        field, taps = operands(case)
        around = [(k // 2, k) for k in taps.shape]
        full = correlate(np.pad(field, around), taps)
        return full[tuple(slice(0, n) for n in case.answer.reference.shape)]

    assert len(refused(name, precision, centred)) >= len(cases(name, precision)) - 2


@each_precision
def test_a_transposed_kernel_fails(precision: Precision) -> None:
    def transposed(case: Case) -> np.ndarray:
        field, taps = operands(case)
        turned = np.resize(taps.T, taps.shape)
        return correlate(field, turned)

    assert len(refused("conv_2d", precision, transposed)) >= 8
