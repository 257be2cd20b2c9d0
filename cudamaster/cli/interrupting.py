"""Ctrl-C during a run: the first asks it to stop and keep its best, the second ends the process at once."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from cudamaster.errors import INTERRUPTED

ONE_SIGNAL_SECONDS = 0.5
"""Signals so soon after the first are the same wish: `timeout` and shells tell a process and its group."""


@contextmanager
def stopped_by_signals(
    say: Callable[[str], None], cut_short: Callable[[], None]
) -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set; the earlier handlers are back afterwards.

    `cut_short` is called once, in a thread of its own, to end what is under way.
    """
    stop, first = threading.Event(), [math.inf]

    def handle(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - first[0] > ONE_SIGNAL_SECONDS:
            os._exit(INTERRUPTED)  # the journal is on the disk, and threads would be waited for otherwise
        if stop.is_set():
            return
        first[0] = time.monotonic()
        stop.set()
        say("interrupted: ending what is under way, keeping the best so far (again: stop at once)")
        threading.Thread(target=cut_short, daemon=True).start()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
