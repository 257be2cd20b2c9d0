"""Ctrl-C, SIGTERM or a hangup: the first stops a run and keeps its best, the second ends the process."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from cudamaster.errors import INTERRUPTED

ONE_SIGNAL_SECONDS = 0.5
"""Signals so soon after the first are the same wish: `timeout` and shells tell a process and its group."""

SAYING_SECONDS = 1.0
"""A sentence takes no longer, unless nobody reads it."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopped_by_signals(
    say: Callable[[str], None], cut_short: Callable[[], None]
) -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM and SIGHUP set; the earlier handlers are back afterwards.

    A hangup takes the terminal with it: what would be written there leads nowhere from then on. Where SIGHUP
    is ignored, as under `nohup`, it stays so.

    `say` and then `cut_short` are called once, to end what is under way; in a thread of their own, since the
    signal may have come in the middle of another line.
    """
    stop, said, first = threading.Event(), threading.Event(), [math.inf]
    terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def end() -> None:
        say("interrupted: ending what is under way, keeping the best so far (again: stop at once)")
        said.set()
        cut_short()

    def handle(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            _lead_nowhere(terminals)
        if time.monotonic() - first[0] > ONE_SIGNAL_SECONDS:
            os._exit(INTERRUPTED)  # the journal is on the disk, and threads would be waited for otherwise
        if stop.is_set():
            return
        first[0] = time.monotonic()
        stop.set()
        threading.Thread(target=end, daemon=True).start()

    numbers = [n for n in SIGNALS if n != signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield stop
    finally:
        if stop.is_set():
            said.wait(SAYING_SECONDS)
        for number, handler in before.items():
            signal.signal(number, handler)


def _lead_nowhere(descriptors: Iterable[int]) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
