"""Shows a run while it goes: a line an event, and on a terminal a status bar below them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cudamaster.report.document import Json
from cudamaster.report.events import EventLines, status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from cudamaster.search.settings import Settings
    from cudamaster.store.journal import Listener


@contextmanager
def followed(console: "Console", settings: "Settings", lines: EventLines) -> "Iterator[Listener]":
    """A listener for the run's journal that prints to `console`."""
    if not console.is_terminal:
        yield lambda event: _print(console, lines.line(event))
        return
    bar = progress_bar(console)
    task = bar.add_task("judging the baseline", total=settings.rounds * settings.candidates)

    def listen(event: Json) -> None:
        _print(bar.console, lines.line(event))
        bar.update(task, completed=lines.judged, description=status(lines, settings))

    with bar:
        yield listen


def progress_bar(console: "Console") -> "Progress":
    """A bar a task, gone when it is closed."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True)


def _print(console: "Console", line: str | None) -> None:
    if line is not None:
        console.print(line, soft_wrap=True)
