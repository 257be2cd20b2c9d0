"""The virtual GPU: nvcc's real output, PTX and all, run and modelled on the CPU."""

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.listing import ListedDevice
from cudamaster.toolchain.timing import Clock

DEFAULT_GPU = "h200"


def open_device(argument: str | None) -> Device:
    """The virtual GPU of that name, or the H200. Raises UnknownDevice, EnvironmentLacks (no nvcc)."""
    from cudamaster.toolchain.devices.virtual.device import VirtualDevice

    return VirtualDevice(argument or DEFAULT_GPU)


def list_devices() -> tuple[ListedDevice, ...]:
    """Every GPU that can be modelled, the H200 first."""
    from cudamaster.toolchain.devices.virtual.specs import gpu_names, load_gpu

    names = sorted(gpu_names(), key=lambda name: (name != DEFAULT_GPU, name))
    return tuple(
        ListedDevice(
            f"virtual:{name}", f"the virtual {load_gpu(name).device.title}", Clock.MODELLED, lacks=None
        )
        for name in names
    )
