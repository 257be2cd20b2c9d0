"""Shared tensors: exact bytes, poison around them, and who may write what."""

import ctypes
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.worker.bands import GUARD_BYTES, PAGE_BYTES
from cudamaster.toolchain.worker.segment import MappedSegment, Segment

RNG = np.random.default_rng(5)
ARRAYS: dict[str, NDArray[Any]] = {
    "matrix": RNG.standard_normal((37, 11)).astype(np.float32),
    "bytes": RNG.integers(0, 255, 333).astype(np.uint8),
    "halves": RNG.standard_normal(7).astype(ml_dtypes.bfloat16),
    "empty": np.zeros(0, np.int32),
    "scalar": np.array(3.5),
}


@pytest.fixture
def segment() -> Iterator[Segment]:
    segment = Segment(ARRAYS, writable=True)
    yield segment
    segment.close()


def memory(segment: Segment) -> NDArray[np.uint8]:
    return np.frombuffer(mmap.mmap(segment.file, 0), np.uint8)


def test_tensors_start_on_pages_and_are_far_from_each_other(segment: Segment) -> None:
    last = -GUARD_BYTES
    for placement in segment.placements:
        assert placement.offset % PAGE_BYTES == 0
        assert placement.offset - last >= 2 * GUARD_BYTES
        last = placement.end
    assert segment.nbytes - last >= GUARD_BYTES


def test_what_is_read_is_what_was_put_in(segment: Segment) -> None:
    for name, array in ARRAYS.items():
        read = segment.read(name)
        assert (read.dtype, read.shape) == (array.dtype, array.shape)
        assert read.tobytes() == array.tobytes()


def test_reset_restores_what_a_call_wrote(segment: Segment) -> None:
    memory(segment)[segment.placements[0].offset] ^= 1
    assert segment.read("matrix").tobytes() != ARRAYS["matrix"].tobytes()
    segment.reset(ARRAYS)
    assert segment.read("matrix").tobytes() == ARRAYS["matrix"].tobytes()


def test_poison_is_a_nan_in_every_float(segment: Segment) -> None:
    poison = memory(segment)[:4096]
    for dtype in (np.float32, np.float64, ml_dtypes.bfloat16):
        assert np.all(np.isnan(poison.view(dtype).astype(np.float64)))


@pytest.mark.parametrize("index", range(5))
@pytest.mark.parametrize("distance", [0, 1, 100, GUARD_BYTES - 1])
def test_a_write_beside_a_tensor_is_blamed_on_it_once(segment: Segment, index: int, distance: int) -> None:
    placement = segment.placements[index]
    for at in (placement.offset - 1 - distance, placement.end + distance):
        memory(segment)[at] ^= 0x40
        assert segment.overwritten_guards() == (placement.name,)
        assert segment.overwritten_guards() == ()


def test_writes_within_tensors_touch_no_guard(segment: Segment) -> None:
    for placement in segment.placements:
        memory(segment)[placement.offset : placement.end] ^= 0xFF
    assert segment.overwritten_guards() == ()


def test_nobody_else_can_write_inputs() -> None:
    segment = Segment(ARRAYS, writable=False)
    with pytest.raises(PermissionError):
        mmap.mmap(segment.file, 0)
    with pytest.raises(PermissionError):
        os.pwrite(segment.file, b"x", 0)
    segment.close()


def test_a_mapped_segment_lies_where_it_is_put_and_leaves_the_addresses_reserved() -> None:
    segment = Segment(ARRAYS, writable=False)
    reserved = mmap.mmap(-1, segment.nbytes)
    place = ctypes.addressof(ctypes.c_char.from_buffer(reserved))
    mapped = MappedSegment(segment.file, segment.nbytes, place, writable=False)
    assert mapped.address == place
    assert ctypes.string_at(place, segment.nbytes) == os.pread(segment.file, segment.nbytes, 0)
    mapped.close()
    with Path("/proc/self/maps").open() as maps:
        assert [line.split()[1] for line in maps if line.startswith(f"{place:x}-")] == ["---p"]
    segment.close()


def test_nobody_can_change_the_size(segment: Segment) -> None:
    for size in (0, 2 * segment.nbytes):
        with pytest.raises(PermissionError):
            os.ftruncate(segment.file, size)


def test_closing_leaves_nothing_open() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are not needed)
    segment = Segment(ARRAYS, writable=True)
    segment.close()
    segment.close()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_blank_tensors_hold_zeros_and_their_untouched_memory_takes_no_room() -> None:
    arrays = {"x": np.arange(4, dtype=np.float32), "y": np.full(16 << 20, np.nan, np.float32)}
    segment = Segment(arrays, writable=True, blank=["y"])
    assert os.fstat(segment.file).st_blocks * 512 < 1 << 20
    assert segment.read("x").tolist() == [0, 1, 2, 3]
    assert not segment.read("y").any()
    assert segment.overwritten_guards() == ()
