"""Calls within whole launches: what takes longer than it may has no time, which is no fault of it."""

import shutil
from collections.abc import Iterator

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.catalog import load_operator
from mskernelbench.lane import Lane
from mskernelbench.materials import Materials
from mskernelbench.operator import Precision, Workload
from mskernelbench.within import timed_within

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

PRODUCT = load_operator("square_matrix_mul")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    device = open_device("virtual:h200")
    yield device
    device.close()


def test_a_call_that_does_all_of_heavy_work_does_not_end_soon_and_light_ones_do(device: Device) -> None:
    lane = Lane(device, PRODUCT, Precision.FP32, Materials(PRODUCT, Precision.FP32, 0), seed=0)
    build = device.build(KernelSource(PRODUCT.baseline(Precision.FP32), PRODUCT.symbol))
    light, heavy = (
        timed_within(lane, build, Workload("user", {"M": n}, "shifted"), known=False, most_seconds=1.0)
        for n in (64, 2048)
    )
    assert light.ms is not None
    assert (heavy.ms, heavy.refusal) == (None, None)
