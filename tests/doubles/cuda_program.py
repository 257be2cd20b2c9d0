"""The GPU workers' program, on a fake GPU of its own: what it maps is the trusted side's all the same."""

import ctypes
import os
from collections.abc import Callable

from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.program import CUDART_VARIABLE, Prepared, open_program, prepared
from cudamaster.toolchain.errors import DriverFailed
from tests.doubles.cuda_gpu import FakeGpu, small_card

UNPROTECTED, LOST, FULL = "FAKE_GPU_UNPROTECTED", "FAKE_GPU_LOST", "FAKE_GPU_FULL"
"""Variables: no memory is read only; files whose presence means that the GPU is lost, or has no room."""

__all__ = ["open_program", "preload", "prepare"]


def preload() -> None:
    pass


def prepare(harden: Callable[[], None]) -> Prepared:
    cudart = ctypes.CDLL(os.environ[CUDART_VARIABLE])
    card = small_card(uuid=os.environ["CUDA_VISIBLE_DEVICES"])
    gpu = FakeGpu([card], wait=cudart.fake_wait, protects=UNPROTECTED not in os.environ)
    if os.path.exists(os.environ.get(LOST, "")):  # noqa: PTH110 (an empty name is none)
        raise DriverFailed("cuDevicePrimaryCtxRetain", "CUDA_ERROR_UNKNOWN", 999)
    if os.path.exists(os.environ.get(FULL, "")):  # noqa: PTH110
        raise DriverFailed("cuDevicePrimaryCtxRetain", "CUDA_ERROR_OUT_OF_MEMORY", 2)
    return prepared(CudaDriver(gpu))
