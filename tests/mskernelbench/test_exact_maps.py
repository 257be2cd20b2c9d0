"""What passes and what fails as an operator whose every output is one value or one rounded operation."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused

FP32, BF16 = Precision.FP32, Precision.BF16
Compute = Callable[[list[e.F32], e.F32], e.F32]

ARITHMETIC: dict[str, Compute] = {
    "vector_add": lambda x, s: x[0] + x[1],
    "matrix_copy": lambda x, s: x[0],
    "matrix_scalar_mul": lambda x, s: x[0] * s,
    "matrix_transpose": lambda x, s: x[0].T,
    "reverse_array": lambda x, s: x[0][::-1],
}
ROUNDED = ("vector_add", "matrix_scalar_mul")
MOVED = ("matrix_copy", "matrix_transpose", "reverse_array")

every = pytest.mark.parametrize("name", ARITHMETIC)
both = pytest.mark.parametrize("precision", Precision)


def by(name: str, operand: e.Round = e.fp32) -> Kernel:
    """FP32 arithmetic on operands rounded by `operand`."""

    def kernel(case: Case) -> e.F32:
        passed = np.float32(case.workload.shape.get("scalar", 1)).astype(case.dtype).astype(np.float32)
        operands = [operand(x.astype(np.float32)) for x in case.arrays.values()]
        with np.errstate(invalid="ignore", over="ignore"):
            return ARITHMETIC[name](operands, operand(passed))

    return kernel


@both
@every
def test_fp32_arithmetic_rounded_once_passes(name: str, precision: Precision) -> None:
    assert not refused(name, precision, by(name))


@every
@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32_on_nearly_all_workloads(name: str, operand: e.Round) -> None:
    assert len(refused(name, FP32, by(name, operand))) >= len(cases(name, FP32)) - 1


@both
@every
def test_one_unit_in_the_last_place_of_one_element_fails(name: str, precision: Precision) -> None:
    def off(case: Case) -> np.ndarray:
        answer = case.answer.reference.astype(case.dtype)
        bits = answer.view(f"u{case.dtype.itemsize}").copy()
        bits.flat[np.flatnonzero(np.isfinite(case.answer.reference))[-1]] ^= 1
        return bits.view(case.dtype)

    assert len(refused(name, precision, off)) == len(cases(name, precision))


@both
@pytest.mark.parametrize("name", ROUNDED)
def test_arithmetic_that_truncates_fails(name: str, precision: Precision) -> None:
    def truncated(case: Case) -> np.ndarray:
        nearest = case.answer.reference.astype(case.dtype)
        exact = by_float64(case)
        beyond = np.abs(nearest.astype(np.float64)) > np.abs(exact)
        bits = nearest.view(f"u{case.dtype.itemsize}")
        return np.where(beyond & np.isfinite(exact), bits - 1, bits).astype(bits.dtype).view(case.dtype)

    def by_float64(case: Case) -> np.ndarray:
        return next(iter(case.operator.reference(case.workload, case.arrays).values()))

    assert len(refused(name, precision, truncated)) >= 5


@both
def test_sums_that_round_ties_away_from_zero_fail(precision: Precision) -> None:
    def away(case: Case) -> np.ndarray:
        a, b = (x.astype(np.float64) for x in case.arrays.values())
        scaled = (a + b) / np.exp2(np.floor(np.log2(np.abs(a + b)))) / precision.unit_roundoff / 2
        rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
        return rounded * np.exp2(np.floor(np.log2(np.abs(a + b)))) * precision.unit_roundoff * 2

    (ties,) = (case for case in cases("vector_add", precision) if case.workload.values == "ties")
    assert not ties.outcome(away).right


@both
@every
def test_subnormals_flushed_to_zero_fail(name: str, precision: Precision) -> None:
    def flushed(case: Case) -> np.ndarray:
        tiny = np.abs(case.answer.reference) < 2.0**-126
        return np.where(tiny, 0.0, case.answer.reference)

    assert refused(name, precision, flushed)


@both
@pytest.mark.parametrize("name", MOVED)
def test_nan_or_infinity_replaced_by_zero_fails(name: str, precision: Precision) -> None:
    def replaced(case: Case) -> np.ndarray:
        return np.nan_to_num(case.answer.reference, posinf=0.0, neginf=0.0)

    assert refused(name, precision, replaced)


@both
def test_a_matrix_that_is_only_reinterpreted_is_no_transpose(precision: Precision) -> None:
    def reshaped(case: Case) -> np.ndarray:
        return case.arrays["A"].reshape(case.answer.reference.shape)

    assert len(refused("matrix_transpose", precision, reshaped)) >= 6


@both
def test_a_reversal_that_leaves_out_the_middle_or_is_off_by_one_fails(precision: Precision) -> None:
    def shifted(case: Case) -> np.ndarray:
        return np.roll(case.answer.reference, 1)

    def halves(case: Case) -> np.ndarray:
        x = case.arrays["input"].astype(np.float64)
        return np.concatenate([x[len(x) // 2 :], x[: len(x) // 2]])

    for kernel in (shifted, halves):
        assert len(refused("reverse_array", precision, kernel)) >= 7


def test_check_data_holds_every_kind_of_special_value() -> None:
    for name in MOVED:
        values = np.concatenate([c.answer.reference.ravel() for c in cases(name, FP32)])
        assert np.isnan(values).any()
        assert {np.inf, -np.inf} <= set(values)
        assert ((np.abs(values) < 2.0**-126) & (values != 0)).any()
