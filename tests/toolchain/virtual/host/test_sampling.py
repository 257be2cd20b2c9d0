"""Which blocks and launches are sampled."""

import random
import struct
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
    scalars_of,
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


def samples_with(draw: float, drawn_repeats: int = 4, scalar_sets: int = 64) -> Samples:
    """Samples of which each draw is this number of [0, 1)."""

    class Fixed(random.Random):
        def random(self) -> float:
            return draw

    plan = SamplePlan(same_launches=1, drawn_repeats=drawn_repeats, scalar_sets=scalar_sets)
    return Samples(plan, Fixed())


def meet(samples: Samples, launch: SampledLaunch, scalars: bytes = b"") -> str:
    """Tell of a launch as a machine does; what became of it."""
    if samples.is_due(launch.request, scalars):
        samples.take(launch, scalars)
        return "due"
    if samples.is_drawn(launch.request):
        samples.compare(launch, scalars)
        return "drawn"
    samples.repeat(launch.request, scalars)
    return "counted"


def counts(samples: Samples) -> list[tuple[SampledLaunch, int]]:
    return list(samples.counted())


def with_work(executions: int) -> SampledLaunch:
    return replace(sample((100, 1, 1)), block_counts=np.array([[executions, 0]] * 2, np.int64))


def test_later_launches_of_one_shape_are_counted_not_sampled() -> None:
    samples = samples_with(0.999, drawn_repeats=0)
    wide, narrow = sample((100, 1, 1)), sample((10, 1, 1))
    assert [meet(samples, launch) for launch in (wide, narrow, wide, wide)] == ["due"] * 2 + ["counted"] * 2
    assert counts(samples) == [(wide, 3), (narrow, 1)]


def test_launches_with_other_scalars_are_sampled_each() -> None:
    samples, light, heavy = samples_with(0.999, drawn_repeats=0), with_work(10), with_work(100)
    assert [meet(samples, launch, s) for launch, s in ((light, b"0"), (light, b"0"), (heavy, b"1"))] == [
        "due", "counted", "due",
    ]  # fmt: skip
    assert [meet(samples, heavy, b"1"), meet(samples, light, b"0")] == ["counted"] * 2
    assert counts(samples) == [(light, 3), (heavy, 2)]


def test_after_too_many_different_scalars_launches_are_one_kind() -> None:
    samples, launch = samples_with(0.999, drawn_repeats=0, scalar_sets=2), with_work(10)
    assert [meet(samples, launch, s) for s in (b"0", b"1", b"2", b"3", b"0")] == ["due"] * 3 + ["counted"] * 2
    assert [count for _, count in counts(samples)] == [2, 1, 2]


def test_the_first_repeats_are_looked_at_and_then_ever_fewer() -> None:
    samples, launch = samples_with(0.5, drawn_repeats=2), with_work(10)
    assert [meet(samples, launch) for _ in range(6)] == ["due", *["drawn"] * 3, *["counted"] * 2]


def test_drawn_launches_that_do_no_more_leave_no_trace() -> None:
    drawn, undrawn = samples_with(0.0), samples_with(0.999, drawn_repeats=0)
    launches = [with_work(executions) for executions in (100, 100, 105, 20)]
    for samples in (drawn, undrawn):
        for launch in launches:
            meet(samples, launch)
    assert counts(drawn) == counts(undrawn) == [(launches[0], 4)]


def test_a_drawn_launch_that_does_more_stands_for_all_that_only_were_counted() -> None:
    samples, light, heavy = samples_with(0.999, drawn_repeats=1), with_work(10), with_work(100)
    assert [meet(samples, light) for _ in range(4)] == ["due", "drawn", "counted", "counted"]
    samples.draws = random.Random(0)
    samples.compare(heavy, b"")
    assert [meet(samples, heavy), *counts(samples)][1:] == [(light, 1), (heavy, 5)]


def test_a_launch_that_was_looked_at_counts_as_those_like_it_or_as_itself() -> None:
    samples, launch, heavy, light = samples_with(0.999), with_work(50), with_work(100), with_work(10)
    samples.take(launch, b"")
    for one in (launch, heavy, light, launch):
        samples.count_known(one, b"")
    assert counts(samples) == [(launch, 3), (heavy, 1), (light, 1)]
    assert samples.order == [0, 0, 1, 2, 0]


def test_every_launch_is_known_by_the_sample_it_counts_as() -> None:
    samples, light, heavy = samples_with(0.999, drawn_repeats=1), with_work(10), with_work(100)
    for launch, scalars in ((light, b"0"), (heavy, b"1"), (light, b"0"), (light, b"0")):
        meet(samples, launch, scalars)
    assert samples.order == [0, 1, 0, 0]
    samples.compare(heavy, b"0")
    assert samples.order == [0, 1, 2, 2, 2]


def test_scalars_are_parameters_without_addresses() -> None:
    allocations = [(0x1000, 0x100)]
    one, other = (struct.pack("<QQi", address, 7, 3) for address in (0x1000, 0x10FF))
    assert scalars_of(one, allocations) == scalars_of(other, allocations) == struct.pack("<QQi", 0, 7, 3)
    assert scalars_of(struct.pack("<Q", 0x1100), allocations) == struct.pack("<Q", 0x1100)


def test_the_ends_of_a_grid_are_counted_apart() -> None:
    assert apart((0, 5, 6, 99), 100) == ((0, 99), (5, 6))
    assert apart((0, 1, 2), 3) == ((0, 1, 2),)


def counted(blocks: tuple[int, ...], executions: int, longest_warp: float = 1.0) -> SampledLaunch:
    whole = sample((100, 1, 1), blocks=1)
    return replace(
        whole,
        sampled_blocks=blocks,
        footprints=tuple(np.array([block], np.uint64) for block in blocks),
        block_counts=np.array([[executions, 32 * executions]] * 2, np.int64),
        instructions=np.array([block + executions for block in blocks], np.int64),
        longest_warp=longest_warp,
    )


def test_two_ends_stand_for_themselves_and_the_others_for_the_rest() -> None:
    both = joined([counted((0, 99), executions=2 * 1000), counted((5, 6), executions=2 * 10)])
    assert both.sampled_blocks == (0, 5, 6, 99)
    assert [int(footprint[0]) for footprint in both.footprints] == [0, 5, 6, 99]
    assert both.block_counts[0, 0] * 100 / 4 == pytest.approx(2 * 1000 + 98 * 10, rel=0.01)


def test_the_longest_block_is_held_against_the_mean_of_the_whole_grid() -> None:
    both = joined([counted((0, 99), executions=1000), counted((5, 6), executions=10)])
    assert both.instructions.tolist() == [1000, 15, 16, 1099]
    assert both.longest == pytest.approx(1099 / ((1000 + 1099 + 98 * 15.5) / 100))


def test_the_longest_warp_of_blocks_counts_by_what_they_issue() -> None:
    both = joined([counted((0, 99), 1000, longest_warp=4.0), counted((5, 6), 10)])
    ends, rest = 1000 + 1099, 98 * 15.5
    assert both.longest_warp == pytest.approx((4 * ends + rest) / (ends + rest))


def test_a_launch_whose_busiest_block_does_more_stands_for_those_like_it() -> None:
    samples, even, uneven = samples_with(0.0), with_work(100), replace(with_work(100), longest=8.0)
    assert [meet(samples, launch) for launch in (even, uneven)] == ["due", "drawn"]
    assert counts(samples) == [(even, 1), (uneven, 1)]


def test_a_launch_that_is_known_counts_for_itself_where_it_is_unlike_the_others() -> None:
    samples, launches = samples_with(0.0), [with_work(n) for n in (100, 105, 1000, 20)]
    samples.take(launches[0], b"")
    for launch in launches[1:]:
        samples.count_known(launch, b"")
    assert counts(samples) == [(launches[0], 2), (launches[2], 1), (launches[3], 1)]
