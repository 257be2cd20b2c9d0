"""How much longer work may take beside other work: a busy machine is no reason to refuse anything."""

import os
from contextlib import suppress
from pathlib import Path

MOST_CROWDED = 4.0
"""Times as long as usual that anything may take."""
MOST_STARVED = 12.0
"""The same of what is seen to have waited for a processor."""
MOST_SLOWED = 1.5
"""Times as much of a processor as alone that work may use: beside other work caches and memory are shared."""
LOAD = Path("/proc/loadavg")


def crowd(wanting: float, processors: int) -> float:
    """Times as long as alone, where so many processes want so many processors: each gets a share of one."""
    return min(max(1.0, wanting / processors), MOST_CROWDED)


def crowd_now() -> float:
    """The same as it is now."""
    return crowd(wanting(LOAD.read_text()), _processors())


def wanting(load: str) -> float:
    """Processes that want a processor, by a line of `/proc/loadavg`: of a minute's mean and now, the more.

    The mean rises too slowly for what was just begun.
    """
    mean, _, _, now, *_ = load.split()
    return max(float(mean), float(now.partition("/")[0]))


def waited_seconds(process: int) -> dict[str, float]:
    """How long each thread of a process has waited for a processor so far; none where nobody says."""
    waits = {}
    for told in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError, ValueError):
            waits[told.parent.name] = int(told.read_text().split()[1]) / 1e9
    return waits


def load_words() -> str:
    """`11.3 processes want 2 processors`."""
    return f"{wanting(LOAD.read_text()):.1f} processes want {_processors()} processors"


def _processors() -> int:
    return len(os.sched_getaffinity(0))
