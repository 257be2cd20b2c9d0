"""The referee's verdicts, on a device that follows a script."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Diagnostic
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, Fault, Outputs, RunFailure
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import load_operator
from mskernelbench.errors import BaselineBroken, BaselineLate
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import BaselineKind, Precision, Workload
from mskernelbench.racing import copy_of
from mskernelbench.referee import Referee
from tests.doubles.scripted_device import Compute, Script, ScriptedDevice, answer, honest, outputs

SPMV = load_operator("spmv_csr")
FP32 = Precision.FP32
BASELINE = SPMV.baseline(FP32)
COPY = copy_of(KernelSource(BASELINE, "spmv_csr")).text
SHAPES = tuple(
    Workload("user", {"rows": rows, "cols": 64, "nnz": 4 * rows}, "shifted", "uniform") for rows in (100, 200)
)
CANDIDATE = """
#include <cuda_runtime.h>
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
}
"""


def referee(run: Compute, time_ms: Callable[[Arguments], Any] = lambda a: 0.5, **options: Any) -> Referee:
    """A referee over the baseline, 1 ms everywhere, and one candidate."""
    scripts = {text: Script(honest(SPMV)) for text in (BASELINE, COPY)} | {CANDIDATE: Script(run, time_ms)}
    device = ScriptedDevice(scripts, clock=options.pop("clock", Clock.MODELLED))
    return Referee(device, SPMV, FP32, **{"shapes": SHAPES, **options})


def verdict(run: Compute, **options: Any) -> Evaluation:
    return referee(run, **options).evaluate(CANDIDATE)


def changed(change: Callable[[np.ndarray], Any], **details: Any) -> Compute:
    """The right answer after `change` was done to it."""

    def compute(arguments: Arguments) -> Outputs:
        y = answer(SPMV, arguments)["y"]
        change(y)
        return outputs({"y": y}, **details)

    return compute


def test_a_right_kernel_twice_as_fast_is_correct_with_a_speedup_of_two() -> None:
    evaluation = verdict(honest(SPMV))
    assert evaluation.status is Status.CORRECT
    assert evaluation.speedup is not None
    assert (evaluation.speedup.centre, evaluation.speedup.low) == (2.0, 2.0)
    assert "2 times as fast as the baseline over 2 timed workloads" in evaluation.reason


def right_but_on(*rows: int) -> Compute:
    """Honest on workloads with any other number of rows; nearly right on these."""

    def compute(arguments: Arguments) -> Outputs:
        y = answer(SPMV, arguments)["y"]
        if len(y) in rows:
            y[-1] += np.float32(0.25)
        return outputs({"y": y})

    return compute


@pytest.mark.parametrize("shapes", [None, tuple(replace(w, shape={**w.shape, "rows": 1500}) for w in SHAPES)])
def test_a_kernel_that_is_right_on_the_check_set_alone_is_wrong(shapes: tuple[Workload, ...] | None) -> None:
    paper = [int(w.shape["rows"]) for w in SPMV.in_set("paper")]
    judge = referee(right_but_on(*paper, 1500), shapes=shapes, sets=("check", "paper"))
    evaluation = judge.evaluate(CANDIDATE)
    assert evaluation.status is Status.WRONG
    assert ("output y[1499] of user workload" if shapes else "of paper workload") in evaluation.reason
    assert evaluation.workloads[-1].error_ratio is not None
    assert evaluation.workloads[-1].error_ratio > 1


def test_a_full_verdict_has_times_made_of_what_it_compares_nothing_on_while_it_checks() -> None:
    gemm, timed = load_operator("matrix_mul"), Event()
    candidate = f"{gemm.baseline(FP32)}// another\n"

    def run(arguments: Arguments) -> Outputs | RunFailure:
        return honest(gemm)(arguments) if timed.wait(30) else RunFailure(FailureKind.TIMED_OUT, "waits")

    def time_ms(arguments: Arguments) -> float:
        timed.set()
        return 0.5

    scripts = {gemm.baseline(FP32): Script(honest(gemm)), candidate: Script(run, time_ms)}
    shapes = [Workload("user", {"M": n, "N": n, "K": n}, "shifted") for n in (64, 1100)]
    evaluation = Referee(ScriptedDevice(scripts), gemm, FP32, shapes=shapes).evaluate(candidate)
    assert evaluation.status is Status.CORRECT


def test_a_search_asks_for_few_timed_workloads_and_they_are_compared_too() -> None:
    paper = SPMV.in_set("paper")
    judge = referee(right_but_on(int(paper[-1].shape["rows"])), shapes=None)
    assert judge.evaluate(CANDIDATE, timed=paper[-1:]).status is Status.WRONG
    evaluation = judge.evaluate(CANDIDATE, timed=paper)
    assert "and 2 timed workloads (4 larger timed workloads were not compared)" in evaluation.reason


def test_where_those_few_are_large_a_lighter_one_is_compared_and_has_no_time() -> None:
    gemm = load_operator("matrix_mul")
    device = ScriptedDevice({gemm.baseline(FP32): Script(honest(gemm))})
    large = Workload("paper", {"M": 520, "N": 520, "K": 520}, "shifted")
    evaluation = Referee(device, gemm, FP32).evaluate(gemm.baseline(FP32), timed=[large])
    lighter, timed = evaluation.workloads[-2:]
    assert (lighter.shape["M"], lighter.speedup) == (1, None)
    assert lighter.error_ratio is not None
    assert timed.error_ratio is None
    assert "1 timed workload (1 larger timed workload was not compared)" in evaluation.reason


def test_rows_that_were_compared_have_an_error_and_the_others_are_counted() -> None:
    evaluation = referee(honest(SPMV)).evaluate(CANDIDATE)
    assert all(row.error_ratio is not None for row in evaluation.workloads)
    assert "checked and 2 timed workloads;" in evaluation.reason


def test_modelled_times_within_ten_percent_are_no_difference() -> None:
    evaluation = verdict(honest(SPMV), time_ms=lambda a: 0.95)
    assert evaluation.speedup is not None
    assert evaluation.speedup.low <= 1 <= evaluation.speedup.high
    said = "within 10 % of the baseline on average (1.05x), which the time model cannot tell from none"
    assert said in evaluation.reason


def test_measured_times_have_an_interval_and_pair_the_baseline_anew() -> None:
    judge = referee(honest(SPMV), clock=Clock.MEASURED)
    evaluation = judge.evaluate(CANDIDATE)
    assert evaluation.speedup is not None
    assert evaluation.speedup.low < 2.0 < evaluation.speedup.high
    assert evaluation.clock == "measured"


def test_a_wrong_element_is_named_with_what_was_due_and_how_far_it_is_off() -> None:
    def change(y: np.ndarray) -> None:
        y[len(y) // 2] += np.float32(0.5)

    evaluation = verdict(changed(change))
    assert evaluation.status is Status.WRONG
    assert evaluation.speedup is None
    assert "output y[" in evaluation.reason
    assert "expected" in evaluation.reason
    assert "× the bound" in evaluation.reason


def test_an_element_that_was_not_written_is_called_so() -> None:
    def compute(arguments: Arguments) -> Outputs:
        y = answer(SPMV, arguments)["y"]
        y[-1:] = next(t.array for t in arguments.tensors if t.name == "y")[-1:]
        return outputs({"y": y})

    evaluation = verdict(compute)
    assert evaluation.status is Status.WRONG
    assert "was never written" in evaluation.reason


def test_a_refused_entry_with_other_parameters_is_told_so() -> None:
    source = 'extern "C" void spmv_csr(float* y, int rows) {}'
    failure = RunFailure(FailureKind.CRASHED, "the host function crashed")
    device = ScriptedDevice({source: Script(lambda arguments: failure)})
    evaluation = Referee(device, SPMV, FP32).evaluate(source)
    assert evaluation.status is Status.LAUNCH_FAILED
    assert "; spmv_csr has 2 parameters, but is called as extern" in evaluation.reason
    assert "parameters" not in verdict(lambda arguments: failure).reason


def test_an_output_kept_from_an_earlier_call_is_a_cheat() -> None:
    kept: dict[tuple[int, ...], np.ndarray] = {}

    def compute(arguments: Arguments) -> Outputs:
        y = answer(SPMV, arguments)["y"]
        return outputs({"y": kept.setdefault(y.shape, y)})

    evaluation = verdict(compute)
    assert (evaluation.status, evaluation.guard) == (Status.CHEATED, "stale_output")


def test_a_changed_input_is_a_cheat() -> None:
    evaluation = verdict(changed(lambda y: None, changed_inputs=("x",)))
    assert (evaluation.status, evaluation.guard) == (Status.CHEATED, "changed_inputs")
    assert "input x" in evaluation.reason


def test_a_rule_that_is_left_out_refuses_nothing_and_the_next_one_speaks() -> None:
    cheat = changed(lambda y: y.fill(7.0), changed_inputs=("x",))
    assert verdict(cheat).rule == "changed_inputs"
    assert verdict(cheat, without=("changed_inputs",)).rule == "comparison"
    accepted = verdict(cheat, without=("changed_inputs", "comparison", "stale_output"))
    assert (accepted.status, accepted.rule) == (Status.CORRECT, None)


def test_a_write_outside_a_buffer_is_wrong() -> None:
    evaluation = verdict(changed(lambda y: None, overwritten_guards=("y",)))
    assert evaluation.status is Status.WRONG
    assert "outside y" in evaluation.reason


def test_a_race_that_the_device_saw_is_wrong_in_the_devices_words() -> None:
    fault = Fault("race", "two warps write shared[3]", kernel="spmv", line=12)
    evaluation = verdict(changed(lambda y: None, faults=(fault,)))
    assert evaluation.status is Status.WRONG
    assert "two warps write shared[3] (kernel spmv, line 12)" in evaluation.reason


@pytest.mark.parametrize(("off_by", "status"), [(1e-7, Status.CORRECT), (1.0, Status.WRONG)])
def test_what_another_order_of_threads_gives_must_be_right_too(off_by: float, status: Status) -> None:
    def compute(arguments: Arguments) -> Outputs:
        y = answer(SPMV, arguments)["y"]
        other = np.where(y == np.rint(y), y + np.floor(off_by), y * (1 + off_by))
        return outputs({"y": y}, reordered={"y": other.astype(y.dtype)})

    evaluation = verdict(compute)
    assert evaluation.status is status
    assert (evaluation.rule == "order_dependent") is (status is Status.WRONG)
    assert ("with threads in reversed order" in evaluation.reason) is (status is Status.WRONG)


def test_a_verdict_says_what_was_not_watched_for_what_it_costs() -> None:
    watched, unwatched = (verdict(changed(lambda y: None, unwatched=cost)) for cost in (False, True))
    assert "not watched" not in watched.reason
    assert "checked workloads were not watched for races" in unwatched.reason
    assert unwatched.document()["workloads"][0]["unwatched"]


def test_a_doubt_is_told_where_a_result_is_wrong_and_only_there() -> None:
    note = Fault("uninitialised", "reads shared memory that nothing has written", kernel="spmv", line=9)
    wrong = verdict(changed(lambda y: y.fill(7.0), notes=(note,)))
    assert wrong.status is Status.WRONG
    assert wrong.reason is not None
    assert wrong.reason.startswith(
        "reads shared memory that nothing has written (kernel spmv, line 9); output y"
    )
    assert verdict(changed(lambda y: None, notes=(note,))).status is Status.CORRECT


def test_memory_that_every_call_leaves_allocated_is_wrong() -> None:
    evaluation = verdict(changed(lambda y: None, leaked_bytes=4096))
    assert evaluation.status is Status.WRONG
    assert "every call leaves 4096 bytes of device memory allocated" in evaluation.reason


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (FailureKind.LAUNCH_FAILED, Status.LAUNCH_FAILED),
        (FailureKind.CRASHED, Status.LAUNCH_FAILED),
        (FailureKind.TIMED_OUT, Status.TIMED_OUT),
        (FailureKind.UNSUPPORTED, Status.UNSUPPORTED),
    ],
)
def test_a_call_without_outputs_gives_its_status_while_checked_and_while_timed(
    kind: FailureKind, status: Status
) -> None:
    failure = RunFailure(kind, "the device said so")
    assert verdict(lambda arguments: failure).status is status
    evaluation = verdict(honest(SPMV), time_ms=lambda arguments: failure)
    assert evaluation.status is status
    assert "the device said so" in evaluation.reason


def test_a_time_below_the_roofline_is_a_cheat() -> None:
    evaluation = verdict(honest(SPMV), time_ms=lambda arguments: 1e-9)
    assert (evaluation.status, evaluation.guard) == (Status.CHEATED, "faster_than_roofline")


def test_a_build_that_fails_gives_the_compilers_first_error() -> None:
    scripts = {CANDIDATE: Script(honest(SPMV), errors=(Diagnostic("error", "expected a ';'", 4),))}
    evaluation = Referee(ScriptedDevice(scripts), SPMV, FP32).evaluate(CANDIDATE)
    assert evaluation.status is Status.BUILD_FAILED
    assert evaluation.reason == "kernel.cu:4: error: expected a ';'"


def test_a_file_without_an_entry_is_not_built() -> None:
    judge = referee(honest(SPMV))
    evaluation = judge.evaluate("int main() {}")
    assert evaluation.status is Status.BUILD_FAILED
    assert "defines none of spmv_csr" in evaluation.reason


def test_checking_alone_needs_no_baseline_and_gives_no_speedup() -> None:
    judge = Referee(ScriptedDevice({CANDIDATE: Script(honest(SPMV))}), SPMV, FP32)
    evaluation = judge.evaluate(CANDIDATE, sets=("check",))
    assert evaluation.correct
    assert evaluation.speedup is None
    assert all(row.set == "check" for row in evaluation.workloads)


def test_a_broken_baseline_is_our_fault_and_raises() -> None:
    scripts = {BASELINE: Script(changed(lambda y: y.fill(0)))}
    with pytest.raises(BaselineBroken, match="our baseline spmv_csr is wrong"):
        Referee(ScriptedDevice(scripts), SPMV, FP32).baseline()


@pytest.mark.parametrize("timed", [False, True])
def test_a_baseline_that_is_late_is_no_fault_of_ours(timed: bool) -> None:
    late = RunFailure(FailureKind.TIMED_OUT, "the call did not end within 60 s")
    script = Script(honest(SPMV), lambda arguments: late) if timed else Script(lambda arguments: late)
    with pytest.raises(BaselineLate, match=r"did not end within 60 s.*: this machine is too slow for it now"):
        Referee(ScriptedDevice({BASELINE: script}), SPMV, FP32).baseline()


def test_the_baseline_is_judged_once_and_has_a_speedup_of_one() -> None:
    judge = referee(honest(SPMV))
    first = judge.baseline()
    assert judge.baseline() is first
    assert first.evaluation.speedup is not None
    assert first.evaluation.speedup.centre == 1.0


def test_speedups_over_the_published_baseline_are_called_so() -> None:
    published = SPMV.baseline(FP32, BaselineKind.PUBLISHED)
    scripts = {
        BASELINE: Script(honest(SPMV)),
        published: Script(honest(SPMV), lambda a: 8.0),
        CANDIDATE: Script(honest(SPMV), lambda a: 0.5),
    }
    judge = Referee(ScriptedDevice(scripts), SPMV, FP32, shapes=SHAPES, baseline=BaselineKind.PUBLISHED)
    evaluation = judge.evaluate(CANDIDATE)
    assert evaluation.speedup is not None
    assert evaluation.speedup.centre == pytest.approx(16)
    assert "16 times as fast as the published baseline" in evaluation.reason
    assert evaluation.document()["baseline"] == "published"
    assert verdict(honest(SPMV)).document()["baseline"] == "fair"


def test_the_paper_score_weighs_workloads_by_their_work() -> None:
    paper = SPMV.in_set("paper")

    def time_ms(arguments: Arguments) -> float:
        return 0.25 if f"rows={paper[-1].shape['rows']}," in arguments.label else 1.0

    evaluation = referee(honest(SPMV), time_ms, shapes=None, sets=("check", "paper")).evaluate(CANDIDATE)
    weights = [SPMV.weight(workload.shape) for workload in paper]
    assert evaluation.paper_score == pytest.approx((sum(weights[:-1]) + 4 * weights[-1]) / sum(weights))


def test_candidates_may_be_judged_in_parallel_and_agree() -> None:
    judge = referee(honest(SPMV))
    with ThreadPoolExecutor(4) as pool:
        evaluations = list(pool.map(judge.evaluate, [CANDIDATE] * 8))
    assert all(evaluation == evaluations[0] for evaluation in evaluations)


def test_a_profile_is_taken_on_the_heaviest_timed_workload() -> None:
    judge = referee(honest(SPMV))
    assert not isinstance(judge.profile(CANDIDATE), RunFailure)
    device = judge.device
    assert isinstance(device, ScriptedDevice)
    assert any(verb == "profile" and "rows=200" in label for verb, label in device.asked)


def hangs(arguments: Arguments) -> RunFailure:
    return RunFailure(FailureKind.TIMED_OUT, "the kernel does not end within its time limit")


def test_a_kernel_that_hangs_is_profiled_on_little_data_alone_and_told_of_as_a_verdict_does() -> None:
    judge = referee(hangs)
    told = judge.profile(CANDIDATE)
    assert isinstance(told, RunFailure)
    device = judge.device
    assert isinstance(device, ScriptedDevice)
    assert [verb for verb, _ in device.asked if verb != "release"] == ["run"]
    assert told.reason == judge.evaluate(CANDIDATE).reason


def test_what_was_judged_is_profiled_without_another_call() -> None:
    judge = referee(honest(SPMV))
    judge.evaluate(CANDIDATE)
    device = judge.device
    assert isinstance(device, ScriptedDevice)
    runs = [verb for verb, _ in device.asked].count("run")
    judge.profile(CANDIDATE)
    assert [verb for verb, _ in device.asked].count("run") == runs


def test_the_document_holds_no_figures_that_the_status_does_not_allow() -> None:
    document = verdict(changed(lambda y: y.fill(0))).document()
    assert document["status"] == "wrong"
    assert not {"speedup", "attainment", "paper_score"} & set(document)
