"""How much longer a launch takes than its blocks work: they wait, in chains, in stages or in turn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.waiting import cycles

Make = Callable[..., Any]
PLACES = 16
STEPS = 300


def within(
    bench: Make, kernel: str, *scalars: int, grid: int = 64, block: int = 64, places: int = PLACES
) -> SampledLaunch:
    b, room = bench("waiting.cu"), max(1024, grid)
    flags, y = b.array(np.zeros(room), np.int32), b.array(np.zeros(room), np.float32)
    arrays = (flags, b.array(np.zeros(1024), np.float32), y) if kernel == "looking_back" else (flags, y)
    request = b.request(kernel, *arrays, *scalars, grid=grid, block=block)
    sample = b.engine.sample_within(request, [0, grid // 2, grid - 1], 0, places)
    assert isinstance(sample, SampledLaunch)
    return sample


def test_a_chain_through_all_is_as_long_as_all_of_its_blocks(bench: Make) -> None:
    assert within(bench, "in_chains", 1, 0, STEPS).stretch == pytest.approx(PLACES, rel=0.3)


def test_of_two_chains_side_by_side_each_has_half(bench: Make) -> None:
    assert within(bench, "in_chains", 2, 0, STEPS).stretch == pytest.approx(PLACES / 2, rel=0.3)


MANY, HOLDS = 1 << 15, 256
"""Blocks of a grid, of which the GPU holds so many at a time."""


@pytest.mark.parametrize("apart", [64, 128, 200])
def test_many_chains_side_by_side_are_seen_in_large_grids(bench: Make, apart: int) -> None:
    sample = within(bench, "in_chains", apart, 0, 50, grid=MANY, block=32, places=HOLDS)
    assert sample.stretch == pytest.approx(HOLDS / apart, rel=0.3)


def test_a_chain_in_the_middle_of_a_large_grid_is_seen(bench: Make) -> None:
    sample = within(
        bench, "in_chains_from", MANY // 2, MANY // 2 + 1000, 50, grid=MANY, block=32, places=HOLDS
    )
    assert sample.stretch == pytest.approx(1 + 1000 / (MANY / HOLDS), rel=0.3)


def test_a_chain_may_begin_with_the_last_block(bench: Make) -> None:
    sample = within(bench, "in_chains", 1, 1, STEPS, grid=PLACES)
    assert sample.stretch == pytest.approx(PLACES, rel=0.3)


def test_blocks_that_never_yield_do_not_hide_their_chain(bench: Make) -> None:
    assert within(bench, "straight", block=32).stretch == pytest.approx(PLACES, rel=0.3)


def test_who_holds_a_lock_keeps_the_others_waiting(bench: Make) -> None:
    assert within(bench, "with_a_lock", STEPS).stretch == pytest.approx(PLACES, rel=0.3)


def test_stages_follow_one_another(bench: Make) -> None:
    assert within(bench, "in_stages", 4, STEPS).stretch == pytest.approx(PLACES / 4, rel=0.3)


def test_blocks_that_work_in_turn_between_meetings_work_alone(bench: Make) -> None:
    lock_step = within(bench, "meeting", PLACES, 1, 20 * STEPS, grid=PLACES)
    assert lock_step.stretch == pytest.approx(PLACES, rel=0.4)


def test_blocks_that_meet_after_equal_work_hardly_wait(bench: Make) -> None:
    assert within(bench, "meeting", 5, 0, STEPS, grid=PLACES).stretch < 1.3


def test_a_scan_that_looks_back_hardly_waits(bench: Make) -> None:
    assert within(bench, "looking_back", STEPS, grid=200).stretch < 1.5


def test_blocks_of_a_queue_do_not_wait(bench: Make) -> None:
    assert within(bench, "from_a_queue", 320, 50, grid=PLACES).stretch == pytest.approx(1.0, abs=0.1)


def test_clocks_go_by_the_latencies_of_the_gpu(bench: Make) -> None:
    b = bench("waiting.cu")
    kernel = b.engine.kernel(b.name_of("in_chains_from"))
    slow, quick = (cycles(kernel, load_gpu(name).model.latency)[:, 0] for name in ("h200", "t4"))
    assert (slow >= quick).all()
    assert slow.sum() > quick.sum() + 40


def test_without_a_chain_nobody_waits(bench: Make) -> None:
    assert within(bench, "in_chains", 64, 0, STEPS).stretch == pytest.approx(1.0, abs=0.05)


def test_polls_in_vain_are_not_counted(bench: Make) -> None:
    alone = within(bench, "in_chains", 64, 0, STEPS).block_counts[:, 0].sum()
    assert within(bench, "in_chains", 1, 0, STEPS).block_counts[:, 0].sum() < 1.1 * alone


def test_the_same_launch_takes_as_long_each_time(bench: Make) -> None:
    first, second = (within(bench, "looking_back", STEPS, grid=200) for _ in range(2))
    assert first.stretch == second.stretch
    np.testing.assert_array_equal(first.block_counts, second.block_counts)
