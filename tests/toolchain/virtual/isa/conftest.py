"""An engine of the virtual GPU to run PTX texts and CUDA sources on NumPy arrays."""

import ctypes
import struct
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.watching import Watch
from cudamaster.toolchain.outputs import Fault

Array = NDArray[Any]


class Runner:
    """Runs kernels on copies of arrays in registered memory, which it writes back."""

    def __init__(self) -> None:
        self.native = load_native()
        self.engines: dict[tuple[str, int], Engine] = {}
        self.native.vg_alloc.restype = ctypes.c_void_p
        self.native.vg_alloc.argtypes = [ctypes.c_size_t, ctypes.c_int]
        self.native.vg_free.argtypes = [ctypes.c_void_p]

    def launch(
        self,
        ptx: str,
        kernel: str,
        arguments: Sequence[Any],
        block: int,
        *,
        grid: int = 1,
        threads: int = 1,
        shared: int = 0,
        cluster: int = 1,
        watch: Watch | None = None,
    ) -> Fault | None:
        """Run a kernel; arrays go in and come back, other arguments are packed by their NumPy type."""
        engine = self.engine(ptx, threads)
        engine.watch = watch
        places = [self.upload(a) if isinstance(a, np.ndarray) and a.ndim else None for a in arguments]
        packed = b""
        for argument, place in zip(arguments, places, strict=True):
            value = struct.pack("<Q", place) if place is not None else np.asarray(argument).tobytes()
            packed += bytes(-len(packed) % len(value)) + value
        shape = ((grid, 1, 1), (block, 1, 1), shared, packed, False, (cluster, 1, 1))
        fault = engine.launch(LaunchRequest(kernel, *shape))
        for argument, place in zip(arguments, places, strict=True):
            if place is not None:
                self.download(place, argument)
        return fault

    def download(self, place: int, array: Array) -> None:
        """Copy device memory back and free it."""
        ctypes.memmove(array.ctypes.data, place, array.nbytes)
        self.native.vg_free(place)

    def engine(self, ptx: str, threads: int = 1) -> Engine:
        """Return the engine that has a PTX text."""
        key = (ptx, threads)
        if key not in self.engines:
            self.engines[key] = Engine(self.native, threads=threads)
            self.engines[key].add_module(ptx)
        return self.engines[key]

    def upload(self, array: Array) -> int:
        """Return the address of device memory with these values."""
        place: int = self.native.vg_alloc(array.nbytes, 1)
        ctypes.memmove(place, array.ctypes.data, array.nbytes)
        return place


@pytest.fixture(scope="session")
def runner() -> Runner:
    return Runner()


@pytest.fixture(scope="session")
def launch(runner: Runner) -> Callable[[str, str, Sequence[Array], int], None]:
    def run(ptx: str, kernel: str, arrays: Sequence[Array], threads: int) -> None:
        assert runner.launch(ptx, kernel, arrays, threads) is None

    return run


@pytest.fixture(scope="session")
def nvcc(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """`nvcc(path, architecture="90a")` is the PTX of a CUDA source beside the tests."""
    folder = tmp_path_factory.mktemp("isa")

    @cache
    def compiled(source: Path, architecture: str = "90a") -> str:
        target = folder / f"{source.stem}.{architecture}.ptx"
        command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", f"-arch=compute_{architecture}", "-ptx"]
        subprocess.run(
            [*command, str(source), "-o", str(target)], check=True, capture_output=True, timeout=110
        )
        return target.read_text()

    return compiled
