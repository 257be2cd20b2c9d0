"""The process boundary: every way a command can end, as an exit code and one sentence.

0 done · 1 judged and refused · 2 usage · 3 the machine lacks something · 70 our fault ·
130 interrupted, by Ctrl-C, SIGTERM or a hangup
"""

import errno
import json
import os
import sqlite3
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir

import click

from cudamaster.cli.group import cudamaster
from cudamaster.cli.streams import StreamUnwritable, give_up_broken_streams
from cudamaster.config import folders
from cudamaster.errors import ENVIRONMENT, INTERNAL, INTERRUPTED, USAGE, CudamasterError
from cudamaster.report.visible import visible

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
        give_up_broken_streams()
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        return told(arguments, "interrupted", INTERRUPTED)
    except Exception as fault:  # noqa: BLE001 (the process boundary)
        return told(arguments, *sentence_and_code(fault))


def _run(arguments: Sequence[str], means: object) -> int:
    code = cudamaster.main(list(arguments), prog_name="cudamaster", standalone_mode=False, obj=means)
    if sys.stdout is not None:
        sys.stdout.flush()
    return int(code or 0)


def sentence_and_code(fault: Exception) -> tuple[str, int]:
    """What to say of a fault, and how to exit. An unexpected one goes to a log file, which is named."""
    from mskernelbench.errors import UnknownOperator

    if isinstance(fault, click.ClickException):
        return usage_sentence(fault), USAGE
    if lack := machine_lack(fault):
        return lack, ENVIRONMENT
    code = known_code(fault)
    if isinstance(fault, UnknownOperator):
        return f"{fault}; 'cudamaster operators' lists all", code
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
    from cudamaster.agents.errors import BadPrices, BadStrategy, ModelMisused
    from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
    from mskernelbench.errors import (
        BadOperator,
        BadShape,
        BaselineLate,
        BaselineMissing,
        NoEntry,
        PackageMissing,
        UnknownOperator,
        UnknownPrecision,
    )

    if isinstance(fault, CudamasterError):
        return fault.exit_code
    if isinstance(fault, EnvironmentLacks | PackageMissing | BaselineLate):
        return ENVIRONMENT
    unknown = UnknownDevice | UnknownOperator | UnknownPrecision | BadShape | BadOperator
    if isinstance(fault, unknown | BaselineMissing | NoEntry | BadStrategy | BadPrices | ModelMisused):
        return USAGE
    return INTERNAL


MACHINE_ERRORS = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE),
        *(errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOMEM),
    }
)
"""Errors of the system that a disk, a folder or a limit causes, and no fault of ours."""


def machine_lack(fault: Exception) -> str:
    """What the machine lacks, where that is why the system or SQLite refused; else empty."""
    if isinstance(fault, StreamUnwritable):
        return f"cannot write to {fault.filename} ({fault.strerror}): send it where there is room"
    if isinstance(fault, MemoryError):
        return "this machine has not enough memory for that; take fewer or smaller workloads"
    if isinstance(fault, sqlite3.OperationalError):
        return f"a run's checkpoint cannot be written ({fault}): make room, or give another --runs-dir"
    if isinstance(fault, OSError) and fault.errno in MACHINE_ERRORS:
        place = f"{fault.filename}" if fault.filename else "a file"
        return f"{place} cannot be used ({fault.strerror}): free or mend it, or set another folder"
    return ""


def told(arguments: Sequence[str], sentence: str, code: int) -> int:
    """Say it on stderr, and where one JSON document was asked for, as that document too; returns `code`."""
    with suppress(OSError):
        click.echo(f"cudamaster: {visible(sentence)}", err=True)
    if "--json" in arguments:
        document = {"schema": "cudamaster.error/1", "error": sentence, "exit_code": code}
        with suppress(OSError):
            click.echo(json.dumps(document))
    give_up_broken_streams()
    return code


def log(fault: Exception) -> Path | str:
    """Write the traceback to a file of the log folder, else of the temporary one; its path, or why not."""
    text = "".join(traceback.format_exception(fault))
    name = f"fault-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    for folder in (folders().logs, Path(gettempdir())):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            return folder / name
    return f"no log, since {folders().logs} cannot be written"
