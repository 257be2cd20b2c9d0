import os
import signal
import subprocess
import sys
import threading
import time

from cudamaster.cli.interrupting import ONE_SIGNAL_SECONDS, stopped_by_signals
from cudamaster.errors import INTERRUPTED

IMPATIENT = f"""
import os, signal, time
from cudamaster.cli.interrupting import stopped_by_signals
with stopped_by_signals(print, lambda: None):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep({ONE_SIGNAL_SECONDS + 0.2})
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
"""


def test_a_signal_and_its_echo_ask_once_and_cut_short_once() -> None:
    said: list[str] = []
    cut = threading.Semaphore(0)
    with stopped_by_signals(said.append, cut.release) as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert cut.acquire(timeout=5)
        assert not cut.acquire(timeout=0.05)

        assert stop.is_set()
    assert len(said) == 1


def test_the_sentence_is_not_said_in_the_middle_of_another() -> None:
    said_by: list[threading.Thread] = []
    with stopped_by_signals(lambda _: said_by.append(threading.current_thread()), lambda: None):
        os.kill(os.getpid(), signal.SIGTERM)
    assert said_by != [threading.main_thread()]
    assert len(said_by) == 1


def test_a_hangup_asks_to_stop_as_well() -> None:
    cut = threading.Event()
    with stopped_by_signals(lambda _: None, cut.set) as stop:
        os.kill(os.getpid(), signal.SIGHUP)

        assert cut.wait(5)
        assert stop.is_set()


def test_a_hangup_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals(lambda _: None, lambda: None) as stop:
            os.kill(os.getpid(), signal.SIGHUP)

            assert not stop.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_earlier_handlers_are_back_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopped_by_signals(lambda _: None, lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before

    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_ends_the_process_at_once() -> None:
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", IMPATIENT], capture_output=True, timeout=30, check=False)

    assert done.returncode == INTERRUPTED
    assert time.monotonic() - begun < 8
