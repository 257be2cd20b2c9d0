"""What runs learn from each other: recalled before a plan is made, kept when a run is over."""

from collections.abc import Sequence
from pathlib import Path

from cudamaster.agents.bottleneck import heaviest
from cudamaster.agents.nouns import Attempt, Situation
from cudamaster.agents.team import ModelTeam
from cudamaster.errors import BrokenStore
from cudamaster.search.context import Context, Judged, View, recalled_key
from cudamaster.search.standing import refused_at_the_end
from cudamaster.search.storing import place_name
from cudamaster.search.story import story_of
from cudamaster.store.codec import Malformed, well_formed
from cudamaster.store.lessons import Lesson
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Status
from mskernelbench.ratios import ratio_text

MOST = 8
"""Lessons of earlier runs that a prompt shows."""


def recall(context: Context, situation: Situation, view: View) -> None:
    """Journal the lessons that fit what is to be planned, so that every session of the run shows the same.

    The built-in expert reads none.
    """
    lessons, expert = context.lessons, situation.round <= context.settings.expert_rounds
    if lessons is None or expert or not isinstance(context.team, ModelTeam):
        return

    def fitting() -> list[Lesson]:
        return lessons.fitting(
            operator=context.operator.name,
            family=str(context.operator.category),
            precision=str(context.precision),
            device=place_name(context.settings.device, context.spec.name),
            bound=bound_of(situation.parent),
            run=context.run,
            most=MOST,
        )

    def pay() -> list[str]:
        looked_at = set[str]()
        while runs := {lesson.run for lesson in fitting()} - looked_at:
            for run in runs:
                lessons.take_back(run, refused_in(lessons.file.parent, run))
            looked_at |= runs
        return [sentence(lesson) for lesson in fitting()]

    context.ledger.once("recalled", recalled_key(view), pay, round=situation.round)


def refused_in(runs: Path, run: str) -> list[int]:
    """Candidates of a run that its end refused, whose lessons an earlier version kept all the same.

    None where its journal is gone, or cannot be read: then nothing speaks against them.
    """
    try:
        with well_formed():
            events = RunFolder(runs / run).events()
            story = story_of(events) if events else {"rounds": []}
    except (BrokenStore, Malformed, OSError):
        return []
    judged = [candidate for told in story["rounds"] for candidate in told["candidates"]]
    return [c["number"] for c in judged if "end" in c and c["end"]["status"] != Status.CORRECT]


def keep(context: Context, judged: Sequence[Judged]) -> None:
    """Keep what the correct candidates taught; a refusal's reason is about its own source and no other.

    A candidate that the end refused was never correct, whatever the rounds saw of it.
    """
    if context.lessons is None:
        return
    refused = {candidate["number"] for candidate in judged if refused_at_the_end(context, candidate)}
    context.lessons.take_back(context.run, refused)
    situation = context.situation(0, judged)
    bounds = {a.number: bound_of(a) for a in (situation.baseline, *situation.history)}
    context.lessons.keep(
        lesson_of(context, attempt, bounds[attempt.parent])
        for attempt in situation.history
        if attempt.evaluation.correct and attempt.lesson and attempt.number not in refused
    )


def lesson_of(context: Context, attempt: Attempt, bound: str) -> Lesson:
    """The attempt's lesson as it is kept."""
    speedup = attempt.evaluation.speedup
    return Lesson(
        run=context.run,
        number=attempt.number,
        operator=context.operator.name,
        family=str(context.operator.category),
        precision=str(context.precision),
        device=place_name(context.settings.device, context.spec.name),
        bound=bound,
        strategy=attempt.plan.strategy,
        speedup=speedup.centre if speedup else 1.0,
        reward=attempt.reward,
        text=attempt.lesson,
    )


def bound_of(attempt: Attempt) -> str:
    """What binds an attempt's heaviest kernel; empty where it was not profiled."""
    kernel = heaviest(attempt.profile)
    return kernel.bound if kernel else ""


def sentence(lesson: Lesson) -> str:
    """The lesson with where it was learnt."""
    bound = f", from a {lesson.bound}-bound kernel" if lesson.bound else ""
    where = f"{lesson.operator} {lesson.precision} on {lesson.device}{bound}"
    return f"{where}: {lesson.strategy} reached {ratio_text(lesson.speedup)} the baseline. {lesson.text}"
