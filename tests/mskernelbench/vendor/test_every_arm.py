"""Every vendor arm is right on the virtual GPU: CUB's with CUB, those of libraries with doubles of these.

Where a library's wheel is, its arms compile and link with the library itself.
"""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from mskernelbench.catalog import all_operators
from mskernelbench.checking import Checker
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision
from mskernelbench.vendor.arms import find_arm
from tests.doubles.vendor_libraries import with_doubles

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
ARMS = [
    (operator, precision)
    for operator in all_operators()
    for precision in Precision
    if find_arm(operator, precision)
]
QUICK = (("monte_carlo_int", Precision.BF16), ("matrix_mul", Precision.FP32))
"""In every run of the suite; the others take minutes to compile."""


def arms(*, needs_gpu: bool) -> list[Any]:
    """As parameters: all that need a GPU, or all that do not."""
    found = []
    for operator, precision in ARMS:
        arm = find_arm(operator, precision)
        if arm is not None and arm.needs_gpu is needs_gpu:
            marks = () if (operator.name, precision) in QUICK else pytest.mark.exhaustive
            found.append(pytest.param(operator, precision, marks=marks, id=f"{operator.name} {precision}"))
    return found


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("virtual:h200")
    yield opened
    opened.close()


def source_of(operator: Operator, precision: Precision) -> KernelSource:
    arm = find_arm(operator, precision)
    assert arm is not None
    return arm.source


def require_right(source: KernelSource, operator: Operator, precision: Precision, device: Device) -> None:
    """On every checked workload, and on one again with other data."""
    build = device.build(source)
    assert build.ok, build.first_error
    workloads = operator.in_set("check")
    checked = Checker(device, operator, Materials(operator, precision, seed=0)).check(build, workloads)
    assert checked.refusal is None, checked.refusal
    assert len(checked.results) == len(workloads)


@pytest.mark.parametrize(("operator", "precision"), arms(needs_gpu=False))
def test_an_arm_of_headers_is_right_on_every_checked_workload(
    operator: Operator, precision: Precision, device: Device
) -> None:
    require_right(source_of(operator, precision), operator, precision, device)


@pytest.mark.parametrize(("operator", "precision"), arms(needs_gpu=True))
def test_an_arm_of_a_library_is_right_with_a_library_made_by_the_manual(
    operator: Operator, precision: Precision, device: Device
) -> None:
    require_right(with_doubles(source_of(operator, precision)), operator, precision, device)


@pytest.mark.parametrize(("operator", "precision"), arms(needs_gpu=True))
def test_an_arm_of_a_library_compiles_and_links_where_its_wheel_is(
    operator: Operator, precision: Precision
) -> None:
    try:
        build = compile_kernel(source_of(operator, precision), "sm_90a", find_toolchain())
    except EnvironmentLacks as lack:
        pytest.skip(str(lack))
    assert build.ok, build.first_error
