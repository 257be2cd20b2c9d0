"""Counters of sampled blocks, against counts made by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    LINES,
    MISSED_SECTORS,
    REQUESTS,
    SECTORS,
    SampledLaunch,
)

Make = Callable[..., Any]


def sampled(bench: Any, request: Any, blocks: list[int]) -> SampledLaunch:
    sample = bench.engine.sample(request, blocks)
    assert isinstance(sample, SampledLaunch)
    return sample


def site(sample: SampledLaunch, kind: str, space: str = "global") -> list[int]:
    index = next(i for i, s in enumerate(sample.sites) if (s.kind, s.space) == (kind, space))
    counts: list[int] = sample.site_counts[index].tolist()
    return counts


@pytest.mark.parametrize(("stride", "sectors", "lines"), [(1, 4, 1), (2, 8, 2), (8, 32, 8), (32, 32, 32)])
def test_sectors_and_lines_of_strided_loads(bench: Make, stride: int, sectors: int, lines: int) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.zeros(4 * 64 * stride), np.float32), b.array(np.zeros(256), np.float32)
    sample = sampled(b, b.request("copiesPKfPfi", x, y, stride, grid=4, block=64), [1, 3])
    counts = site(sample, "load")
    assert counts[REQUESTS] == 4
    assert counts[LANES] == 128
    assert counts[SECTORS] == 4 * sectors
    assert counts[MISSED_SECTORS] == 4 * sectors
    assert counts[LINES] == 4 * lines
    assert site(sample, "store")[SECTORS] == 16


def test_sixteen_bytes_a_lane_take_sixteen_sectors(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.zeros(512), np.float32), b.array(np.zeros(512), np.float32)
    sample = sampled(b, b.request("copies_wide", x, y, grid=2, block=64), [0])
    assert site(sample, "load") == [2, 64, 32, 32, 8]


@pytest.mark.parametrize(("stride", "wavefronts"), [(1, 1), (2, 2), (4, 4), (32, 32), (33, 1)])
def test_bank_conflicts_of_shared_memory(bench: Make, stride: int, wavefronts: int) -> None:
    b = bench("counted.cu")
    request = b.request("transposes", b.array(np.zeros(32), np.float32), stride, shared=4 * 33 * 32)
    sample = sampled(b, request, [0])
    for kind in ("load", "store"):
        counts = site(sample, kind, "shared")
        assert (counts[REQUESTS], counts[SECTORS]) == (1, wavefronts)


def test_lines_that_were_read_before_hit_the_modelled_cache(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.zeros(65), np.float32), b.array(np.zeros(64), np.float32)
    sample = sampled(b, b.request("rereads", x, y, block=64), [0])
    loads = site(sample, "load")
    assert loads[REQUESTS] == 20
    assert loads[SECTORS] == 10 * 4 + 10 * 5
    assert loads[MISSED_SECTORS] == 9


def test_a_footprint_holds_each_sector_once(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.zeros(65), np.float32), b.array(np.zeros(64), np.float32)
    sample = sampled(b, b.request("rereads", x, y, block=64), [0])
    wanted = {a.ctypes.data // 32 + i for a, n in ((x, 9), (y, 8)) for i in range(n)}
    assert sample.footprints[0].tolist() == sorted(wanted)
    assert {(a.ctypes.data, a.nbytes) for a in (x, y)} <= set(sample.allocations)


def gathered(bench: Make, rows: list[list[int]], l1_bytes: int) -> tuple[list[int], SampledLaunch]:
    """What rows of 32 indices count, which the same L1 holds: a line each."""
    b = bench("counted.cu")
    x, y = b.array(np.zeros(1 << 12), np.float32), b.array(np.zeros(32), np.float32)
    indices = b.array(rows, np.int32)
    sample = b.engine.sample(b.request("gathers", indices, x, y, len(rows)), [0], l1_bytes)
    loads = [c for s, c in zip(sample.sites, sample.site_counts.tolist(), strict=True) if s.kind == "load"]
    return next(counts for counts in loads if counts[LINES] != len(rows)), sample


SECTOR = 8
LINE = 16 * 4 * SECTOR
"""From one line to the next that is met, in numbers of 4 bytes: far enough to count as anywhere."""
ONE_SET = 4 * 128


def test_a_gather_counts_each_sector_and_line_once(bench: Make) -> None:
    row = [LINE * (5 * lane % 8) + SECTOR * (lane % 3) for lane in range(32)]
    counts, sample = gathered(bench, [row, row[::-1]], 0)
    sectors = len({index // SECTOR for index in row})
    assert counts == [2, 64, 2 * sectors, sectors, 2 * 8]
    assert len(sample.footprints[0]) == sectors + 2 * 4 + 4


def test_a_gather_asks_for_a_line_once_even_where_others_of_it_push_it_out(bench: Make) -> None:
    """Its own row of indices and lines A to E go through a set of four: E pushes A out."""
    others = [LINE * line for line in (1, 2, 3, 4)]
    first = [0, *others, SECTOR, SECTOR, *[0] * 25]
    again, further = [0] * 32, [SECTOR] * 32
    counts, _ = gathered(bench, [first, again, further], ONE_SET)
    assert counts == [3, 96, 6 + 1 + 1, 6 + 1 + 1, 5 + 1 + 1]


def test_what_a_gather_finds_stays_until_it_is_the_oldest(bench: Make) -> None:
    """Of lines A to C in a set of four, A is found again and stays the oldest: more indices push it out."""
    rows = [[0, LINE] * 16, [0, LINE, 2 * LINE, SECTOR] * 8, [LINE] * 32, [0] * 32]
    counts, _ = gathered(bench, rows, ONE_SET)
    assert counts[SECTORS] == 2 + 4 + 1 + 1
    assert counts[LINES] == 2 + 3 + 1 + 1
    assert counts[MISSED_SECTORS] == 2 + 2 + 0 + 1


def test_executions_and_active_lanes_of_basic_blocks(bench: Make) -> None:
    b = bench("counted.cu")
    y = b.array(np.zeros(32), np.float32)
    sample = sampled(b, b.request("half_works", y, block=64), [0])
    store = next(s for s in sample.sites if s.kind == "store")
    assert sample.block_counts[0].tolist() == [2, 64]
    assert sample.block_counts[store.block_index].tolist() == [1, 16]


def test_only_the_sampled_blocks_run(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.ones(256), np.float32), b.array(np.zeros(256), np.float32)
    sampled(b, b.request("copiesPKfPfi", x, y, 1, grid=4, block=64), [2])
    assert np.array_equal(np.flatnonzero(y), np.arange(128, 192))


def test_blocks_are_counted_in_the_order_that_was_asked_for(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.ones(256), np.float32), b.array(np.zeros(256), np.float32)
    sample = sampled(b, b.request("copiesPKfPfi", x, y, 1, grid=4, block=64), [3, 0, 2])
    first = x.ctypes.data // 32
    of_x = [
        [sector - first for sector in each.tolist() if 0 <= sector - first < 32] for each in sample.footprints
    ]
    assert of_x == [list(range(begin, begin + 8)) for begin in (24, 0, 16)]


def test_blocks_that_a_sampled_one_waits_for_run_uncounted(bench: Make) -> None:
    b = bench("running.cu")
    x = b.array(np.arange(256), np.int32)
    sample = sampled(b, b.request("grid_phases", x, grid=4, block=64, cooperative=True), [1])
    assert sample.block_counts[0].tolist() == [2, 64]


def test_the_modelled_cache_does_not_depend_on_where_memory_lies(bench: Make) -> None:
    """A gather from more memory than L1 holds misses alike in buffers at other addresses."""
    b, missed = bench("counted.cu"), set()
    for other in (1, 4097, 100_003):
        b.array(np.zeros(other), np.float32)
        x, y = b.array(np.zeros(1 << 17), np.float32), b.array(np.zeros(256), np.float32)
        sample = sampled(b, b.request("wanders", x, y, 1 << 17, block=256), [0])
        missed.add(int(sample.site_counts[:, MISSED_SECTORS].sum()))
    assert len(missed) == 1


@pytest.mark.parametrize(("lanes", "addresses"), [(1, 32), (2, 16), (8, 4), (32, 1)])
def test_lanes_of_different_addresses_in_constant_memory_are_told_apart(
    bench: Make, lanes: int, addresses: int
) -> None:
    b = bench("counted.cu")
    sample = sampled(b, b.request("looks_up", b.array(np.zeros(64), np.float32), lanes, block=64), [0])
    counts = site(sample, "load", "const")
    assert counts[SECTORS] - counts[REQUESTS] == 2 * (addresses - 1)
    assert counts[LINES] == counts[MISSED_SECTORS] == 0


def test_what_a_block_issues_between_a_bulk_copy_and_the_wait_for_it(bench: Make) -> None:
    b = bench("counted.cu")
    x, y = b.array(np.zeros(2048), np.float32), b.array(np.zeros(64), np.float32)
    between = []
    for ahead in (0, 1, 3):
        sample = sampled(b, b.request("copies_in_bulk", x, y, ahead, block=64), [0])
        counts = site(sample, "async_copy", "shared")
        assert counts[MISSED_SECTORS] == 8
        between.append(counts[LINES] / counts[REQUESTS] / (sample.instructions[0] / 8))
    assert between[0] < 0.1
    assert 0.7 < between[1] < 1.2
    assert between[2] > 1.5
