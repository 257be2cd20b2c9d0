"""The built-in expert as a team: the four roles, answered by the playbook."""

import numpy as np

from cudamaster.agents.builtin import debugger, planner, profiler
from cudamaster.agents.builtin.catalog import find_strategy
from cudamaster.agents.builtin.rendering import render_for
from cudamaster.agents.errors import UnknownStrategy
from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation


class BuiltinTeam:
    """A `Team` without a language model. It keeps nothing: all it knows is the situation it is shown."""

    name = "builtin"

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """The device's own classification of the heaviest kernel, with the metrics that matter for it."""
        return profiler.diagnose(profile, situation.parent.evaluation)

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """Strategies by Thompson sampling, settings by neighbourhood; empty when nothing is left."""
        return planner.plan_round(situation, count, rng)

    def write(self, situation: Situation, plan: Plan) -> str:
        """The plan's template at the plan's parameters. Raises UnknownStrategy."""
        strategy = find_strategy(plan.strategy, situation.operator, situation.precision)
        if strategy is None:
            raise UnknownStrategy(
                f"the playbook has no strategy '{plan.strategy}' for {situation.operator.name}"
            )
        return render_for(situation, strategy, plan.parameters)

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """A smaller setting, or the strategy's fallback; None where neither would help."""
        return debugger.mend(situation, plan, source, evaluation)

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """Prediction against outcome."""
        return profiler.conclude(situation, attempt)
