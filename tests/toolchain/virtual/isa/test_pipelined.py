"""Kernels made of copies that run ahead and warps that wait for them, as people write them for Hopper."""

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.watching import Watch
from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.test_tensor_maps import Tensor, encode

RNG = np.random.default_rng(12)
TILE, STAGES = 64, 3
TILES_BYTES = STAGES * 2 * TILE * TILE * 2


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).with_name("pipelined.cu"))


@pytest.mark.parametrize("watched", [False, True])
def test_a_warp_group_loads_while_another_multiplies(runner: Runner, ptx: str, watched: bool) -> None:
    steps, watch = 8, Watch() if watched else None
    a, b = (RNG.integers(-8, 9, (TILE, steps * TILE)).astype(ml_dtypes.bfloat16) for _ in range(2))
    tensors = [Tensor(runner.upload(each), each, 9) for each in (a, b)]
    for each in tensors:
        assert encode(each, (TILE, TILE), swizzle=3) == 0
    found = np.zeros((TILE, TILE), np.float32)
    arguments = [*(each.map for each in tensors), found, np.int32(steps)]
    assert runner.launch(ptx, "specialised", arguments, 256, shared=TILES_BYTES, watch=watch) is None
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32).T)
    assert watch is None or not watch.faults
    for each in tensors:
        runner.native.vg_free(each.place)


def test_rows_copied_by_the_librarys_barrier(runner: Runner, ptx: str) -> None:
    x, y = RNG.integers(0, 100, (4, 256)).astype(np.int32), np.zeros((4, 256), np.int32)
    assert runner.launch(ptx, "by_barrier", [x, y], 256, grid=4) is None
    assert np.array_equal(y, x[:, ::-1])


def test_boxes_copied_by_the_librarys_experimental_calls(runner: Runner, ptx: str) -> None:
    values, x = (RNG.integers(0, 100, shape).astype(np.int32) for shape in ((16, 32), (128,)))
    made, y = Tensor(runner.upload(values), values, 3), np.zeros(128, np.int32)
    assert encode(made, (16, 8)) == 0
    assert runner.launch(ptx, "experimental", [made.map, x, y], 128) is None
    assert np.array_equal(y, values[2:10, 4:20].reshape(128) + x)
    runner.native.vg_free(made.place)
