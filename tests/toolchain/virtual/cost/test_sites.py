from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite, counted_sites
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from tests.doubles.known_kernels import PARAMETERS, POINTERS, A, B
from tests.doubles.sampled_launch import Touch, kernel_of, sampled


def sites(body: str, *touches: Touch) -> tuple[CountedSite, ...]:
    launch: SampledLaunch = sampled(
        kernel_of(body, POINTERS),
        grid=(4, 1, 1),
        block=(32, 1, 1),
        touches=touches,
        allocations=((A, 4096), (B, 4096)),
        parameters=PARAMETERS,
        footprint=lambda b: np.empty(0, np.uint64),
    )
    return counted_sites(launch)


def test_a_generic_address_is_what_was_counted_of_it() -> None:
    far, near = sites("ld.f32 %f1, [%rd1]; ld.f32 %f2, [%rd2]; ret;", Touch(4, 4, 1), Touch(2, 0, 0))
    assert (far.space, near.space) == ("global", "shared")


def test_an_address_is_traced_to_the_buffer_it_starts_from() -> None:
    body = (
        "ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; cvta.to.global.u64 %rd3, %rd1;"
        "mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4; add.s64 %rd6, %rd2, %rd4;"
        "ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd6+8], %f1; selp.b64 %rd7, %rd5, %rd6, %p1;"
        "ld.global.f32 %f2, [%rd7]; ret;"
    )
    assert [site.allocation for site in sites(body)] == [0, 1, None]


@pytest.mark.parametrize(
    ("load", "missed"),
    [
        ("ld.global.f32 %f1, [%rd1];", 1),
        ("ld.global.nc.f32 %f1, [%rd1];", 1),
        ("ld.global.cg.f32 %f1, [%rd1];", 4),
        ("ld.volatile.global.f32 %f1, [%rd1];", 4),
        ("ld.acquire.gpu.global.f32 %f1, [%rd1];", 4),
    ],
)
def test_loads_that_go_past_l1_miss_it_whatever_it_holds(load: str, missed: float) -> None:
    (site,) = sites(f"{load} ret;", Touch(4, 1))
    assert site.missed == missed * site.requests


def test_stores_and_atomics_always_reach_l2() -> None:
    load, store, atomic = sites(
        "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd1], %f1; red.global.add.f32 [%rd1], %f1; ret;",
        Touch(4, 1), Touch(4, 0), Touch(1, 0),
    )  # fmt: skip
    assert (load.l2_sectors, store.l2_sectors, atomic.l2_sectors) == (3, 12, 3)


def test_lanes_that_must_share_a_word_are_updated_one_by_one() -> None:
    body = "red.global.add.f32 [%rd1], %f1; ret;"
    (together,) = sites(body, Touch(1))
    (apart,) = sites(body, Touch(4))
    assert together.serial_updates == 32 * 3
    assert apart.serial_updates == 4 * 3
    rounded = replace(apart, lanes=apart.lanes + 1)
    assert rounded.serial_updates == 4 * 3
