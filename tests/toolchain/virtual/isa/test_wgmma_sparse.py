"""Sparse products of warp groups by the fragments of `mma.sp`, and products of bits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.test_sparse import metadata_of, places_of
from tests.toolchain.virtual.isa.test_tensor import DTYPES, numbers

RNG = np.random.default_rng(31)
Array = NDArray[Any]
SHARED_BYTES = 4096
KERNELS = {
    "f16_0": ("f16", "f16"), "f16_1": ("f16", "f16"), "bf16_1": ("bf16", "bf16"), "tf32_0": ("tf32", "tf32"),
    "tf32_1": ("tf32", "tf32"), "negated_0": ("f16", "f16"), "e4m3_0": ("e4m3", "e5m2"), "s8_0": ("s8", "u8"),
    "registers_1": ("bf16", "bf16"),
}  # fmt: skip
"""Types of A and B; the number in the name is the selector."""


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).with_name("wgmma_sparse.cu"))


def dense(kept: Array, places: Array, depth: int) -> Array:
    whole = np.zeros((64, depth))
    np.put_along_axis(whole, places, kept.astype(np.float64), 1)
    return whole


@pytest.mark.parametrize("name", KERNELS)
def test_each_warp_has_sixteen_rows_and_their_metadata(runner: Runner, ptx: str, name: str) -> None:
    a_kind, b_kind = KERNELS[name]
    depth, selector = 64 // np.dtype(DTYPES[a_kind]).itemsize, int(name[-1])
    a, b = numbers(a_kind, (64, depth // 2)), numbers(b_kind, (8, depth))
    places = [places_of(a_kind, depth) for _ in range(4)]
    metadata = np.concatenate([metadata_of(a_kind, each, depth, selector) for each in places])
    start = RNG.integers(-9, 9, (64, 8)).astype(np.int32 if a_kind == "s8" else np.float32)
    found = start.copy()
    arguments = [a.view(np.uint8), b.view(np.uint8), metadata, found]
    assert runner.launch(ptx, name, arguments, 128, shared=SHARED_BYTES) is None
    sign = -1 if name.startswith("negated") else 1
    assert (found == start + sign * dense(a, np.concatenate(places), depth) @ b.astype(np.float64).T).all()


def test_what_is_left_out_is_not_multiplied(runner: Runner, ptx: str) -> None:
    places = np.tile(np.arange(0, 32, 2), (16, 1))
    b = np.where(np.arange(32) % 2 == 1, np.nan, np.ones((8, 32))).astype(np.float16)
    metadata = np.tile(metadata_of("f16", places, 32, 0), 4)
    found = np.zeros((64, 8), np.float32)
    arguments = [np.ones((64, 16), np.float16).view(np.uint8), b.view(np.uint8), metadata, found]
    assert runner.launch(ptx, "f16_0", arguments, 128, shared=SHARED_BYTES) is None
    assert (found == 16).all()


def test_bits_that_both_have_are_counted(runner: Runner, ptx: str) -> None:
    a, b = (RNG.integers(0, 256, (rows, 32)).astype(np.uint8) for rows in (64, 8))
    a[0], b[0], a[1] = 255, 255, 0
    start = RNG.choice([0, -5, 2**31 - 1], (64, 8)).astype(np.int32)
    found = start.copy()
    assert runner.launch(ptx, "bits", [a, b, found], 128, shared=SHARED_BYTES) is None
    left, right = (np.unpackbits(x, axis=1).astype(np.int64) for x in (a, b))
    assert (found == (start + left @ right.T).astype(np.int32)).all()
