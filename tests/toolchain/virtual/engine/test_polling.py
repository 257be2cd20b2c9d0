"""Warps that poll for others of their own block, however long, depend on no other block."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

Make = Callable[..., Any]
STEPS, MOST_ISSUED = 200_000, 10**9


def sampled(bench: Make, kernel: str, block: int) -> SampledLaunch:
    b = bench("polling.cu")
    arrays = [b.array(np.zeros(4), np.int32, name="y"), STEPS]
    if kernel == "at_a_flag":
        arrays.append(b.array(np.zeros(1), np.int32, name="flag"))
    sample = b.engine.sample(b.request(kernel, *arrays, grid=4, block=64), [block], 0, MOST_ISSUED)
    assert isinstance(sample, SampledLaunch)
    return sample


@pytest.mark.parametrize("kernel", ["at_a_barrier", "at_a_shared_flag"])
def test_who_polls_in_shared_memory_waits_for_its_own_block(bench: Make, kernel: str) -> None:
    assert not sampled(bench, kernel, 2).depends


def test_who_polls_in_global_memory_may_wait_for_another_block(bench: Make) -> None:
    assert sampled(bench, "at_a_flag", 2).depends


def run_at_each_other(bench: Make, blocks: int, *, holds: int, in_order: bool, order: str = "forward") -> Any:
    b = bench("polling.cu", order=order, spin_seconds=0.2)
    b.engine.holds = lambda request: holds
    arrived = b.array(np.zeros(1), np.int32, name="arrived")
    return b.engine.launch(b.request("at_each_other", arrived, int(in_order), grid=blocks, block=1))


@pytest.mark.parametrize("holds", [0, 8])
def test_a_grid_that_the_gpu_holds_may_wait_for_itself(bench: Make, holds: int) -> None:
    assert run_at_each_other(bench, 8, holds=holds, in_order=False) is None


def test_a_grid_that_waits_for_blocks_that_have_no_room_hangs(bench: Make) -> None:
    fault = run_at_each_other(bench, 9, holds=8, in_order=False)
    assert fault is not None
    assert fault.kind == "deadlock"
    assert "cannot start: the GPU holds 8 of them" in fault.message


@pytest.mark.parametrize("order", ["forward", "reversed"])
def test_blocks_may_wait_for_those_before_them_however_many_there_are(bench: Make, order: str) -> None:
    assert run_at_each_other(bench, 40, holds=8, in_order=True, order=order) is None
