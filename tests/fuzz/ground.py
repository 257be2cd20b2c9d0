"""What judging may leave behind on a machine: processes, shared memory, files, open descriptors."""

import ctypes
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from cudamaster.toolchain.cache import cache_folder

PR_SET_CHILD_SUBREAPER = 36
SYSTEM_V = ("shm", "msg", "sem")
WHERE_FILES_APPEAR = (Path("/dev/shm"), Path(tempfile.gettempdir()))
DEAD = "Z"
"""State of an orphan that ended after its parent: `init` would have forgotten it, whom we stand for."""
SETTLING_SECONDS = 20.0
MARK = "fuzz-was-here"


class Ground(NamedTuple):
    """What there is at one moment."""

    processes: frozenset[str]
    """Descendants of this process, orphans among them."""
    system_v: frozenset[str]
    files: frozenset[str]
    """Left by a candidate, or unpublished in the cache."""
    descriptors: int

    def left_since(self, earlier: "Ground") -> list[str]:
        """What is there now and was not, in words; empty where nothing is."""
        new = (
            (self.processes - earlier.processes)
            | (self.system_v - earlier.system_v)
            | (self.files - earlier.files)
        )
        grown = self.descriptors - earlier.descriptors
        return sorted(new) + ([f"{grown} more open descriptors"] if grown > 0 else [])


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Descendants whose parent died become children of this process, where `look` sees them."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0)


def look() -> Ground:
    """What there is now."""
    return Ground(
        frozenset(_descendants(os.getpid())),
        frozenset(line for kind in SYSTEM_V for line in _system_v(kind)),
        frozenset(_files()),
        len(list(Path("/proc/self/fd").iterdir())),
    )


def lasting(earlier: Ground, seconds: float = SETTLING_SECONDS) -> list[str]:
    """What is there now, was not, and stays: killed processes get time to be gone, others their own files."""
    until = time.monotonic() + seconds
    left = set(look().left_since(earlier))
    while left and time.monotonic() < until:
        time.sleep(0.2)
        left &= set(look().left_since(earlier))
    return sorted(left)


def _descendants(root: int) -> Iterator[str]:
    children: dict[int, list[tuple[int, str]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, fields = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        state, parent = fields.split()[:2]
        if state != DEAD:
            children.setdefault(int(parent), []).append((int(folder.name), name.split("(", 1)[1]))
    waiting = [root]
    while waiting:
        for number, name in children.get(waiting.pop(), []):
            waiting.append(number)
            yield f"process {number} {name}"


def _system_v(kind: str) -> list[str]:
    """Keys and ids of segments, queues and semaphores; counters that change meanwhile are left out."""
    lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
    return [f"{kind} {' '.join(line.split()[:2])}" for line in lines]


def _files() -> Iterator[str]:
    for folder in WHERE_FILES_APPEAR:
        yield from (str(path) for path in folder.glob(f"{MARK}*"))
    yield from (f"shared memory {path}" for path in Path("/dev/shm").iterdir())
    yield from (str(path) for path in (cache_folder() / "unpublished").glob("*"))
