"""Copies in im2col mode against NumPy: rows, images, volumes, borders, steps, offsets, swizzles, stores."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from tests.toolchain.virtual.isa.conftest import Array, Runner

RNG = np.random.default_rng(12)
CODES = {np.uint8: 0, np.int32: 3, np.float16: 6, np.float32: 7}
"""Numbers of CUtensorMapDataType."""
OF_LATER_GPUS = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry along_rows(.param .b64 map) {
.reg .b64 d<2>; .reg .b32 r<3>; .reg .b16 h<3>;
ld.param.b64 d1, [map];
cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes
  [r1], [d1, {r2, r2, r2}], [r2], {h1, h2};
ret;
}
"""
MASKS = (0, 16, 48, 112)
"""Address bits that a swizzle changes, by its number."""


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).with_name("im2col.cu"))


@dataclass
class Images:
    """Images, channels last, in device memory; corners, steps and offsets begin with W."""

    place: int
    values: Array
    lower: Sequence[int]
    upper: Sequence[int]
    channels: int
    pixels: int
    steps: Sequence[int] = ()
    swizzle: int = 0
    fill: int = 0
    map: Any = field(default=None, init=False)

    def encode(self) -> int:
        """Make the map; the driver's error code."""
        rank = self.values.ndim
        room = ctypes.create_string_buffer(256)
        start = -ctypes.addressof(room) % 128
        steps = (1, *(self.steps or [1] * (rank - 2)), 1)
        error = load_native().cuTensorMapEncodeIm2col(
            ctypes.byref(room, start), CODES[self.values.dtype.type], rank, ctypes.c_void_p(self.place),
            (ctypes.c_uint64 * rank)(*self.values.shape[::-1]),
            (ctypes.c_uint64 * (rank - 1))(*self.values.strides[::-1][1:]),
            (ctypes.c_int * 3)(*self.lower), (ctypes.c_int * 3)(*self.upper), self.channels, self.pixels,
            (ctypes.c_uint32 * 5)(*steps), 0, self.swizzle, 0, self.fill,
        )  # fmt: skip
        self.map = np.void(room.raw[start : start + 128])
        return int(error)

    def walk(self, first: Sequence[int]) -> list[tuple[int, ...]]:
        """The pixels of a copy from `first` on (W first, the image last), each as image, …, H, W."""
        steps = self.steps or [1] * len(self.lower)
        extents = self.values.shape[-2:0:-1]
        lines = [
            range(low, extent + up, step)
            for low, up, extent, step in zip(self.lower, self.upper, extents, steps, strict=True)
        ]
        whole = list(product(range(first[-1], first[-1] + self.pixels + 1), *lines[::-1]))
        begin = whole.index(tuple(first[::-1]))
        return whole[begin : begin + self.pixels]

    def expected(self, channel: int, first: Sequence[int], offset: Sequence[int]) -> bytes:
        """The copy as it lies in shared memory."""
        dense = np.full((self.pixels, self.channels), np.nan if self.fill else 0, self.values.dtype)
        for row, (image, *place) in zip(dense, self.walk(first), strict=True):
            at = (image, *(p + o for p, o in zip(place, offset[::-1], strict=True)))
            if all(0 <= a < extent for a, extent in zip(at, self.values.shape, strict=False)):
                inside = self.values[at][channel : channel + self.channels]
                row[: len(inside)] = inside
        plain, swizzled = dense.tobytes(), bytearray(dense.nbytes)
        for unit in range(0, len(plain), 16):
            to = unit ^ (unit >> 3 & MASKS[self.swizzle])
            swizzled[to : to + 16] = plain[unit : unit + 16]
        return bytes(swizzled)


@pytest.fixture
def images(runner: Runner) -> Iterator[Callable[..., Images]]:
    """`images(values, ...)` puts them into device memory."""
    places = []

    def make(values: Array, *rest: Any, **more: Any) -> Images:
        places.append(runner.upload(values))
        return Images(places[-1], values, *rest, **more)

    yield make
    for place in places:
        runner.native.vg_free(place)


def numbers(kind: Any, *shape: int) -> Array:
    return RNG.integers(1, 100, shape).astype(kind)


def load(
    runner: Runner, ptx: str, made: Images, channel: int, first: Sequence[int], offset: Sequence[int]
) -> Any:
    """The bytes of one copy, or its fault."""
    found = np.zeros(made.pixels * made.channels * made.values.itemsize, np.uint8)
    start = np.zeros((), np.dtype([("at", np.int32, 5), ("offset", np.uint16, 6)]))
    start["at"][: 1 + len(first)] = (channel, *first)
    start["offset"][: len(offset)] = offset
    arguments = [made.map, start, found, np.int32(found.nbytes)]
    fault = runner.launch(ptx, f"pixels{made.values.ndim}", arguments, 64, shared=max(found.nbytes, 1024))
    return fault or found.tobytes()


CASES = {
    "a row of a border on both sides": ((3, 9, 16), (-1,), (-1,), (1,), (7, 1), (0,)),
    "a row in steps": ((3, 12, 16), (-2,), (1,), (3,), (1, 0), (2,)),
    "a 3x3 filter's first place": ((3, 7, 9, 16), (-1, -1), (-1, -1), (1, 1), (5, 4, 0), (0, 0)),
    "a 3x3 filter's last place": ((3, 7, 9, 16), (-1, -1), (-1, -1), (1, 1), (7, 5, 1), (2, 2)),
    "no border": ((3, 7, 9, 16), (0, 0), (-2, -2), (1, 1), (4, 3, 0), (2, 2)),
    "strides of two": ((2, 14, 8, 16), (-1, -1), (-1, -1), (2, 2), (5, 7, 0), (1, 1)),
    "a step that misses the end": ((3, 8, 9, 16), (-1, 0), (0, -1), (4, 3), (7, 6, 0), (1, 0)),
    "only a part of the image": ((3, 7, 9, 16), (2, 1), (-3, -2), (1, 1), (5, 4, 0), (0, 0)),
    "volumes": ((2, 4, 3, 5, 16), (-1, -1, -1), (-1, -1, -1), (1, 1, 1), (3, 1, 2, 0), (2, 0, 1)),
    "volumes in steps": ((2, 6, 5, 7, 16), (-1, 0, -2), (1, -1, 0), (2, 1, 3), (3, 3, 1, 0), (0, 1, 4)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("pixels", [1, 33, 200])
def test_pixels_come_row_by_row_and_image_by_image(
    runner: Runner, ptx: str, images: Callable[..., Images], name: str, pixels: int
) -> None:
    shape, lower, upper, steps, first, offset = CASES[name]
    made = images(numbers(np.float32, *shape), lower, upper, 8, pixels, steps)
    assert made.encode() == 0
    for channel in (0, 4, 12):
        assert load(runner, ptx, made, channel, first, offset) == made.expected(channel, first, offset)


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize("swizzle", range(4))
def test_swizzles_and_elements(
    runner: Runner, ptx: str, images: Callable[..., Images], kind: Any, swizzle: int
) -> None:
    channels = (MASKS[swizzle] + 16) // np.dtype(kind).itemsize
    made = images(numbers(kind, 2, 6, 5, 2 * channels), (-1, -1), (-1, -1), channels, 64, swizzle=swizzle)
    assert made.encode() == 0
    assert load(runner, ptx, made, channels, (2, 1, 0), (1, 2)) == made.expected(channels, (2, 1, 0), (1, 2))


def test_what_lies_outside_may_be_nan(runner: Runner, ptx: str, images: Callable[..., Images]) -> None:
    made = images(numbers(np.float32, 1, 3, 4, 8), (-1, -1), (0, 0), 8, 20, fill=1)
    assert made.encode() == 0
    found = np.frombuffer(load(runner, ptx, made, 0, (-1, -1, 0), (0, 0)), np.float32).reshape(4, 5, 8)
    assert np.isnan(found[0]).all()
    assert np.isnan(found[:, 0]).all()
    assert np.array_equal(found[1:, 1:], made.values[0])


def test_pixels_begin_between_steps_only_in_the_first_row(
    runner: Runner, ptx: str, images: Callable[..., Images]
) -> None:
    """From W = 1 in steps of 2 it goes to 3, and the row after begins at the corner, 0."""
    made = images(numbers(np.int32, 1, 2, 5, 4), (0, 0), (0, 0), 4, 5, (2, 1))
    assert made.encode() == 0
    found = np.frombuffer(load(runner, ptx, made, 0, (1, 0, 0), (0, 0)), np.int32).reshape(5, 4)
    assert np.array_equal(found, made.values[0, [0, 0, 1, 1, 1], [1, 3, 0, 2, 4]])


@pytest.mark.parametrize("kernel", ["stored", "added"])
def test_pixels_go_out(runner: Runner, ptx: str, images: Callable[..., Images], kernel: str) -> None:
    made = images(numbers(np.float32, 2, 4, 6, 8), (1, 0), (-1, -1), 8, 16)
    assert made.encode() == 0
    arguments = [made.map, *map(np.int32, (3, 1, 1, 128))]
    assert runner.launch(ptx, kernel, arguments, 64, shared=1024) is None
    found, wanted = np.zeros_like(made.values), made.values.copy()
    ctypes.memmove(found.ctypes.data, made.place, found.nbytes)
    brought = np.arange(1, 129, dtype=np.float32).reshape(16, 8)
    for at, row in zip(made.walk((3, 1, 1)), brought, strict=True):
        if at[0] < 2:
            wanted[at] = row + (wanted[at] if kernel == "added" else 0)
    assert np.array_equal(found, wanted)


def test_a_convolution_by_an_implicit_product(
    runner: Runner, ptx: str, images: Callable[..., Images]
) -> None:
    made = images(numbers(np.float32, 2, 8, 8, 16), (-1, -1), (-1, -1), 16, 64)
    assert made.encode() == 0
    filters, y = numbers(np.float32, 4, 3, 3, 16), np.zeros((2, 8, 8, 4), np.float32)
    sizes = map(np.int32, (8, 8, 1, 4))
    assert runner.launch(ptx, "convolved", [made.map, filters, y, *sizes], 64, grid=2) is None
    padded = np.pad(made.values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    assert np.array_equal(y, np.einsum("nhwcrs,krsc->nhwk", windows, filters))


def test_what_the_driver_refuses(images: Callable[..., Images]) -> None:
    plain = numbers(np.float32, 2, 6, 8, 16)

    def error(
        lower: Any = (0, 0), upper: Any = (0, 0), channels: int = 8, pixels: int = 8, **more: Any
    ) -> int:
        return images(plain, lower, upper, channels, pixels, **more).encode()

    assert error() == 0
    assert error(channels=257) == error(channels=3) == error(channels=0) == 1
    assert error(pixels=1025) == error(pixels=0) == 1
    assert error(lower=(-129, 0)) == error(upper=(0, 128)) == 1
    assert error(lower=(8, 0)) == error(upper=(0, -6)) == 1
    assert error(steps=(9, 1)) == error(steps=(0, 1)) == 1
    assert images(plain[0, 0], (), (), 8, 8).encode() == 1
    assert images(plain[None], (-17, 0, 0), (0, 0, 0), 8, 8).encode() == 1


@pytest.mark.parametrize(
    ("first", "offset", "words"),
    [
        ((-2, 0, 0), (0, 0), "begins outside its map's bounding box"),
        ((0, 6, 0), (0, 0), "begins outside its map's bounding box"),
        ((0, 0, 0), (256, 0), "an offset that is too large"),
    ],
)
def test_where_a_copy_may_begin(
    runner: Runner, ptx: str, images: Callable[..., Images], first: Any, offset: Any, words: str
) -> None:
    made = images(numbers(np.float32, 2, 6, 8, 16), (-1, -1), (0, -1), 8, 8)
    assert made.encode() == 0
    fault = load(runner, ptx, made, 0, first, offset)
    assert fault.kind == "illegal"
    assert words in fault.message
    assert fault.line


def test_pixels_do_not_go_out_beyond_the_tensor(
    runner: Runner, ptx: str, images: Callable[..., Images]
) -> None:
    made = images(numbers(np.float32, 2, 6, 8, 8), (-1, -1), (0, 0), 8, 8)
    assert made.encode() == 0
    fault = runner.launch(ptx, "stored", [made.map, *map(np.int32, (0, 0, 0, 64))], 64, shared=1024)
    assert fault is not None
    assert "whose bounding box is larger than the tensor" in fault.message


def test_what_only_later_gpus_have_is_refused(runner: Runner) -> None:
    with pytest.raises(Unsupported, match="im2col::w"):
        runner.launch(OF_LATER_GPUS, "along_rows", [np.uint64(0)], 32)
