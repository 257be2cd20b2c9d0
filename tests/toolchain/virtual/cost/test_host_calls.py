"""What a call's copies, fills and host calls add to its time."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.assembly import profile_launches
from cudamaster.toolchain.devices.virtual.cost.host_calls import HOST_CALL_US, Operation
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import copy, resources

H200 = load_gpu("h200")


def time_ms(*operations: Operation) -> float:
    return profile_launches([(copy(1 << 20), 1)], [resources()], H200, operations=operations).time_ms


@pytest.mark.parametrize("name", sorted(HOST_CALL_US))
def test_every_host_call_adds_its_assumed_time(name: str) -> None:
    added = time_ms(Operation(name, 0), Operation(name, 0)) - time_ms()
    assert added == pytest.approx(2e-3 * HOST_CALL_US[name])


def test_what_goes_to_the_host_takes_its_bytes_time_besides() -> None:
    added = time_ms(Operation("transfer", 1 << 20)) - time_ms()
    assert added == pytest.approx(1e-3 * (HOST_CALL_US["transfer"] + 2**20 / 1e4))


def test_an_allocation_costs_more_than_a_small_kernel_and_one_from_a_pool_less() -> None:
    kernel = time_ms()
    assert time_ms(Operation("cudaMalloc", 0)) > 2 * kernel
    assert time_ms(Operation("cudaMallocAsync", 0)) < 1.5 * kernel


def test_operations_of_one_name_are_one_entry_with_a_count() -> None:
    operations = [Operation("memset", 1 << 20), Operation("cudaMalloc", 0), Operation("memset", 1 << 20)]
    profile = profile_launches([], [], H200, operations=operations)
    assert {(kernel.name, kernel.launches) for kernel in profile.kernels} == {
        ("memset", 2),
        ("cudaMalloc", 1),
    }


def test_a_copy_takes_as_long_as_its_bytes_take_at_dram_speed() -> None:
    (kernel,) = profile_launches([], [], H200, operations=[Operation("memcpy", 1 << 32)]).kernels
    rate = H200.device.dram_bytes_per_s * H200.model.dram_efficiency
    assert kernel.time_ms == pytest.approx(1e3 * (1 << 32) / rate + 1e-3 * H200.model.launch_us)
    assert kernel.bound == "memory"
    assert "92% of DRAM's peak" in kernel.bound_by
