"""Named rules against cheating, one file each, found by listing the folder of their stage.

`objects/` look at the compiled object before anything runs, `calls/` at every checked call, `times/` at every
time. A guard is a module with `refuse(evidence) -> str | None`, which returns one sentence of evidence, and
`STATUS`, `CHEATED`, `WRONG` or `UNSUPPORTED`. Its file's name is the guard's name.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from mskernelbench.evaluation import Status

FOLDER = Path(__file__).parent
STAGES = ("objects", "calls", "times")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is not accepted."""

    status: Status
    reason: str
    guard: str | None = None
    """The guard's name; set exactly when the status is `cheated`."""
    rule: str | None = None
    """What refused it: a guard whatever its status, `comparison`, or what the device saw."""


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule."""

    name: str
    stage: str
    status: Status
    refuse: Callable[[Any], str | None]

    def judge(self, evidence: object) -> Refusal | None:
        """A refusal with this guard's name, or None."""
        reason = self.refuse(evidence)
        if reason is None:
            return None
        return Refusal(self.status, reason, self.name if self.status is Status.CHEATED else None, self.name)


@cache
def guards(stage: str) -> tuple[Guard, ...]:
    """The guards of one stage, by name."""
    names = sorted(path.stem for path in (FOLDER / stage).glob("*.py") if path.stem != "__init__")
    return tuple(_load(stage, name) for name in names)


def _load(stage: str, name: str) -> Guard:
    module = import_module(f"mskernelbench.guards.{stage}.{name}")
    return Guard(name, stage, module.STATUS, module.refuse)


def first_refusal(stage: str, evidence: object, without: Collection[str] = ()) -> Refusal | None:
    """What the first guard that refuses `evidence` says, those named in `without` left out, or None."""
    refusals = (guard.judge(evidence) for guard in guards(stage) if guard.name not in without)
    return next((refusal for refusal in refusals if refusal), None)
