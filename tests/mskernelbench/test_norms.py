"""What passes and what fails as a normalisation, in both precisions."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs, right_answers
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
NAMES = ["rms_norm", "layer_norm", "batch_norm"]
CENTRED = ["layer_norm", "batch_norm"]
ONE = np.float32(1)
each = pytest.mark.parametrize("name", NAMES)
centred = pytest.mark.parametrize("name", CENTRED)
both = pytest.mark.parametrize("precision", Precision)


class Given(NamedTuple):
    """Columns to normalise as rows, what they are multiplied with, what is added, and ε."""

    x: e.F32
    gain: e.F32
    shift: e.F32
    epsilon: np.float32


def given(case: Case) -> Given:
    tensors = [array.astype(np.float32) for array in case.arrays.values()]
    epsilon = np.float32(case.workload.shape["epsilon"])
    if case.operator.name == "batch_norm":
        return Given(np.ascontiguousarray(tensors[0].T), tensors[1][:, None], tensors[2][:, None], epsilon)
    return Given(*(tensor[None, :] for tensor in tensors), epsilon)


def laid_out(case: Case, y: e.F32) -> e.F32:
    return y.T if case.operator.name == "batch_norm" else y[0]


Moments = Callable[[e.F32, e.Sum], tuple[e.F32, e.F32]]
"""Mean and variance of rows, each as a column."""


def two_passes(x: e.F32, add: e.Sum) -> tuple[e.F32, e.F32]:
    mean = add(x)[:, None] / np.float32(x.shape[1])
    distance = x - mean
    return mean, add(distance * distance)[:, None] / np.float32(x.shape[1])


def one_pass(x: e.F32, add: e.Sum) -> tuple[e.F32, e.F32]:
    mean = add(x)[:, None] / np.float32(x.shape[1])
    return mean, add(x * x)[:, None] / np.float32(x.shape[1]) - mean * mean


def root_mean_square(x: e.F32, add: e.Sum) -> tuple[e.F32, e.F32]:
    return np.zeros((len(x), 1), np.float32), add(x * x)[:, None] / np.float32(x.shape[1])


def welford(x: e.F32, add: e.Sum) -> tuple[e.F32, e.F32]:
    """Running mean and squares of 32 threads, merged pair by pair."""
    lanes = min(32, x.shape[1])
    whole = x.shape[1] // lanes * lanes
    count, mean, square = 0, np.zeros((len(x), lanes), np.float32), np.zeros((len(x), lanes), np.float32)
    for start in range(0, whole, lanes):
        count += 1
        distance = x[:, start : start + lanes] - mean
        mean = mean + distance / np.float32(count)
        square = square + distance * (x[:, start : start + lanes] - mean)
    parts = [(np.float32(count), mean[:, [i]], square[:, [i]]) for i in range(lanes)]
    parts += [(ONE, x[:, [i]], np.zeros((len(x), 1), np.float32)) for i in range(whole, x.shape[1])]
    while len(parts) > 1:
        pairs = [merged(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = pairs + ([parts[-1]] if len(parts) % 2 else [])
    return parts[0][1], parts[0][2] / np.float32(x.shape[1])


Part = tuple[np.float32, e.F32, e.F32]


def merged(a: Part, b: Part) -> Part:
    """Count, mean and sum of squares of two parts together."""
    count, distance = a[0] + b[0], b[1] - a[1]
    mean = a[1] + distance * (b[0] / count)
    return count, mean, a[2] + b[2] + distance * distance * (a[0] * b[0] / count)


def norm(
    name: str,
    moments: Moments | None = None,
    add: e.Sum = e.pairwise,
    operand: e.Round = e.fp32,
    middle: e.Round = e.fp32,
    epsilon: Callable[[np.float32], float] = float,
) -> Kernel:
    find = moments or (root_mean_square if name == "rms_norm" else two_passes)

    def kernel(case: Case) -> e.F32:
        x, gain, shift, least = given(case)
        x = operand(x)
        with np.errstate(all="ignore"):
            mean, variance = find(x, add)
            factor = ONE / np.sqrt(variance + np.float32(epsilon(least)))
            return laid_out(case, operand(gain) * middle((x - mean) * factor) + operand(shift))

    return kernel


def strided(terms: e.F32) -> e.F32:
    """256 threads, each summing along its stride; then a tree."""
    padded = np.pad(terms, ((0, 0), (0, -terms.shape[-1] % 256))).reshape(len(terms), -1, 256)
    return e.pairwise(e.sequential(np.swapaxes(padded, 1, 2)))


@pytest.mark.parametrize("add", [e.pairwise, strided, e.split_k])
@both
@each
def test_two_passes_of_fp32_sums_in_any_order_pass(name: str, precision: Precision, add: e.Sum) -> None:
    assert worst(name, precision, norm(name, add=add)) <= 1


def test_fp32_sums_stay_below_half_the_bound() -> None:
    assert max(worst(name, FP32, norm(name)) for name in NAMES) <= 0.5


@both
@centred
def test_a_running_mean_and_variance_pass(name: str, precision: Precision) -> None:
    assert worst(name, precision, norm(name, welford)) <= 1


@centred
def test_the_mean_of_squares_minus_the_squared_mean_passes_but_where_it_cancels(name: str) -> None:
    wrong = refused(name, FP32, norm(name, one_pass))
    assert wrong
    assert all("offset" in label or "equal" in label for label in wrong)


@pytest.fixture(scope="module")
def long_vector() -> Case:
    """A million numbers around 0.75."""
    operator = load_operator("layer_norm")
    workload = next(w for w in operator.in_set("real") if w.shape["N"] == 1_000_003)
    arrays = draw_inputs(operator, workload, FP32, 1)
    answer = right_answers(operator, workload, arrays, FP32)["output"]
    return Case(operator, workload, arrays, answer, np.dtype(np.float32), "output")


def test_the_mean_of_squares_by_partial_sums_stays_far_below_a_long_vectors_bound(long_vector: Case) -> None:
    assert long_vector.outcome(norm("layer_norm", one_pass, add=strided)).ratio < 0.1


def test_the_mean_of_squares_of_a_million_numbers_that_one_thread_adds_up_fails(long_vector: Case) -> None:
    def end_to_end(terms: e.F32) -> e.F32:
        return np.cumsum(terms, axis=1, dtype=np.float32)[:, -1]

    assert not long_vector.outcome(norm("layer_norm", one_pass, add=end_to_end)).right


def test_the_mean_of_squares_fails_on_a_long_vector_far_from_zero_whoever_adds_it_up(
    long_vector: Case,
) -> None:
    far = replace(long_vector.workload, values="offset")
    arrays = draw_inputs(long_vector.operator, far, FP32, 1)
    answer = right_answers(long_vector.operator, far, arrays, FP32)["output"]
    case = long_vector._replace(workload=far, arrays=arrays, answer=answer)
    assert case.outcome(norm("layer_norm", two_passes, add=strided)).ratio < 0.1
    assert case.outcome(norm("layer_norm", one_pass, add=strided)).ratio > 1


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
@each
def test_narrow_operands_or_results_fail_as_fp32(name: str, narrow: e.Round) -> None:
    assert len(refused(name, FP32, norm(name, operand=narrow))) >= 8
    assert len(refused(name, FP32, norm(name, middle=narrow))) >= 6


@both
@each
def test_a_bf16_accumulator_or_normalised_numbers_in_bf16_fail(name: str, precision: Precision) -> None:
    accumulated = norm(name, add=lambda terms: e.sequential(terms, keep=e.bf16))
    assert len(refused(name, precision, accumulated)) >= 6
    assert len(refused(name, precision, norm(name, middle=e.bf16))) >= 6


@both
@centred
def test_the_unbiased_variance_fails(name: str, precision: Precision) -> None:
    def unbiased(x: e.F32, add: e.Sum) -> tuple[e.F32, e.F32]:
        mean, variance = two_passes(x, add)
        return mean, variance * np.float32(x.shape[1] / max(x.shape[1] - 1, 1))

    assert len(refused(name, precision, norm(name, unbiased))) >= 3


@both
@each
def test_another_epsilon_or_none_fails(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, norm(name, epsilon=lambda least: 1e-5))) >= 1
    assert len(refused(name, precision, norm(name, epsilon=lambda least: 0.0))) >= 2


@both
@each
def test_epsilon_outside_the_root_fails(name: str, precision: Precision) -> None:
    def outside(case: Case) -> np.ndarray:
        x, gain, shift, least = (np.asarray(part, np.float64) for part in given(case))
        mean = 0 if name == "rms_norm" else x.mean(axis=1, keepdims=True)
        root = np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True))
        return laid_out(case, gain * (x - mean) / (root + least) + shift)

    assert len(refused(name, precision, outside)) >= 2


@both
def test_layer_norm_and_rms_norm_are_not_each_other(precision: Precision) -> None:
    assert len(refused("rms_norm", precision, norm("rms_norm", two_passes))) >= 8
    assert len(refused("layer_norm", precision, norm("layer_norm", root_mean_square))) >= 8


@both
@each
def test_weight_or_bias_left_out_fails(name: str, precision: Precision) -> None:
    def without(case: Case, gain: bool) -> np.ndarray:
        _, w, b, _ = given(case)
        answer = case.answer.reference.T if name == "batch_norm" else case.answer.reference[None]
        return laid_out(case, (answer - b) / w + b if gain else answer - b)

    assert len(refused(name, precision, lambda case: without(case, True))) >= 6
    assert len(refused(name, precision, lambda case: without(case, False))) >= 9


@both
@each
def test_sums_that_leave_out_the_last_number_fail(name: str, precision: Precision) -> None:
    def dropped(terms: e.F32) -> e.F32:
        return e.pairwise(terms[:, :-1])

    assert len(refused(name, precision, norm(name, add=dropped))) >= 3
    assert len(refused(name, FP32, norm(name, add=dropped))) >= 7


@both
@each
def test_sums_of_one_block_only_fail(name: str, precision: Precision) -> None:
    first = norm(name, add=lambda terms: e.pairwise(terms[:, :1024]))
    assert len(refused(name, precision, first)) >= 2


@both
def test_a_batch_norm_along_rows_or_of_everything_fails(precision: Precision) -> None:
    def along(axis: int | None) -> Kernel:
        def kernel(case: Case) -> np.ndarray:
            x, gamma, beta = (array.astype(np.float64) for array in case.arrays.values())
            mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
            return gamma * (x - mean) / np.sqrt(variance + case.workload.shape["epsilon"]) + beta

        return kernel

    several = sum(case.workload.shape["C"] > 1 for case in cases("batch_norm", precision))
    assert len(refused("batch_norm", precision, along(1))) >= several - 1
    assert len(refused("batch_norm", precision, along(None))) >= several - 2
