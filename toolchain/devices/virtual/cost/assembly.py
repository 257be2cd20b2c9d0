"""A call's sampled launches turned into its profile, the modelled time of the call included."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.counting import counts_of
from cudamaster.toolchain.devices.virtual.cost.demangle import identifier
from cudamaster.toolchain.devices.virtual.cost.duration import launch_overhead_s
from cudamaster.toolchain.devices.virtual.cost.host_calls import Operation, operation_profiles
from cudamaster.toolchain.devices.virtual.cost.hot_lines import hot_lines
from cudamaster.toolchain.devices.virtual.cost.mix import instruction_mix
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_launch
from cudamaster.toolchain.devices.virtual.cost.traffic import L2Contents
from cudamaster.toolchain.devices.virtual.cost.verdict import bound_of
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu
from cudamaster.toolchain.metrics import measure
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock

_UNKNOWN_REGISTERS = 32
"""Assumed of a kernel that ptxas did not report on."""


@dataclass(slots=True)
class _Entry:
    """One kernel and shape of the call, as it accumulates."""

    modelled: ModelledLaunch
    overhead_s: float
    launches: int
    seconds: float


def profile_launches(
    launches: Sequence[tuple[SampledLaunch, int]],
    resources: Iterable[KernelResources],
    gpu: VirtualGpu,
    *,
    source_files: Collection[int] | None = None,
    operations: Sequence[Operation] = (),
) -> Profile:
    """Profile of one call.

    `launches` are (sampled launch, how often it was repeated), in the order of the call; L2 starts cold and
    then holds what the launches before left in it. `source_files` are the candidate's `.file` numbers, for
    the hot lines.
    """
    by_name = {one.name: one for one in resources}
    contents = L2Contents(gpu.device.l2_bytes * gpu.model.l2_usable_fraction)
    entries: dict[tuple[str, tuple[int, ...]], _Entry] = {}
    for launch, repeats in launches:
        known = by_name.get(launch.request.kernel) or _assumed_resources(launch)
        for repeat, warmth in enumerate(_warmth(repeats)):
            modelled = model_launch(launch, known, gpu, contents)
            contents = contents.after(modelled.traffic.touched_bytes)
            _add(entries, modelled, warmth, gpu, first=not entries and repeat == 0)
    kernels = [_kernel_profile(entry, gpu, source_files) for entry in entries.values()]
    kernels += operation_profiles(operations, gpu, first=not launches)
    return Profile(Clock.MODELLED, tuple(sorted(kernels, key=lambda kernel: -kernel.time_ms)))


def _warmth(repeats: int) -> tuple[int, ...]:
    """How many launches each modelled one stands for: the first, and all that follow it."""
    return (1, repeats - 1) if repeats > 1 else (repeats,)


def _add(
    entries: dict[tuple[str, tuple[int, ...]], _Entry],
    modelled: ModelledLaunch,
    count: int,
    gpu: VirtualGpu,
    *,
    first: bool,
) -> None:
    overhead = launch_overhead_s(modelled.seconds, gpu.model, first=first)
    request = modelled.subject.launch.request
    key = (request.kernel, (*request.grid, *request.block, request.dynamic_shared_bytes))
    entry = entries.setdefault(key, _Entry(modelled, overhead, 0, 0.0))
    entry.launches += count
    entry.seconds += count * (modelled.seconds + overhead)


def _kernel_profile(entry: _Entry, gpu: VirtualGpu, source_files: Collection[int] | None) -> KernelProfile:
    request = entry.modelled.subject.launch.request
    bound, bound_by = bound_of(entry.modelled, entry.overhead_s)
    return KernelProfile(
        identifier(request.kernel),
        _launch(request),
        entry.launches,
        1e3 * entry.seconds,
        measure(counts_of(entry.modelled, gpu)),
        bound,
        bound_by,
        hot_lines(entry.modelled, source_files),
        symbol=request.kernel,
        occupancy_limiter=entry.modelled.subject.residency.limiter,
        instruction_mix=instruction_mix(entry.modelled),
    )


def _launch(request: LaunchRequest) -> Launch:
    return Launch(request.grid, request.block, request.dynamic_shared_bytes)


def _assumed_resources(launch: SampledLaunch) -> KernelResources:
    shared = sum(v.size for v in launch.kernel.variables.values() if v.space == "shared")
    return KernelResources(launch.request.kernel, _UNKNOWN_REGISTERS, shared, 0, 0, 0)
