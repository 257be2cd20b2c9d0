"""A team that climbs made-up hills: what a kernel is worth depends on where its parent stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.search.scripted import verdict_line
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation, Status

Hills = Mapping[str, Sequence[float]]
"""Speedups along each hill, step by step; its last figure goes on for ever."""


@dataclass
class Climbers:
    """From the baseline, one step onto the hill that the plan names; from a hill, one step further up it."""

    hills: Hills
    name: str = "climbers"
    seen: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Parent and history of every planner's question."""

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """Nobody needs it."""
        return Diagnosis("memory", "DRAM, by the script", {})

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """The hills in turn, beginning where the island does."""
        self.seen.append((situation.parent.number, tuple(a.number for a in situation.history)))
        names, first = list(self.hills), int(rng.integers(len(self.hills)))
        chosen = [names[(first + i) % len(names)] for i in range(count)]
        return [Plan(name, f"climb {name}", "the script") for name in chosen]

    def write(self, situation: Situation, plan: Plan) -> str:
        """The next step, with its verdict."""
        hill, height = place_of(situation.parent.source) or (plan.strategy, -1)
        steps = self.hills[hill]
        speedup = steps[min(height + 1, len(steps) - 1)]
        return verdict_line(Status.CORRECT, speedup, 0.1) + f"// {hill} {height + 1}\n"

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """Nothing is refused here."""
        raise AssertionError("no source of these is refused")

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """Where it stands."""
        return f"attempt {attempt.number} stands at {place_of(attempt.source)}"


def place_of(source: str) -> tuple[str, int] | None:
    """Hill and height of a source; None for the baseline."""
    lines = source.splitlines()
    if len(lines) < 2:
        return None
    hill, height = lines[1].removeprefix("// ").split()
    return hill, int(height)
