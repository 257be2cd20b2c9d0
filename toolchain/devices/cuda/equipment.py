"""What GPUs of one device need besides themselves: limits, the workers' program, libraries and files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cudamaster.toolchain.devices.cuda.fingerprint import fingerprint_code, fingerprint_library
from cudamaster.toolchain.devices.cuda.native import counting_library
from cudamaster.toolchain.devices.cuda.program import (
    COUNTING_VARIABLE,
    CUDART_VARIABLE,
    OWN_KERNEL_VARIABLE,
)
from cudamaster.toolchain.devices.cuda.runtime import runtime_library
from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.nvcc.libraries import installed_folders
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.worker.hardening import WorkerLimits

PROGRAM = "cudamaster.toolchain.devices.cuda.program"
DRIVER_READABLE = ("/proc/driver/nvidia", "/proc/driver/nvidia-uvm", "/proc/devices", "/proc/modules",
                   "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm", "/sys/bus/pci", "/sys/devices",
                   "/sys/module")  # fmt: skip
"""What NVIDIA's driver reads of the system; nothing in it is a secret."""
LEAST_FLUSH_BYTES = 256 << 20
"""Filling it keeps an H200 busy for some 70 µs, in which the host asks for the call that is timed."""
PROCESSOR_SECONDS = 24 * 3600
"""Of a worker: waiting for a GPU takes a processor's time, and the baseline's lives as long as a run."""


@dataclass(frozen=True, slots=True)
class CudaLimits:
    """What one call of an entry may take."""

    seconds: float = 20.0
    """Wall time."""
    memory_bytes: int = 8 << 30
    """Host memory."""
    cold_share: float = 0.75
    """Of what a short call takes on average where many are timed from cold caches, what a sample must claim;
    with 0 none are timed so."""
    flush_bytes: int = LEAST_FLUSH_BYTES
    """Least size of the buffer whose filling takes the place of everything in L2."""


USUAL = CudaLimits()


@dataclass(frozen=True, slots=True)
class Equipment:
    """What every GPU of a device needs besides itself."""

    spec: DeviceSpec
    limits: CudaLimits
    fingerprint_code: bytes
    program: str
    """The workers' program, a module's name."""
    variables: Mapping[str, str]
    """What workers find in their environment before they give their rights up."""
    readable: tuple[str, ...]
    devices: tuple[str, ...]
    """What they may go on reading, and the device files they may go on using."""

    def worker_limits(self, *readable: str, left_out: tuple[str, ...] = ()) -> WorkerLimits:
        """Of a worker that may read these folders too."""
        return WorkerLimits(
            memory_bytes=self.limits.memory_bytes,
            processor_seconds=PROCESSOR_SECONDS,
            readable=(*self.readable, *readable),
            devices=self.devices,
            left_out=left_out,
        )


def usual_equipment(spec: DeviceSpec, toolchain: Toolchain, limits: CudaLimits) -> Equipment:
    """That of real GPUs. Raises EnvironmentLacks where the toolkit lacks something."""
    counting, cudart = counting_library(toolchain), runtime_library(toolchain)
    own_kernel = fingerprint_library(toolchain, spec.architecture)
    folders = (counting.parent, cudart.parent, own_kernel.parent)
    return Equipment(
        spec=spec,
        limits=limits,
        fingerprint_code=fingerprint_code(own_kernel),
        program=PROGRAM,
        variables={
            COUNTING_VARIABLE: str(counting),
            CUDART_VARIABLE: str(cudart),
            OWN_KERNEL_VARIABLE: str(own_kernel),
            "CUDA_CACHE_DISABLE": "1",
        },
        readable=(*DRIVER_READABLE, *(str(folder) for folder in (*folders, *installed_folders(toolchain)))),
        devices=driver_devices(),
    )


def driver_devices() -> tuple[str, ...]:
    """The device files of NVIDIA's driver."""
    return tuple(str(path) for path in sorted(Path("/dev").glob("nvidia*")))
