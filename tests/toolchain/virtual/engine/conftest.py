"""Engines, and memory that kernels may use, for kernels compiled by nvcc."""

import ctypes
import struct
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.native import load_native

HERE = Path(__file__).parent


class Bench:
    """One source's kernels in one engine, and the arrays that were made for them."""

    def __init__(self, ptx: str, **options: Any) -> None:
        self.native = load_native()
        self.engine = Engine(self.native, **options)
        self.module = self.engine.add_module(ptx)
        self._places: list[int] = []

    def array(self, values: Any, kind: Any, *, name: str = "", writable: bool = True) -> NDArray[Any]:
        """Return device memory with these values."""
        source = np.ascontiguousarray(values, kind)
        place = self.native.vg_alloc(source.nbytes, 1 if writable else 0)
        self._places.append(place)
        self.native.vg_name(place, name.encode())
        ctypes.memmove(place, source.ctypes.data, source.nbytes)
        memory = (ctypes.c_uint8 * source.nbytes).from_address(place)
        return np.ctypeslib.as_array(memory).view(source.dtype).reshape(source.shape)

    def name_of(self, kernel: str) -> str:
        """Return the mangled name of a kernel."""
        return next(name for name in self.module.kernels if kernel in name)

    def request(
        self,
        kernel: str,
        *arguments: Any,
        grid: int = 1,
        block: int = 32,
        shared: int = 0,
        cooperative: bool = False,
    ) -> LaunchRequest:
        """Return a launch; arrays are passed as pointers, integers as 32 bits."""
        packed = b""
        for argument in arguments:
            is_array = isinstance(argument, np.ndarray)
            value = struct.pack("<Q", argument.ctypes.data) if is_array else struct.pack("<i", argument)
            packed += bytes(-len(packed) % len(value)) + value
        return LaunchRequest(self.name_of(kernel), (grid, 1, 1), (block, 1, 1), shared, packed, cooperative)

    def close(self) -> None:
        """Free the arrays."""
        self.engine.close()
        for place in self._places:
            self.native.vg_free(place)


@pytest.fixture(scope="session")
def ptx_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The PTX of a source beside the tests."""
    folder = tmp_path_factory.mktemp("engine")

    @cache
    def compiled(source: str) -> str:
        target = folder / f"{source}.ptx"
        command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-arch=compute_90", "-ptx"]
        subprocess.run(
            [*command, str(HERE / source), "-o", str(target)], check=True, capture_output=True, timeout=110
        )
        return target.read_text()

    return compiled


@pytest.fixture
def bench(ptx_of: Callable[[str], str]) -> Iterator[Callable[..., Bench]]:
    """`bench("faulty.cu", threads=1)` is a `Bench`."""
    made: list[Bench] = []

    def make(source: str, **options: Any) -> Bench:
        made.append(Bench(ptx_of(source), **options))
        return made[-1]

    yield make
    for each in made:
        each.close()
