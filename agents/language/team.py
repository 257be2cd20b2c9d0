"""A `Team` of language models, one for each role."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cudamaster.agents.builtin import profiler as words
from cudamaster.agents.debugger import gives_up
from cudamaster.agents.errors import Unwritten
from cudamaster.agents.language.asking import Voice
from cudamaster.agents.models.model import Model
from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.agents.prompts import coder_prompt, debugger_prompt, planner_prompt, profiler_prompt
from cudamaster.agents.replies import source_from
from cudamaster.agents.role import all_roles
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation

MAX_OUTPUT_TOKENS = 32_000
"""Of one answer, thinking included; a long kernel has 10,000."""


@dataclass(frozen=True)
class LanguageTeam:
    """Four roles, each spoken for by a model. It keeps nothing: all it knows is the situation it is shown."""

    name: str
    models: Mapping[str, Model]
    """By role."""
    max_output_tokens: int = MAX_OUTPUT_TOKENS

    def through(self, models: Mapping[str, Model]) -> "LanguageTeam":
        """The same team whose questions go through other models, such as ones that keep accounts."""
        return replace(self, models=models)

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """The profiler's reading; the device's own where it says nothing that can be used."""
        role = all_roles()["profiler"]
        try:
            prompt = profiler_prompt(role, situation, profile, None)
            reading: Diagnosis = self._voice("profiler").answer(prompt, lambda r: role.parse(r).diagnosis)
            return reading
        except Unwritten:
            return words.diagnose(profile, situation.parent.evaluation)

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """The planner's changes, at most `count`. Raises Unwritten."""
        role = all_roles()["planner"]
        plans: list[Plan] = self._voice("planner").answer(planner_prompt(role, situation, count), role.parse)
        return plans[:count]

    def write(self, situation: Situation, plan: Plan) -> str:
        """The coder's file, or the kernel it started from after its edits. Raises Unwritten."""
        prompt = coder_prompt(all_roles()["coder"], situation, plan)
        return self._voice("coder").answer(prompt, lambda reply: source_from(reply, situation.parent.source))

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """The debugger's mend; None where it gives up or says nothing that can be used."""
        prompt = debugger_prompt(all_roles()["debugger"], situation, plan, source, evaluation)

        def read(reply: str) -> str | None:
            return None if gives_up(reply) else source_from(reply, source)

        try:
            return self._voice("debugger").answer(prompt, read)
        except Unwritten:
            return None

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """The profiler's lesson; where nothing was profiled, the verdict's reason, which needs no model."""
        if attempt.profile is None:
            return words.conclude(situation, attempt)
        role = all_roles()["profiler"]
        prompt = profiler_prompt(role, situation, attempt.profile, attempt)
        try:
            return self._voice("profiler").answer(prompt, lambda reply: str(role.parse(reply).lesson))
        except Unwritten:
            return words.conclude(situation, attempt)

    def _voice(self, role: str) -> Voice:
        return Voice(all_roles()[role], self.models[role], self.max_output_tokens)
