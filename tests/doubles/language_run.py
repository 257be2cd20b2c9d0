"""A run whose team is language models on a local server, and whose judge believes what sources say."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.calling import Access
from cudamaster.agents.models.model import Model
from cudamaster.agents.models.openai_model import CHAT, OpenAIModel
from cudamaster.agents.models.price import Price
from cudamaster.agents.role import all_roles
from cudamaster.search.outcome import Outcome
from cudamaster.search.run import Run
from cudamaster.search.scripted import ScriptedJudge
from cudamaster.store.journal import Listener
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Status
from tests.doubles import scripted_run
from tests.doubles.model_server import Act, Asked, ModelServer, model_server

PRICE = Price(1.0, 0.1, 10.0)
ENTRY = '\nextern "C" void matrix_mul() {}\n'
WRONG = scripted_run.source("wrong", Status.WRONG) + ENTRY
MENDED = scripted_run.source("mended", speedup=1.2) + ENTRY
GOOD = scripted_run.source("good", speedup=1.5) + ENTRY
BETTER = scripted_run.source("better", speedup=2.5) + ENTRY
SOURCES = {"first": WRONG, "second": GOOD, "third": BETTER, "fourth": GOOD + "// again\n"}
"""What the coder writes for a plan of this name."""
PLANS = {1: ("first", "second"), 2: ("third", "fourth")}
"""The planner's, by round."""


def fenced(language: str, text: str) -> str:
    """A fenced block."""
    return f"```{language}\n{text}\n```\n"


def role_of(asked: Asked) -> str:
    """Who is asked."""
    return next(role for role in all_roles() if f"You are the {role}" in asked.system)


def answer(asked: Asked) -> Act:
    """A good answer of any role."""
    match role_of(asked):
        case "planner":
            number = 2 if "for round 2" in asked.last else 1
            plans = [
                {"strategy": name, "change": f"{name} change", "reason": "why"} for name in PLANS[number]
            ]
            return Act(fenced("json", json.dumps({"plans": plans})))
        case "coder":
            name = next(name for name in SOURCES if f"## The plan\n\n{name} change" in asked.task)
            return Act(fenced("cuda", SOURCES[name]))
        case "debugger":
            return Act(fenced("cuda", MENDED))
        case _:
            reading = {"bound": "memory", "sentence": "DRAM binds.", "metrics": {}, "lesson": "It helped."}
            return Act(fenced("json", json.dumps(reading)))


def model_at(server: ModelServer) -> Model:
    """The server's model; little patience."""
    access = Access("key", "OPENAI_API_KEY", f"{server.url}/v1", 10.0, 1, 0.01)
    return OpenAIModel("m", access, protocol=CHAT, price=PRICE, holds_schema=False)


def team(model: Model) -> LanguageTeam:
    """Every role by one model."""
    return LanguageTeam("openai:m", dict.fromkeys(all_roles(), model), max_output_tokens=1000)


def work(
    folder: RunFolder,
    results: Path,
    model: Model,
    judge: ScriptedJudge | None = None,
    listeners: Sequence[Listener] = (),
    **changes: Any,
) -> Outcome:
    """Bring a run of two rounds of two to its end."""
    settings = scripted_run.settings(
        results, **({"rounds": 2, "candidates": 2, "model": "openai:m"} | changes)
    )
    means = scripted_run.collaborators(scripted_run.team(), judge or ScriptedJudge())
    means = replace(means, team=team(model))
    return Run(folder, settings, means, "cudamaster optimize", threading.Event()).work(listeners)


@contextmanager
def served() -> Iterator[ModelServer]:
    """A server that answers well."""
    with model_server(answer) as server:
        yield server
