"""What a device keeps of its arguments, and how it ends its workers."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Tensor
from cudamaster.toolchain.devices.virtual.pool import (
    KEPT_INPUTS,
    KEPT_OUTPUT_BYTES,
    LEAST_ROOM_BYTES,
    WorkerPool,
)
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.worker import Worker


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def arguments(number: int) -> Arguments:
    return Arguments((Tensor("x", np.array([number], np.int32), Access.INPUT),), f"workload {number}")


def test_however_many_small_inputs_there_are_few_files_stay_open() -> None:
    pool = WorkerPool(WorkerStarter("no.program"), memory_bytes=1 << 30)
    before = open_files()
    segments = [pool.inputs(arguments(number)) for number in range(3 * KEPT_INPUTS)]
    assert pool.inputs(arguments(3 * KEPT_INPUTS - 1)) is segments[-1]
    del segments
    assert open_files() - before <= 2 * KEPT_INPUTS
    assert pool.inputs(arguments(0)).read("x") == 0
    pool.close()
    assert open_files() == before


class CountingStarter(WorkerStarter):
    """Tells when it has started two workers."""

    def __init__(self, program: str) -> None:
        super().__init__(program)
        self.started = 0
        self.two_started = threading.Event()

    def start(self, limits: WorkerLimits) -> Worker:
        worker = super().start(limits)
        self.started += 1
        if self.started == 2:
            self.two_started.set()
        return worker


def test_who_does_not_wait_is_given_a_second_worker_that_ends_with_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "worker"))
    starter = CountingStarter("misbehaving")
    pool = WorkerPool(starter, memory_bytes=1 << 30)
    with (
        pool.borrow("build", arguments(0), ()) as first,
        pool.borrow("build", arguments(0), (), wait=False) as second,
    ):
        reply = second.worker.call({"do": "echo", "with": ["here"]}, seconds=20)
        assert second is not first
    with pool.borrow("build", arguments(0), (), wait=False) as free:
        assert free is first
    pool.drop("build")
    assert first.worker.end is not None
    assert second.worker.end is not None
    pool.close()
    starter.close()
    assert isinstance(reply, dict)
    assert reply["answer"] == {"value": "here"}


def test_large_outputs_take_memory_during_their_call_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "worker"))
    starter = WorkerStarter("misbehaving")
    pool = WorkerPool(starter, memory_bytes=1 << 30)
    zeros = np.broadcast_to(np.zeros(1, np.int8), KEPT_OUTPUT_BYTES + 1)
    large = Arguments((Tensor("y", zeros, Access.OUTPUT),), "large")
    with pool.borrow("build", large, ()) as held:
        segment = held.outputs(large, read=True, moved=False)
        another_hold = os.dup(segment.file)
        assert held.labels != ["large"], "mapped anew next time"
        during = os.fstat(another_hold).st_blocks
    assert held.labels == []
    assert during * 512 > KEPT_OUTPUT_BYTES
    assert os.fstat(another_hold).st_blocks == 0
    os.close(another_hold)
    pool.close()
    starter.close()


def test_a_call_under_way_is_not_ended_for_larger_arguments_to_the_same_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "worker"))
    starter = CountingStarter("misbehaving")
    pool = WorkerPool(starter, memory_bytes=1 << 30)
    large = Arguments((Tensor("x", np.empty(LEAST_ROOM_BYTES + 1, np.int8), Access.OUTPUT),), "large")

    def borrow() -> None:
        with pool.borrow("build", large, ()):
            pass

    other = threading.Thread(target=borrow)
    with pool.borrow("build", arguments(0), ()) as held:
        other.start()
        assert starter.two_started.wait(60)
        other.join(0.2)
        reply = held.worker.call({"do": "echo", "with": ["here"]}, seconds=20)
    other.join(60)
    pool.close()
    starter.close()
    assert isinstance(reply, dict)
    assert reply["answer"] == {"value": "here"}
