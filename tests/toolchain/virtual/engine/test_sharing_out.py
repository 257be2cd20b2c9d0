"""The blocks of a grid, shared out among workers, are each run once."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.toolchain.virtual.engine.conftest import Bench

Make = Callable[..., Bench]
STEPS = 3000
"""Of a long block: others are done long before."""


def launch(bench: Make, blocks: int, long_from: int, **options: object) -> list[int]:
    """Return how often each block ran; of those from `long_from` on each takes long."""
    b = bench("shared_out.cu", **options)
    seen, sums = b.array(np.zeros(blocks), np.int32), b.array(np.zeros(blocks), np.int32)
    request = b.request("marks", seen, sums, long_from, STEPS, grid=blocks, block=1)
    assert b.engine.launch(request) is None
    found: list[int] = seen.tolist()
    return found


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 64, 1000])
def test_every_block_runs_once(bench: Make, blocks: int, threads: int) -> None:
    assert launch(bench, blocks, blocks, threads=threads) == [1] * blocks


@pytest.mark.parametrize("long_from", [0, 10, 500, 990])
@pytest.mark.parametrize("order", ["forward", "reversed"])
def test_workers_that_are_done_take_blocks_over_and_none_twice(
    bench: Make, long_from: int, order: str
) -> None:
    assert launch(bench, 1000, long_from, threads=3, order=order) == [1] * 1000
