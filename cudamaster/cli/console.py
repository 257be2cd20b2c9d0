"""Where people read: results on stdout, progress on stderr. Texts of others command no terminal."""

from typing import TYPE_CHECKING, Any

from cudamaster.report.visible import visible

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
    from rich.text import Text

    class Shown(Console):
        """Writes a character that cannot be seen as a mark; what rich itself writes stays."""

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(visible(text), **options)

    console = Shown(stderr=stderr, highlight=False, markup=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console
