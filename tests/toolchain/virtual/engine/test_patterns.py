"""What one access by one warp costs, against counts by hand: sectors, wavefronts, lines, active lanes."""

from collections.abc import Callable, Iterator

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
from tests.toolchain.virtual.engine.conftest import Bench

Places = Callable[[int], int]
Counted = Callable[..., SampledLaunch]
BYTES = 32 * 1024


@pytest.fixture(scope="module")
def counted(ptx_of: Callable[[str], str]) -> Iterator[Counted]:
    """`counted("gathers_4", place)` samples the kernel's one warp; `place(lane)` is where a lane goes."""
    bench = Bench(ptx_of("patterns.cu"))
    x, y = bench.array(np.zeros(BYTES), np.uint8), bench.array(np.zeros(BYTES), np.uint8)
    places = bench.array(np.zeros(32), np.int32)

    def sample(kernel: str, place: Places, l1_bytes: int = 0) -> SampledLaunch:
        places[:] = [place(lane) for lane in range(32)]
        found = bench.engine.sample(bench.request(kernel, x, places, y, shared=BYTES), [0], l1_bytes)
        assert isinstance(found, SampledLaunch)
        return found

    yield sample
    bench.close()


def site(sample: SampledLaunch, kind: str, space: str, nth: int = -1) -> list[int]:
    found = [i for i, s in enumerate(sample.sites) if (s.kind, s.space) == (kind, space)]
    counts: list[int] = sample.site_counts[found[nth]].tolist()
    return counts


@pytest.mark.parametrize(
    ("width", "place", "sectors", "lines"),
    [
        (1, lambda lane: lane, 1, 1),
        (1, lambda lane: 32 * lane, 32, 8),
        (1, lambda lane: 31 + lane, 2, 1),
        (4, lambda lane: 0, 1, 1),
        (4, lambda lane: lane, 4, 1),
        (4, lambda lane: 31 - lane, 4, 1),
        (4, lambda lane: lane ^ 5, 4, 1),
        (4, lambda lane: lane + 1, 5, 2),
        (4, lambda lane: lane + 8, 4, 2),
        (4, lambda lane: 2 * lane, 8, 2),
        (4, lambda lane: 8 * lane, 32, 8),
        (4, lambda lane: 32 * lane, 32, 32),
        (4, lambda lane: lane % 2 * 1024, 2, 2),
        (4, lambda lane: lane % 8 + lane // 8 * 64, 4, 4),
        (4, lambda lane: lane // 4 * 3, 3, 1),
        (8, lambda lane: lane, 8, 2),
        (8, lambda lane: 4 * lane, 32, 8),
        (16, lambda lane: lane, 16, 4),
        (16, lambda lane: 0, 1, 1),
        (16, lambda lane: 8 * lane, 32, 32),
        (16, lambda lane: lane // 8 * 64 + lane % 8, 16, 4),
    ],
)
def test_sectors_and_lines_of_a_gather(
    counted: Counted, width: int, place: Places, sectors: int, lines: int
) -> None:
    counts = site(counted(f"gathers_{width}", place), "load", "global")
    assert counts[REQUESTS] == 1
    assert counts[LANES] == 32
    assert (counts[SECTORS], counts[MISSED_SECTORS], counts[LINES]) == (sectors, sectors, lines)


@pytest.mark.parametrize(
    ("place", "sectors"), [(lambda lane: lane, 4), (lambda lane: lane + 3, 5), (lambda lane: 16 * lane, 32)]
)
def test_sectors_of_a_scatter_reach_l2_one_by_one(counted: Counted, place: Places, sectors: int) -> None:
    counts = site(counted("scatters", place), "store", "global")
    assert (counts[SECTORS], counts[MISSED_SECTORS]) == (sectors, sectors)


AGAIN = (
    lambda lane: 5,
    lambda lane: lane,
    lambda lane: lane + 3,
    lambda lane: lane % 16,
    lambda lane: lane % 16 + lane // 16 * 20,
    lambda lane: lane % 16 + (1 - lane // 16) * 40 + 3,
    lambda lane: lane % 16 + lane // 16 * 4096,
    lambda lane: lane // 16 * 7,
    lambda lane: (1 - lane // 16) * 4096,
    lambda lane: 97 * lane % 512,
    lambda lane: 97 * lane,
)
"""Rows and single places, of both halves of a warp or all of it, and places all over: elements of 4 bytes."""


def touched(place: Places) -> tuple[int, int]:
    """Sectors and lines of a warp's elements of 4 bytes."""
    return len({place(lane) // 8 for lane in range(32)}), len({place(lane) // 32 for lane in range(32)})


@pytest.mark.parametrize("place", AGAIN)
def test_loads_of_what_was_loaded_take_as_many_sectors_and_miss_none(counted: Counted, place: Places) -> None:
    sectors, lines = touched(place)
    counts = site(counted("gathers_again", place), "load", "global")
    assert counts == [3, 96, 3 * sectors, sectors, 3 * lines]


@pytest.mark.parametrize(("lines", "missed"), [(4, 4), (5, 3 * 5), (32, 3 * 32)])
def test_lines_that_l1_has_no_room_for_are_fetched_again(counted: Counted, lines: int, missed: int) -> None:
    room_for_four = 512
    sample = counted("gathers_again", lambda lane: lane % lines * 32, room_for_four)
    assert site(sample, "load", "global")[MISSED_SECTORS] == missed


@pytest.mark.parametrize("place", AGAIN)
def test_stores_to_what_was_stored_reach_l2_again(counted: Counted, place: Places) -> None:
    sectors, lines = touched(place)
    sample = counted("scatters_again", place)
    assert site(sample, "store", "global") == [3, 96, 3 * sectors, 3 * sectors, 3 * lines]
    assert len(sample.footprints[0]) == sectors + 8  # and what was loaded: 32 elements, 32 places


@pytest.mark.parametrize(
    ("width", "place", "wavefronts"),
    [
        (1, lambda lane: lane, 1),
        (1, lambda lane: 4 * lane, 1),
        (1, lambda lane: 128 * lane, 32),
        (4, lambda lane: 0, 1),
        (4, lambda lane: lane, 1),
        (4, lambda lane: lane // 2, 1),
        (4, lambda lane: 7 * lane, 1),
        (4, lambda lane: 33 * lane, 1),
        (4, lambda lane: 2 * lane, 2),
        (4, lambda lane: 4 * lane, 4),
        (4, lambda lane: 6 * lane, 2),
        (4, lambda lane: 32 * lane, 32),
        (4, lambda lane: lane % 2 * 32, 2),
        (4, lambda lane: 32 * (lane ^ 1) + lane, 1),
        (8, lambda lane: lane, 2),
        (8, lambda lane: 2 * lane, 4),
        (8, lambda lane: 16 * lane, 32),
        (8, lambda lane: 17 * lane, 2),
        (16, lambda lane: lane, 4),
        (16, lambda lane: 2 * lane, 8),
        (16, lambda lane: 8 * lane, 32),
        (16, lambda lane: 9 * lane, 4),
    ],
)
def test_wavefronts_of_shared_memory(counted: Counted, width: int, place: Places, wavefronts: int) -> None:
    counts = site(counted(f"shared_{width}", place), "load", "shared")
    assert (counts[REQUESTS], counts[LANES], counts[SECTORS]) == (1, 32, wavefronts)


@pytest.mark.parametrize(
    ("row", "wavefronts"),
    [
        (lambda lane: lane, 4),
        (lambda lane: 8 * lane, 32),
        (lambda lane: 9 * lane, 4),
        (lambda lane: 5 * lane, 4),
    ],
)
def test_wavefronts_of_matrix_loads(counted: Counted, row: Places, wavefronts: int) -> None:
    counts = site(counted("matrices", row), "ldmatrix", "shared")
    assert (counts[REQUESTS], counts[SECTORS]) == (1, wavefronts)


@pytest.mark.parametrize(
    ("place", "turns"),
    [
        (lambda lane: lane, 1),
        (lambda lane: 0, 32),
        (lambda lane: lane // 2, 2),
        (lambda lane: lane % 4, 8),
        (lambda lane: 32 * (lane % 4) + lane // 8, 8),
    ],
)
def test_shared_atomics_take_turns_in_a_word_and_in_a_bank(
    counted: Counted, place: Places, turns: int
) -> None:
    counts = site(counted("shared_adds", place), "atomic", "shared")
    assert (counts[REQUESTS], counts[LANES], counts[SECTORS]) == (1, 32, turns)


@pytest.mark.parametrize(
    ("place", "sectors"), [(lambda lane: 0, 1), (lambda lane: lane, 4), (lambda lane: 8 * lane, 32)]
)
def test_sectors_that_global_atomics_update(counted: Counted, place: Places, sectors: int) -> None:
    counts = site(counted("global_adds", place), "atomic", "global")
    assert (counts[REQUESTS], counts[LANES], counts[SECTORS]) == (1, 32, sectors)


@pytest.mark.parametrize(("place", "sectors"), [(lambda lane: lane, 16), (lambda lane: 2 * lane, 32)])
def test_both_sides_of_an_asynchronous_copy(counted: Counted, place: Places, sectors: int) -> None:
    sample = counted("copies_async", place)
    assert site(sample, "async_copy", "global")[SECTORS] == sectors
    assert site(sample, "async_copy", "shared")[SECTORS] == 4


@pytest.mark.parametrize("taken", [0, 1, 5, 31])
def test_lanes_on_each_side_of_a_branch(counted: Counted, taken: int) -> None:
    sample = counted("one_of_two", lambda lane: int(lane < taken))
    lanes = [
        counts[LANES]
        for s, counts in zip(sample.sites, sample.site_counts, strict=True)
        if s.kind == "atomic"
    ]
    assert sorted(lanes) == sorted([taken, 32 - taken])


def test_many_accesses_without_a_branch_are_all_counted_in_their_order(counted: Counted) -> None:
    sample = counted("many_in_a_row", lambda lane: lane)
    loads = [
        counts
        for s, counts in zip(sample.sites, sample.site_counts, strict=True)
        if (s.kind, s.space) == ("load", "global")
    ]
    rows = [counts for counts in loads if counts[SECTORS] == 4]
    words = [counts for counts in loads if counts[SECTORS] == 1]
    scattered = [counts for counts in loads if counts[SECTORS] == 32]
    assert (len(rows), len(words), len(scattered)) == (512 + 1, 512, 32)
    assert all(counts[REQUESTS] == 1 and counts[LANES] == 32 for counts in loads)
    # The first word brings in a sector of line 0, rows the rest of lines 0 to 15, the first scattered access
    # a sector of lines 16 to 31; another row holds the places.
    assert [counts[MISSED_SECTORS] for counts in scattered] == [16] + 31 * [0]
    assert sum(counts[MISSED_SECTORS] for counts in rows) == 16 * 4 - 1 + 4
    assert sum(counts[MISSED_SECTORS] for counts in words) == 1
