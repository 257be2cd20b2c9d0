"""A kernel that does less where only its time is taken is refused, whichever of its calls is looked at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import Precision, Workload
from mskernelbench.racing import copy_of
from mskernelbench.referee import Referee
from mskernelbench.timed_outputs import TIMED
from tests.doubles.noisy_clock import NoisyDevice
from tests.doubles.scripted_device import Script, answer, honest

RELU = load_operator("relu")
CANDIDATE = 'extern "C" void RELU(float* y, const float* x, int N, cudaStream_t stream) {}'
OUTPUT = RELU.output_names[0]
SMALL = (Workload("paper", {"N": 4096}, "outliers"),)
SEVERAL = tuple(Workload("paper", {"N": n}, "outliers") for n in (100, 200, 4096))
"""The last is more than a quick verdict compares: it is looked at in pieces."""
Outputs = Mapping[str, NDArray[Any]]


@dataclass
class KeepingDevice(NoisyDevice):
    """Tells what timed calls of the candidate wrote: what `left` makes of the right outputs."""

    left: Callable[[NDArray[Any]], NDArray[Any] | None] = lambda y: y
    looks: int = 0

    def timed_outputs(self, build: Build, arguments: Arguments) -> Outputs | None:
        assert build.source.text == CANDIDATE
        self.looks += 1
        left = self.left(answer(RELU, arguments)[OUTPUT])
        return None if left is None else {OUTPUT: left}


def judged(
    left: Callable[[NDArray[Any]], NDArray[Any] | None], timed: tuple[Workload, ...] = SMALL, **details: Any
) -> tuple[Evaluation, int]:
    baseline = KernelSource(RELU.baseline(Precision.FP32), "RELU")
    texts = (baseline.text, copy_of(baseline).text, CANDIDATE)
    device = KeepingDevice({text: Script(honest(RELU)) for text in texts}, left=left)
    referee = Referee(device, RELU, Precision.FP32, **details)
    return referee.evaluate(CANDIDATE, timed=timed), device.looks


def half(y: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.arange(y.size) < y.size // 2, y, np.float32(-1)) if y.size == 4096 else y


def unwritten(y: NDArray[Any]) -> NDArray[Any]:
    poison = np.full(1, 0x7FD5A5C3, np.uint32).view(np.float32)
    return np.where(np.arange(y.size) == 7, poison, y)


def test_one_timed_call_of_many_is_looked_at_and_an_honest_one_is_accepted() -> None:
    for left in (lambda y: y, lambda y: None):
        evaluation, looks = judged(left)
        assert evaluation.correct, evaluation.reason
        assert looks == 1


@pytest.mark.parametrize("timed", [SMALL, SEVERAL], ids=["whole", "in pieces"])
def test_wrong_numbers_in_a_timed_call_are_refused(timed: tuple[Workload, ...]) -> None:
    evaluation, _ = judged(half, timed)
    assert evaluation.status is Status.WRONG
    assert evaluation.reason.startswith(f"where only its time is taken, output {OUTPUT}[")


def test_elements_that_a_timed_call_leaves_out_are_refused() -> None:
    evaluation, _ = judged(unwritten)
    assert evaluation.status is Status.WRONG
    assert f"1 of 4096 elements of {OUTPUT} are not written" in evaluation.reason


def test_the_rule_can_be_left_out() -> None:
    assert judged(half, without=(TIMED,))[0].correct
