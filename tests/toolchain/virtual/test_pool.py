"""What a device keeps of its arguments."""

from pathlib import Path

import numpy as np

from cudamaster.toolchain.arguments import Access, Arguments, Tensor
from cudamaster.toolchain.devices.virtual.pool import KEPT_INPUTS, WorkerPool
from cudamaster.toolchain.worker.starter import WorkerStarter


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
