"""Runs each part in a process of its own: ended when its time is up, and begun again where it died."""

import ctypes
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from benchmarks.gpu_check.groups import run_group
from benchmarks.gpu_check.kept_rows import close_started, finished, rows_of
from benchmarks.gpu_check.nouns import Part
from cudamaster.toolchain.worker.hardening import PR_SET_PDEATHSIG

GRACE_SECONDS = 20.0
"""What a part may take beyond its time to finish the item it is at, and to close its device."""
Command = Callable[[Part, float], Sequence[str]]
"""What runs one part for so many seconds."""


def run_children(
    parts: Sequence[Part],
    seconds: float,
    folder: Path,
    command: Command,
    *,
    grace: float = GRACE_SECONDS,
) -> None:
    """All parts; what one leaves of its time is for those after it."""
    began, shares = time.monotonic(), sum(part.seconds for part in parts)
    planned = 0.0
    for part in parts:
        planned += seconds * part.seconds / shares
        _run_part(part, began + planned, grace, folder, command)


def _run_part(part: Part, deadline: float, grace: float, folder: Path, command: Command) -> None:
    """The part, once more as long as it dies of another item each time."""
    while (left := deadline - time.monotonic()) > 0:
        done = finished(rows_of(folder, part.name))
        words = _run_child(command(part, left), left + grace, folder / f"{part.name}.err")
        if words is None:
            return
        close_started(folder, part.name, words)
        if finished(rows_of(folder, part.name)) == done:
            return


def _run_child(command: Sequence[str], seconds: float, errors: Path) -> str | None:
    """Run it; why it did not end well, None where it did."""
    with errors.open("wb") as file:
        code = run_group(command, seconds, errors=file)
    if code is None:
        return f"stopped when its {seconds:.0f} s were up"
    if code == 0:
        return None
    lines = errors.read_text(errors="replace").strip().splitlines()
    return f"its process ended with {code}: {lines[-1] if lines else 'no word'}"


def end_when_asked() -> None:
    """Have this process leave its blocks, and so end what it started, where it is asked to end."""

    def leave(number: int, frame: object) -> NoReturn:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        signal.signal(signal.SIGHUP, leave)


def end_with_parent() -> None:
    """Have this process be asked to end where who started it is gone: else it would go on holding the GPU."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM))
