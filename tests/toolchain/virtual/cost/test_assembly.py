from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.assembly import Launched, profile_launches
from cudamaster.toolchain.devices.virtual.cost.host_calls import Operation
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.timing import Clock
from tests.doubles.known_kernels import PARAMETERS, POINTERS, A, copy, pointers_moved, resources
from tests.doubles.sampled_launch import Touch, kernel_of, sampled

H200 = load_gpu("h200")
MIB = 1 << 20


def test_a_modelled_profile_says_so() -> None:
    assert profile_launches([(copy(MIB), 1)], [resources()], H200).clock is Clock.MODELLED


def test_the_same_counters_give_the_same_profile() -> None:
    first, second = (profile_launches([(copy(MIB), 3)], [resources()], H200) for _ in range(2))
    assert first == second


def test_launches_of_one_kernel_and_shape_are_one_entry() -> None:
    profile = profile_launches([(copy(MIB), 2), (copy(MIB), 3)], [resources()], H200)
    (kernel,) = profile.kernels
    assert kernel.launches == 5


def test_a_repeated_launch_costs_less_than_another_first_one() -> None:
    once = profile_launches([(copy(MIB), 1)], [resources()], H200).time_ms
    often = profile_launches([(copy(MIB), 10)], [resources()], H200).time_ms
    assert once < often < 10 * once


def copies_ms(*moved: int) -> float:
    """Of copies of 4 MB in buffers of 256, each launch with its pointers so many bytes farther."""
    one = copy(MIB)
    one = replace(one, allocations=tuple((first, 256 * MIB) for first, _ in one.allocations))
    order = [Launched(0, pointers_moved(by)) for by in moved]
    return profile_launches([(one, len(order))], [resources()], H200, order=order).time_ms


def test_a_launch_that_reads_other_bytes_of_a_buffer_finds_none_of_them_in_l2() -> None:
    assert copies_ms(0, 0) < copies_ms(0, 2 * MIB) < copies_ms(0, 4 * MIB) == copies_ms(0, 16 * MIB)


def test_launches_count_in_the_order_of_the_call() -> None:
    here, there = 0, 64 * MIB
    evicting = (here, *range(128 * MIB, 192 * MIB, 4 * MIB))
    assert copies_ms(*evicting, here) > copies_ms(here, *evicting)
    assert copies_ms(here, there, here, there) == pytest.approx(copies_ms(here, here, there, there))


def test_the_dearest_kernel_comes_first() -> None:
    profile = profile_launches([(copy(MIB), 1), (copy(64 * MIB), 1)], [resources()], H200)
    times = [kernel.time_ms for kernel in profile.kernels]
    assert times == sorted(times, reverse=True)
    assert profile.time_ms == pytest.approx(sum(times))


def test_every_value_is_of_a_declared_metric() -> None:
    (kernel,) = profile_launches([(copy(MIB), 1)], [resources()], H200).kernels
    assert kernel.metrics.keys() <= METRICS.keys()
    assert all(np.isfinite(value) for value in kernel.metrics.values())


def test_a_memset_takes_time() -> None:
    profile = profile_launches([], [], H200, operations=[Operation("memset", 1 << 30)])
    assert profile.kernels[0].name == "memset"
    assert profile.time_ms == pytest.approx((1 << 30) / (0.92 * 4.8e12) * 1e3 + 2.2e-3)


def test_a_kernel_ptxas_did_not_report_on_is_still_profiled() -> None:
    (kernel,) = profile_launches([(copy(MIB), 1)], [], H200).kernels
    assert kernel.metrics["registers_per_thread"] == 32


def test_one_address_for_all_atomics_is_slow() -> None:
    body = "ld.param.u64 %rd1, [pa]; ld.global.f32 %f1, [%rd2]; atom.global.add.f32 %f2, [%rd1], %f1; ret;"

    def launch(touch: Touch) -> float:
        atomics = sampled(
            kernel_of(body, POINTERS),
            grid=(65536, 1, 1),
            block=(256, 1, 1),
            touches=[Touch(4, 4), touch],
            footprint=lambda b: np.array([A // 32], np.uint64),
            allocations=((A, 4),),
            parameters=PARAMETERS,
        )
        return profile_launches([(atomics, 1)], [resources()], H200).time_ms

    all_lanes, one_lane = launch(Touch(1, 1)), launch(Touch(1, 1, lanes=1))
    assert all_lanes == pytest.approx(65536 * 256 / 1.83e9 * 1e3, rel=0.1)
    assert one_lane < all_lanes / 16
