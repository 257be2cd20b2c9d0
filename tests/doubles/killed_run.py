"""Sessions of a run whose models are recorded, in processes of their own that are killed outright."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudamaster.agents.models.model import Reply, Request
from cudamaster.agents.models.recorded import RecordedModel
from cudamaster.search.purse import CALL
from cudamaster.search.run import settings_of
from cudamaster.search.scripted import ScriptedJudge
from cudamaster.search.teams import recorded
from cudamaster.store.codec import Json
from cudamaster.store.runs import RunFolder
from tests.doubles.language_run import work


def kill_this_process() -> None:
    """As `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Deaths:
    """Places where a session dies, each once in a run: what was died at is kept as files of a folder."""

    folder: Path

    def at(self, place: str) -> None:
        """Die here, unless an earlier session did."""
        mark = self.folder / place.replace("/", "-")
        if not mark.exists():
            mark.touch()
            kill_this_process()


@dataclass(frozen=True)
class MortalModel:
    """Answers from a recording; never asked what is paid for, and dies with each answer on its lips."""

    model: RecordedModel
    paid: frozenset[str]
    dies_at: Callable[[str], None]

    name = "mortal"
    price = None

    def ask(self, request: Request) -> Reply:
        """The recorded answer."""
        assert CALL + request.key not in self.paid, f"{request.key} was paid for in an earlier session"
        reply = self.model.ask(request)
        self.dies_at(f"call/{request.key}")
        return reply


class MortalJudge(ScriptedJudge):
    """Dies with each verdict."""

    def __init__(self, dies_at: Callable[[str], None]) -> None:
        super().__init__()
        self.dies_at = dies_at

    def _take_time(self, verb: str, source: str) -> None:
        self.dies_at(f"{verb} {abs(hash(source))}")


def nowhere(place: str) -> None:
    """Die at no place."""


def session_to_next_event(folder: Path, results: Path, recording: Path) -> None:
    """Work until one event more is on the disk, and die."""

    def die(event: Json) -> None:
        if event["event"] not in ("resumed", "interrupted"):
            kill_this_process()

    _work(folder, results, recording, nowhere, listeners=[die])


def session_to_next_answer(folder: Path, results: Path, recording: Path, deaths: Path) -> None:
    """Work until a model or the judge has an answer for the first time, and die with it."""
    _work(folder, results, recording, Deaths(deaths).at)


def session_to_the_end(folder: Path, results: Path, recording: Path) -> None:
    """Work undisturbed."""
    _work(folder, results, recording, nowhere)


def _work(folder: Path, results: Path, recording: Path, dies_at: Callable[[str], None], **more: Any) -> None:
    run = RunFolder(folder)
    paid = frozenset(event["key"] for event in run.events() if "key" in event)
    model = MortalModel(RecordedModel("recorded", recorded(recording)), paid, dies_at)
    search = settings_of(RunFolder(recording)).search
    work(run, results, model, judge=MortalJudge(dies_at), search=search, **more)
