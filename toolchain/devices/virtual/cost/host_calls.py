"""Operations of a call that are no kernels: copies and fills on the device, and host calls that hold it up.

Copies between the device and the host go through pageable memory, since entries can have no other: the driver
stages them at a few GB/s (NVIDIA, How to Optimize Data Transfers in CUDA C/C++, 2012, has half of what pinned
memory reaches). What the host calls cost is not modelled but assumed, in round figures of their order of
magnitude on current drivers: `cudaMalloc` and `cudaFree` map and unmap memory and wait for the device
(NVIDIA, Using the CUDA Stream-Ordered Memory Allocator, 2021, on why to avoid them); an allocation from a
pool is bookkeeping; after a wait the next launch starts on an idle device. They are added to the time of the
call: a host that waits launches nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.duration import launch_overhead_s
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu
from cudamaster.toolchain.profile import KernelProfile, Launch

TRANSFER = "transfer"
"""The operation of copying between the device and the host."""
HOST_CALL_US = {
    "cudaMalloc": 100.0, "cudaFree": 100.0, "cudaMallocAsync": 1.5, "synchronize": 4.0, TRANSFER: 10.0
}  # fmt: skip
"""Microseconds of one call."""
TRANSFER_BYTES_PER_US = 10_000.0
"""What is moved besides: 10 GB/s."""
_NOWHERE = Launch((1, 1, 1), (1, 1, 1), 0)


@dataclass(frozen=True, slots=True)
class Operation:
    """One such operation."""

    name: str
    """`memset`, `memcpy`, or one of HOST_CALL_US."""
    moved_bytes: int
    """Bytes read and written on the device."""


def operation_profiles(
    operations: Sequence[Operation], gpu: VirtualGpu, *, first: bool
) -> Iterator[KernelProfile]:
    """One profile a name, in the order of first use; `first` where no kernel was launched before them."""
    for name in dict.fromkeys(operation.name for operation in operations):
        own = [operation for operation in operations if operation.name == name]
        yield _host_calls(name, own) if name in HOST_CALL_US else _moves(own, gpu, first=first)


def _host_calls(name: str, calls: Sequence[Operation]) -> KernelProfile:
    each, moved = HOST_CALL_US[name], sum(call.moved_bytes for call in calls)
    words = f"the host's {name}, assumed to take {each:g} us each"
    if moved:
        words += f", and {moved} bytes at {TRANSFER_BYTES_PER_US / 1000:g} GB/s"
    us = len(calls) * each + moved / TRANSFER_BYTES_PER_US
    return KernelProfile(name, _NOWHERE, len(calls), 1e-3 * us, {}, "latency", words, ())


def _moves(operations: Sequence[Operation], gpu: VirtualGpu, *, first: bool) -> KernelProfile:
    rate = gpu.device.dram_bytes_per_s * gpu.model.dram_efficiency
    moving = [operation.moved_bytes / rate for operation in operations]
    waiting = sum(
        launch_overhead_s(seconds, gpu.model, first=first and i == 0) for i, seconds in enumerate(moving)
    )
    moved = sum(operation.moved_bytes for operation in operations)
    share = gpu.model.dram_efficiency
    words = f"{moved} bytes at {share:.0%} of DRAM's peak and {waiting * 1e6:.1f} us of launch overhead"
    bound = "memory" if sum(moving) > waiting else "latency"
    seconds = sum(moving) + waiting
    return KernelProfile(operations[0].name, _NOWHERE, len(operations), 1e3 * seconds, {}, bound, words, ())
