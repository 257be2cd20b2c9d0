"""A team that attacks the page it is shown on, wherever an agent may say something."""

from cudamaster.agents.nouns import Plan
from cudamaster.search.scripted import ScriptedTeam
from tests.doubles.stored_kernel import HOSTILE


class HostileTeam(ScriptedTeam):
    """The script's kernels, with HOSTILE in the place of all words."""

    def plan(self, situation: object, count: int, rng: object) -> list[Plan]:
        """The script's plans with hostile texts."""
        plans = super().plan(situation, count, rng)  # type: ignore[arg-type]
        return [Plan(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, plan.parameters) for plan in plans]

    def conclude(self, situation: object, attempt: object) -> str:
        """No lesson at all."""
        return HOSTILE
