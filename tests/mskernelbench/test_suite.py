"""One row a baseline: what it says of a right one, a wrong one and an operator whose comparison is loose."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.errors import WorkerBroken
from cudamaster.toolchain.outputs import Outputs
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import find_operator
from mskernelbench.operator import Operator, Precision, Rounding
from mskernelbench.suite import Plan, Row, judge_baselines
from tests.doubles.scripted_device import Script, ScriptedDevice, honest, outputs
from tests.mskernelbench.own_operator import write_operator


@pytest.fixture
def triple(tmp_path: Path) -> Operator:
    write_operator(tmp_path)
    return find_operator("triple", tmp_path).operator


def rows(operator: Operator, script: Script) -> dict[str, Row]:
    """By precision; both baselines follow the script."""
    device = ScriptedDevice({operator.baseline(p): script for p in Precision})
    assert device.clock is Clock.MODELLED
    found = list(judge_baselines((operator,), tuple(Precision), Plan(device)))
    return {row.precision: row for row in found}


def test_a_right_baseline_has_a_time_and_an_attainment_for_every_timed_set(triple: Operator) -> None:
    row = rows(triple, Script(honest(triple), lambda arguments: 0.25))["fp32"]
    assert (row.status, row.reason, row.sound) == ("correct", "", True)
    assert row.compared == len(triple.workloads)
    assert list(row.sets) == ["paper"]
    assert row.sets["paper"].baseline_ms == pytest.approx(0.25)
    assert row.sets["paper"].attainment == pytest.approx(2 * 4 * 1024 / 4.8e12 * 1e3 / 0.25)
    assert row.document()["sets"]["paper"]["workloads"] == 1


def test_a_baseline_is_timed_once_a_workload(triple: Operator) -> None:
    times: list[str] = []

    def time_ms(arguments: Arguments) -> float:
        times.append(arguments.label)
        return 1.0

    rows(triple, Script(honest(triple), time_ms))
    assert len(times) == len(set(times)) == 2


def test_a_wrong_baseline_has_a_reason_and_no_times(triple: Operator) -> None:
    def wrong(arguments: Arguments) -> Outputs:
        count = next(t.array.size for t in arguments.tensors)
        return outputs({"y": np.zeros(count, next(t.array.dtype for t in arguments.tensors))})

    row = rows(triple, Script(wrong))["bf16"]
    assert (row.status, row.sound, row.sets) == ("wrong", False, {})
    assert "output y[0] of check workload N=1" in row.reason


def test_a_loose_comparison_is_unsound_though_the_baseline_is_right(triple: Operator) -> None:
    loose = replace(
        triple, rounding=lambda w, arrays, p: {"y": (Rounding(1, np.full(len(arrays["x"]), 1e9)),)}
    )
    row = rows(loose, Script(honest(triple)))["fp32"]
    assert (row.status, row.sound) == ("correct", False)
    assert "zeros pass (N=37 shifted)" in row.reason


def test_an_operator_that_cannot_be_judged_is_broken_and_the_others_are_judged(triple: Operator) -> None:
    (triple.folder / "baseline_bf16.cu").unlink()
    found = rows_of_pair(triple)
    assert found["bf16"].status == "broken"
    assert "lacks baseline_bf16.cu" in found["bf16"].reason
    assert found["fp32"].sound


def test_a_device_that_fails_costs_one_row(triple: Operator) -> None:
    def failing(arguments: Arguments) -> Outputs:
        raise WorkerBroken("the process that starts workers died")

    scripts = {
        triple.baseline(Precision.FP32): Script(failing),
        triple.baseline(Precision.BF16): Script(honest(triple)),
    }
    judged = judge_baselines((triple,), tuple(Precision), Plan(ScriptedDevice(scripts)))
    found = {row.precision: row for row in judged}
    assert (found["fp32"].status, found["bf16"].status) == ("broken", "correct")
    assert found["fp32"].reason == "the process that starts workers died"


def rows_of_pair(operator: Operator) -> dict[str, Row]:
    device = ScriptedDevice({operator.baseline(Precision.FP32): Script(honest(operator))})
    return {row.precision: row for row in judge_baselines((operator,), tuple(Precision), Plan(device))}
