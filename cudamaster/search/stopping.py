"""Ends a run soon after the user's stop: what goes on for long is left alone, and said to nobody any more."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from cudamaster.errors import Interrupted

LOOKING_SECONDS = 0.1
ENDING_SECONDS = 1.0
"""What is under way has so long to end by itself, such as inputs of gigabytes that are made."""
T = TypeVar("T")


def until_stopped(work: Callable[[], T], stop: threading.Event, is_paid_for: Callable[[], bool]) -> T:
    """What `work` comes to, in a thread of its own. Raises what it raises, and Interrupted.

    It is left alone where it goes on after `stop`, yet not while it waits for what `is_paid_for`: that is to
    be kept first. What is left alone finds the journal closed, and ends with the process.
    """
    done: Future[T] = Future()
    threading.Thread(target=_do, args=(work, done), daemon=True, name="run").start()
    left = ENDING_SECONDS
    while not wait([done], LOOKING_SECONDS).done:
        left = left - LOOKING_SECONDS if stop.is_set() and not is_paid_for() else ENDING_SECONDS
        if left <= 0:
            raise Interrupted("interrupted; the best so far is kept")
    return done.result()


def _do(work: Callable[[], T], done: "Future[T]") -> None:
    try:
        done.set_result(work())
    except BaseException as fault:  # noqa: BLE001 (raised again by whoever waits)
        done.set_exception(fault)
