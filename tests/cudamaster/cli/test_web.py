from importlib import import_module

import pytest

from cudamaster.cli.web import TABLE


@pytest.mark.parametrize("name", TABLE)
def test_the_line_of_help_is_the_commands_own(name: str) -> None:
    command = import_module(f"cudamaster.cli.webbing.{name}").command

    assert command.name == name
    assert (command.help or "").splitlines()[0].startswith(TABLE[name].rstrip("."))
