"""Ctrl-C during a run: the first asks it to stop and keep its best, the second ends the process at once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from cudamaster.errors import INTERRUPTED


@contextmanager
def stopped_by_signals(
    say: Callable[[str], None], cut_short: Callable[[], None]
) -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set; the earlier handlers are back afterwards.

    `cut_short` is called once, in a thread of its own, to end what is under way.
    """
    stop = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(INTERRUPTED)  # the journal is on the disk, and threads would be waited for otherwise
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
