"""A `CudaDevice` on fake GPUs, and candidates of host code for it: the real device, workers and hardening."""

import subprocess
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.device import CudaDevice
from cudamaster.toolchain.devices.cuda.driver import CudaDriver, load_driver
from cudamaster.toolchain.devices.cuda.equipment import PROGRAM, CudaLimits, Equipment
from cudamaster.toolchain.devices.cuda.locks import GpuLocks
from cudamaster.toolchain.devices.cuda.native import counting_library
from cudamaster.toolchain.devices.cuda.nvml import open_nvml
from cudamaster.toolchain.devices.cuda.opening import Machine, open_gpus
from cudamaster.toolchain.devices.cuda.program import (
    COUNTING_VARIABLE,
    CUDART_VARIABLE,
    OWN_KERNEL_VARIABLE,
)
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.finder import Toolchain, find_toolchain
from tests.doubles.cuda_gpu import FakeGpu, small_card
from tests.doubles.nvidia import Card, FakeNvml

CODE = b"\x7fELF: the fake GPU knows what it computes"
LIMITS = CudaLimits(seconds=20.0, memory_bytes=1 << 30, cold_share=0.0, flush_bytes=1 << 18)
"""Kernels and flushes are host code here, which a busy machine interrupts: batches of them prove nothing."""
HOST = """\
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { unsigned x, y, z; } dim3;
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaGetLastError(void);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
void fake_fault(int), fake_hide_ms(double);
static int calls;
static void copy(void **a) {
    const float *x = *(const float **)a[0]; float *y = *(float **)a[1]; int n = *(int *)a[2];
    KERNEL
    for (int i = 0; i < n; i++) y[i] = x[i];
}
void run(const float *x, float *y, int n, void *stream) {
    dim3 one = {1, 1, 1};
    void *a[] = {&x, &y, &n};
    calls++;
    ENTRY
    cudaLaunchKernel(copy, one, one, a, 0, stream);
}
"""


OWN = """\
#define _GNU_SOURCE
#include <sys/mman.h>
typedef struct { unsigned x, y, z; } dim3;
int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
static void kernel(void **a) {}
void fingerprint_of(const void *words, void *sum, int count, int seed, void *stream) {
    dim3 one = {1, 1, 1}, refused = {1, 0, 1}; /* the fake runtime's sign for what the system refuses */
    cudaLaunchKernel(kernel, NEEDED ? one : refused, one, 0, 0, stream);
}
"""
"""Our own kernel; NEEDED is whether the driver has what it needs to load one."""


def copy_arguments(count: int = 1000, access: Access = Access.OUTPUT) -> Arguments:
    """`run(x, y, n, stream)`: y is poisoned."""
    x, y = np.arange(count, dtype=np.float32), np.full(count, np.nan, np.float32)
    items = (Tensor("x", x, Access.INPUT), Tensor("y", y, access), Scalar("n", count, "int"))
    return Arguments(items, f"copy {count} {access}")


@dataclass
class CudaBench:
    """A folder with what a device needs, compiled once; devices and candidates are made of it."""

    folder: Path
    toolchain: Toolchain = field(default_factory=find_toolchain)
    variables: dict[str, str] = field(default_factory=dict)
    loading_needs: str = "1"
    """In C, whether this system lets the driver load a kernel."""
    locks: GpuLocks | None = None
    """Which all that are made of one another share."""

    def __post_init__(self) -> None:
        self.locks = self.locks or GpuLocks(lambda: self.folder, wait_seconds=0)

    def device(
        self, gpu: FakeGpu | None = None, argument: str = "0", limits: CudaLimits = LIMITS
    ) -> CudaDevice:
        """The GPUs of this name, whose memory and calls are `gpu`'s."""
        gpu = gpu or FakeGpu([small_card()])
        machine = Machine(CudaDriver(gpu), open_nvml(FakeNvml(gpu.cards)), self.toolchain)
        assert self.locks is not None
        opened = open_gpus(argument, machine, self.locks)
        return CudaDevice(opened, equipment=self.equipment(opened.spec, limits))

    def real_device(self) -> CudaDevice:
        """The GPU of the driver that this process finds, by the real workers' program."""
        machine = Machine(load_driver(), open_nvml(FakeNvml([Card()])), self.toolchain)
        opened = open_gpus(None, machine, self.locks or GpuLocks())
        return CudaDevice(opened, equipment=replace(self.equipment(opened.spec), program=PROGRAM))

    def equipment(self, spec: Any, limits: CudaLimits = LIMITS) -> Equipment:
        """As of real GPUs, but for the driver, the runtime and the device files."""
        counting, cudart = counting_library(self.toolchain), self.cudart
        own = self.compiled("own", OWN.replace("NEEDED", self.loading_needs))
        found = {COUNTING_VARIABLE: str(counting), CUDART_VARIABLE: str(cudart)}
        return Equipment(
            spec=spec,
            limits=limits,
            fingerprint_code=CODE,
            program="tests.doubles.cuda_program",
            variables={**found, OWN_KERNEL_VARIABLE: str(own), **self.variables},
            readable=(str(self.folder), str(counting.parent)),
            devices=("/dev/zero",),
        )

    @property
    def driver_folder(self) -> Path:
        """Where a `libcuda.so.1` of this machine's memory is, held against NVIDIA's header."""
        folder = self.folder / "driver"
        if not folder.exists():
            includes = [f"-I{path}" for path in self.toolchain.include_dirs]
            text = Path(__file__).with_name("fake_libcuda.c").read_text()
            made = self.compiled("libcuda", text, "-Wl,-soname,libcuda.so.1", *includes)
            folder.mkdir()
            made.rename(folder / "libcuda.so.1")
        return folder

    @property
    def cudart(self) -> Path:
        """The fake runtime."""
        return self.compiled("cudart", Path(__file__).with_name("fake_cudart.c").read_text())

    def candidate(self, name: str, entry: str = "", kernel: str = "") -> Build:
        """One whose entry and kernel do something else first."""
        text = HOST.replace("ENTRY", entry).replace("KERNEL", kernel)
        return Build(
            source=KernelSource(text, "run"), key=name, architecture="sm_90a",
            library=self.compiled(name, text), ptx=None, host_object=None, resources=(), diagnostics=(),
            log="", seconds=0.0, cached=False,
        )  # fmt: skip

    def compiled(self, name: str, text: str, *flags: str) -> Path:
        """A library of C."""
        library = self.folder / f"{name}-{zlib.crc32(text.encode()):08x}.so"
        if not library.exists():
            source = library.with_suffix(".c")
            source.write_text(text)
            command = [
                "cc",
                "-std=gnu11",
                "-O1",
                "-shared",
                "-fPIC",
                "-w",
                *flags,
                str(source),
                "-o",
                str(library),
            ]
            subprocess.run(command, check=True, timeout=60)
        return library


def one_card(**changes: Any) -> FakeGpu:
    """A fake machine with one GPU."""
    return FakeGpu([small_card()], **changes)


def two_cards() -> FakeGpu:
    """One with two of a kind."""
    return FakeGpu([small_card(), small_card(bus_id="00000000:5E:00.0", uuid="GPU-2")])


__all__ = ["Card", "CudaBench", "copy_arguments", "one_card", "two_cards"]
