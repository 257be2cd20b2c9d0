"""What the server and the process that judges say to each other."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cudamaster.report.document import Json


class Verb(StrEnum):
    """What is asked."""

    TASK = "task"
    EVALUATE = "evaluate"
    PROFILE = "profile"
    SUBMIT = "submit"


@dataclass(frozen=True, slots=True)
class Service:
    """How `cudamaster mcp` was started; holds for all that is asked."""

    device: str
    seed: int
    operators_dir: Path | None
    results: Path
    runs: Path
    command: str
    """The command line, as evidence."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question of an agent."""

    verb: Verb
    operator: str
    precision: str
    shapes: tuple[str, ...] = ()
    """Sizes that are timed in place of the operator's sets."""
    source: str = ""
    thorough: bool = False
    """Whether all workloads are timed, on fresh inputs, in place of a few."""
    note: str = ""
    """What the agent says of its kernel."""
    agent: str = ""
    """Its name, as its client gives it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done."""

    words: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The document that was asked for."""

    document: Json


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the request cannot be followed, in one sentence."""

    sentence: str


Reply = Progress | Answer | Refusal
