"""What nvcc writes for each architecture is read, and computes the same."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

SOURCE = Path(__file__).with_name("architectures.cu")
KERNELS = re.findall(r"^KERNEL (\w+)", SOURCE.read_text(), re.MULTILINE)
OTHERS = ["75", "80", "86", "87", "89", "90", "100", "100a"]
THREADS = 64


@pytest.fixture(scope="module")
def results(runner: Runner, nvcc: Callable[..., str]) -> Callable[[str], dict[str, bytes]]:
    """What every kernel writes, by architecture."""

    @cache
    def found(architecture: str) -> dict[str, bytes]:
        ptx, written = nvcc(SOURCE, architecture), {}
        for kernel in KERNELS:
            y = np.full(THREADS, -1, np.int32)
            assert runner.launch(ptx, kernel, [y], THREADS) is None
            written[kernel] = y.tobytes()
        return written

    return found


def test_there_are_twenty_kernels() -> None:
    assert len(KERNELS) == 20


@pytest.mark.parametrize("architecture", OTHERS)
def test_every_architecture_computes_the_same(
    results: Callable[[str], dict[str, bytes]], architecture: str
) -> None:
    assert results(architecture) == results("90a")


def test_results_differ_from_kernel_to_kernel(results: Callable[[str], dict[str, bytes]]) -> None:
    assert len(set(results("90a").values())) == len(KERNELS)
