"""The GPU workers' program, on a fake GPU of its own: what it maps is the trusted side's all the same."""

import ctypes
import os
import socket
from collections.abc import Callable
from pathlib import Path

from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.program import CUDART_VARIABLE, Prepared, open_program, prepared
from cudamaster.toolchain.errors import DriverFailed
from tests.doubles.cuda_gpu import FakeGpu, small_card

UNPROTECTED, LOST, FULL, NEEDS = "FAKE_GPU_UNPROTECTED", "FAKE_GPU_LOST", "FAKE_GPU_FULL", "FAKE_GPU_NEEDS"
"""Variables: no memory is read only; files whose presence means that the GPU is lost, or has no room; what
this driver needs of the system whenever it waits, one of `RIGHTS`."""
RIGHTS: dict[str, Callable[[], object]] = {
    "a file in memory": lambda: os.close(os.memfd_create("driver")),
    "a file of the system": lambda: Path("/etc/hostname").read_bytes(),
    "a socket": lambda: socket.socket().close(),
}
REFUSED_BY_SYSTEM = 304

__all__ = ["open_program", "preload", "prepare"]


def preload() -> None:
    pass


def prepare(harden: Callable[[], None]) -> Prepared:
    cudart = ctypes.CDLL(os.environ[CUDART_VARIABLE])
    card = small_card(uuid=os.environ["CUDA_VISIBLE_DEVICES"])
    needed = RIGHTS.get(os.environ.get(NEEDS, ""), lambda: None)

    def wait() -> int:
        try:
            needed()
        except PermissionError:
            return REFUSED_BY_SYSTEM
        return int(cudart.fake_wait())

    gpu = FakeGpu([card], wait=wait, protects=UNPROTECTED not in os.environ)
    if os.path.exists(os.environ.get(LOST, "")):  # noqa: PTH110 (an empty name is none)
        raise DriverFailed("cuDevicePrimaryCtxRetain", "CUDA_ERROR_UNKNOWN", 999)
    if os.path.exists(os.environ.get(FULL, "")):  # noqa: PTH110
        raise DriverFailed("cuDevicePrimaryCtxRetain", "CUDA_ERROR_OUT_OF_MEMORY", 2)
    return prepared(CudaDriver(gpu))
