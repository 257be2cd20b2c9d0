"""A gain that nobody compared, or nothing proves, is none in the means, and no way to hide a slow row."""

from dataclasses import replace
from typing import Any

import pytest

from cudamaster.search.verifying import differences_on_paper
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import may_be_compared
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import (
    NO_GAIN,
    Evaluation,
    Interval,
    Status,
    Vendor,
    WorkloadResult,
    credited_speedups,
)
from mskernelbench.operator import Precision, Workload
from mskernelbench.referee import Referee
from mskernelbench.spread import extremes
from mskernelbench.verdict import Bench, accepted, counting
from tests.doubles.scripted_device import Script, ScriptedDevice, answer, honest, outputs
from tests.mskernelbench.test_spots import CANDIDATE, HEAVY, OUTPUT, RELU, SIZES

LIGHT = Workload("paper", {"N": 300}, "outliers")


def judged(*timed: Workload, quick: bool = False) -> Evaluation:
    """The verdict on a kernel that never ends when it is called whole on heavy workloads."""

    def run(arguments: Arguments) -> Outputs | RunFailure:
        right = answer(RELU, arguments)
        slow = right[OUTPUT].size in SIZES
        return RunFailure(FailureKind.TIMED_OUT, "by script") if slow else outputs(right)

    device = ScriptedDevice({RELU.baseline(Precision.FP32): Script(honest(RELU)), CANDIDATE: Script(run)})
    referee = Referee(device, RELU, Precision.FP32, shapes=timed)
    return referee.evaluate(CANDIDATE, timed=timed if quick else None)


def test_a_workload_that_could_have_been_drawn_counts_uncompared() -> None:
    evaluation = judged(LIGHT, *HEAVY)
    rows = [row for row in evaluation.workloads if row.set != "check"]
    assert [row.seen for row in rows] == [True, False, False, False]
    assert all(row.counted for row in rows)
    assert "3 larger timed workloads were not compared)" in evaluation.reason


@pytest.mark.parametrize(
    ("operator", "shape", "possible"),
    [
        ("sorting", {"N": 1 << 20}, True),
        ("sorting", {"N": 134_217_757}, False),
        ("matrix_mul", {"M": 4096, "N": 4096, "K": 4096}, True),
        ("matrix_mul", {"M": 16384, "N": 16384, "K": 16384}, False),
        ("relu", {"N": 1 << 30}, False),
    ],
)
def test_what_is_too_heavy_to_be_drawn_is_known_beforehand(
    operator: str, shape: dict[str, float], possible: bool
) -> None:
    workload = Workload("real", shape, "ordinary")
    assert may_be_compared(workload, load_operator(operator), Precision.FP32) is possible


def test_a_gain_that_does_not_count_keeps_its_row_and_is_said() -> None:
    rows = [replace(row(2.0), error_ratio=0.5), row(8.0), row(50.0, counted=False)]
    evaluation = accepted(BENCH, "entry", rows)
    assert "1 of 3 gains is not proved here and counts as none: what" in evaluation.reason
    assert "over 3 timed workloads (" in evaluation.reason
    document = evaluation.document()
    assert [one.get("counted") for one in document["workloads"]] == [None, None, False]
    assert [one.centre for one in credited_speedups(document)] == [2.0, 8.0, 1.0]


def test_a_time_that_nothing_proves_is_said_to_be_so_where_it_counts() -> None:
    evaluation = accepted(BENCH, "entry", [replace(row(2.0), unproved=True)])
    assert "no gain is proved, but 1 of them count all the same" in evaluation.reason
    assert evaluation.document()["workloads"][0]["unproved"] is True


def test_where_none_was_compared_all_count_and_that_is_said() -> None:
    evaluation = judged(*HEAVY)
    assert all(row.counted for row in evaluation.workloads)
    assert "3 larger timed workloads were not compared, nor was any other" in evaluation.reason


def test_in_a_quick_verdict_all_count() -> None:
    assert all(row.counted for row in judged(LIGHT, *HEAVY, quick=True).workloads)


def row(speedup: float, *, counted: bool = True) -> WorkloadResult:
    gain = Interval(speedup, speedup, speedup)
    return WorkloadResult(
        "paper",
        {"N": int(100 * speedup)},
        baseline_ms=speedup,
        candidate_ms=1.0,
        speedup=gain,
        attainment=speedup / 100,
        weight=1,
        vendor_speedup=gain,
        counted=counted,
    )


BENCH = Bench("relu", "fp32", "virtual:h200", Clock.MODELLED, 0, 1)


def test_in_every_figure_a_gain_that_is_not_proved_is_none() -> None:
    verdict = accepted(BENCH, "entry", [row(2.0), row(4.0), row(50.0, counted=False)])
    assert verdict.speedup
    assert verdict.speedup.centre == pytest.approx(2)
    assert verdict.paper_score == pytest.approx(7 / 3)
    assert verdict.attainment == pytest.approx(0.02)
    found = extremes(verdict)
    assert found
    assert (found.slowest.speedup, found.fastest.speedup) == (NO_GAIN, Interval(4.0, 4.0, 4.0))


def test_a_loss_stays_one_where_it_does_not_count() -> None:
    verdict = accepted(BENCH, "entry", [row(2.0), row(0.125, counted=False)])
    assert verdict.speedup
    assert verdict.speedup.centre == pytest.approx(0.5)


@pytest.mark.parametrize("slow", [1.5, 1.0, 0.5])
def test_hiding_a_slow_row_raises_no_figure(slow: float) -> None:
    shown = accepted(BENCH, "entry", [row(4.0), row(8.0), row(slow)])
    late = WorkloadResult(
        "paper",
        {"N": 1},
        baseline_ms=slow,
        attainment=0.01,
        weight=1,
        left_out="too costly",
        counted=False,
    )
    for hidden in (row(slow, counted=False), late if slow >= 1 else row(slow, counted=False)):
        verdict = accepted(BENCH, "entry", [row(4.0), row(8.0), hidden])
        figures = [(v.speedup and v.speedup.centre, v.paper_score, v.attainment) for v in (verdict, shown)]
        assert all(one <= other for one, other in zip(*figures, strict=True) if one and other)


def test_figures_can_be_taken_again_with_the_gains_that_another_verdict_counts() -> None:
    verdict = accepted(BENCH, "entry", [row(2.0), row(8.0), row(32.0, counted=False)])
    again = counting(verdict, [True, True, True])
    assert again.speedup
    assert again.speedup.centre == pytest.approx(8)
    beside = counting(
        replace(accepted(BENCH, "entry", [row(2.0), row(8.0)]), vendor=Vendor("CUB")), [False, True]
    )
    assert beside.vendor
    assert beside.vendor.speedup
    assert beside.vendor.speedup.centre == pytest.approx(8**0.5)


def test_a_record_in_whose_means_an_unproved_gain_is_none_holds_on_paper() -> None:
    rows = [row(2.0), row(8.0), row(32.0, counted=False)]
    record: dict[str, Any] = {
        "kernel_sha256": "",
        "baseline_sha256": "",
        "evaluation": accepted(BENCH, "entry", rows).document(),
    }
    assert not [words for words in differences_on_paper(record, "", "") if "speedup" in words]
    record["evaluation"]["workloads"][2].pop("counted")
    assert [words for words in differences_on_paper(record, "", "") if "speedup" in words]


@pytest.mark.parametrize(("work", "left_out"), [(1 << 25, True), (1 << 10, False)])
def test_a_heavy_workload_whose_samples_do_not_end_is_left_out_and_a_light_one_refuses(
    work: int, left_out: bool
) -> None:
    heavy = replace(RELU, flops=lambda shape: int(shape["N"]) * work)

    def time_ms(arguments: Arguments) -> float | RunFailure:
        slow = any(f"N={size}" in arguments.label for size in SIZES)
        return RunFailure(FailureKind.TIMED_OUT, "by script") if slow else 0.5

    scripts = {
        heavy.baseline(Precision.FP32): Script(honest(heavy)),
        CANDIDATE: Script(honest(heavy), time_ms),
    }
    evaluation = Referee(ScriptedDevice(scripts), heavy, Precision.FP32, shapes=(LIGHT, *HEAVY)).evaluate(
        CANDIDATE
    )
    assert evaluation.correct is left_out, evaluation.reason
    assert evaluation.status is (Status.CORRECT if left_out else Status.TIMED_OUT)
    told = "3 timed workloads were left out and count as no gain: its sampled blocks depend"
    assert (told in evaluation.reason) is left_out
    assert ("over 4 timed workloads" in evaluation.reason) is left_out


@pytest.mark.parametrize(("count", "words"), [(1, "was left out and counts"), (2, "were left out and count")])
def test_what_is_left_out_is_told_in_one_sentence_however_many_there_are(count: int, words: str) -> None:
    judged = Bench("relu", "fp32", "virtual:h200", Clock.MODELLED, 0, 0)
    row = WorkloadResult("paper", {"N": 1}, baseline_ms=1.0, left_out="too costly", counted=False)
    assert f"{words} as no gain: too costly" in accepted(judged, "RELU", [row] * count).reason
