"""What gets somewhere in memory alone, or with time, is no deadlock, though its registers stay the same."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

Make = Callable[..., Any]


@pytest.fixture(params=[1, 2])
def advancing(bench: Make, request: pytest.FixtureRequest) -> Any:
    """Polls in vain are told after half a second."""
    return bench("advancing.cu", threads=request.param, spin_seconds=0.5)


@pytest.mark.parametrize(
    ("kernel", "rounds"), [("counts_in_global", 4_000_000), ("counts_in_shared", 2_500_000)]
)
def test_a_loop_that_counts_in_memory(advancing: Any, kernel: str, rounds: int) -> None:
    count = advancing.array([0], np.int32)
    assert advancing.engine.launch(advancing.request(kernel, count, rounds, block=1)) is None
    assert count[0] >= rounds


def test_a_loop_that_looks_at_what_another_block_counts(advancing: Any) -> None:
    count, seen = advancing.array([0], np.int32), advancing.array([0], np.int32)
    request = advancing.request("counts_for_another", count, 300_000, seen, grid=2, block=1)
    assert advancing.engine.launch(request) is None
    assert (count[0], seen[0]) == (300_000, 1)


def test_a_loop_that_waits_for_the_clock(bench: Make) -> None:
    advancing = bench("advancing.cu", spin_seconds=0.2)
    y = advancing.array([0], np.int32)
    request = advancing.request("waits_for_the_clock", y, block=1)
    ticks = np.int64(2_000_000_000).tobytes()
    assert advancing.engine.launch(replace(request, parameters=request.parameters + ticks)) is None
    assert y[0] == 1


def test_a_loop_that_writes_the_same_again_is_a_deadlock(advancing: Any) -> None:
    flag, other = advancing.array([0], np.int32), advancing.array([0], np.int32)
    fault = advancing.engine.launch(advancing.request("turns_in_circles", flag, other, block=1))
    assert fault.kind == "deadlock"
