"""Library code orders its threads by locks, flags, copies and barriers of its own: watched, it is clean."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.watching import Watch

Make = Callable[..., Any]
INPUT = (np.arange(512) * 37 % 251).astype(np.int32)
SUM = np.cumsum(INPUT[:128])
RESULTS = {
    "good_block_scan": np.concatenate([[0], np.cumsum(SUM)[:-1]]),
    "good_radix_sort": np.sort(INPUT),
    "good_block_reduce": [INPUT[:128].sum() + INPUT[:128].max()],
    "good_groups": np.full(128, INPUT[:32].sum() + INPUT[96:128].sum()),
    "good_group_copy": INPUT[127::-1] + INPUT[255:127:-1],
    "good_leftover_copies": INPUT[32 * (np.arange(128) // 32) + np.arange(128) % 32 % 5],
    "good_pipeline": INPUT.reshape(4, 128).sum(0)[::-1],
    "good_barrier": 2 * INPUT[:128],
    "good_lock": np.full(128, INPUT[:128:32].sum()),
}


@pytest.mark.parametrize("order", ["forward", "reversed"])
@pytest.mark.parametrize("kernel", RESULTS)
def test_what_a_block_does_together_is_no_race(bench: Make, kernel: str, order: str) -> None:
    b = bench("honest.cu", order=order)
    y, x = b.array(np.zeros(512), np.int32, name="y"), b.array(INPUT, np.int32, name="x")
    watch = b.engine.watch = Watch()
    assert b.engine.launch(b.request(kernel, y, x, block=128)) is None
    wanted = RESULTS[kernel]
    assert np.array_equal(y[: len(wanted)], wanted)
    assert (watch.faults, watch.notes) == ([], [])


@pytest.mark.parametrize("order", ["forward", "reversed"])
def test_blocks_that_wait_for_the_one_before_are_no_race(bench: Make, order: str) -> None:
    b = bench("honest.cu", order=order)
    y, x = b.array(np.zeros(256), np.int32, name="y"), b.array(INPUT[:8], np.int32, name="x")
    flags, sums = b.array(np.zeros(8), np.int32, name="flags"), b.array(np.zeros(8), np.int32, name="sums")
    watch = b.engine.watch = Watch()
    assert b.engine.launch(b.request("good_look_back", y, x, flags, sums, grid=8)) is None
    assert np.array_equal(y[31::32], np.cumsum(INPUT[:8]) - INPUT[:8])
    assert (watch.faults, watch.notes) == ([], [])
