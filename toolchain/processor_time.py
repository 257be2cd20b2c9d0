"""How much of a processor a process has used, and what it started, as Linux tells while they run."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def used_seconds(process: int) -> float:
    """Of a process and of all that it started, what has ended and was waited for included."""
    return sum(map(_of_process, descended(process)))


def used_by_threads(process: int) -> dict[tuple[int, str], float]:
    """Of each thread that there is, by its process and its number."""
    used = {}
    for one in descended(process):
        for told in Path(f"/proc/{one}/task").glob("*/schedstat"):
            with suppress(OSError, ValueError):
                used[one, told.parent.name] = int(told.read_text().split()[0]) / 1e9
    return used


def descended(process: int) -> Iterator[int]:
    """A process and those that it started and theirs, as far as those between them live."""
    yield process
    for told in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in told.read_text().split():
                yield from descended(int(child))


def _of_process(process: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS_PER_SECOND
    return 0.0
