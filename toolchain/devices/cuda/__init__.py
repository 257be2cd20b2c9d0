"""The real GPU: this version can tell whether one is there, and refuses to open it."""

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.devices.cuda.driver import DriverMissing, gpu_titles
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.listing import ListedDevice
from cudamaster.toolchain.timing import Clock

NOT_IMPLEMENTED = "the CUDA device is not implemented in this version; virtual:h200 runs anywhere"


def open_device(argument: str | None) -> Device:
    """Raises EnvironmentLacks, saying whether it is the GPU or this version that is missing."""
    try:
        gpu_titles()
    except DriverMissing as missing:
        raise EnvironmentLacks(str(missing)) from missing
    raise EnvironmentLacks(NOT_IMPLEMENTED)


def list_devices() -> tuple[ListedDevice, ...]:
    """Every GPU that a driver names; where there is none, one line that says what is missing."""
    try:
        titles = gpu_titles()
    except DriverMissing as missing:
        return (ListedDevice("cuda", "an NVIDIA GPU", Clock.MEASURED, str(missing)),)
    return tuple(
        ListedDevice(f"cuda:{index}", title, Clock.MEASURED, NOT_IMPLEMENTED)
        for index, title in enumerate(titles)
    )
