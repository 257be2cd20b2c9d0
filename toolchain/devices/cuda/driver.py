"""NVIDIA's driver, reached through cuda-bindings: the one place where it is loaded, and calls are checked."""

import ctypes
import os
from pathlib import Path
from typing import Any

from cudamaster.toolchain.errors import DriverFailed, EnvironmentLacks

NO_DRIVER = (
    "no NVIDIA driver here: libcuda.so.1 cannot be loaded; install NVIDIA's driver (a container is started "
    "with --gpus all), or use --device virtual, which runs anywhere"
)
NO_BINDINGS = (
    "the Python package cuda-bindings is missing, which calls NVIDIA's driver: pip install -e '.[gpu]'"
)
DEVICE_FILES = ("nvidiactl", "nvidia-uvm")
"""What every process with a CUDA context opens, besides `nvidia0`, `nvidia1` …"""
REFUSED_BY_SYSTEM = 304
"""The driver's and the runtime's code for a system call of theirs that failed."""
REFUSED = (
    "the system refuses NVIDIA's driver something: a seccomp or Landlock profile may, a container's or the "
    "one that kernels are run under here; CUDAMASTER_UNFILTERED=1 tries without, for kernels that you trust "
    "(docs/cuda-device.md)"
)
ADVICE = {
    "CUDA_ERROR_OPERATING_SYSTEM": REFUSED,
    "CUDA_ERROR_SYSTEM_NOT_READY": "start the service nvidia-fabricmanager, which NVSwitch machines need",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "libcuda.so.1 and the loaded kernel module are of different "
    "versions: restart the machine after a driver's update",
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": "take the toolkit's 'compat' folder out of LD_LIBRARY_PATH",
    "CUDA_ERROR_STUB_LIBRARY": "the libcuda.so.1 found is the toolkit's stub: take its 'stubs' folder out of "
    "LD_LIBRARY_PATH",
    "CUDA_ERROR_DEVICE_UNAVAILABLE": "another process has the GPU to itself (compute mode exclusive)",
    "CUDA_ERROR_MPS_CONNECTION_FAILED": "start or end the CUDA MPS service",
}
"""By the driver's own name of the error."""


class CudaDriver:
    """The driver's functions, each checked. `binding` is `cuda.bindings.driver`, or a double of it."""

    def __init__(self, binding: Any) -> None:
        self.binding = binding

    def call(self, name: str, *arguments: Any) -> Any:
        """What the function `name` gives besides its error code: nothing, a value or a tuple.

        Raises DriverFailed where the code is an error.
        """
        code, *values = getattr(self.binding, name)(*arguments)
        if code != self.binding.CUresult.CUDA_SUCCESS:
            raise DriverFailed(name, code.name, int(code))
        return values[0] if len(values) == 1 else tuple(values) or None


def load_driver(device_folder: Path = Path("/dev")) -> CudaDriver:
    """The driver of this machine, initialised. Raises EnvironmentLacks, saying what is missing."""
    try:
        ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)  # for candidates that encode tensor maps
    except OSError as failure:
        raise EnvironmentLacks(NO_DRIVER) from failure
    try:
        from cuda.bindings import driver
    except ImportError as failure:
        raise EnvironmentLacks(f"{NO_BINDINGS} ({failure})") from failure
    return initialised(driver, device_folder)


def initialised(binding: Any, device_folder: Path) -> CudaDriver:
    """The driver behind `binding` after `cuInit`. Raises EnvironmentLacks where that fails."""
    driver = CudaDriver(binding)
    try:
        driver.call("cuInit", 0)
    except DriverFailed as failure:
        raise EnvironmentLacks(_why_not(failure, device_folder)) from failure
    return driver


def _why_not(failure: DriverFailed, device_folder: Path) -> str:
    lack = _lacking_file(device_folder) or ADVICE.get(failure.error)
    if lack is None and failure.error == "CUDA_ERROR_NO_DEVICE":
        lack = _no_device()
    return f"NVIDIA's driver does not start ({failure.error})" + (f": {lack}" if lack else "")


def _no_device() -> str:
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None:
        return f"CUDA_VISIBLE_DEVICES={hidden!r} hides every GPU: unset it"
    return "it finds no GPU; 'nvidia-smi' shows those that the machine has"


def _lacking_file(folder: Path) -> str | None:
    """Which device file is not there or may not be opened, and what helps; None where that is not it."""
    gpus = sorted(file.name for file in folder.glob("nvidia[0-9]*"))
    for name in (*DEVICE_FILES, *(gpus or ["nvidia0"])):
        file = folder / name
        if not file.exists():
            return (
                f"there is no {file}; start the container with --gpus all, or load the kernel module with "
                "'sudo nvidia-modprobe -u'"
            )
        if not os.access(file, os.R_OK | os.W_OK):
            return (
                f"no permission to open {file}: join the group {_group(file)} "
                f"('sudo usermod -aG {_group(file)} $USER', then log in again), or make the file writable"
            )
    return None


def _group(file: Path) -> str:
    try:
        return file.group()
    except KeyError:  # a group of the host that the container does not name
        return str(file.stat().st_gid)
