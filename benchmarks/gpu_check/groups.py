"""A command in a process group of its own, which ends with it, when its time is up, or when we end."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

ENDING_SECONDS = 5.0
"""For a command that is asked to end what it started itself in groups of their own, such as ncu."""


def run_group(
    command: Sequence[str],
    seconds: float,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    output: IO[Any] | None = None,
    errors: IO[Any] | int | None = None,
) -> int | None:
    """Its exit code, or None where its time was up. Its output goes where ours does unless told otherwise."""
    child = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=output, stderr=errors, start_new_session=True
    )
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Also where we are asked to end ourselves meanwhile."""
    try:
        if child.poll() is None:
            child.terminate()
            with suppress(subprocess.TimeoutExpired):
                child.wait(ENDING_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
