"""A candidate that answers in the harness's name, by raw system calls, does not change its modelled time."""

import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, VirtualLimits
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan

COUNT = 2000
SOURCE = Path(__file__).with_name("forged_time.cu").read_text()

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the attack is written for x86-64")


@pytest.fixture
def device() -> Iterator[VirtualDevice]:
    device = VirtualDevice(limits=VirtualLimits(seconds=60.0))
    yield device
    device.close()


def timed(device: VirtualDevice, text: str) -> Timing | RunFailure:
    x, y = np.arange(COUNT, dtype=np.float32), np.full(COUNT, np.nan, np.float32)
    items = (Tensor("x", x, Access.INPUT), Tensor("y", y, Access.OUTPUT), Scalar("n", COUNT, "int"))
    build = device.build(KernelSource(text, "forge"))
    assert build.ok, build.log
    return device.time(build, Arguments(items, "to be forged"), TimingPlan())


def test_a_reply_in_the_harness_s_name_does_not_make_a_kernel_faster(device: VirtualDevice) -> None:
    honest = SOURCE[: SOURCE.index("    int file =")] + "}\n"
    expected, found = timed(device, honest), timed(device, SOURCE)
    assert isinstance(expected, Timing)
    assert isinstance(found, RunFailure) or found.median_ms == pytest.approx(expected.median_ms)
