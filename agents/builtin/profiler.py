"""The expert's profiler: what binds a kernel, and how a prediction compares with what happened."""

from cudamaster.agents.bottleneck import heaviest, telling_metrics
from cudamaster.agents.nouns import Attempt, Diagnosis, Situation
from cudamaster.agents.wording import quantity, shape_words
from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation, Interval
from mskernelbench.ratios import faster_than

UNCHANGED = 0.02
"""Relative change below which a metric counts as unchanged."""


def diagnose(profile: Profile, evaluation: Evaluation | None = None) -> Diagnosis:
    """The bound of the heaviest kernel, with the evidence, and the workload where the verdict tells it.

    Raises ValueError where there is no kernel.
    """
    kernel = heaviest(profile)
    if kernel is None:
        raise ValueError("a profile without kernels has nothing to diagnose")
    share = kernel.time_ms / profile.time_ms if profile.time_ms else 1.0
    part = f"{kernel.name}, {share:.0%} of the time: " if len(profile.kernels) > 1 else ""
    workload = profiled_workload(evaluation) if evaluation else ""
    where = f" (on {workload})" if workload else ""
    return Diagnosis(kernel.bound, f"{part}{kernel.bound_by}{where}", telling_metrics(kernel))


def profiled_workload(evaluation: Evaluation) -> str:
    """The heaviest timed workload in words, which is the one profiled; empty where none was timed."""
    timed = [row for row in evaluation.workloads if row.speedup]
    if not timed:
        return ""
    row = max(reversed(timed), key=lambda row: row.weight or 0)
    return f"{shape_words(row.shape)} {row.pattern or ''}".rstrip()


def conclude(situation: Situation, attempt: Attempt) -> str:
    """One sentence: what was predicted, what happened, and what it was worth."""
    evaluation = attempt.evaluation
    if not evaluation.correct:
        return f"{attempt.plan.strategy} was refused ({evaluation.status}): {evaluation.reason}"
    return f"{attempt.plan.strategy}: {_outcome(situation, attempt)}; {_worth(situation, attempt)}."


def _outcome(situation: Situation, attempt: Attempt) -> str:
    """Prediction against outcome, in words. A strategy predicts against the baseline."""
    metric, direction = attempt.plan.predicted_metric, attempt.plan.predicted_direction
    if metric is None or direction is None:
        return "nothing was predicted"
    before, after = (_value(a, metric) for a in (situation.baseline, attempt))
    if before is None or after is None:
        return f"predicted {metric} {direction}, which the profile does not show"
    unit = METRICS[metric].unit if metric in METRICS else ""
    workload = profiled_workload(attempt.evaluation)
    where = f" on {workload}" if workload else ""
    if abs(after - before) <= UNCHANGED * abs(before):
        return f"predicted {metric} {direction}, but it stayed at {quantity(after, unit)}{where}"
    kept = (after > before) == (direction == "higher")
    moved = f"it went from {quantity(before)} to {quantity(after, unit)}{where}"
    return f"predicted {metric} {direction}, {'and' if kept else 'but'} {moved}"


def _value(attempt: Attempt, metric: str) -> float | None:
    kernel = heaviest(attempt.profile)
    return kernel.metrics.get(metric) if kernel else None


def _worth(situation: Situation, attempt: Attempt) -> str:
    """The speedup, beside the best's before."""
    speedup, best = attempt.evaluation.speedup, situation.best.evaluation.speedup
    if speedup is None:
        return "correct, but not timed"
    before = best if best and situation.best.number else Interval(1.0, 1.0, 1.0)
    verdict = _compared(speedup, before, attempt.evaluation.clock)
    kernel = heaviest(attempt.profile)
    bound = f", now bound by {kernel.bound}" if kernel else ""
    of = _of_its_round(attempt.evaluation)
    return f"{speedup.centre:.2f}x the baseline{of}, {verdict} the best before ({before.centre:.2f}x){bound}"


def _of_its_round(evaluation: Evaluation) -> str:
    """Of how many workloads the figure is: the end's, of all, stands beside it and differs."""
    timed = sum(row.speedup is not None for row in evaluation.workloads)
    if not timed:
        return ""
    return " on its round's workload" if timed == 1 else f" on its round's {timed} workloads"


def _compared(speedup: Interval, before: Interval, clock: str) -> str:
    """`faster than`, `slower than` or `as fast as`: what the clock cannot tell apart is as fast."""
    if faster_than(speedup, before, clock):
        return "faster than"
    return "slower than" if faster_than(before, speedup, clock) else "as fast as"
