"""Which blocks and launches are sampled."""

from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel
from cudamaster.toolchain.devices.virtual.sampling import (
    SamplePlan,
    Samples,
    apart,
    joined,
    sampled_blocks,
    thread_instructions,
)

PLAN = SamplePlan(blocks=8)


def sample(grid: tuple[int, int, int], *, kernel: str = "k", blocks: int = 1) -> SampledLaunch:
    body = [[Instruction("add.s32", ()), Instruction("bra", ())], [Instruction("ret", ())]]
    return SampledLaunch(
        request=LaunchRequest(kernel, grid, (32, 1, 1), 0, b""),
        kernel=Kernel(kernel, True, (), (), {}, {}, body, {}),
        sampled_blocks=tuple(range(blocks)),
        block_counts=np.array([[10, 320], [1, 32]], np.int64),
        sites=(),
        site_counts=np.zeros((0, 5), np.int64),
        footprints=(),
        allocations=(),
        seconds=0.0,
    )


def test_a_small_grid_is_sampled_whole() -> None:
    assert sampled_blocks((2, 2, 2), PLAN) == tuple(range(8))


@pytest.mark.parametrize(
    "grid", [(1000, 1, 1), (1, 1000, 1), (1, 1, 1000), (50, 40, 3), (9, 1, 1), (3, 3, 1)]
)
def test_a_sample_holds_the_ends_and_neighbours(grid: tuple[int, int, int]) -> None:
    blocks = sampled_blocks(grid, PLAN)
    total = grid[0] * grid[1] * grid[2]
    assert len(blocks) == len(set(blocks)) <= 8
    assert (blocks[0], blocks[-1]) == (0, total - 1)
    assert list(blocks) == sorted(blocks)
    if grid[0] > 1:
        assert any(b + 1 in blocks for b in blocks)
    if grid[1] > 1:
        assert any(b + grid[0] in blocks for b in blocks)


def test_the_seed_moves_the_spread_blocks_and_nothing_else() -> None:
    grid = (10000, 10, 1)
    first, again, other = (sampled_blocks(grid, SamplePlan(seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert {0, 99999, 55000, 55001, 65000} <= set(first) & set(other)


def test_instructions_are_scaled_to_the_grid() -> None:
    assert thread_instructions(sample((100, 1, 1), blocks=4)) == (320 * 2 + 32) * 100 / 4


def test_later_launches_of_one_shape_are_counted_not_sampled() -> None:
    samples = Samples(SamplePlan(same_launches=1))
    wide, narrow = sample((100, 1, 1)), sample((10, 1, 1))
    for launch in (wide, narrow, wide, wide):
        if samples.is_due(launch.request):
            samples.take(launch)
        else:
            assert samples.repeat(launch.request) is launch
    assert list(samples.counted()) == [(wide, 3), (narrow, 1)]


def test_the_ends_of_a_grid_are_counted_apart() -> None:
    assert apart((0, 5, 6, 99), 100) == ((0, 99), (5, 6))
    assert apart((0, 1, 2), 3) == ((0, 1, 2),)


def counted(blocks: tuple[int, ...], executions: int) -> SampledLaunch:
    whole = sample((100, 1, 1), blocks=1)
    return replace(
        whole,
        sampled_blocks=blocks,
        footprints=tuple(np.array([block], np.uint64) for block in blocks),
        block_counts=np.array([[executions, 32 * executions]] * 2, np.int64),
    )


def test_two_ends_stand_for_themselves_and_the_others_for_the_rest() -> None:
    both = joined([counted((0, 99), executions=2 * 1000), counted((5, 6), executions=2 * 10)])
    assert both.sampled_blocks == (0, 5, 6, 99)
    assert [int(footprint[0]) for footprint in both.footprints] == [0, 5, 6, 99]
    assert both.block_counts[0, 0] * 100 / 4 == pytest.approx(2 * 1000 + 98 * 10, rel=0.01)
