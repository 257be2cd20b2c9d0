"""What passes and what fails as an activation function, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import erf, erfc

from mskernelbench.catalog import load_operator
from mskernelbench.elementwise import PIECE, by_pieces, logistic
from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
NAMES = ["relu", "leaky_relu", "elu", "selu", "gelu", "sigmoid", "row_tanh"]
INEXACT = NAMES[1:]
ALPHA, SELU_ALPHA, ROOT = (np.float32(x) for x in (0.01, 1.67, 0.5**0.5))

Formula = Callable[[e.F32], e.F32]


def expm1f(x: e.F32) -> e.F32:
    return np.expm1(x.astype(np.float64)).astype(np.float32)


def erff(x: e.F32) -> e.F32:
    return np.asarray(erf(x.astype(np.float64)), np.float32)


def erfcf(x: e.F32) -> e.F32:
    return np.asarray(erfc(x.astype(np.float64)), np.float32)


def tanhf(x: e.F32) -> e.F32:
    return np.tanh(x.astype(np.float64)).astype(np.float32)


ONE = np.float32(1)
HALF = np.float32(0.5)

TEXTBOOK: dict[str, list[Formula]] = {
    "relu": [lambda x: np.fmax(x, np.float32(0)), lambda x: np.where(x > 0, x, np.float32(0))],
    "leaky_relu": [
        lambda x: np.where(x >= 0, x, ALPHA * x),
        lambda x: np.maximum(x, np.float32(0)) + ALPHA * np.minimum(x, np.float32(0)),
        lambda x: np.fmax(x, ALPHA * x),
    ],
    "elu": [
        lambda x: np.where(x >= 0, x, e.expf(x) - ONE),
        lambda x: np.where(x > 0, x, expm1f(x)),
    ],
    "selu": [
        lambda x: np.where(x >= 0, x, SELU_ALPHA * (e.expf(x) - ONE)),
        lambda x: np.where(x >= 0, x, SELU_ALPHA * e.expf(x) - SELU_ALPHA),
        lambda x: np.where(x >= 0, x, SELU_ALPHA * expm1f(x)),
    ],
    "gelu": [
        lambda x: HALF * x * (ONE + erff(x * ROOT)),
        lambda x: x * (HALF + HALF * erff(x / np.float32(2**0.5))),
        lambda x: HALF * x * erfcf(-x * ROOT),
    ],
    "sigmoid": [
        lambda x: ONE / (ONE + e.expf(-x)),
        lambda x: np.where(x >= 0, ONE, e.expf(x)) / (ONE + e.expf(-np.abs(x))),
    ],
    "row_tanh": [tanhf, lambda x: np.where(x < 0, -ONE, ONE) * tanhf(np.abs(x))],
}
"""Forms that a competent author writes in FP32."""

MISTAKES: dict[str, list[Formula]] = {
    "relu": [np.abs, lambda x: np.maximum(x, np.float32(0)), lambda x: np.minimum(np.fmax(x, 0), 6)],
    "leaky_relu": [
        lambda x: np.fmax(x, np.float32(0)),
        lambda x: np.where(x >= 0, x, np.float32(0.1) * x),
    ],
    "elu": [
        lambda x: np.fmax(x, np.float32(0)),
        lambda x: expm1f(x),
        lambda x: np.where(x >= 0, x, np.maximum(x, -ONE)),
    ],
    "selu": [
        lambda x: np.float32(1.0507) * np.where(x >= 0, x, np.float32(1.6733) * expm1f(x)),
        lambda x: np.where(x >= 0, x, np.float32(1.6733) * expm1f(x)),
        lambda x: np.where(x >= 0, x, expm1f(x)),
    ],
    "gelu": [
        lambda x: HALF * x * (ONE + tanhf(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x))),
        lambda x: x / (ONE + e.expf(np.float32(-1.702) * x)),
        lambda x: HALF * x * (ONE + erff(x)),
        lambda x: np.fmax(x, np.float32(0)),
    ],
    "sigmoid": [
        lambda x: e.expf(x) / (ONE + e.expf(x)),
        lambda x: HALF + HALF * tanhf(HALF * x),
        lambda x: np.clip(x / 6 + HALF, 0, ONE),
    ],
    "row_tanh": [
        lambda x: (e.expf(x) - e.expf(-x)) / (e.expf(x) + e.expf(-x)),
        lambda x: ONE - np.float32(2) / (e.expf(x + x) + ONE),
        lambda x: np.clip(x, -ONE, ONE),
    ],
}
"""Other functions, and forms that overflow or lose a tail."""


def kernel(formula: Formula, operand: e.Round = e.fp32, result: e.Round = e.fp32) -> Kernel:
    def compute(case: Case) -> e.F32:
        with np.errstate(all="ignore"):
            return result(np.asarray(formula(operand(case.arrays["input"].astype(np.float32))), np.float32))

    return compute


def every(table: dict[str, list[Formula]]) -> list[tuple[str, int]]:
    return [(name, i) for name in NAMES for i in range(len(table[name]))]


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize(("name", "form"), every(TEXTBOOK))
def test_a_textbook_form_passes(name: str, form: int, precision: Precision) -> None:
    assert worst(name, precision, kernel(TEXTBOOK[name][form])) <= 1


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize(("name", "form"), every(MISTAKES))
def test_another_function_or_a_form_that_overflows_fails(name: str, form: int, precision: Precision) -> None:
    assert refused(name, precision, kernel(MISTAKES[name][form]))


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
@pytest.mark.parametrize("name", NAMES)
def test_narrow_operands_or_results_fail_as_fp32(name: str, narrow: e.Round) -> None:
    plain = TEXTBOOK[name][0]
    assert len(refused(name, FP32, kernel(plain, operand=narrow))) >= 8
    assert len(refused(name, FP32, kernel(plain, result=narrow))) >= 7


@pytest.mark.parametrize("name", ["elu", "selu", "sigmoid", "gelu"])
def test_intermediate_results_in_bf16_fail_as_bf16(name: str) -> None:
    def rough(x: e.F32) -> e.F32:
        alpha = SELU_ALPHA if name == "selu" else ONE
        match name:
            case "sigmoid":
                return ONE / e.bf16(ONE + e.bf16(e.expf(-x)))
            case "gelu":
                return HALF * x * e.bf16(ONE + e.bf16(erff(x * ROOT)))
            case _:
                return np.where(x >= 0, x, alpha * e.bf16(e.bf16(e.expf(x)) - ONE))

    assert len(refused(name, BF16, kernel(rough))) >= 5


def test_a_fast_exponential_fails_as_fp32_where_it_loses_digits_and_passes_as_bf16() -> None:
    fast = kernel(lambda x: ONE / (ONE + e.fast_expf(-x)))
    assert "N=4099 wide" in refused("sigmoid", FP32, fast)
    assert not refused("sigmoid", BF16, fast)
    assert "__expf" in load_operator("sigmoid").mathematics


@pytest.mark.parametrize("precision", [FP32, BF16])
@pytest.mark.parametrize("width", [4, 8])
def test_a_tail_after_vectors_that_keeps_nan_where_relu_has_0_fails(precision: Precision, width: int) -> None:
    def tail_with_nan(case: Case) -> np.ndarray:
        x, y = case.arrays["input"].astype(np.float32), case.answer.reference.copy()
        tail = slice(len(x) // width * width, None)
        y[tail] = np.where(x[tail] < 0, 0, x[tail])
        return y

    assert refused("relu", precision, tail_with_nan)


def test_an_approximate_tanh_fails() -> None:
    """`tanh.approx.f32` is off by up to 2^-11."""
    rough = kernel(lambda x: tanhf(x) * np.float32(1 + 2.0**-11))
    assert len(refused("row_tanh", FP32, rough)) >= 8
    assert refused("row_tanh", BF16, rough)


@pytest.mark.parametrize("name", NAMES)
def test_subnormal_numbers_flushed_to_zero_fail_as_fp32(name: str) -> None:
    def flushed(x: e.F32) -> e.F32:
        return np.where(np.abs(x) < 2.0**-126, np.float32(0), x)

    plain = TEXTBOOK[name][0]
    assert refused(name, FP32, kernel(lambda x: flushed(plain(flushed(x)))))


@pytest.mark.parametrize("name", NAMES)
def test_one_element_off_by_eight_ulp_fails_as_fp32(name: str) -> None:
    """The one of the largest finite magnitude below 64: there no cancellation allows more."""

    def one_off(case: Case) -> np.ndarray:
        answer = case.answer.reference.astype(np.float32)
        at = int(np.argmax(np.where(np.abs(answer) < 64, np.abs(answer), 0)))
        answer.flat[at] += 8 * np.spacing(answer.flat[at])
        return answer

    assert len(refused(name, FP32, one_off)) >= 7, [c.label for c in cases(name, FP32)]


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("name", NAMES)
def test_an_element_taken_from_its_neighbour_fails(name: str, precision: Precision) -> None:
    def moved(case: Case) -> np.ndarray:
        return np.roll(case.answer.reference, 1)

    assert len(refused(name, precision, moved)) == len(cases(name, precision)) - 1


def test_a_tensor_of_several_pieces_has_the_answers_of_the_whole() -> None:
    x = np.linspace(-9, 9, 2 * PIECE + 7, dtype=np.float32)
    assert np.array_equal(by_pieces(logistic, x), logistic(x.astype(np.float64)))
