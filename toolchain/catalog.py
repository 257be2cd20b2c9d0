"""Opens devices by name: `auto`, `virtual`, `virtual:a100`, `cuda`, `cuda:1` …

A device is a package in `toolchain/devices/`; only the two that `auto` chooses between are named here.
"""

import difflib
import pkgutil
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from cudamaster.toolchain import devices
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import UnknownDevice
from cudamaster.toolchain.listing import ListedDevice

REAL, VIRTUAL = "cuda", "virtual"


class DevicePackage(Protocol):
    """What every package in `toolchain/devices/` has."""

    def open_device(self, argument: str | None) -> Device:
        """Open the device; `argument` is what follows the colon of its name."""

    def list_devices(self) -> tuple[ListedDevice, ...]:
        """The names it has here, its default first."""


class Choice(NamedTuple):
    """A device, and in few words why it was chosen."""

    device: Device
    reason: str


def open_device(name: str) -> Device:
    """Open the device called `name`. Raises UnknownDevice with the nearest names, EnvironmentLacks."""
    return choose_device(name).device


def choose_device(name: str = "auto") -> Choice:
    """Open the device called `name`, and say why it is this one. Raises as `open_device` does.

    `auto` takes the first real GPU that can be opened, else the virtual one.
    """
    if name == "auto":
        return _automatic()
    kind, colon, argument = name.partition(":")
    if kind not in device_kinds():
        raise _unknown(name)
    if colon and not argument:
        raise UnknownDevice(
            f"{name!r} names none behind its colon: give {kind!r} for its default, or one of "
            f"{', '.join(listed.name for listed in _package(kind).list_devices())}"
        )
    device = _package(kind).open_device(argument or None)
    return Choice(device, f"as asked; times are {device.clock}")


def list_devices() -> tuple[ListedDevice, ...]:
    """Every device there is, whether this machine can open it or not."""
    return tuple(listed for kind in device_kinds() for listed in _package(kind).list_devices())


def device_kinds() -> tuple[str, ...]:
    """The packages in `toolchain/devices/`."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(devices.__path__) if module.ispkg))


def _automatic() -> Choice:
    real = _package(REAL).list_devices()
    for listed in real:
        if listed.lacks is None:
            return Choice(open_device(listed.name), f"a GPU answers: {listed.title}")
    default = _package(VIRTUAL).list_devices()[0]
    lack = (real[0].lacks or "").partition(":")[0].partition(";")[0]
    reason = f"{lack}, so times are {default.clock}"
    return Choice(open_device(default.name), reason)


def _package(kind: str) -> DevicePackage:
    return cast(DevicePackage, import_module(f"{devices.__name__}.{kind}"))


def _unknown(name: str) -> UnknownDevice:
    names = ["auto", *device_kinds(), *(listed.name for listed in list_devices())]
    near = difflib.get_close_matches(name, names, n=3) or names
    return UnknownDevice(f"no device is called {name!r}; did you mean {' or '.join(dict.fromkeys(near))}?")
