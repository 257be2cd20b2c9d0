"""Copies of parts of tensors against NumPy: ranks, elements, swizzles, edges, steps, stores, reductions."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.pointers import site_allocations
from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    MISSED_SECTORS,
    SECTORS,
    LaunchRequest,
    SampledLaunch,
)
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.watching import Watch
from tests.toolchain.virtual.isa.conftest import Array, Runner

RNG = np.random.default_rng(11)
ELEMENTS = {
    np.uint8: 0, np.uint16: 1, np.uint32: 2, np.int32: 3, np.uint64: 4, np.int64: 5, np.float16: 6,
    np.float32: 7, np.float64: 8, ml_dtypes.bfloat16: 9,
}  # fmt: skip
"""Numbers of CUtensorMapDataType."""
SWIZZLED = {0: 0, 1: 32, 2: 64, 3: 128}
"""Bytes of a swizzled row by the number of CUtensorMapSwizzle."""
ROWS_BELOW = 3


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).with_name("tensors.cu"))


@dataclass
class Tensor:
    """A tensor in device memory, its last axis contiguous, and a map of it."""

    place: int
    values: Array
    code: int
    map: Any = None


def encode(
    tensor: Tensor, box: Sequence[int], steps: Sequence[int] = (), swizzle: int = 0, fill: int = 0
) -> int:
    """Make the map of boxes of `box` elements, innermost first; the driver's error code."""
    rank, sizes = tensor.values.ndim, tensor.values.shape[::-1]
    strides = tensor.values.strides[::-1][1:]
    room = ctypes.create_string_buffer(256)
    start = -ctypes.addressof(room) % 128
    error = load_native().cuTensorMapEncodeTiled(
        ctypes.byref(room, start), tensor.code, rank, ctypes.c_void_p(tensor.place),
        (ctypes.c_uint64 * rank)(*sizes), (ctypes.c_uint64 * max(1, rank - 1))(*strides),
        (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*(steps or [1] * rank)), 0, swizzle, 0, fill,
    )  # fmt: skip
    tensor.map = np.void(room.raw[start : start + 128])
    return int(error)


@pytest.fixture
def tensor(runner: Runner) -> Iterator[Callable[..., Tensor]]:
    """`tensor(values)` puts them into device memory."""
    places = []

    def make(values: Array) -> Tensor:
        places.append(runner.upload(values))
        return Tensor(places[-1], values, ELEMENTS[values.dtype.type])

    yield make
    for place in places:
        runner.native.vg_free(place)


def numbers(kind: Any, *shape: int) -> Array:
    return RNG.integers(0, 100, shape).astype(kind)


def expected(
    values: Array, first: Sequence[int], box: Sequence[int], steps: Sequence[int], swizzle: int
) -> bytes:
    """The box as it lies in shared memory; coordinates and boxes are innermost first."""
    counts = [-(-extent // step) for extent, step in zip(box, steps, strict=True)]
    dense = np.zeros(counts[::-1], values.dtype)
    for index in product(*(range(count) for count in counts[::-1])):
        at = [f + i * s for f, i, s in zip(first[::-1], index, steps[::-1], strict=True)]
        if all(0 <= a < size for a, size in zip(at, values.shape, strict=True)):
            dense[index] = values[tuple(at)]
    plain, swizzled = dense.tobytes(), bytearray(dense.nbytes)
    mask = SWIZZLED[swizzle] - 16 if swizzle else 0
    for place in range(0, len(plain), 16):
        to = place ^ (place >> 3 & mask)
        swizzled[to : to + 16] = plain[place : place + 16]
    return bytes(swizzled)


def load(runner: Runner, ptx: str, tensor: Tensor, first: Sequence[int], nbytes: int) -> bytes:
    found = np.zeros(nbytes, np.uint8)
    at = [np.int32(c) for c in (*first, 0, 0, 0, 0, 0)[:5]]
    arguments = [tensor.map, np.int32(len(first)), *at, found, np.int32(nbytes)]
    assert runner.launch(ptx, "boxes", arguments, 64, shared=max(nbytes, 1024)) is None
    return found.tobytes()


SHAPES = [(40,), (12, 32), (5, 12, 32), (3, 4, 12, 16), (2, 3, 4, 12, 16)]
BOXES = [(16,), (16, 4), (16, 4, 3), (16, 4, 2, 2), (8, 4, 2, 2, 2)]


@pytest.mark.parametrize("rank", range(1, 6))
@pytest.mark.parametrize("corner", [0, -3, 5])
def test_boxes_of_every_rank_inside_and_across_edges(
    runner: Runner, ptx: str, tensor: Callable[..., Tensor], rank: int, corner: int
) -> None:
    made, box, steps = tensor(numbers(np.float32, *SHAPES[rank - 1])), BOXES[rank - 1], [1] * rank
    assert encode(made, box) == 0
    first = [corner] * rank
    wanted = expected(made.values, first, box, steps, 0)
    assert load(runner, ptx, made, first, len(wanted)) == wanted


@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_element(runner: Runner, ptx: str, tensor: Callable[..., Tensor], kind: Any) -> None:
    columns = 32 // np.dtype(kind).itemsize
    made = tensor(numbers(kind, 8, 2 * columns))
    assert encode(made, (columns, 4)) == 0
    wanted = expected(made.values, (columns - 1, 6), (columns, 4), (1, 1), 0)
    assert load(runner, ptx, made, (columns - 1, 6), len(wanted)) == wanted


@pytest.mark.parametrize("swizzle", [1, 2, 3])
def test_swizzles(runner: Runner, ptx: str, tensor: Callable[..., Tensor], swizzle: int) -> None:
    box = (SWIZZLED[swizzle] // 2, 32)
    made = tensor(numbers(np.float16, 64, 128))
    assert encode(made, box, swizzle=swizzle) == 0
    wanted = expected(made.values, (8, 16), box, (1, 1), swizzle)
    assert load(runner, ptx, made, (8, 16), len(wanted)) == wanted


def test_steps_skip_coordinates(runner: Runner, ptx: str, tensor: Callable[..., Tensor]) -> None:
    made = tensor(numbers(np.int32, 6, 20, 16))
    assert encode(made, (8, 9, 4), (1, 2, 3)) == 0
    wanted = expected(made.values, (4, 12, 1), (8, 9, 4), (1, 2, 3), 0)
    assert load(runner, ptx, made, (4, 12, 1), len(wanted)) == wanted


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_what_lies_outside_may_be_nan(
    runner: Runner, ptx: str, tensor: Callable[..., Tensor], kind: Any
) -> None:
    made = tensor(numbers(kind, 4, 16))
    assert encode(made, (16, 4), fill=1) == 0
    found = np.frombuffer(load(runner, ptx, made, (8, 2), 64 * made.values.itemsize), kind).reshape(4, 16)
    assert np.array_equal(found[:2, :8], made.values[2:, 8:])
    outside = np.concatenate([found[2:].ravel(), found[:, 8:].ravel()])
    assert np.isnan(outside).all()
    assert (outside.view(np.uint16) == 0x7FF7).all()


@pytest.mark.parametrize("kernel", ["doubled", "added"])
def test_boxes_go_out_as_far_as_the_tensor_goes(
    runner: Runner, ptx: str, tensor: Callable[..., Tensor], kernel: str
) -> None:
    x, y = tensor(numbers(np.float32, 20, 40)), tensor(numbers(np.float32, 20 + ROWS_BELOW, 40))
    below, y.values = y.values[20:], y.values[:20]
    assert encode(x, (32, 8)) == 0
    assert encode(y, (32, 8)) == 0
    found = np.zeros((20 + ROWS_BELOW, 40), np.float32)
    arguments = [x.map, y.map, np.int32(1024)]
    assert runner.launch(ptx, kernel, arguments, 64, grid=6, threads=2, shared=1024) is None
    ctypes.memmove(found.ctypes.data, y.place, found.nbytes)
    assert np.array_equal(found[:20], 2 * x.values + (y.values if kernel == "added" else 0))
    assert np.array_equal(found[20:], below)


def test_a_box_goes_to_a_whole_cluster(runner: Runner, ptx: str, tensor: Callable[..., Tensor]) -> None:
    made, found = tensor(numbers(np.float32, 8, 16)), np.zeros((4, 64), np.float32)
    assert encode(made, (16, 4)) == 0
    held = np.frombuffer(made.map.tobytes(), np.uint8).copy()
    assert runner.launch(ptx, "multicast", [held, found], 64, grid=4, cluster=4) is None
    assert np.array_equal(found, made.values[1:5].reshape(1, 64) + np.arange(4)[:, None])


def test_what_the_driver_refuses(tensor: Callable[..., Tensor]) -> None:
    made = tensor(numbers(np.float32, 8, 16))
    assert encode(made, (16, 257)) == 1
    assert encode(made, (3, 4)) == 1
    assert encode(made, (16, 4), (1, 9)) == 1
    assert encode(made, (16, 4), swizzle=1) == 1
    assert encode(Tensor(made.place + 4, made.values, made.code), (16, 4)) == 1
    assert encode(Tensor(made.place, made.values[:, :15].copy(), made.code), (4, 4)) == 1
    assert encode(Tensor(made.place, made.values, 3), (16, 4), fill=1) == 1


@pytest.mark.parametrize(
    ("kernel", "spoil", "words"),
    [
        ("unaligned", False, "not at a multiple of 128 bytes"),
        ("unaligned", True, "was not made by cuTensorMapEncodeTiled"),
    ],
)
def test_what_is_wrong_is_named(
    runner: Runner, ptx: str, tensor: Callable[..., Tensor], kernel: str, spoil: bool, words: str
) -> None:
    made, y = tensor(numbers(np.float32, 8, 16)), np.zeros(64, np.float32)
    assert encode(made, (16, 1)) == 0
    fault = runner.launch(ptx, kernel, [np.void(bytes(128)) if spoil else made.map, y], 64)
    assert fault is not None
    assert fault.kind == "illegal"
    assert words in fault.message
    assert fault.line


def test_a_box_beyond_its_buffer_is_a_fault(runner: Runner, ptx: str, tensor: Callable[..., Tensor]) -> None:
    made = tensor(numbers(np.float32, 8, 16))
    made.values = np.zeros((64, 16), np.float32)
    assert encode(made, (16, 4)) == 0
    found = np.zeros(256, np.uint8)
    arguments = [made.map, np.int32(2), *map(np.int32, (0, 6, 0, 0, 0)), found, np.int32(256)]
    fault = runner.launch(ptx, "boxes", arguments, 64, shared=1024)
    assert fault is not None
    assert fault.kind == "out_of_bounds"


def test_a_box_that_is_read_before_it_is_there(
    runner: Runner, ptx: str, tensor: Callable[..., Tensor]
) -> None:
    made, y, watch = tensor(numbers(np.float32, 8, 16)), np.zeros(64, np.float32), Watch()
    assert encode(made, (16, 4)) == 0
    assert runner.launch(ptx, "read_too_early", [made.map, y], 64, watch=watch) is None
    assert watch.faults[0].kind == "in_flight"
    assert "missing wait" in watch.faults[0].message


def test_copies_are_counted_by_their_bytes(runner: Runner, ptx: str, tensor: Callable[..., Tensor]) -> None:
    """A box of 4 rows of 64 bytes, one of them outside: 2 sectors a row, and 256 bytes into shared memory."""
    made, found = tensor(numbers(np.float32, 8, 16)), np.zeros(256, np.uint8)
    assert encode(made, (16, 4)) == 0
    place = runner.upload(found)
    numbers_given = np.array([2, 0, 5, 0, 0, 0], np.int32).tobytes()
    packed = made.map.tobytes() + numbers_given + place.to_bytes(8, "little") + np.int32(256).tobytes()
    sample = runner.engine(ptx).sample(LaunchRequest("boxes", (1, 1, 1), (64, 1, 1), 1024, packed), [0])
    assert isinstance(sample, SampledLaunch)
    assert site_allocations(sample)[_site(sample, "global")] == _index(sample, made.place)
    counts = {space: sample.site_counts[_site(sample, space)] for space in ("global", "shared")}
    assert counts["global"][[SECTORS, MISSED_SECTORS]].tolist() == [6, 6]
    assert counts["global"][LANES] == 3 * 16
    assert counts["shared"][[LANES, SECTORS]].tolist() == [16, 2]
    runner.download(place, found)


def _site(sample: SampledLaunch, space: str) -> int:
    """The site of the copy that ran."""
    ran = [
        number
        for number, site in enumerate(sample.sites)
        if ".2d." in site.instruction.opcode and site.space == space and site.kind == "async_copy"
    ]
    assert len(ran) == 1
    return ran[0]


def _index(sample: SampledLaunch, address: int) -> int:
    return next(i for i, (base, _) in enumerate(sample.allocations) if base == address)
