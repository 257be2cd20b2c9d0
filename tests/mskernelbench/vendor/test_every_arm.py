"""Vendor arms as they are: CUB's are right on the virtual GPU, those of libraries compile and link."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from mskernelbench.catalog import all_operators
from mskernelbench.checking import Checker
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision
from mskernelbench.vendor.arms import find_arm

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
ARMS = [
    (operator, precision)
    for operator in all_operators()
    for precision in Precision
    if find_arm(operator, precision)
]
QUICK = (("monte_carlo_int", Precision.BF16), ("matrix_power", Precision.BF16))
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


@pytest.mark.parametrize(("operator", "precision"), arms(needs_gpu=False))
def test_an_arm_of_headers_is_right_on_every_checked_workload(
    operator: Operator, precision: Precision, device: Device
) -> None:
    arm = find_arm(operator, precision)
    assert arm is not None
    build = device.build(arm.source)
    assert build.ok, build.first_error

    checked = Checker(device, operator, Materials(operator, precision, seed=0)).check(
        build, operator.in_set("check")
    )

    assert checked.refusal is None, checked.refusal
    assert len(checked.results) == len(operator.in_set("check"))


@pytest.mark.parametrize(("operator", "precision"), arms(needs_gpu=True))
def test_an_arm_of_a_library_compiles_and_links_where_its_wheel_is(
    operator: Operator, precision: Precision
) -> None:
    arm = find_arm(operator, precision)
    assert arm is not None
    try:
        build = compile_kernel(arm.source, "sm_90a", find_toolchain())
    except EnvironmentLacks as lack:
        pytest.skip(str(lack))
    assert build.ok, build.first_error
