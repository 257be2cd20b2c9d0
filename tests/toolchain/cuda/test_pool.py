"""What is kept of workers and memory, and what is given up first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.fingerprint import Fingerprint
from cudamaster.toolchain.devices.cuda.pool import KEPT_INPUTS, KEPT_OUTPUTS, KEPT_WORKERS, Pool
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.worker.worker import Worker
from tests.doubles.cuda_device import copy_arguments, one_card
from tests.doubles.cuda_gpu import FakeGpu


class StartedWorker:
    """A worker that does nothing but end."""

    def __init__(self) -> None:
        self.end: object = None

    def close(self) -> None:
        self.end = "closed"


class Bench:
    def __init__(self) -> None:
        self.gpu = one_card()
        self.context = Context(CudaDriver(self.gpu), 0)
        self.context.use()
        self.fingerprint = Fingerprint(self.context, b"code")
        self.started: list[StartedWorker] = []
        self.pool = Pool(self.start, self.segment)

    def start(self, build: Build) -> Worker:
        self.started.append(StartedWorker())
        return cast(Worker, self.started[-1])

    def segment(self, arrays: Mapping[str, NDArray[Any]]) -> DeviceSegment:
        return DeviceSegment(self.context, self.fingerprint, arrays)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def build(key: str) -> Build:
    return Build(
        source=KernelSource("", "run"), key=key, architecture="sm_90a", library=None, ptx=None,
        host_object=None, resources=(), diagnostics=(), log="", seconds=0.0, cached=False,
    )  # fmt: skip


def labelled(number: int) -> Arguments:
    return replace(copy_arguments(10), label=str(number))


def segments(gpu: FakeGpu) -> int:
    return gpu.kept.get("memory", 0)


def test_a_builds_worker_is_kept_until_it_ends_or_others_are_used(bench: Bench) -> None:
    first = bench.pool.worker(build("a"))
    assert bench.pool.worker(build("a")) is first
    for number in range(KEPT_WORKERS):
        bench.pool.worker(build(str(number)))
    assert first.worker.end is not None
    assert [worker.end for worker in bench.started[1:]] == [None] * KEPT_WORKERS
    bench.started[-1].end = "crashed"
    assert bench.pool.worker(build(str(KEPT_WORKERS - 1))).worker.end is None


def test_equal_labels_share_inputs_and_old_ones_are_given_back(bench: Bench) -> None:
    assert bench.pool.inputs(labelled(0)) is bench.pool.inputs(labelled(0))
    for number in range(2 * KEPT_INPUTS):
        bench.pool.inputs(labelled(number))
    assert segments(bench.gpu) == KEPT_INPUTS


def test_the_latest_inputs_stay_however_large_they_are(bench: Bench) -> None:
    pool = Pool(bench.start, bench.segment, most_input_bytes=0)
    for number in range(3):
        pool.inputs(labelled(number))
    assert segments(bench.gpu) == 1


def test_a_worker_keeps_few_outputs_and_they_begin_anew_each_time(bench: Bench) -> None:
    held = bench.pool.worker(build("a"))
    for number in range(5):
        segment = bench.pool.outputs(held, labelled(number))
    assert segments(bench.gpu) == KEPT_OUTPUTS
    bench.context.driver.call("cuMemsetD8", segment.memory.address, 0, segment.nbytes)
    assert bench.pool.outputs(held, labelled(4)) is segment
    assert np.all(np.isnan(segment.read("y")))
    assert segment.overwritten_guards() == ()


def test_room_is_made_by_ending_all_workers(bench: Bench) -> None:
    held = bench.pool.worker(build("a"))
    bench.pool.inputs(labelled(0))
    bench.pool.outputs(held, labelled(0))
    bench.pool.make_room()
    assert segments(bench.gpu) == 0
    assert bench.started[0].end == "closed"
    bench.pool.drop("a")
