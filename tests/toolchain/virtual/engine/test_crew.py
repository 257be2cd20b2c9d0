"""Threads that run blocks stay between launches, and do not outlast a fork."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Make = Callable[..., Any]
CHILD_SECONDS = 30


def two_threads(bench: Make) -> tuple[Any, Any, np.ndarray[Any, Any]]:
    """An engine of two threads, a launch of many blocks, and what these write."""
    b = bench("counted.cu")
    b.engine.threads = 2
    x, y = b.array(np.arange(4096), np.float32), b.array(np.zeros(4096), np.float32)
    return b.engine, b.request("copiesPKfPfi", x, y, 1, grid=64, block=64), y


def threads_here() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_a_second_thread_is_made_once(bench: Make) -> None:
    engine, request, written = two_threads(bench)
    engine.launch(request)
    after_one = threads_here()
    for _ in range(10):
        written[:] = 0
        assert engine.launch(request) is None
        assert written.tolist() == list(range(4096))
    assert threads_here() == after_one


def test_it_waits_for_the_next_launch(bench: Make) -> None:
    engine, request, _ = two_threads(bench)
    engine.threads = 3  # more than other tests' launches left behind
    before = threads_here()
    engine.launch(request)
    assert threads_here() > before


def test_no_signal_is_given_to_it(bench: Make) -> None:
    engine, request, _ = two_threads(bench)
    engine.launch(request)
    blocked = [
        int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1
        for task in Path("/proc/self/task").iterdir()
        if task.name != str(os.getpid())
        for line in (task / "status").read_text().splitlines()
        if line.startswith("SigBlk")
    ]
    assert any(blocked)


def test_a_forked_process_makes_its_own(bench: Make) -> None:
    engine, request, written = two_threads(bench)
    engine.launch(request)
    written[:] = 0
    child = os.fork()
    if not child:
        signal.alarm(CHILD_SECONDS)
        engine.launch(request)
        os._exit(0 if written.tolist() == list(range(4096)) and threads_here() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
