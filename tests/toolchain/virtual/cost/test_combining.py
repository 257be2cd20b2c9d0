"""Which atomics one lane makes for its warp, against SASS that nvcc 13.0 makes of such kernels."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.combining import combined_atomics
from cudamaster.toolchain.devices.virtual.cost.sites import counted_sites
from tests.doubles.known_kernels import PARAMETERS, POINTERS, A
from tests.doubles.sampled_launch import Touch, kernel_of, sampled

SAME = "ld.param.u64 %rd9, [pa]; cvta.to.global.u64 %rd1, %rd9;"
OWN = f"{SAME} mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;"
VALUE = "mov.u32 %r2, %tid.x; cvt.rn.f32.u32 %f1, %r2; cvt.u64.u32 %rd3, %r2;"


@pytest.mark.parametrize(
    ("address", "atomic", "newer", "older"),
    [
        (SAME, "red.global.add.u32 [%rd1], 1;", True, True),
        (SAME, "atom.global.add.u32 %r3, [%rd1], 1;", True, True),
        (SAME, "red.global.add.u64 [%rd1], 1;", True, True),
        (SAME, "red.global.add.u32 [%rd1], %r2;", True, False),
        (SAME, "red.global.max.s32 [%rd1], %r2;", True, False),
        (SAME, "red.global.or.b32 [%rd1], %r2;", True, False),
        (SAME, "red.global.add.u64 [%rd1], %rd3;", False, False),
        (SAME, "red.global.add.f32 [%rd1], %f1;", False, False),
        (SAME, "atom.global.exch.b32 %r3, [%rd1], %r2;", False, False),
        (OWN, "red.global.add.u32 [%rd1], 1;", False, False),
    ],
)
def test_updates_of_one_address_are_added_up_where_ptxas_does_so(
    address: str, atomic: str, newer: bool, older: bool
) -> None:
    kernel = kernel_of(f"{address} {VALUE} {atomic} ret;", POINTERS)
    assert bool(combined_atomics(kernel, "sm_90a")) is newer
    assert bool(combined_atomics(kernel, "sm_75")) is older


def test_a_combined_atomic_is_one_update_a_request() -> None:
    kernel = kernel_of(f"{SAME} red.global.add.u32 [%rd1], 1; ret;", POINTERS)
    launch = sampled(
        kernel, grid=(4, 1, 1), block=(32, 1, 1), touches=[Touch(1)], allocations=((A, 4096),),
        parameters=PARAMETERS,
    )  # fmt: skip
    (apart,) = counted_sites(launch)
    (together,) = counted_sites(launch, combined_atomics(kernel, "sm_90a"))
    assert apart.serial_updates == 32 * apart.requests
    assert together.serial_updates == together.requests
