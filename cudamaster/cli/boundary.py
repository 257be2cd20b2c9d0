"""The process boundary: every way a command can end, as an exit code and one sentence.

0 done · 1 judged and refused · 2 usage · 3 the machine lacks something · 70 our fault · 130 interrupted
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from cudamaster.cli.group import cudamaster
from cudamaster.config import folders
from cudamaster.errors import ENVIRONMENT, INTERNAL, INTERRUPTED, USAGE, CudamasterError

PIPE_CLOSED = 141
"""What a shell reports of a process that SIGPIPE ended."""


def exit_code_of(arguments: Sequence[str], means: object = None) -> int:
    """Run the command line. Whatever it raises becomes one sentence on stderr, and an exit code.

    `means` is an `Opening` that opens other things than the real ones.
    """
    try:
        return _run(arguments, means)
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message(), err=True)
        return USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        return told(arguments, "interrupted", INTERRUPTED)
    except Exception as fault:  # noqa: BLE001 (the process boundary)
        return told(arguments, *sentence_and_code(fault))


def _run(arguments: Sequence[str], means: object) -> int:
    code = cudamaster.main(list(arguments), prog_name="cudamaster", standalone_mode=False, obj=means)
    return int(code or 0)


def sentence_and_code(fault: Exception) -> tuple[str, int]:
    """What to say of a fault, and how to exit. An unexpected one goes to a log file, which is named."""
    if isinstance(fault, click.ClickException):
        return usage_sentence(fault), USAGE
    code = known_code(fault)
    if code == INTERNAL:
        words = (str(fault).strip().splitlines() or ["no message"])[0]
        return f"{type(fault).__name__}: {words} (a fault of cudamaster; details in {log(fault)})", code
    return str(fault), code


def usage_sentence(fault: click.ClickException) -> str:
    """Click's message, with the command whose help would tell more."""
    context = getattr(fault, "ctx", None)
    hint = f" See '{context.command_path} --help'." if context else ""
    return f"{fault.format_message()}{hint}"


def known_code(fault: Exception) -> int:
    """The exit code of an exception of any layer."""
    from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
    from mskernelbench.errors import BadShape, UnknownOperator, UnknownPrecision

    if isinstance(fault, CudamasterError):
        return fault.exit_code
    if isinstance(fault, EnvironmentLacks):
        return ENVIRONMENT
    if isinstance(fault, UnknownDevice | UnknownOperator | UnknownPrecision | BadShape):
        return USAGE
    return INTERNAL


def told(arguments: Sequence[str], sentence: str, code: int) -> int:
    """Say it on stderr, and where one JSON document was asked for, as that document too; returns `code`."""
    click.echo(f"cudamaster: {sentence}", err=True)
    if "--json" in arguments:
        click.echo(json.dumps({"schema": "cudamaster.error/1", "error": sentence, "exit_code": code}))
    return code


def log(fault: Exception) -> Path | str:
    """Write the traceback to a file of the log folder; returns its path, or why there is none."""
    text = "".join(traceback.format_exception(fault))
    path = folders().logs / f"fault-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as cause:
        click.echo(text, err=True)
        return f"the lines above, since {path} cannot be written ({cause.strerror})"
    return path
