"""Two teams in turn: the expert's first rounds cost nothing, and leave a good kernel to go on from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.model import Model
from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.agents.team import Team
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation


@dataclass(frozen=True)
class Relay:
    """`first` for some rounds, then `then`."""

    first: Team
    then: LanguageTeam
    first_rounds: int

    @property
    def name(self) -> str:
        """The second team's: it is the one that was asked for."""
        return self.then.name

    @property
    def models(self) -> Mapping[str, Model]:
        """The second team's."""
        return self.then.models

    def through(self, models: Mapping[str, Model]) -> "Relay":
        """The same teams, the second asking other models."""
        return replace(self, then=self.then.through(models))

    def _now(self, situation: Situation) -> Team:
        return self.first if situation.round <= self.first_rounds else self.then

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """By the team of the round."""
        return self._now(situation).diagnose(situation, profile)

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """By the team of the round."""
        return self._now(situation).plan(situation, count, rng)

    def write(self, situation: Situation, plan: Plan) -> str:
        """By the team of the round."""
        return self._now(situation).write(situation, plan)

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """By the team of the round."""
        return self._now(situation).debug(situation, plan, source, evaluation)

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """By the team of the round."""
        return self._now(situation).conclude(situation, attempt)
