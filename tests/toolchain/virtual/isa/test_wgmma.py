"""Warp-group products over the shared-memory layouts that PTX ISA 9.0 documents."""

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

RNG = np.random.default_rng(9)
SHARED_BYTES = 2 * 64 * 64 * 2
KERNELS = {"along_k_128": 1, "along_k_64": 1, "along_k_plain": -1, "across_k_128": 1, "from_registers": 1}
"""Sign of A in each product."""


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).parent / "wgmma.cu")


@pytest.mark.parametrize("kernel", KERNELS)
def test_layouts(runner: Runner, ptx: str, kernel: str) -> None:
    a, b = (RNG.integers(-8, 9, (64, 64)).astype(ml_dtypes.bfloat16) for _ in range(2))
    found = np.zeros((64, 64), np.float32)
    arguments = [a.view(np.uint16), b.view(np.uint16), found]
    assert runner.launch(ptx, kernel, arguments, 128, shared=SHARED_BYTES) is None
    left, right = a.astype(np.float64), b.astype(np.float64)
    exact = left.T @ right if kernel.startswith("across") else left @ right.T
    assert (found == KERNELS[kernel] * exact).all()
