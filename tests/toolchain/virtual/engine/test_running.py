"""Divergence, barriers, locks and calls run as on hardware, in both orders of blocks and warps."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Make = Callable[..., Any]


@pytest.fixture(params=["forward", "reversed"])
def running(bench: Make, request: pytest.FixtureRequest) -> Any:
    return bench("running.cu", order=request.param)


def walked(i: int, v: int) -> int | None:
    for _ in range(i % 7):
        v = 3 * v + 1 if v & 1 else v // 2
    return {0: v + 10, 1: v - 3, 2: None}.get(v % 5, 2 * v)


def test_lanes_that_part_meet_again(running: Any) -> None:
    x = np.random.default_rng(0).integers(0, 1000, 96)
    device_x, y = running.array(x, np.int32), running.array(np.full(96, -1), np.int32)
    assert running.engine.launch(running.request("meets_again", device_x, y, block=96)) is None
    wanted = [walked(i, v) for i, v in enumerate(x.tolist())]
    assert y.tolist() == [-1 if w is None else w for w in wanted]


def test_partial_warps_and_early_returns(running: Any) -> None:
    x, y = running.array(np.arange(300), np.float32), running.array(np.zeros(300), np.float32)
    request = running.request("exits_partly", x, y, 250, grid=3, block=100)
    assert running.engine.launch(request) is None
    assert np.array_equal(y, np.where(np.arange(300) < 250, np.arange(300) + 1, 0))


@pytest.mark.parametrize("block", [32, 48, 1024])
def test_a_barrier_orders_shared_memory(running: Any, block: int) -> None:
    x, y = running.array(np.arange(block), np.int32), running.array(np.zeros(block), np.int32)
    request = running.request("reverses", x, y, block=block, shared=4 * block)
    assert running.engine.launch(request) is None
    assert np.array_equal(y, x[::-1])


def test_a_spin_lock_taken_by_every_lane(running: Any) -> None:
    count = running.array([0], np.int32)
    assert running.engine.launch(running.request("locks", count, grid=3, block=64)) is None
    assert count[0] == 192


def test_blocks_may_wait_for_later_blocks(running: Any) -> None:
    turn, order = running.array([0], np.int32), running.array(np.zeros(20), np.int32)
    assert running.engine.launch(running.request("passes_on", turn, order, grid=20)) is None
    assert order.tolist() == list(range(19, -1, -1))


def test_a_grid_synchronises(running: Any) -> None:
    x = running.array(np.arange(256), np.int32)
    request = running.request("grid_phases", x, grid=4, block=64, cooperative=True)
    assert running.engine.launch(request) is None
    wanted = np.arange(256)
    for _ in range(3):
        wanted = wanted + np.roll(wanted, -1)
    assert np.array_equal(x, wanted)


def test_a_grid_that_was_not_launched_cooperatively_does_not_synchronise(running: Any) -> None:
    request = running.request("grid_phases", running.array(np.arange(256), np.int32), grid=4, block=64)
    fault = running.engine.launch(request)
    assert fault is not None
    assert fault.kind == "trap"


def test_named_barriers_wait_for_their_own_threads(running: Any) -> None:
    y = running.array(np.zeros(128), np.int32)
    assert running.engine.launch(running.request("named_barriers", y, block=128)) is None
    assert np.array_equal(y, np.repeat([5, 6], 64))


def test_a_producer_arrives_without_waiting(running: Any) -> None:
    y = running.array(np.zeros(32), np.int32)
    assert running.engine.launch(running.request("produces", y, block=64)) is None
    assert np.array_equal(y, 3 * np.arange(32))


def test_a_block_is_its_own_cluster(running: Any) -> None:
    y = running.array(np.zeros(64), np.int32)
    assert running.engine.launch(running.request("joins_its_cluster", y, block=64)) is None
    assert np.array_equal(y, 63 - np.arange(64))


def test_barriers_that_vote(running: Any) -> None:
    y = running.array(np.zeros(96), np.int32)
    assert running.engine.launch(running.request("votes", y, block=96)) is None
    assert (y == 32 + 1000 + 2000).all()


def test_functions_are_called_by_name_and_by_pointer(running: Any) -> None:
    y = running.array(np.zeros(64), np.int32)
    assert running.engine.launch(running.request("calls", y, block=64)) is None

    def twice(x: int) -> int:
        return 2 * x if x > 10 else x

    assert y.tolist() == [twice(i + i % 8) + (i * i if i % 2 else twice(i)) for i in range(64)]


def test_module_variables_keep_their_values_between_launches(running: Any) -> None:
    y = running.array(np.zeros(32), np.int32)
    for _ in range(2):
        assert running.engine.launch(running.request("uses_variables", y)) is None
    assert np.array_equal(y, np.tile([1, 10, 100, 1000], 8))
    assert int.from_bytes(running.engine.read_symbol("total", 4), "little") == 9
    running.engine.write_symbol("weights", (5).to_bytes(4, "little"), offset=4)
    assert running.engine.launch(running.request("uses_variables", y)) is None
    assert y[1] == 5


def test_uninitialised_shared_memory_reads_as_nan(running: Any) -> None:
    y = running.array(np.zeros(32), np.float32)
    assert running.engine.launch(running.request("reads_uninitialised", y)) is None
    assert np.isnan(y).all()


def test_one_pointer_may_point_into_any_space(running: Any) -> None:
    x, y = running.array(np.arange(64) + 100, np.float32), running.array(np.zeros(64), np.float32)
    assert running.engine.launch(running.request("spaces", x, y, block=64)) is None
    places = np.arange(64) // 2 % 3
    wanted = np.where(places == 0, np.arange(64) % 3 + 1, np.where(places == 1, 4, np.arange(64) + 100))
    assert np.array_equal(y, wanted)
