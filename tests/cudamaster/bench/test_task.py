"""A task's row in a result file, as it follows from its run's outcome."""

from dataclasses import replace
from pathlib import Path

from cudamaster.agents.nouns import Plan
from cudamaster.bench.score import Score, score_of
from cudamaster.bench.task import outcome_row
from cudamaster.search.outcome import Best, Outcome
from mskernelbench.evaluation import Evaluation, Interval, Status, Vendor, WorkloadResult
from tests.doubles import scripted_run

TWICE = Interval(2.0, 2.0, 2.0)
VERDICT = Evaluation(
    operator="matrix_mul", precision="fp32", entry="matrix_mul", device="cuda:0", clock="measured",
    status=Status.CORRECT, reason="right", seed=0, speedup=TWICE, attainment=0.5,
    workloads=(WorkloadResult("paper", {"M": 8}, speedup=TWICE),),
)  # fmt: skip


def scored(verdict: Evaluation, folder: Path) -> Score:
    best = Best(1, 1, Plan("tiled", "tile it", "it is slow"), "", "kernel.cu", "a" * 64, verdict)
    outcome = Outcome(
        run="run", folder=str(folder), settings=scripted_run.settings(folder), clock="measured", rounds=1,
        candidates=1, stopped_by="rounds", baseline=None, best=best, seconds=60.0,
    )  # fmt: skip
    row = outcome_row(outcome, scripted_run.folder(folder), "b" * 64)
    return score_of({"operator": "matrix_mul", "precision": "fp32", "scenario": "x"} | row)


def test_a_kernel_that_was_timed_beside_the_vendors_own_has_that_speedup_too(tmp_path: Path) -> None:
    beside = replace(VERDICT, vendor=Vendor("cuBLAS 13.1.0", Interval(0.9, 0.88, 0.92)))

    assert scored(beside, tmp_path).vendor_speedup == Interval(0.9, 0.88, 0.92)


def test_where_the_vendors_own_has_no_time_there_is_no_such_speedup(tmp_path: Path) -> None:
    lacking = replace(VERDICT, vendor=Vendor("cuBLAS", lacks="it is not installed"))

    assert scored(VERDICT, tmp_path).vendor_speedup is None
    assert scored(lacking, tmp_path / "other").vendor_speedup is None
