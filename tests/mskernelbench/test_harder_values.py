"""Heavy workloads that are right in samples are looked at on other values; whole calls alone refuse."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from mskernelbench.affordable import harder, on_harder_values
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.harder_values import HarderValues
from mskernelbench.materials import Materials
from mskernelbench.operator import Precision, Workload
from mskernelbench.racing import Race
from mskernelbench.whole_calls import WholeCalls
from tests.doubles.scripted_device import Script, ScriptedDevice, answer, outputs

FP32 = Precision.FP32
SOFTMAX = load_operator("softmax")
GEMM, RELU = load_operator("matrix_mul"), load_operator("relu")
SIZES = (33, 65, 97)
SAMPLED = tuple(Workload("paper", {"N": rows, "C": 1031}, "logits") for rows in SIZES)
SOURCE = KernelSource('extern "C" void softmax() {}', "softmax")


class Looks:
    """Samples that are right on workloads of fewer rows than a limit."""

    def __init__(self, limit: int) -> None:
        self.limit, self.seen = limit, list[Workload]()

    def looks_right(self, build: Build, workload: Workload) -> bool:
        self.seen.append(workload)
        return int(workload.shape["N"]) < self.limit


def without_maximum(x: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        weights = np.exp(x)
        shares: NDArray[Any] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def looked(limit: int, *, right: bool = False, slow: bool = False) -> tuple[Any, Looks, list[int]]:
    """What is found of a kernel whose samples are right below `limit` rows; the rows of its whole calls."""
    called: list[int] = []

    def run(arguments: Arguments) -> Outputs | RunFailure:
        x = next(t.array for t in arguments.tensors if t.name == "input")
        called.append(len(x))
        if slow:
            return RunFailure(FailureKind.TIMED_OUT, "by script")
        return outputs(answer(SOFTMAX, arguments) if right else {"out": without_maximum(x)})

    device = ScriptedDevice({SOURCE.text: Script(run)})
    looks, materials = Looks(limit), Materials(SOFTMAX, FP32, 0)
    race = cast(Race, looks)
    build = device.build(SOURCE)
    calls = WholeCalls(build, device, SOFTMAX, FP32, materials, keeps_state=False, cost=lambda w: 1.0)
    look = HarderValues(calls, race)
    return look.look(SAMPLED), looks, called


def test_samples_that_are_right_call_nothing_whole() -> None:
    found, looks, called = looked(1000)
    assert (found.refusal, found.doubtful, called) == (None, frozenset(), [])
    assert len(looks.seen) == 2
    assert max(SIZES) in [w.shape["N"] for w in looks.seen]


def test_a_softmax_that_ignores_the_maximum_of_large_ones_is_refused_where_a_whole_call_costs_least() -> None:
    found, _, called = looked(60)
    assert (found.refusal.status, found.refusal.rule) == (Status.WRONG, "comparison")
    assert called == [65]


def test_samples_alone_refuse_nothing() -> None:
    found, _, called = looked(0, right=True)
    assert (found.refusal, found.doubtful) == (None, frozenset())
    assert called == sorted(called)
    assert set(called) == set(SIZES)


def test_what_whole_calls_cannot_tell_stays_in_doubt() -> None:
    found, _, _ = looked(60, slow=True)
    assert found.refusal is None
    assert found.doubtful == {w.key for w in SAMPLED[1:]}


def test_values_are_those_of_checks_and_never_the_timed_ones() -> None:
    kinds = [w.values for w in harder(SAMPLED[0], SOFTMAX)]
    assert kinds == ["peaked", "far_below", "huge"]
    assert [w.values for w in harder(replace(SAMPLED[0], values="peaked"), SOFTMAX)] == kinds[1:]
    assert [w.values for w in harder(Workload("paper", {"N": 1}, "mixed"), RELU)] == ["special"]


@pytest.mark.parametrize("_", range(5))
def test_one_of_the_looks_has_the_probing_values(_: int) -> None:
    timed = [Workload("paper", {"M": m, "N": 64, "K": 64}, "shifted") for m in (64, 256, 1024)]
    found = on_harder_values(timed, GEMM, FP32)
    assert {w.values for w in found} == {"one_hot", "mixed"}
    assert on_harder_values([], GEMM, FP32) == ()
