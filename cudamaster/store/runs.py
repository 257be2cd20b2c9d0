"""The folders of runs: made, found by name, listed, and held by one process at a time."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cudamaster.errors import BrokenStore, RunBusy, RunNotFound, UnknownName
from cudamaster.store.artefacts import Artefacts
from cudamaster.store.atomic import held, is_held
from cudamaster.store.codec import Json
from cudamaster.store.journal import Journal, read_events, utc_now

LATEST = "latest"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where one run lies."""

    path: Path

    @property
    def name(self) -> str:
        """What `cudamaster resume` calls it."""
        return self.path.name

    @property
    def journal_path(self) -> Path:
        """The journal's file."""
        return self.path / "journal.jsonl"

    @property
    def checkpoint_path(self) -> Path:
        """The graph's checkpoints, an SQLite file."""
        return self.path / "checkpoint.sqlite"

    @property
    def best_path(self) -> Path:
        """The best kernel of a finished run, with its record and story."""
        return self.path / "best"

    def journal(self, now: Callable[[], datetime] = utc_now) -> Journal:
        """The journal, open for appending; `now` stamps the events."""
        return Journal(self.journal_path, now)

    def events(self) -> list[Json]:
        """Every event so far, oldest first."""
        try:
            return list(read_events(self.journal_path))
        except (FileNotFoundError, NotADirectoryError):  # it may go at any moment
            return []

    def artefacts(self) -> Artefacts:
        """The kernel sources."""
        return Artefacts(self.path / "artefacts")

    @property
    def busy(self) -> bool:
        """Whether a process works on it now; one that was killed does not."""
        return is_held(self.path)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the run. Raises RunBusy where another process has it."""
        try:
            with held(self.path, wait=False):
                yield
        except BlockingIOError as cause:
            raise RunBusy(
                f"run {self.name} is being worked on by another process; wait, or start a new run"
            ) from cause


def new_run(runs: Path, operator: str, precision: str, now: datetime) -> RunFolder:
    """Make the folder of a new run, named by time, operator and precision, and a random tail."""
    stem = f"{now:%Y%m%d-%H%M%S}-{operator}-{precision}"
    path = runs / f"{stem}-{os.urandom(2).hex()}"
    path.mkdir(parents=True)
    return RunFolder(path)


def list_runs(runs: Path) -> list[RunFolder]:
    """Every run, oldest first. Raises NotADirectoryError where a file lies in the place of the folder."""
    paths = sorted(runs.iterdir()) if runs.exists() else []
    return [RunFolder(path) for path in paths if (path / "journal.jsonl").exists()]


def find_run(runs: Path, name: str) -> RunFolder:
    """The run of this name, of this unique beginning, or the `latest`. Raises RunNotFound."""
    known = list_runs(runs)
    if not known:
        raise RunNotFound(
            f"there are no runs in {runs}: start one with 'cudamaster optimize OPERATOR --precision P'"
        )
    if name == LATEST:
        return known[-1]
    matching = [run for run in known if run.name == name] or [
        run for run in known if run.name.startswith(name)
    ]
    if len(matching) > 1:
        raise RunNotFound(f"'{name}' begins several runs: {', '.join(run.name for run in matching)}")
    if not matching:
        hint = str(UnknownName("run", name, (run.name for run in known[-5:])))
        raise RunNotFound(f"{hint} See 'cudamaster runs'.")
    return matching[0]


def started(events: list[Json], run: RunFolder) -> Json:
    """The first event, with the run's settings. Raises BrokenStore where the run never began."""
    if not events or events[0]["event"] != "started":
        raise BrokenStore(
            f"{run.journal_path} lacks the run's settings, so that it cannot be resumed: start a new run"
        )
    return events[0]
