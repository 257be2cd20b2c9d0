import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cudamaster.cli
from cudamaster.cli.boundary import exit_code_of
from cudamaster.cli.group import COMMANDS

Output = pytest.CaptureFixture[str]
HEAVY = (
    *("numpy", "scipy", "llvmlite", "langgraph", "rich", "jinja2", "openai", "anthropic", "pandas"),
    *("starlette", "uvicorn"),
)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_help_is_the_commands_own(name: str) -> None:
    command = import_module(f"cudamaster.cli.{name.replace('-', '_')}").command

    assert command.name == name
    assert (command.help or "").splitlines()[0].rstrip(".") == COMMANDS[name].rstrip(".")


def test_every_command_module_is_in_the_table() -> None:
    folder = Path(cudamaster.cli.__file__).parent
    modules = {path.stem for path in folder.glob("*.py") if "@click.command(" in path.read_text()}

    assert modules - {"group"} == {name.replace("-", "_") for name in COMMANDS}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["optimize", "--help"], ["--version"], ["resume", "-h"], ["web", "serve", "-h"]]
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from cudamaster.cli.boundary import exit_code_of; code = exit_code_of(sys.argv[1:]); "
        f"print('HEAVY', [m for m in {HEAVY} if m in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_without_a_command_the_help_is_shown(capsys: Output) -> None:
    assert exit_code_of([]) == 2
    assert "Commands:" in capsys.readouterr().err


def test_python_m_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cudamaster", "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("cudamaster ")


def test_a_closed_pipe_is_no_fault() -> None:
    shell = f"{sys.executable} -m cudamaster operators --json | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)

    assert done.stderr == ""
