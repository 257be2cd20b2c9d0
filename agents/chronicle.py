"""The history of a run in sentences: what was planned, predicted and what happened."""

import difflib
from collections.abc import Sequence

from cudamaster.agents.nouns import Attempt, Plan, Situation

DIFFERENCE_LINES = 80
"""Longest difference that is shown."""


def standing(situation: Situation) -> str:
    """How fast the best kernel is."""
    best = situation.best
    if best is situation.baseline or best.evaluation.speedup is None:
        return "Nothing beats the baseline yet"
    figures = f"{best.evaluation.speedup.centre:.2f}x the baseline"
    attained = best.evaluation.attainment
    at = f", {attained:.0%} of the roofline" if attained is not None else ""
    return f"The best kernel is attempt {best.number} ({best.plan.strategy}), {figures}{at}"


def parent_words(situation: Situation) -> str:
    """Which kernel the next candidate starts from."""
    parent = situation.parent
    if parent.number == situation.baseline.number:
        return "the baseline"
    return f"attempt {parent.number}, {parent.plan.strategy}: {outcome_words(parent)}"


def prediction_words(plan: Plan) -> str:
    """What a plan predicted; empty where it predicted nothing."""
    if plan.predicted_metric is None:
        return ""
    return f"Predicted: {plan.predicted_metric} {plan.predicted_direction}."


def outcome_words(attempt: Attempt) -> str:
    """What became of an attempt."""
    evaluation = attempt.evaluation
    if not evaluation.correct:
        return f"{evaluation.status}: {evaluation.reason}"
    if evaluation.speedup is None:
        return "correct, not timed"
    return f"correct, {evaluation.speedup.centre:.2f}x the baseline"


def history_line(attempt: Attempt) -> str:
    """Plan → predicted → happened."""
    predicted = prediction_words(attempt.plan).removeprefix("Predicted: ").rstrip(".") or "nothing"
    lesson = f" Lesson: {attempt.lesson}" if attempt.lesson else ""
    plan = f"attempt {attempt.number}, {attempt.plan.strategy}: {attempt.plan.change}"
    return f"{plan} → {predicted} → {outcome_words(attempt)}.{lesson}"


def contrasting_pair(history: Sequence[Attempt]) -> dict[str, str] | None:
    """Of one strategy's attempts, the two whose rewards lie furthest apart, with how their sources differ."""
    pairs = [
        (better, worse)
        for better in history
        for worse in history
        if better.plan.strategy == worse.plan.strategy
        and better.reward > worse.reward
        and better.evaluation.correct
    ]
    if not pairs:
        return None
    better, worse = max(pairs, key=lambda pair: pair[0].reward - pair[1].reward)
    return {
        "better": history_line(better),
        "worse": history_line(worse),
        "difference": _difference(worse.source, better.source),
    }


def _difference(old: str, new: str) -> str:
    """From the worse source to the better one."""
    lines = list(
        difflib.unified_diff(old.splitlines(), new.splitlines(), "worse", "better", n=2, lineterm="")
    )
    cut = [f"… {len(lines) - DIFFERENCE_LINES} more lines"] if len(lines) > DIFFERENCE_LINES else []
    return "\n".join(lines[:DIFFERENCE_LINES] + cut)
