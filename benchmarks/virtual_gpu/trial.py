"""One kernel in one engine, launched, sampled and compiled."""

import ctypes
import struct
import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.virtual_gpu.cases import Case
from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.jit import THOROUGH, generate_object, host_has_avx512
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.native import load_native

SAMPLED_BLOCKS = 256


class Trial:
    """One kernel in one engine, its arrays in device memory."""

    def __init__(self, name: str, ptx: str, case: Case, *, check: bool) -> None:
        self.native = load_native()
        self.engine = Engine(self.native, threads=1, check_memory=check)
        self.module = self.engine.add_module(ptx)
        self.kernel = next(k for k in self.module.kernels.values() if name in k.name)
        self.case = case
        self.places: list[int] = []
        packed = b"".join(self._packed(argument) for argument in case.arguments)
        self.request = LaunchRequest(self.kernel.name, case.grid, case.block, 0, packed)

    def _packed(self, argument: Any) -> bytes:
        if not isinstance(argument, np.ndarray):
            return struct.pack("<i", argument)
        self.places.append(self.native.vg_alloc(argument.nbytes, 1))
        ctypes.memmove(self.places[-1], argument.ctypes.data, argument.nbytes)
        return struct.pack("<Q", self.places[-1])

    def is_right(self) -> bool:
        output = [a for a in self.case.arguments if isinstance(a, np.ndarray)][-1].copy()
        ctypes.memmove(output.ctypes.data, self.places[-1], output.nbytes)
        return self.case.is_right(output)

    def launch(self) -> float:
        """Return the CPU seconds of one launch."""
        started = time.thread_time()
        fault = self.engine.launch(self.request)
        assert fault is None, fault
        return time.thread_time() - started

    def launch_half(self) -> float:
        """Return the CPU seconds of half of the grid."""
        grid = list(self.request.grid)
        axis = max(range(3), key=lambda axis: 0 if grid[axis] % 2 else grid[axis])
        grid[axis] //= 2
        whole, self.request = self.request, replace(self.request, grid=(grid[0], grid[1], grid[2]))
        seconds = self.launch()
        self.request = whole
        return seconds

    def launch_on(self, threads: int) -> None:
        self.engine.threads = threads
        self.launch()

    def sample(self) -> tuple[float, float]:
        """Return the thread-instructions of some blocks, counted, and the CPU seconds that took."""
        total = self.request.block_count
        chosen = np.unique(np.linspace(0, total - 1, min(total, SAMPLED_BLOCKS)).astype(int)).tolist()
        started = time.thread_time()
        sample = self.engine.sample(self.request, chosen)
        seconds = time.thread_time() - started
        assert isinstance(sample, SampledLaunch), sample
        lengths = np.array([len(block) for block in sample.kernel.blocks])
        return float((sample.block_counts[:, 1] * lengths).sum()), seconds

    def compile_seconds(self) -> float:
        started = time.thread_time()
        mode = Mode(check=True, count=False, avx512=host_has_avx512())
        generate_object(write_warp_function(self.module, self.kernel, mode).text, THOROUGH)
        return time.thread_time() - started

    def close(self) -> None:
        for place in self.places:
            self.native.vg_free(place)
