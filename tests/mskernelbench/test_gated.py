"""What passes and what fails as a gated linear unit, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
NAMES = ["silu_and_mul", "swiglu"]
ONE = np.float32(1)

Gate = Callable[[e.F32, np.float32], e.F32]
"""gate·σ(β·gate), from the gate and β."""


def quotient(a: e.F32, beta: np.float32) -> e.F32:
    return a / (ONE + e.expf(-beta * a))


def product(a: e.F32, beta: np.float32) -> e.F32:
    return a * (ONE / (ONE + e.expf(-beta * a)))


def operands(case: Case) -> tuple[e.F32, e.F32, np.float32]:
    """Gates, values and β."""
    if case.operator.name == "swiglu":
        gate, value = case.arrays["gate"], case.arrays["value"]
    else:
        gate, value = np.split(case.arrays["in"], 2, axis=1)
    beta = np.float32(case.workload.shape.get("beta", 1.0))
    return gate.astype(np.float32), value.astype(np.float32), beta


def kernel(gate: Gate = quotient, operand: e.Round = e.fp32, result: e.Round = e.fp32) -> Kernel:
    def compute(case: Case) -> e.F32:
        a, b, beta = operands(case)
        with np.errstate(all="ignore"):
            return result(gate(operand(a), beta) * operand(b))

    return compute


each = pytest.mark.parametrize("name", NAMES)
both = pytest.mark.parametrize("precision", Precision)


@both
@pytest.mark.parametrize("gate", [quotient, product])
@each
def test_fp32_arithmetic_in_either_form_passes(name: str, gate: Gate, precision: Precision) -> None:
    assert worst(name, precision, kernel(gate)) <= 1


@each
def test_a_fast_exponential_fails_as_fp32_as_the_operator_says_and_passes_as_bf16(name: str) -> None:
    fast = kernel(lambda a, beta: a / (ONE + e.fast_expf(-beta * a)))
    assert refused(name, FP32, fast)
    assert not refused(name, BF16, fast)
    assert "__expf" in load_operator(name).mathematics


@both
@each
def test_the_value_may_be_multiplied_first(name: str, precision: Precision) -> None:
    def value_first(case: Case) -> e.F32:
        a, b, beta = operands(case)
        with np.errstate(all="ignore"):
            return (a * b) * (ONE / (ONE + e.expf(-beta * a)))

    assert not refused(name, precision, value_first)


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
@each
def test_narrow_operands_or_results_fail_as_fp32(name: str, narrow: e.Round) -> None:
    assert len(refused(name, FP32, kernel(operand=narrow))) >= 7
    assert len(refused(name, FP32, kernel(result=narrow))) >= 7


@each
def test_a_gate_rounded_to_bf16_before_the_product_fails_as_bf16(name: str) -> None:
    rounded = kernel(lambda a, beta: e.bf16(quotient(a, beta)))
    assert len(refused(name, BF16, rounded)) >= 6


@each
def test_a_fast_exponential_fails_as_fp32_and_passes_as_bf16(name: str) -> None:
    fast = kernel(lambda a, beta: a / (ONE + e.fast_expf(-beta * a)))
    assert refused(name, FP32, fast)
    assert not refused(name, BF16, fast)


@both
@pytest.mark.parametrize(
    "gate",
    [
        lambda a, beta: a * e.expf(beta * a) / (ONE + e.expf(beta * a)),
        lambda a, beta: ONE / (ONE + e.expf(-beta * a)),
        lambda a, beta: np.fmax(a, np.float32(0)),
        lambda a, beta: a * np.clip(a / 6 + np.float32(0.5), 0, 1),
    ],
    ids=["overflows", "sigmoid", "relu", "hard"],
)
@each
def test_another_gate_or_one_that_overflows_fails(name: str, gate: Gate, precision: Precision) -> None:
    assert refused(name, precision, kernel(gate))


@both
@each
def test_gate_and_value_exchanged_fail(name: str, precision: Precision) -> None:
    def exchanged(case: Case) -> e.F32:
        a, b, beta = operands(case)
        with np.errstate(invalid="ignore"):
            return quotient(b, beta) * a

    assert len(refused(name, precision, exchanged)) == len(cases(name, precision))


@both
def test_a_swiglu_that_ignores_beta_fails(precision: Precision) -> None:
    ignoring = kernel(lambda a, beta: quotient(a, ONE))
    wrong = refused("swiglu", precision, ignoring)
    assert len(wrong) == sum(c.workload.shape["beta"] != 1 for c in cases("swiglu", precision))


@both
def test_halves_that_alternate_or_lie_in_blocks_fail(precision: Precision) -> None:
    def alternating(case: Case) -> e.F32:
        x = case.arrays["in"].astype(np.float32)
        return quotient(x[:, ::2], ONE) * x[:, 1::2]

    def blocks(case: Case) -> e.F32:
        x = case.arrays["in"].astype(np.float32).reshape(2, *case.answer.reference.shape)
        return quotient(x[0], ONE) * x[1]

    several_columns = [c for c in cases("silu_and_mul", precision) if c.workload.shape["D"] > 1]
    several_rows = [c for c in cases("silu_and_mul", precision) if c.workload.shape["B"] > 1]
    with np.errstate(all="ignore"):
        assert len(refused("silu_and_mul", precision, alternating)) == len(several_columns)
        assert len(refused("silu_and_mul", precision, blocks)) == len(several_rows)


@each
def test_one_element_off_by_eight_ulp_fails_as_fp32(name: str) -> None:
    def one_off(case: Case) -> np.ndarray:
        answer = case.answer.reference.astype(np.float32)
        at = int(np.argmax(np.where(np.abs(answer) < 64, np.abs(answer), 0)))
        answer.flat[at] += 8 * np.spacing(answer.flat[at])
        return answer

    assert len(refused(name, FP32, one_off)) >= 7
