"""The real GPU, `cuda:N`: kernels run and are measured on it."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.devices.cuda.opening import Machine, machine_opened, open_gpus
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.listing import ListedDevice
from cudamaster.toolchain.timing import Clock


def open_device(argument: str | None) -> Device:
    """The GPUs that `argument` names, one or several; see `open_gpus` for what it raises."""
    gpus = open_gpus(argument)
    from cudamaster.toolchain.devices.cuda.device import CudaDevice  # where it can be used, and only there

    return CudaDevice(gpus)


def list_devices(
    here: Callable[[], AbstractContextManager[Machine]] = machine_opened,
) -> tuple[ListedDevice, ...]:
    """Every visible GPU `here`; where none can be reached, one line that says what is missing."""
    try:
        with here() as machine:
            return tuple(
                ListedDevice(f"cuda:{gpu.index}", gpu.monitor.title, Clock.MEASURED, machine.lacks(gpu))
                for gpu in machine.gpus()
            )
    except ToolchainError as missing:
        return (ListedDevice("cuda", "an NVIDIA GPU", Clock.MEASURED, str(missing)),)
