"""One run a GPU: a lock for each GPU's UUID, which the system drops when the process that holds it dies."""

import contextlib
import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from cudamaster.toolchain.cache import cache_folder
from cudamaster.toolchain.errors import EnvironmentLacks

WAIT_SECONDS = 600.0
"""After which a run gives up that another holds the GPU."""
LOOK_SECONDS = 0.2


def tell(line: str) -> None:
    """Say why nothing happens, where results are not."""
    print(line, file=sys.stderr, flush=True)


@dataclass(eq=False)
class GpuLocks:
    """The locks of this process: who holds one may take it again, and lets go of it as often."""

    folder: Callable[[], Path] = cache_folder
    wait_seconds: float = WAIT_SECONDS
    say: Callable[[str], None] = tell
    _held: dict[str, tuple[IO[str], int]] = field(default_factory=dict)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def take(self, uuid: str, name: str) -> bool:
        """Take the lock of the GPU `uuid`, called `name`; whether this process did not hold it yet.

        Tells once that it waits. Raises EnvironmentLacks where another process holds it for longer than
        `wait_seconds`, or its file cannot be opened.
        """
        with self._one_at_a_time:
            file, times = self._held.get(uuid) or (self._taken(uuid, name), 0)
            self._held[uuid] = (file, times + 1)
            return not times

    def release(self, uuid: str) -> None:
        """Let go of it."""
        with self._one_at_a_time:
            file, times = self._held.pop(uuid)
            if times > 1:
                self._held[uuid] = (file, times - 1)
            else:
                file.close()

    def _taken(self, uuid: str, name: str) -> IO[str]:
        path = self.folder() / "gpus" / f"{uuid}.lock"
        try:
            path.parent.mkdir(exist_ok=True)
            file = path.open("a+", encoding="ascii")
        except OSError as failure:
            raise EnvironmentLacks(f"the lock {path} cannot be opened: {failure.strerror}") from failure
        try:
            self._wait(file, name)
        except BaseException:
            file.close()
            raise
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return file

    def _wait(self, file: IO[str], name: str) -> None:
        deadline = time.monotonic() + self.wait_seconds
        said = False
        while not _locked(file):
            if not said:
                self.say(f"{name} is in use by {_holder(file)}; waiting for it to end")
                said = True
            if time.monotonic() >= deadline:
                raise EnvironmentLacks(
                    f"{name} is still in use by {_holder(file)} after {self.wait_seconds:.0f} s: let it end, "
                    "or name another GPU (--device cuda:1)"
                )
            time.sleep(LOOK_SECONDS)


def _locked(file: IO[str]) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _holder(file: IO[str]) -> str:
    file.seek(0)
    return f"another cudamaster (process {file.read().strip() or 'unknown'})"
