import threading
import time

import pytest

from cudamaster.errors import Interrupted
from cudamaster.search.stopping import ENDING_SECONDS, until_stopped


def never() -> bool:
    return False


def test_what_work_comes_to_is_handed_on_and_so_is_what_it_raises() -> None:
    def fails() -> int:
        raise KeyError("x")

    assert until_stopped(lambda: 7, threading.Event(), never) == 7
    with pytest.raises(KeyError):
        until_stopped(fails, threading.Event(), never)


def test_work_that_goes_on_after_the_stop_is_left_alone() -> None:
    stop, released = threading.Event(), threading.Event()
    stop.set()
    begun = time.monotonic()
    try:
        with pytest.raises(Interrupted):
            until_stopped(released.wait, stop, never)
    finally:
        released.set()

    assert time.monotonic() - begun >= ENDING_SECONDS


def test_work_that_ends_soon_after_the_stop_comes_to_what_it_comes_to() -> None:
    stop = threading.Event()
    stop.set()

    def ends_soon() -> str:
        time.sleep(0.3)
        return "kept"

    assert until_stopped(ends_soon, stop, never) == "kept"


def test_an_answer_that_is_paid_for_is_waited_for() -> None:
    stop, paying = threading.Event(), threading.Event()
    stop.set()
    paying.set()

    def answers_late() -> str:
        time.sleep(ENDING_SECONDS + 0.5)
        paying.clear()
        return "kept"

    assert until_stopped(answers_late, stop, paying.is_set) == "kept"
