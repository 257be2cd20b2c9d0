"""Threads that wait for each other get to the right answer in whatever order they take their turns."""

import ctypes
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.outputs import Fault
from tests.toolchain.virtual.isa.conftest import Runner

SOURCE = Path(__file__).with_name("orders.cu")
RNG = np.random.default_rng(51)
Array = NDArray[Any]
Run = Callable[..., None]


@pytest.fixture(params=["forward", "reversed", "sliced", "two threads"])
def run(request: pytest.FixtureRequest, runner: Runner, nvcc: Callable[..., str]) -> Run:
    """Run a kernel on copies of arrays; `sliced` lets every warp take one jump backwards at a time."""
    way = request.param
    engine = Engine(
        runner.native,
        threads=2 if way == "two threads" else 1,
        order="reversed" if way == "reversed" else "forward",
        limit_seconds=100,
    )
    engine.add_module(nvcc(SOURCE, "80"))

    def launch(kernel: str, *arguments: Any, grid: int, block: int) -> None:
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        places = [runner.native.vg_alloc(array.nbytes, 1) for array in arrays]
        for array, place in zip(arrays, places, strict=True):
            ctypes.memmove(place, array.ctypes.data, array.nbytes)
        numbers = [a for a in arguments if not isinstance(a, np.ndarray)]
        packed = b"".join(struct.pack("<Q", place) for place in places)
        packed += b"".join(struct.pack("<i", number) for number in numbers)
        asked = LaunchRequest(kernel, (grid, 1, 1), (block, 1, 1), 0, packed, cooperative=True)
        done = engine.sample(asked, range(grid)) if way == "sliced" else engine.launch(asked)
        assert not isinstance(done, Fault), done
        for array, place in zip(arrays, places, strict=True):
            ctypes.memmove(array.ctypes.data, place, array.nbytes)
            runner.native.vg_free(place)

    return launch


def test_a_ticket_lock_serves_every_thread(run: Run) -> None:
    order, count = np.full(160, -1, np.int32), np.zeros(1, np.int32)
    run("tickets", order, count, grid=2, block=80)
    assert np.array_equal(order, np.arange(160))
    assert count[0] == 160


def test_blocks_look_back_for_what_others_publish(run: Run) -> None:
    x, status = RNG.integers(-9, 99, 64 * 11, np.int32), np.zeros(11, np.int64)
    y = np.zeros_like(x)
    run("look_back", x, y, status, grid=11, block=64)
    assert np.array_equal(y, np.cumsum(x))


def test_named_barriers_keep_a_ring_in_step(run: Run) -> None:
    x, y = RNG.integers(-9, 10, (8, 64), np.int32), np.zeros(64, np.int32)
    run("ring", x, y, 8, grid=1, block=128)
    wanted = np.zeros(64, np.int32)
    for row in x:
        wanted = 3 * wanted + 2 * row[::-1]
    assert np.array_equal(y, wanted)


def collatz(v: int) -> int:
    steps = 0
    while v != 1:
        v = 3 * v + 1 if v & 1 else v // (v & -v)
        steps += 1
    return steps


def test_lanes_part_and_meet(run: Run) -> None:
    x, y = RNG.integers(1, 500, 64, np.int32), np.zeros(64, np.int32)
    run("parts_and_meets", x, y, grid=1, block=64)
    steps = np.array(list(map(collatz, x.tolist())))
    assert np.array_equal(y, np.repeat(steps.reshape(2, 32).sum(1), 32) * 1000 + steps)


def test_a_grid_goes_phase_by_phase(run: Run) -> None:
    x, y = np.arange(240, dtype=np.int32) % 7, np.zeros(240, np.int32)
    wanted = x.copy()
    run("phases", x, y, 4, grid=5, block=48)
    for _ in range(4):
        wanted = np.roll(wanted, -1) + np.roll(wanted, 1)
    assert np.array_equal(x, wanted)


def test_warps_hand_a_token_round(run: Run) -> None:
    y = np.zeros((2, 3, 4), np.int32)
    run("hands_round", y, 3, grid=2, block=128)
    assert np.array_equal(y, np.broadcast_to([3, 2, 1, 0], (2, 3, 4)))
