"""What the loop's steps share, and the state that passes between them.

The state is plain builtins, so that a checkpoint is readable by any version: kernels are named by hash,
evaluations and profiles by their key in the ledger. Nouns are made from it when a role is asked.
"""

import operator
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np

from cudamaster.agents.nouns import Attempt, Plan, Situation
from cudamaster.agents.team import Team
from cudamaster.search.judge import Judge
from cudamaster.search.ledger import Ledger
from cudamaster.search.purse import Purse
from cudamaster.search.settings import Settings
from cudamaster.store.artefacts import Artefacts
from cudamaster.store.codec import Json, decode
from cudamaster.store.lessons import Lessons
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision


class View(TypedDict):
    """What a candidate starts from, and what its roles may look at."""

    parent: int
    """Number of the attempt it starts from."""
    island: int
    sees: list[int]
    """Numbers of the attempts that its roles may look at."""
    place: str
    """The round, and the island where several plan apart: what keys of their plans end in."""


class Ticket(TypedDict):
    """One candidate on its way through a round."""

    number: int
    round: int
    plan: Json
    view: View
    kernel: NotRequired[str]
    """Hash of its source so far."""
    evaluation: NotRequired[str]
    """Key of its evaluation."""
    profile: NotRequired[str]
    """Key of its profile."""
    debugs: int
    """How often the debugger mended it."""
    given_up: bool
    """The debugger had nothing more to offer."""
    lesson: NotRequired[str]
    """What it taught."""


class Judged(Ticket):
    """A candidate whose round is over."""

    reward: float


class FinishedState(TypedDict):
    """What a candidate's graph hands back."""

    finished: Annotated[list[Ticket], operator.add]


class CandidateState(FinishedState):
    """The state of one candidate's graph."""

    ticket: Ticket
    round: int
    history: list["Judged"]
    """The finished rounds' candidates, whatever this round's others do."""


class RunState(TypedDict, total=False):
    """The state of the whole run's graph."""

    round: int
    """The round under way, from 1."""
    tickets: list[Ticket]
    """This round's candidates, as planned."""
    finished: Annotated[list[Ticket], operator.add]
    """All candidates that went through, in any order."""
    attempts: list[Judged]
    """All candidates of the finished rounds, by number."""
    stopped_by: str
    """Why no further round begins; empty while rounds go on."""
    champion: int | None
    """Number of the candidate that held on every workload."""


@dataclass(frozen=True, slots=True)
class Context:
    """One run's collaborators."""

    run: str
    """The run's name."""
    settings: Settings
    operator: Operator
    precision: Precision
    entry: str
    spec: DeviceSpec
    team: Team
    judge: Judge
    ledger: Ledger
    artefacts: Artefacts
    purse: Purse
    judging: threading.Semaphore
    """As many as the machine has room for; questions to models wait for nobody."""
    lessons: Lessons | None
    """Of earlier runs; None where the user wants none."""
    elapsed_minutes: Callable[[], float]
    """Minutes this run has worked, over all its sessions."""
    _verdicts: dict[str, Evaluation] = field(default_factory=dict)
    """Those decoded so far, by key."""
    _attempts: dict[tuple[int, str, str], Attempt] = field(default_factory=dict)
    """Those made so far, by number, kernel and lesson: every step looks at the whole history."""

    def situation(self, round_number: int, judged: Sequence[Judged], view: View | None = None) -> Situation:
        """What the roles see in a round: the baseline, and the candidates of earlier rounds in view."""
        seen = judged if view is None else [c for c in judged if c["number"] in view["sees"]]
        history = tuple(self.attempt(candidate) for candidate in seen)
        recalled = recalled_key(view) if view else ""
        return Situation(
            operator=self.operator,
            precision=self.precision,
            entry=self.entry,
            spec=self.spec,
            baseline=self.attempt(baseline_ticket(self.artefacts.keep(self.judge.baseline()))),
            history=history,
            round=round_number,
            parent_number=view["parent"] if view else None,
            lessons=tuple(self.ledger.paid(recalled)) if self.ledger.holds(recalled) else (),
        )

    def attempt(self, judged: Judged) -> Attempt:
        """The noun behind one judged candidate."""
        key = judged["number"], judged["kernel"], judged.get("lesson", "")
        if key not in self._attempts:
            self._attempts[key] = self._attempt(judged)
        return self._attempts[key]

    def _attempt(self, judged: Judged) -> Attempt:
        return Attempt(
            number=judged["number"],
            round=judged["round"],
            plan=decode(Plan, judged["plan"]),
            source=self.artefacts.read(judged["kernel"]),
            evaluation=self.evaluation(judged),
            reward=judged["reward"],
            profile=self.profile(judged),
            lesson=judged.get("lesson", ""),
            parent=judged["view"]["parent"],
            island=judged["view"]["island"],
        )

    def evaluation(self, ticket: Ticket) -> Evaluation:
        """The verdict on a ticket's kernel, as last judged."""
        key = ticket["evaluation"]
        if key not in self._verdicts:
            self._verdicts[key] = decode(Evaluation, self.ledger.paid(key))
        return self._verdicts[key]

    def profile(self, ticket: Ticket) -> Profile | None:
        """The ticket's profile; None where it was not profiled, or could not be."""
        value: Any = self.ledger.paid(ticket["profile"]) if "profile" in ticket else None
        return decode(Profile, value) if value and "kernels" in value else None

    def rng(self, *purpose: int) -> np.random.Generator:
        """Random numbers for one purpose: the same in every session of the run."""
        return np.random.default_rng([self.settings.seed, *purpose])


def baseline_ticket(kernel: str) -> Judged:
    """The baseline as candidate 0."""
    return Judged(
        number=0,
        round=0,
        plan={"strategy": "baseline", "change": "none", "reason": "it is what the others are compared with"},
        view=View(parent=0, island=0, sees=[], place="0"),
        kernel=kernel,
        evaluation=evaluation_key(kernel),
        profile=profile_key(kernel),
        debugs=0,
        given_up=False,
        reward=0.0,
    )


def recalled_key(view: View) -> str:
    """Key of what earlier runs taught, as it was recalled for candidates of this view."""
    return f"recalled/{view['place']}"


def evaluation_key(kernel: str, scope: str = "quick") -> str:
    """Key of a verdict in the ledger; `scope` is `quick` or `full`."""
    return f"evaluation/{scope}/{kernel}"


def profile_key(kernel: str) -> str:
    """Key of a profile in the ledger."""
    return f"profile/{kernel}"
