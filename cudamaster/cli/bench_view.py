"""Shows a suite while it goes: a line a finished task, and on a terminal a bar for each one under way."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cudamaster.report.bench import task_line
from cudamaster.report.document import Json
from cudamaster.report.events import EventLines, status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from cudamaster.search.settings import Settings
    from cudamaster.store.journal import Listener
    from cudamaster.store.runs import RunFolder


class BenchView:
    """What is told of a suite; may be told from several threads."""

    def __init__(
        self, print_line: Callable[[str], None], total: int, clock: str, bars: "Progress | None"
    ) -> None:
        self._print = print_line
        self._total = total
        self._clock = clock
        self._done = 0
        self._bars = bars
        self._all = None if bars is None else bars.add_task("tasks", total=total)
        self._lock = threading.Lock()

    def skip(self, finished: int) -> None:
        """Tasks that an earlier session finished."""
        self._advance(finished)
        if finished:
            self._print(f"{finished} of {self._total} are finished already")

    def finish(self, row: Json) -> None:
        """A task that came to its end, or as far as it goes."""
        with self._lock:
            self._advance(1)
            self._print(task_line(row, self._done, self._total))

    def _advance(self, tasks: int) -> None:
        self._done += tasks
        if self._bars is not None and self._all is not None:
            self._bars.update(self._all, completed=self._done, description="tasks")

    @contextmanager
    def follow(self, settings: "Settings", run: "RunFolder") -> "Iterator[Listener]":
        """A listener for the journal of one task's run."""
        if self._bars is None:
            yield lambda event: None
            return
        lines = EventLines(self._clock)
        lines.recall(run.events())
        name = f"{settings.operator} {settings.precision}"
        bar = self._bars.add_task(f"{name}: begun", total=settings.rounds * settings.candidates)

        def listen(event: Json) -> None:
            lines.line(event)
            assert self._bars is not None
            self._bars.update(bar, completed=lines.judged, description=f"{name}: {status(lines, settings)}")

        try:
            yield listen
        finally:
            self._bars.remove_task(bar)


@contextmanager
def shown(console: "Console", total: int, clock: str) -> Iterator[BenchView]:
    """A view on `console` of so many tasks, whose times are of this clock."""
    if not console.is_terminal:
        yield BenchView(lambda line: console.print(line, soft_wrap=True), total, clock, None)
        return
    from cudamaster.cli.following import progress_bar

    with progress_bar(console) as bars:
        yield BenchView(lambda line: bars.console.print(line, soft_wrap=True), total, clock, bars)
