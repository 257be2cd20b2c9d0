"""The seam between the search and whoever proposes: four roles behind four methods."""

from collections.abc import Mapping
from typing import Protocol, Self, runtime_checkable

import numpy as np

from cudamaster.agents.models.model import Model
from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation


class Team(Protocol):
    """Planner, coder, debugger and profiler. The built-in expert is one team, a language model another."""

    @property
    def name(self) -> str:
        """What `--model` calls it, such as `builtin`."""

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """Profiler: classify the bottleneck of `profile`."""

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """Planner: up to `count` different plans for this round; none when nothing is left to try."""

    def write(self, situation: Situation, plan: Plan) -> str:
        """Coder: the complete `.cu` source that follows `plan`."""

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """Debugger: a mended source after a refusal, or None to give the candidate up."""

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """Profiler: one sentence comparing prediction and outcome; later rounds read it."""


@runtime_checkable
class ModelTeam(Protocol):
    """A team whose answers come from language models, and cost."""

    @property
    def models(self) -> Mapping[str, Model]:
        """By role."""

    def through(self, models: Mapping[str, Model]) -> Self:
        """The same team, asking `models`."""
