"""The expert's profiler: what binds a kernel, and how a prediction compares with what happened."""

from cudamaster.agents.bottleneck import heaviest, telling_metrics
from cudamaster.agents.nouns import Attempt, Diagnosis, Situation
from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.profile import Profile

UNCHANGED = 0.02
"""Relative change below which a metric counts as unchanged."""


def diagnose(profile: Profile) -> Diagnosis:
    """The bound of the heaviest kernel, with the evidence. Raises ValueError where there is no kernel."""
    kernel = heaviest(profile)
    if kernel is None:
        raise ValueError("a profile without kernels has nothing to diagnose")
    share = kernel.time_ms / profile.time_ms if profile.time_ms else 1.0
    part = f"{kernel.name}, {share:.0%} of the time: " if len(profile.kernels) > 1 else ""
    return Diagnosis(kernel.bound, f"{part}{kernel.bound_by}", telling_metrics(kernel))


def conclude(situation: Situation, attempt: Attempt) -> str:
    """One sentence: what was predicted, what happened, and what it was worth."""
    evaluation = attempt.evaluation
    if not evaluation.correct:
        return f"{attempt.plan.strategy} was refused ({evaluation.status}): {evaluation.reason}"
    return f"{attempt.plan.strategy}: {_outcome(situation, attempt)}; {_worth(situation, attempt)}."


def _outcome(situation: Situation, attempt: Attempt) -> str:
    """Prediction against outcome, in words."""
    metric, direction = attempt.plan.predicted_metric, attempt.plan.predicted_direction
    if metric is None or direction is None:
        return "nothing was predicted"
    before, after = (_value(a, metric) for a in (situation.best, attempt))
    if before is None or after is None:
        return f"predicted {metric} {direction}, which the profile does not show"
    unit = METRICS[metric].unit if metric in METRICS else ""
    moved = f"it went from {before:.4g} to {after:.4g} {unit}".rstrip()
    if abs(after - before) <= UNCHANGED * abs(before):
        return f"predicted {metric} {direction}, but it stayed at {after:.4g} {unit}".rstrip()
    kept = (after > before) == (direction == "higher")
    return f"predicted {metric} {direction}, {'and' if kept else 'but'} {moved}"


def _value(attempt: Attempt, metric: str) -> float | None:
    kernel = heaviest(attempt.profile)
    return kernel.metrics.get(metric) if kernel else None


def _worth(situation: Situation, attempt: Attempt) -> str:
    """The speedup, beside the best's before."""
    speedup, best = attempt.evaluation.speedup, situation.best.evaluation.speedup
    if speedup is None:
        return "correct, but not timed"
    before = best.centre if best and situation.best.number else 1.0
    verdict = "faster than" if speedup.low > before else "no faster than"
    kernel = heaviest(attempt.profile)
    bound = f", now bound by {kernel.bound}" if kernel else ""
    return f"{speedup.centre:.2f}x the baseline, {verdict} the best before ({before:.2f}x){bound}"
