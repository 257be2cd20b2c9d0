"""A role's prompts for a situation. A variable that a template names and nobody gives is an error."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from cudamaster.agents.briefing import brief
from cudamaster.agents.errors import Unwritten
from cudamaster.agents.nouns import Attempt, Plan, Situation
from cudamaster.agents.role import FOLDER, Role
from cudamaster.agents.shortening import LIMIT_TOKENS, shortened, tokens_of
from cudamaster.agents.wording import FILTERS
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked."""

    system: str
    """Who it is and how it works; the same in every round."""
    task: str
    """This situation, and what to answer."""

    @property
    def tokens(self) -> int:
        """Tokens it takes, rather too many."""
        return tokens_of(len(self.system)) + tokens_of(len(self.task))


@cache
def environment() -> jinja2.Environment:
    """Templates of all roles and the sections they share."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters.update(FILTERS)
    return environment


def planner_prompt(role: Role, situation: Situation, count: int) -> Prompt:
    """Asks for `count` plans."""
    return _render(role, brief(situation) | {"count": count})


def coder_prompt(role: Role, situation: Situation, plan: Plan) -> Prompt:
    """Asks for the source that follows `plan`."""
    return _render(role, brief(situation, plan=plan))


def debugger_prompt(
    role: Role, situation: Situation, plan: Plan, source: str, evaluation: Evaluation
) -> Prompt:
    """Asks for a mend of `source`."""
    return _render(role, brief(situation, plan=plan) | {"source": source, "evaluation": evaluation})


def profiler_prompt(
    role: Role, situation: Situation, profile: Profile | None, attempt: Attempt | None
) -> Prompt:
    """Asks what binds the profiled kernel and, with an attempt, what it taught."""
    return _render(role, brief(situation, profile=profile, attempt=attempt))


def _render(role: Role, variables: dict[str, Any], limit_tokens: int = LIMIT_TOKENS) -> Prompt:
    """The fullest prompt within the limit. Raises Unwritten where even the barest is longer."""
    system, task = (environment().get_template(f"{role.name}/{kind}.md.j2") for kind in ("system", "task"))
    for fewer in shortened(variables):
        prompt = Prompt(_tidy(system.render(fewer)), _tidy(task.render(fewer)))
        if prompt.tokens <= limit_tokens:
            return prompt
    raise Unwritten(
        f"the {role.name}'s prompt takes {prompt.tokens} tokens, above the limit of {limit_tokens}: "
        "the kernel itself is too long",
        "",
    )


def _tidy(text: str) -> str:
    """At most one empty line in a row."""
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
