"""One strategy during a run: which of its settings were tried, what they earned, and which comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isclose

import numpy as np

from cudamaster.agents.bottleneck import heaviest
from cudamaster.agents.builtin.bandit import Arm
from cudamaster.agents.builtin.rendering import describe, render_for
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.agents.nouns import Attempt, Plan, Situation

Key = tuple[tuple[str, int], ...]
"""A setting that can be a dictionary's key."""
SAME = 1e-6
"""Modelled times of the same launches differ by less."""


def key_of(setting: Setting) -> Key:
    """The setting as a key, whatever order its parameters stand in."""
    return tuple(sorted(setting.items()))


def as_fast(one: Attempt, other: Attempt) -> bool | None:
    """Whether two attempts take the same times, as far as digits matter; None where either has none."""
    times = [
        [w.candidate_ms for w in attempt.evaluation.workloads if w.candidate_ms is not None]
        for attempt in (one, other)
    ]
    if not times[0] or len(times[0]) != len(times[1]):
        return None
    return all(isclose(a, b, rel_tol=SAME) for a, b in zip(*times, strict=True))


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is not to be planned."""

    planned: tuple[Plan, ...] = ()
    """Of this round already."""
    idle: bool = True
    """Whether settings that make no difference, as far as can be told, may be."""


class Branch:
    """A strategy, what the history says of it, and what is left of it."""

    def __init__(self, strategy: Strategy, situation: Situation, narrowing: Narrowing = Narrowing()) -> None:
        self.strategy = strategy
        self.situation = situation
        self.attempts = [a for a in situation.history if a.plan.strategy == strategy.name]
        self._sources = {a.source for a in situation.history}
        planned = [p for p in narrowing.planned if p.strategy == strategy.name]
        tried = {key_of(p.parameters) for p in (*planned, *(a.plan for a in self.attempts))}
        self._varied = set[frozenset[str]]()
        """Which parameters this round's plans changed."""
        self._default = strategy.default(situation.precision, situation.spec)
        settings = strategy.settings(situation.precision, situation.spec)
        left = {key_of(s): s for s in settings if key_of(s) not in tried}
        self._left = left if narrowing.idle else {k: s for k, s in left.items() if not self._is_idle(s)}

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

    def _is_idle(self, setting: Setting) -> bool:
        """Whether it differs from the default, or a setting tried before, by what makes no difference."""
        known = [a.plan.parameters for a in self.attempts]
        if any(self.strategy.changed(setting, one) <= self._without_effect for one in known):
            return True
        return self._default is not None and bool(
            self.strategy.changed(setting, self._default) & (self._choosing | self._without_effect)
        )

    @cached_property
    def _choosing(self) -> frozenset[str]:
        """Parameters that say which sizes get which kernel, where one size is all there is."""
        timed = [w for w in self.situation.baseline.evaluation.workloads if w.speedup]
        open_ones = self.strategy.open_parameters(self.situation.precision)
        return frozenset(p.name for p in open_ones if p.chooses) if len(timed) == 1 else frozenset()

    @cached_property
    def _without_effect(self) -> frozenset[str]:
        """Parameters that were changed alone, and never changed a time."""
        pairs = [
            (self.strategy.changed(a.plan.parameters, b.plan.parameters), as_fast(a, b))
            for a, b in combinations(self.attempts, 2)
        ]
        alone = [(next(iter(names)), same) for names, same in pairs if len(names) == 1 and same is not None]
        return frozenset(n for n, _ in alone) - frozenset(n for n, same in alone if not same)

    def _next(self, rng: np.random.Generator) -> Setting:
        left = list(self._left.values())
        if self._default is not None and key_of(self._default) in self._left:
            return self._default
        for attempt in self._best_first():
            near = [s for s in left if self.strategy.distance(s, attempt.plan.parameters) == 1]
            if near:
                return self._drawn(near, attempt.plan.parameters, rng)
        return left[int(rng.integers(len(left)))]

    def _drawn(self, near: Sequence[Setting], around: Setting, rng: np.random.Generator) -> Setting:
        """One of the neighbours, if need be of those that change what this round has not changed yet."""
        drawn = near[int(rng.integers(len(near)))]
        others = [s for s in near if self.strategy.changed(s, around) not in self._varied]
        if others and self.strategy.changed(drawn, around) in self._varied:
            drawn = others[int(rng.integers(len(others)))]
        self._varied.add(self.strategy.changed(drawn, around))
        return drawn

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
