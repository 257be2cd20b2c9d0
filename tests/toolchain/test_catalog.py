"""Devices by name, on a machine without a GPU and with one."""

import ctypes
from contextlib import suppress

import pytest

from cudamaster.toolchain.catalog import choose_device, device_kinds, list_devices, open_device
from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
from cudamaster.toolchain.timing import Clock


def has_driver() -> bool:
    with suppress(OSError):
        return bool(ctypes.CDLL("libcuda.so.1"))
    return False


def test_every_folder_of_devices_is_listed() -> None:
    assert device_kinds() == ("cuda", "virtual")
    listed = {device.name: device for device in list_devices()}
    assert listed["virtual:h200"].clock is Clock.MODELLED
    assert listed["virtual:h200"].lacks is None
    assert has_driver() or listed["cuda"].lacks


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownDevice, match="did you mean virtual:h200"):
        open_device("virtul:h200")
    with pytest.raises(UnknownDevice, match="h200"):
        open_device("virtual:h2000")


@pytest.mark.parametrize("kind", ["virtual", "cuda"])
def test_a_colon_with_nothing_behind_it_is_no_name(kind: str) -> None:
    with pytest.raises(UnknownDevice, match=f"'{kind}:' names none behind its colon: give '{kind}'"):
        open_device(f"{kind}:")


@pytest.mark.skipif(has_driver(), reason="a driver is here")
def test_a_missing_driver_is_named_with_advice() -> None:
    with pytest.raises(EnvironmentLacks, match=r"libcuda\.so\.1 cannot be loaded.*--device virtual"):
        open_device("cuda:0")


@pytest.mark.skipif(has_driver(), reason="a driver is here")
def test_auto_says_what_it_took_and_why() -> None:
    device, reason = choose_device("auto")
    assert device.name == "virtual:h200"
    assert reason.endswith(", so times are modelled")
    assert len(reason) < 80
    device.close()


def test_a_device_that_was_asked_for_says_nothing_of_drivers() -> None:
    device, reason = choose_device("virtual:h200")
    assert reason == "as asked; times are modelled"
    device.close()


def test_a_name_opens_the_same_device_again() -> None:
    device = open_device("virtual:a100")
    again = open_device(device.name)
    assert again.spec == device.spec
    assert device.spec.name == "a100"
    device.close()
    again.close()
