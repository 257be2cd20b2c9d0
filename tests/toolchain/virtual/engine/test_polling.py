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
