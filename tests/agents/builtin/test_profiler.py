from dataclasses import replace

import pytest

from cudamaster.agents.builtin.profiler import conclude, diagnose
from cudamaster.agents.nouns import Plan
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Interval, Status, WorkloadResult
from tests.doubles.situations import attempt, evaluation, profile, situation

PLAN = Plan("tile", "Stage a tile.", "FMAs wait", "fma_pipe_utilisation", "higher")


def test_a_diagnosis_has_the_bound_and_only_metrics_that_explain_it() -> None:
    diagnosis = diagnose(profile("memory", {"l1_throughput": 91.0, "tensor_pipe_utilisation": 0.0}))

    assert diagnosis.bound == "memory"
    assert "91 %" in diagnosis.sentence
    assert diagnosis.metrics == {"l1_throughput": 91.0}


def test_of_several_kernels_the_heaviest_is_diagnosed() -> None:
    light, heavy = profile("latency", time_ms=1.0).kernels[0], profile("compute", time_ms=3.0).kernels[0]

    diagnosis = diagnose(Profile(Clock.MODELLED, (light, heavy)))

    assert diagnosis.bound == "compute"
    assert diagnosis.sentence.startswith("example_kernel, 75% of the time: ")


def test_a_profile_without_kernels_cannot_be_diagnosed() -> None:
    with pytest.raises(ValueError, match="without kernels"):
        diagnose(Profile(Clock.MODELLED, ()))


def lesson(after: float, speedup: float, plan: Plan = PLAN) -> str:
    now = situation(baseline_profile=profile(metrics={"fma_pipe_utilisation": 10.0}))
    seen = profile("compute", {"fma_pipe_utilisation": after})
    return conclude(now, attempt(1, plan, verdict=evaluation(speedup=speedup), seen=seen))


def test_a_kept_prediction_is_told_with_its_figures() -> None:
    text = lesson(55.0, 4.0)

    assert "predicted fma_pipe_utilisation higher, and it went from 10 to 55 %" in text
    assert "4.00x the baseline, faster than the best before (1.00x), now bound by compute" in text


def test_a_failed_prediction_is_told_as_one() -> None:
    assert "higher, but it went from 10 to 5 %" in lesson(5.0, 0.8)
    assert "slower than the best before" in lesson(5.0, 0.8)
    assert "but it stayed at 10.1 %" in lesson(10.1, 1.5)


@pytest.mark.parametrize("speedup", [0.95, 1.0, 1.09])
def test_a_modelled_gain_under_a_tenth_is_no_gain(speedup: float) -> None:
    assert "as fast as the best before (1.00x)" in lesson(5.0, speedup)


def test_the_profile_is_told_with_the_workload_it_is_of() -> None:
    small = WorkloadResult("paper", {"N": 64}, speedup=Interval(2, 2, 2), weight=64)
    large = WorkloadResult("real", {"N": 4096}, speedup=Interval(2, 2, 2), weight=4096, pattern="rmat")
    verdict = replace(evaluation(speedup=2.0), workloads=(large, small))
    now = situation(baseline_profile=profile(metrics={"global_load_requests": 20_000.0}))
    plan = Plan("tile", "c", "r", "global_load_requests", "lower")
    seen = profile(metrics={"global_load_requests": 5_000.0})

    assert diagnose(seen, verdict).sentence.endswith("(on N=4096 rmat)")
    assert "it went from 20000 to 5000 requests on N=4096 rmat" in conclude(
        now, attempt(1, plan, verdict=verdict, seen=seen)
    )


def test_without_a_prediction_only_the_worth_is_told() -> None:
    assert "nothing was predicted; 2.00x" in lesson(5.0, 2.0, Plan("tile", "c", "r"))


def test_a_refusal_is_told_in_the_referee_s_words() -> None:
    refused = attempt(1, PLAN, verdict=evaluation(Status.WRONG, reason="the tail is dropped"))

    assert conclude(situation(), refused) == "tile was refused (wrong): the tail is dropped"


def test_a_lesson_s_figure_says_of_how_many_workloads_it_is() -> None:
    rows = [WorkloadResult("real", {"N": i}, speedup=Interval(4.0, 4.0, 4.0)) for i in range(3)]
    several, one = (replace(evaluation(speedup=4.0), workloads=tuple(rows[:n])) for n in (3, 1))

    assert "4.00x the baseline on its round's 3 workloads, faster than" in conclude(
        situation(), attempt(1, PLAN, verdict=several)
    )
    assert "4.00x the baseline on its round's workload, faster than" in conclude(
        situation(), attempt(1, PLAN, verdict=one)
    )
