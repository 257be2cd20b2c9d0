"""Warp-group products over the shared-memory layouts that PTX ISA 9.0 documents."""

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.watching import Watch
from cudamaster.toolchain.outputs import Fault
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


BYTES = {"signed_bytes": ("i1", "i1"), "mixed_bytes": ("u1", "i1"), "saturated_bytes": ("i1", "u1")}


@pytest.mark.parametrize("kernel", BYTES)
def test_sums_of_bytes_are_exact_and_wrap_or_saturate(runner: Runner, ptx: str, kernel: str) -> None:
    a, b = (RNG.integers(0, 256, (64, 64)).astype(np.uint8).view(kind) for kind in BYTES[kernel])
    limits = np.iinfo(np.int32)
    start = RNG.choice([limits.min, -7, 0, limits.max], (64, 64)).astype(np.int32)
    found = start.copy()
    assert runner.launch(ptx, kernel, [a, b, found], 128, shared=SHARED_BYTES) is None
    sums = start.astype(np.int64)
    for half in (slice(0, 32), slice(32, 64)):
        sums += a[:, half].astype(np.int64) @ b[:, half].astype(np.int64).T
        sums = sums.clip(limits.min, limits.max) if kernel == "saturated_bytes" else sums.astype(np.int32)
    assert (found == sums.astype(np.int32)).all()


def test_half_sums_are_rounded_after_each_product(runner: Runner, ptx: str) -> None:
    a, b = (RNG.integers(-8, 9, (64, 64)).astype(np.float16) for _ in range(2))
    start = RNG.integers(-3000, 3000, (64, 64)).astype(np.float16)
    found = start.copy()
    arguments = [each.view(np.uint16) for each in (a, b, found)]
    assert runner.launch(ptx, "half_sums", arguments, 128, shared=SHARED_BYTES) is None
    sums = start
    for k in range(0, 64, 16):
        product = a[:, k : k + 16].astype(np.float64) @ b[:, k : k + 16].astype(np.float64).T
        sums = (sums.astype(np.float64) - product).astype(np.float16)
    assert (found == sums).all()


def watched(runner: Runner, ptx: str, kernel: str) -> list[Fault]:
    watch = Watch()
    operands = [np.ones((64, 64), ml_dtypes.bfloat16).view(np.uint16)] * 2
    arguments = [*operands, np.zeros((64, 64), np.float32)]
    assert runner.launch(ptx, kernel, arguments, 128, shared=SHARED_BYTES, watch=watch) is None
    return watch.faults


def test_operands_read_before_others_wrote_them_are_a_race(runner: Runner, ptx: str) -> None:
    found = [(fault.kind, fault.other_line, fault.line) for fault in watched(runner, ptx, "reads_too_early")]
    assert {("race", 187, 37), ("race", 188, 37)} <= set(found)


@pytest.mark.parametrize("kernel", KERNELS)
def test_operands_read_behind_a_barrier_are_none(runner: Runner, ptx: str, kernel: str) -> None:
    assert watched(runner, ptx, kernel) == []
