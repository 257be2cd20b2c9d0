"""One strategy during a run: which of its settings were tried, what they earned, and which comes next."""

from collections.abc import Sequence

import numpy as np

from cudamaster.agents.bottleneck import heaviest
from cudamaster.agents.builtin.bandit import Arm
from cudamaster.agents.builtin.rendering import describe, render_for
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.agents.nouns import Attempt, Plan, Situation

Key = tuple[tuple[str, int], ...]
"""A setting that can be a dictionary's key."""


def key_of(setting: Setting) -> Key:
    """The setting as a key, whatever order its parameters stand in."""
    return tuple(sorted(setting.items()))


class Branch:
    """A strategy, what the history says of it, and what is left of it."""

    def __init__(self, strategy: Strategy, situation: Situation) -> None:
        self.strategy = strategy
        self.situation = situation
        self.attempts = [a for a in situation.history if a.plan.strategy == strategy.name]
        self._sources = {a.source for a in situation.history}
        tried = {key_of(a.plan.parameters) for a in self.attempts}
        settings = strategy.settings(situation.precision, situation.spec)
        self._left = {key_of(s): s for s in settings if key_of(s) not in tried}
        self._default = strategy.default(situation.precision, situation.spec)

    @property
    def arm(self) -> Arm:
        """The strategy as the bandit sees it."""
        kernel = heaviest(self.situation.baseline.profile)
        bound, metrics = (kernel.bound, kernel.metrics) if kernel else (None, {})
        prior = self.strategy.prior(self.situation.precision, bound, metrics)
        return Arm(self.strategy.name, prior, tuple(a.reward for a in self.attempts))

    def take(self, rng: np.random.Generator) -> Plan | None:
        """The plan to try next, which is then no longer left; None when nothing is.

        The default first, then a neighbour of the best setting, of the second best, and so on; then anything.
        A setting whose source was judged before (as another candidate's mend) is passed over.
        """
        while self._left:
            setting = self._left.pop(key_of(self._next(rng)))
            if render_for(self.situation, self.strategy, setting) not in self._sources:
                return self._plan(setting)
        return None

    def _next(self, rng: np.random.Generator) -> Setting:
        left = list(self._left.values())
        if self._default is not None and key_of(self._default) in self._left:
            return self._default
        for attempt in self._best_first():
            near = [s for s in left if self.strategy.distance(s, attempt.plan.parameters) == 1]
            if near:
                return near[int(rng.integers(len(near)))]
        return left[int(rng.integers(len(left)))]

    def _best_first(self) -> Sequence[Attempt]:
        return sorted(self.attempts, key=lambda a: a.reward, reverse=True)

    def _plan(self, setting: Setting) -> Plan:
        strategy = self.strategy
        at = f" ({describe(setting)})" if setting else ""
        return Plan(
            strategy=strategy.name,
            change=f"{strategy.change}{at}",
            reason=strategy.reason,
            predicted_metric=strategy.predicted_metric,
            predicted_direction=strategy.predicted_direction,
            parameters=dict(setting),
        )
