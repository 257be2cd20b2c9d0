"""Timed workloads that are too heavy to be compared whole are called whole, and compared at some places."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.traces import written
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import Referee
from mskernelbench.spots import Asked, spots, wrong_words
from tests.doubles.scripted_device import Script, ScriptedDevice, answer, honest, outputs

SIZES = (5000, 6000, 7000)
HEAVY = tuple(Workload("paper", {"N": n}, "outliers") for n in SIZES)
RELU = replace(
    load_operator("relu"), flops=lambda shape: int(shape["N"]) << (20 if shape["N"] in SIZES else 0)
)
"""On HEAVY it is said to cost as much as the product of two large matrices."""
OUTPUT = RELU.output_names[0]
CANDIDATE = 'extern "C" void RELU(float* y, const float* x, int N, cudaStream_t stream) {}'
Change = Callable[[NDArray[Any]], NDArray[Any]]


def judged(change: Change, operator: Operator = RELU, **details: Any) -> tuple[Evaluation, int]:
    """The verdict on a candidate that does so on heavy workloads, and how many of these it was called on."""
    called = []

    def run(arguments: Arguments) -> Outputs | RunFailure:
        right = answer(operator, arguments)
        if right[OUTPUT].size not in SIZES:
            return outputs(right)
        called.append(arguments.label)
        return outputs({OUTPUT: change(right[OUTPUT])})

    device = ScriptedDevice(
        {operator.baseline(Precision.FP32): Script(honest(operator)), CANDIDATE: Script(run)}
    )
    operator = replace(operator, workloads=(*operator.in_set("check"), *HEAVY))
    referee = Referee(device, operator, Precision.FP32)
    return referee.evaluate(CANDIDATE, **details), len(called)


def poisoned(y: NDArray[Any]) -> NDArray[Any]:
    poison = np.full(1, 0x7FD5A5C3, np.uint32).view(np.float32)
    return np.where(np.arange(y.size) == 7, poison, y)


def test_right_numbers_at_some_places_of_every_heavy_workload_are_told() -> None:
    evaluation, called = judged(lambda y: y)
    assert evaluation.correct, evaluation.reason
    assert [row.sampled for row in evaluation.workloads if row.set == "paper"] == [True] * 3
    assert "3 larger timed workloads were compared in samples" in evaluation.reason
    assert called == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [(lambda y: y + 1, "a piece of workload N="), (poisoned, "elements of output are not written")],
    ids=["wrong", "left out"],
)
def test_a_kernel_that_does_less_on_heavy_workloads_is_refused(change: Change, words: str) -> None:
    evaluation, called = judged(change)
    assert (evaluation.status, evaluation.rule) == (Status.WRONG, "comparison")
    assert words in evaluation.reason
    assert called == 1


def test_a_quick_verdict_calls_none_whole() -> None:
    evaluation, called = judged(lambda y: y + 1, timed=HEAVY)
    assert evaluation.correct, evaluation.reason
    assert called == 0


def test_what_takes_too_long_to_be_called_whole_proves_nothing() -> None:
    def run(arguments: Arguments) -> Outputs | RunFailure:
        right = answer(RELU, arguments)
        slow = right[OUTPUT].size in SIZES
        return RunFailure(FailureKind.TIMED_OUT, "by script") if slow else outputs(right)

    device = ScriptedDevice({RELU.baseline(Precision.FP32): Script(honest(RELU)), CANDIDATE: Script(run)})
    evaluation = Referee(device, RELU, Precision.FP32, shapes=HEAVY).evaluate(CANDIDATE)
    assert evaluation.correct, evaluation.reason
    assert not any(row.sampled for row in evaluation.workloads)


def test_of_operators_that_cannot_be_cut_nothing_is_known_to_be_wrong() -> None:
    scan = load_operator("prefix_sum")
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    arguments = Arguments(
        (Tensor("input", x, Access.INPUT), Tensor("output", y, Access.OUTPUT), Scalar("N", 100, "int")),
        "scan",
    )
    asked = Asked(scan, Precision.FP32, Workload("real", {"N": 100}, "shifted"), arguments)
    assert wrong_words(asked, spots(asked, {"output": y + 7})) is None


def test_of_a_call_that_wrote_nothing_no_number_is_wrong() -> None:
    product = load_operator("matrix_mul")
    a, c = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    tensors = tuple(Tensor(name, a, Access.INPUT) for name in "AB")
    sizes = tuple(Scalar(name, 4, "int") for name in "MNK")
    arguments = Arguments((*tensors, Tensor("C", c, Access.OUTPUT), *sizes), "product")
    asked = Asked(product, Precision.FP32, Workload("real", {"M": 4, "N": 4, "K": 4}, "shifted"), arguments)
    nothing = written(c.reshape(-1), c.reshape(-1), np.random.default_rng(1))
    assert wrong_words(asked, {"C": nothing}) is None
