"""What single blocks and warps issue, and blocks that are counted within whole launches."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.launch import REQUESTS, SampledLaunch

Make = Callable[..., Any]


def is_sample(found: Any) -> SampledLaunch:
    assert isinstance(found, SampledLaunch)
    return found


def executions(sample: SampledLaunch) -> int:
    lengths = [len(block) for block in sample.kernel.blocks]
    return int(sample.block_counts[:, 0] @ np.array(lengths))


def unequal(bench: Make, busy: int) -> tuple[Any, Any]:
    b = bench("within.cu")
    return b, b.request("unequal", b.array(np.zeros(1280), np.float32), busy, grid=10, block=128)


def test_the_instructions_of_each_sampled_block_add_up_to_those_of_all(bench: Make) -> None:
    b, request = unequal(bench, busy=7)
    sample = is_sample(b.engine.sample(request, [3, 7, 2]))
    assert sample.instructions[0] == sample.instructions[2] < sample.instructions[1] / 20
    assert sample.instructions.sum() == executions(sample)


def test_the_longest_warp_of_a_block_is_known(bench: Make) -> None:
    b, request = unequal(bench, busy=7)
    assert is_sample(b.engine.sample(request, [3])).longest_warp == 1.0
    assert is_sample(b.engine.sample(request, [7])).longest_warp == pytest.approx(4 / 1.3, rel=0.02)


@pytest.mark.parametrize("residents", [1, 4])
def test_within_a_whole_launch_the_busiest_block_is_known_though_it_is_not_sampled(
    bench: Make, residents: int
) -> None:
    b, request = unequal(bench, busy=5)
    alone = [is_sample(b.engine.sample(request, [i])).instructions[0] for i in range(10)]
    sample = is_sample(b.engine.sample_within(request, [0, 9], 0, residents))
    assert sample.longest_block == 5
    assert sample.longest == pytest.approx(max(alone) / np.mean(alone))
    assert executions(sample) == pytest.approx(2 * np.mean(alone), rel=0.01)


def test_within_a_whole_launch_every_block_runs_and_equal_blocks_count_as_alone(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.arange(1024), np.float32), b.array(np.zeros(1024), np.float32)
    request = b.request("copiesPKfPfi", x, y, 1, grid=16, block=64)
    alone = is_sample(b.engine.sample(request, [3, 8]))
    y[:] = 0
    among = is_sample(b.engine.sample_within(request, [3, 8]))
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(among.block_counts, alone.block_counts)
    np.testing.assert_array_equal(among.site_counts, alone.site_counts)
    assert [f.tolist() for f in among.footprints] == [f.tolist() for f in alone.footprints]
    assert (among.longest, among.unseen) == (1.0, 0.0)


def test_memory_instructions_count_as_their_code_does_in_the_whole_grid(bench: Make) -> None:
    b = bench("within.cu")
    x, y = b.array(np.zeros(64 * 100), np.float32), b.array(np.zeros(640), np.float32)
    request = b.request("reads_in_one_block", x, y, 5, 100, grid=10, block=64)
    sample = is_sample(b.engine.sample_within(request, [0, 5]))
    loads = [c[REQUESTS] for s, c in zip(sample.sites, sample.site_counts, strict=True) if s.kind == "load"]
    assert sum(loads) == pytest.approx(200 / 10 * 2)


def test_memory_instructions_that_no_counted_block_came_to_count_at_their_worst(bench: Make) -> None:
    b = bench("within.cu")
    x, y = b.array(np.zeros(64 * 100), np.float32), b.array(np.zeros(640), np.float32)
    request = b.request("reads_in_one_block", x, y, 5, 100, grid=10, block=64)
    sample = is_sample(b.engine.sample_within(request, [0, 9]))
    assert sample.unseen > 0.5
    load = next(
        c.tolist() for s, c in zip(sample.sites, sample.site_counts, strict=True) if s.kind == "load" and c[0]
    )
    assert load == [40, 32 * 40, 32 * 40, 32 * 40, 32 * 40]


def test_a_block_that_is_counted_within_sees_what_it_sees_in_any_launch(bench: Make) -> None:
    b = bench("within.cu", threads=1)
    ended, seen = b.array(np.zeros(20), np.int32), b.array(np.zeros(20), np.int32)
    request = b.request("looks_around", ended, seen, grid=20)
    b.engine.sample_within(request, [4, 11])
    among, ended[:], seen[:] = seen.copy(), 0, 0
    b.engine.launch(request)
    np.testing.assert_array_equal(among, seen)


def queue(bench: Make, tasks: int) -> tuple[Any, Any, Any]:
    b = bench("within.cu")
    done, by = b.array(np.zeros(tasks), np.int32), b.array(np.zeros(12), np.int32)
    return b, b.request("queues", done, by, tasks, grid=12, block=64), by


def test_resident_blocks_share_a_queue_as_evenly_as_on_hardware(bench: Make) -> None:
    b, request, by = queue(bench, tasks=600)
    assert b.engine.shares_work(request)
    sample = is_sample(b.engine.sample_within(request, [0, 11], 0, 12))
    assert (by.min(), by.max(), by.sum()) == (50, 50, 600)
    assert sample.longest == pytest.approx(1.0, abs=0.05)
    assert not sample.depends


def test_a_block_that_takes_all_work_is_the_longest(bench: Make) -> None:
    b, request, by = queue(bench, tasks=600)
    sample = is_sample(b.engine.sample_within(request, [0, 11]))
    assert by[0] == 600
    assert sample.longest == pytest.approx(12, rel=0.05)


def test_a_sampled_block_that_does_more_than_it_may_is_given_up(bench: Make) -> None:
    b, request, _ = queue(bench, tasks=20000)
    assert is_sample(b.engine.sample(request, [0], 0, 100_000)).depends


def test_a_sampled_block_that_waits_for_others_says_so(bench: Make) -> None:
    b = bench("running.cu")
    request = b.request("grid_phases", b.array(np.arange(256), np.int32), grid=4, block=64, cooperative=True)
    assert is_sample(b.engine.sample(request, [1])).depends
    assert not is_sample(b.engine.sample_within(request, [1], 0, 4)).depends


def turns(bench: Make, **options: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of 320 blocks in each of two launches, whether another warp got on while one was in a loop."""
    b, found = bench("within.cu", **options), []
    y = b.array(np.zeros(320), np.int32)
    for _ in range(2):
        b.engine.launch(b.request("tells_turns", y, grid=320, block=64))
        found.append(y - 1)
    return found[0], found[1]


def test_some_blocks_of_any_launch_take_turns_as_counted_ones_do(bench: Make) -> None:
    first, second = turns(bench, draws=random.Random(1))
    assert 1 <= first.sum() <= 10
    assert 1 <= second.sum() <= 10
    assert (first != second).any()


def test_which_blocks_take_turns_so_nobody_can_foresee(bench: Make) -> None:
    assert (turns(bench)[0] != turns(bench)[0]).any()


def test_in_a_small_grid_a_block_takes_turns_in_some_launches(bench: Make) -> None:
    b, found = bench("within.cu", draws=random.Random(2)), []
    y = b.array(np.zeros(4), np.int32)
    for _ in range(64):
        b.engine.launch(b.request("tells_turns", y, grid=4, block=64))
        found.append(int(y.max()) == 2)
    assert 8 <= sum(found) <= 32


def test_counted_blocks_take_turns_alone_and_within_whole_launches(bench: Make) -> None:
    b = bench("within.cu")
    y = b.array(np.zeros(9), np.int32)
    request = b.request("tells_turns", y, grid=9, block=64)
    b.engine.sample_within(request, [2, 5])
    assert np.flatnonzero(y == 2).tolist() == [2, 5]
    b.engine.sample(request, [4])
    assert y[4] == 2


def test_the_clock_does_not_tell_a_counted_block_what_counting_takes(bench: Make) -> None:
    b = bench("within.cu")
    x, y, ticks = (b.array(np.zeros(n), t) for n, t in ((64, np.float32), (64, np.float32), (30, np.int32)))
    request = b.request("measures", x, y, ticks, grid=30, block=64)
    b.engine.launch(request)
    whole, ticks[:] = ticks.copy(), 0
    b.engine.sample_within(request, [3, 17])
    assert set(whole) == set(ticks)
    assert min(whole) > 0


def test_a_tally_is_what_all_blocks_issue_and_leaves_what_a_launch_leaves(bench: Make) -> None:
    b, request = unequal(bench, busy=7)
    alone = is_sample(b.engine.sample(request, range(10))).instructions.sum()
    assert b.engine.tally(request) == alone
    x, y = b.array(np.arange(1024), np.float32), b.array(np.zeros(1024), np.float32)
    b.engine.tally(b.request("unequal", y, 0, grid=8, block=128))
    b.engine.launch(b.request("unequal", x, 0, grid=8, block=128))
    np.testing.assert_array_equal(x, y)
