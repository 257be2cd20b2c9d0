"""What passes and what fails as a rotary position embedding, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "rope"
FP32 = Precision.FP32
each_precision = pytest.mark.parametrize("precision", Precision)


def exponents(case: Case) -> e.F32:
    """2p/D of every pair."""
    d = int(case.workload.shape["D"])
    return np.arange(0, d, 2, dtype=np.float32) / np.float32(d)


def base(case: Case) -> e.F32:
    return np.array(case.workload.shape["base"], np.float32)


def by_power(case: Case) -> e.F32:
    """θ of every pair, as the plain formula gives it in FP32."""
    return np.asarray(np.power(base(case), -exponents(case)), np.float32)


def by_exponential(case: Case) -> e.F32:
    """θ as 2^(−2p·(log₂ base)/D)."""
    return np.asarray(np.exp2(-exponents(case) * np.log2(base(case))), np.float32)


def by_inverse(case: Case) -> e.F32:
    """θ as 1/base^(2p/D)."""
    return np.asarray(1 / np.power(base(case), exponents(case)), np.float32)


Angles = Callable[[Case], e.F32]


def rotated(
    frequencies: Angles = by_power,
    angle: e.Round = e.fp32,
    table: e.Round = e.fp32,
    operand: e.Round = e.fp32,
    first: int = 0,
    sign: int = 1,
) -> Kernel:
    """FP32 rotation; `angle`, `table` and `operand` round m·θ, sines and cosines, and the input."""

    def kernel(case: Case) -> e.F32:
        x = operand(case.arrays["input"].astype(np.float32))
        positions = np.arange(first, first + len(x), dtype=np.float32)
        alpha = angle(np.multiply.outer(positions, frequencies(case)))
        cosine, sine = table(np.cos(alpha)), table(np.sin(alpha)) * np.float32(sign)
        out = np.empty_like(x)
        with np.errstate(invalid="ignore"):
            out[:, 0::2] = x[:, 0::2] * cosine - x[:, 1::2] * sine
            out[:, 1::2] = x[:, 0::2] * sine + x[:, 1::2] * cosine
        return out

    return kernel


@each_precision
@pytest.mark.parametrize("frequencies", [by_power, by_exponential, by_inverse])
def test_every_honest_fp32_formula_of_the_angles_passes(precision: Precision, frequencies: Angles) -> None:
    assert not refused(NAME, precision, rotated(frequencies))


@pytest.mark.parametrize("frequencies", [by_power, by_exponential, by_inverse])
def test_fp32_angles_stay_below_half_the_bound(frequencies: Angles) -> None:
    assert worst(NAME, FP32, rotated(frequencies)) <= 0.5


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_arithmetic_fails_as_fp32(narrow: e.Round) -> None:
    few = len(cases(NAME, FP32)) - 4
    assert len(refused(NAME, FP32, rotated(angle=narrow))) >= 6
    assert len(refused(NAME, FP32, rotated(table=narrow))) >= few
    assert len(refused(NAME, FP32, rotated(operand=narrow))) >= few


@pytest.mark.parametrize("narrow", [e.fp16, e.bf16])
def test_narrow_angles_fail_as_bf16(narrow: e.Round) -> None:
    assert len(refused(NAME, Precision.BF16, rotated(angle=narrow))) >= 2


@each_precision
def test_another_base_fails(precision: Precision) -> None:
    def fixed(case: Case) -> e.F32:
        return np.power(np.full(1, 10_000, np.float32), -exponents(case))

    def natural(case: Case) -> e.F32:
        return np.exp(-8 * exponents(case))

    assert len(refused(NAME, precision, rotated(fixed))) == 2
    assert len(refused(NAME, precision, rotated(natural))) >= 7


@each_precision
def test_exponents_of_single_elements_instead_of_pairs_fail(precision: Precision) -> None:
    def half_the_exponent(case: Case) -> e.F32:
        return np.sqrt(by_power(case))

    assert len(refused(NAME, precision, rotated(half_the_exponent))) >= 7


@each_precision
def test_pairs_of_the_two_halves_of_a_row_fail(precision: Precision) -> None:
    def half_split(case: Case) -> e.F32:
        x = case.arrays["input"].astype(np.float32)
        half = x.shape[1] // 2
        left, right = x[:, :half], x[:, half:]
        alpha = np.multiply.outer(np.arange(len(x), dtype=np.float32), by_power(case))
        turned = left * np.cos(alpha) - right * np.sin(alpha), left * np.sin(alpha) + right * np.cos(alpha)
        return np.concatenate(turned, axis=1)

    assert len(refused(NAME, precision, half_split)) >= 7


@each_precision
def test_positions_that_start_at_one_and_the_other_direction_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, rotated(first=1))) >= 9
    assert len(refused(NAME, precision, rotated(sign=-1))) >= 9
