"""What reaches a terminal."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from cudamaster.cli import console
from cudamaster.cli.boundary import told
from cudamaster.report.listing import plain_table

HOSTILE = "before \x1b[2J\x1b]0;title\x07\u202e after"
SHOWN = "before ‹U+001B›[2J‹U+001B›]0;title‹U+0007›‹U+202E› after"


@pytest.mark.parametrize("where", [console.results, console.progress])
def test_a_text_of_others_commands_no_terminal(where: Callable[[], Console]) -> None:
    screen = where()
    screen.file = io.StringIO()
    screen.print(HOSTILE, soft_wrap=True)
    screen.print(plain_table(["name"], [(HOSTILE,)]))

    written = screen.file.getvalue()
    assert written.count(SHOWN) == 2
    assert "\x1b" not in written


def test_a_faults_sentence_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    told([], HOSTILE, 2)
    assert capsys.readouterr().err == f"cudamaster: {SHOWN}\n"
