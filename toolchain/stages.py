"""How long the parts of the work take, as records of the log `cudamaster.stages`: nobody need read them."""

import contextlib
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any

log = logging.getLogger("cudamaster.stages")


def note(stage: str, seconds: float) -> None:
    """Say that `stage` took so many seconds of some processor."""
    log.debug("%s: %.3f s", stage, seconds, extra={"stage": stage, "seconds": seconds})


def note_spent(spent: Any) -> None:
    """Note what a worker says of its stages; anything but seconds by name is left out."""
    for stage, seconds in spent.items() if isinstance(spent, Mapping) else ():
        if isinstance(stage, str) and isinstance(seconds, float):
            note(stage, seconds)


@contextlib.contextmanager
def timed(stage: str) -> Iterator[None]:
    """Note this thread's processor time in a block."""
    begun = time.thread_time()
    try:
        yield
    finally:
        note(stage, time.thread_time() - begun)
