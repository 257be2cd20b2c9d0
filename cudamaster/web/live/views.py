"""What a browser is shown now, of one run and of all; rendered anew only where a journal has grown."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cudamaster.errors import BrokenStore
from cudamaster.report.figures import counted
from cudamaster.report.listing import run_row
from cudamaster.store.codec import Json, Malformed, well_formed
from cudamaster.store.runs import RunFolder, list_runs
from cudamaster.web.charts.progress import progress_chart
from cudamaster.web.live.glimpse import Beside, Glimpse, State, glimpse_of
from cudamaster.web.live.stream import View
from cudamaster.web.pages.environment import environment
from cudamaster.web.pages.kernel import shown_of

Clock = Callable[[], float]
MOST_RUNS = 100
"""Runs that are listed, the newest."""
LIVELY_SECONDS = 5.0
"""Who wrote so lately needs not be looked for."""
GONE = "the run is no longer there: its folder was removed"
NOT_BEGUN = "the run has not begun yet"


@dataclass(frozen=True, slots=True)
class Mark:
    """A journal's length, and whether its run was left: the same mark, the same view."""

    size: int
    left: bool


def mark_of(run: RunFolder, now: float) -> Mark | None:
    """The mark of a run's journal at the time `now`, in seconds since the epoch; None where it is gone."""
    try:
        stat = run.journal_path.stat()
        left = now - stat.st_mtime > LIVELY_SECONDS and not run.busy
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Mark(stat.st_size, left)


def view_of(html: str, title: str, line: str, over: bool = False) -> View:
    """A view whose version is the hash of what it shows."""
    version = hashlib.sha256("\n".join((title, line, html)).encode()).hexdigest()[:16]
    return View(version, html, title, line, over)


@dataclass(slots=True)
class RunView:
    """One run."""

    run: RunFolder
    beside: Beside
    now: Clock = time.time
    _seen: tuple[Mark, View] | None = None

    def view(self) -> View:
        """As it stands."""
        mark = mark_of(self.run, self.now())
        if mark is None:
            return view_of("", self.run.name, GONE, over=True)
        if self._seen is None or self._seen[0] != mark:
            try:
                self._seen = mark, self._rendered(mark)
            except OSError as fault:  # such as too many open files, which passes
                return view_of("", self.run.name, f"what the run tells cannot be read: {fault.strerror}")
        return self._seen[1]

    def _rendered(self, mark: Mark) -> View:
        name = self.run.name
        try:
            with well_formed():  # an operator of the user's own may have other sizes by now
                glimpse = glimpse_of(self.run, mark.left, self.beside)
                return shown(glimpse) if glimpse else view_of("", name, NOT_BEGUN)
        except BrokenStore as fault:
            return view_of("", name, str(fault), over=True)
        except Malformed as fault:
            return view_of("", name, f"what the run tells cannot be shown: {fault}", over=True)


def shown(glimpse: Glimpse) -> View:
    """A run's view: how far it is, the search so far, and its best kernel as on the page of a result."""
    context = shown_of(glimpse.best) if glimpse.best else searched(glimpse.story)
    html = parts("run_parts.html.j2", glimpse=glimpse, first=glimpse.first, **context)
    return view_of(
        html, f"{glimpse.title}: {glimpse.line}", glimpse.line, over=glimpse.state is State.FINISHED
    )


def searched(story: Json) -> dict[str, Any]:
    """What `shown_of` has where there is no kernel to show yet."""
    return {"exhibit": None, "evaluation": {}, "story": story, "progress": progress_chart(story)}


def parts(template: str, **context: Any) -> str:
    """The parts of a page that change."""
    return environment().get_template(template).render(context)


@dataclass(slots=True)
class RunsView:
    """All runs of a folder; a run that begins appears."""

    folder: Path
    now: Clock = time.time
    _rows: dict[str, tuple[Mark, Json]] = field(default_factory=dict)

    def view(self) -> View:
        """As they stand."""
        runs = list_runs(self.folder)
        known = [(run, mark_of(run, self.now())) for run in reversed(runs[-MOST_RUNS:])]
        rows = [self._row(run, mark) for run, mark in known if mark is not None]
        line = counted(len(runs), "run") + (f", {MOST_RUNS} shown" if len(runs) > MOST_RUNS else "")
        return view_of(parts("runs_parts.html.j2", runs=rows, line=line, folder=self.folder), "Runs", line)

    def _row(self, run: RunFolder, mark: Mark) -> Json:
        known = self._rows.get(run.name)
        if known is None or known[0] != mark:
            self._rows[run.name] = known = mark, _read_row(run, mark)
        return known[1]


def _read_row(run: RunFolder, mark: Mark) -> Json:
    """A run's row of `cudamaster.runs/1`; of a damaged journal, one that says so."""
    try:
        with well_formed():
            return run_row(run.name, run.events(), busy=not mark.left)
    except (BrokenStore, Malformed, OSError):
        return run_row(run.name, []) | {"state": "damaged"}
