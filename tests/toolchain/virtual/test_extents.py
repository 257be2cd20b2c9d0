"""Bytes that all blocks touch follow from those of the sampled ones; both ends count for themselves."""

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.extents import extents, touched_bytes
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.traces import Extent
from tests.doubles.sampled_launch import kernel_of, sampled

X = ("x", 0x1000, 32 * 1000)
"""1000 sectors from the 128th on."""


def launch(grid: int, touched: dict[int, range]) -> SampledLaunch:
    """A launch whose sampled blocks touch these sectors of x."""
    return sampled(
        kernel_of("ret;"),
        grid=(grid, 1, 1),
        block=(32, 1, 1),
        samples=list(touched),
        footprint=lambda block: np.array([128 + sector for sector in touched[block]], np.uint64),
    )


def test_all_blocks_that_ran_count_once() -> None:
    whole = launch(2, {0: range(10), 1: range(10, 15)})
    assert extents([(whole, 1)], [X])["x"] == Extent(480, 480, 480)


def test_blocks_between_the_ends_stand_for_all_that_did_not_run() -> None:
    some = launch(102, {0: range(10), 40: range(8), 60: range(12), 101: range(1)})
    assert extents([(some, 1)], [X])["x"] == Extent(32 * (11 + 800), 32 * (11 + 1000), 32 * (11 + 1200))


def test_what_sampled_blocks_touch_themselves_is_told_once_for_each_launch_that_ran() -> None:
    some = launch(102, {0: range(10), 40: range(8), 60: range(12), 101: range(1)})
    assert extents([(some, 3), (some, 1)], [X])["x"].sampled == 2 * 32 * 31


def test_a_launch_counts_as_often_as_it_stands_for() -> None:
    assert extents([(launch(1, {0: range(10)}), 3)], [X])["x"].usual == 960


def test_other_buffers_do_not_count() -> None:
    beside = launch(1, {0: range(995, 1010)})
    assert extents([(beside, 1)], [X])["x"].usual == 5 * 32


@pytest.mark.parametrize(("moved", "touched"), [(0, 32_000), (500, 32_500)])
def test_no_buffer_counts_for_more_than_its_size(moved: int, touched: int) -> None:
    twice = launch(2, {0: range(1000), 1: range(1000)})
    assert touched_bytes([(twice, 1)], [X], moved) == touched


def test_a_block_at_an_end_may_be_the_one_that_touches_most() -> None:
    few_work = launch(102, {0: range(10), 40: range(0), 60: range(0), 101: range(0)})
    assert extents([(few_work, 1)], [X])["x"] == Extent(320, 320, 320 + 100 * 320)


def test_where_only_ends_were_sampled_all_blocks_are_like_them() -> None:
    ends = launch(102, {0: range(10), 101: range(2)})
    assert extents([(ends, 1)], [X])["x"] == Extent(32 * (12 + 200), 32 * (12 + 600), 32 * (12 + 1000))


def test_a_launch_may_touch_all_of_a_buffer_that_the_sample_it_counts_as_was_not_given() -> None:
    sample, given, other = launch(1, {0: range(10)}), np.uint64(0x1004).tobytes(), np.uint64(0x20).tobytes()
    assert extents([(sample, 2)], [X], {(given, other)})["x"] == Extent(640, 640, 640 + 32_000)
    for repeat in ((other, given), (given, given), (other, other)):
        assert extents([(sample, 2)], [X], {repeat})["x"] == Extent(640, 640, 640)
