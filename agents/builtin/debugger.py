"""The expert's debugger: a smaller setting where a kernel asks for too much, else another strategy."""

from collections.abc import Iterator

from cudamaster.agents.builtin.catalog import find_strategy, strategies_for
from cudamaster.agents.builtin.rendering import render_for
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.agents.nouns import Plan, Situation
from mskernelbench.evaluation import Evaluation, Status

TOO_MUCH = (Status.LAUNCH_FAILED, Status.TIMED_OUT, Status.BUILD_FAILED)
"""Refusals that a smaller block may escape: shared memory, registers, threads, time."""
CANNOT_RUN = (*TOO_MUCH, Status.UNSUPPORTED)
"""Refusals that another strategy may escape. A wrong or cheating kernel is not mended by being replaced."""


def mend(situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
    """A source that avoids the refusal and was not tried before; None to give the candidate up."""
    if evaluation.status not in CANNOT_RUN:
        return None
    known = {source, *(a.source for a in situation.history)}
    mends = _mends(situation, plan, source, evaluation.status)
    return next((mended for mended in mends if mended not in known), None)


def _mends(situation: Situation, plan: Plan, source: str, status: Status) -> Iterator[str]:
    """Mended sources, the closest to what was planned first."""
    strategy, setting = _origin(situation, plan, source)
    if strategy is None:
        return
    if status in TOO_MUCH:
        for smaller in _smaller(strategy, setting, situation):
            yield render_for(situation, strategy, smaller)
    while strategy.fallback is not None:
        fallback = find_strategy(strategy.fallback, situation.operator, situation.precision)
        if fallback is None:
            return
        default = fallback.default(situation.precision, situation.spec)
        if default is not None:
            yield render_for(situation, fallback, default)
        strategy = fallback


def _origin(situation: Situation, plan: Plan, source: str) -> tuple[Strategy | None, Setting]:
    """The strategy and setting that `source` was rendered from: the plan's, or an earlier mend's."""
    planned = find_strategy(plan.strategy, situation.operator, situation.precision)
    if planned is None or render_for(situation, planned, plan.parameters) == source:
        return planned, plan.parameters
    for strategy in strategies_for(situation.operator, situation.precision):
        if not source.startswith(f"// {strategy.title}"):
            continue
        for setting in strategy.settings(situation.precision, situation.spec):
            if render_for(situation, strategy, setting) == source:
                return strategy, setting
    return planned, plan.parameters


def _smaller(strategy: Strategy, setting: Setting, situation: Situation) -> list[Setting]:
    """Settings whose block takes less of a multiprocessor, the nearest first."""
    size = strategy.size(setting, situation.precision)
    fitting = strategy.settings(situation.precision, situation.spec)
    smaller = [s for s in fitting if strategy.size(s, situation.precision) < size]
    return sorted(smaller, key=lambda s: strategy.distance(s, setting))
