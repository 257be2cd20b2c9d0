"""Where people read: results on stdout, progress on stderr."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 120
"""Columns where there is no terminal to ask."""


def results() -> "Console":
    """A console on stdout, for what a command was asked for."""
    return _console(stderr=False)


def progress() -> "Console":
    """A console on stderr, for everything that is said on the way."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console
