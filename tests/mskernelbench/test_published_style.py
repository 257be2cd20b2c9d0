"""Kernels in the style of those published for the benchmark drop in unchanged.

`_optimized` and `_origin` in the entry's name, no stream, defaulted scalars left out, memory of their own,
host loops over launches, and a wait for the device at the end.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from mskernelbench.referee import Referee

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

FILES = sorted((Path(__file__).parent / "published_style").glob("*.cu"))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("virtual:h200")
    yield opened
    opened.close()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_correct(device: Device, file: Path) -> None:
    name, precision = file.stem.split(".")
    referee = Referee(device, load_operator(name), Precision(precision), sets=("check",))
    evaluation = referee.evaluate(file.read_text())
    assert evaluation.correct, evaluation.reason
    assert evaluation.entry.endswith(("_optimized", "_origin"))


def test_every_trait_of_the_style_is_there() -> None:
    sources = "".join(file.read_text() for file in FILES)
    assert len(FILES) >= 8
    assert "cudaStream_t" not in sources
    for trait in ("_optimized(", "_bf16_optimized(", "_origin(", "cudaMalloc(", "cudaFree(", "atomicAdd("):
        assert trait in sources
    assert all("cudaDeviceSynchronize()" in file.read_text() for file in FILES)
