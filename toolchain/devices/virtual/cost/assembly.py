"""A call's sampled launches turned into its profile, the modelled time of the call included."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.counting import counts_of
from cudamaster.toolchain.devices.virtual.cost.demangle import identifier
from cudamaster.toolchain.devices.virtual.cost.duration import launch_overhead_s
from cudamaster.toolchain.devices.virtual.cost.host_calls import Operation, operation_profiles
from cudamaster.toolchain.devices.virtual.cost.hot_lines import hot_lines
from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents, moves
from cudamaster.toolchain.devices.virtual.cost.mix import instruction_mix
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_use
from cudamaster.toolchain.devices.virtual.cost.subject import subject_of
from cudamaster.toolchain.devices.virtual.cost.traffic import Use, use_of
from cudamaster.toolchain.devices.virtual.cost.verdict import bound_of
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu
from cudamaster.toolchain.metrics import measure
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock

_UNKNOWN_REGISTERS = 32
"""Assumed of a kernel that ptxas did not report on."""


class Launched(NamedTuple):
    """One launch of the call."""

    sample: int
    """Which sample it counts as."""
    parameters: bytes


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
    order: Sequence[Launched] | None = None,
    source_files: Collection[int] | None = None,
    operations: Sequence[Operation] = (),
) -> Profile:
    """Profile of one call.

    `launches` are (sampled launch, how often it was launched), `order` every launch of the call; without it
    those of a sample follow each other, with the same pointers. L2 starts cold and then holds what the
    launches before left in it. `source_files` are the candidate's `.file` numbers, for the hot lines.
    """
    by_name = {one.name: one for one in resources}
    known = [by_name.get(launch.request.kernel) or _assumed_resources(launch) for launch, _ in launches]
    uses = [use_of(subject_of(one, used, gpu)) for (one, _), used in zip(launches, known, strict=True)]
    entries: dict[tuple[str, tuple[int, ...]], _Entry] = {}
    for modelled in _in_order(uses, _one_after_another(launches) if order is None else order, gpu):
        _add(entries, modelled, gpu, first=not entries)
    kernels = [_kernel_profile(entry, gpu, source_files) for entry in entries.values()]
    kernels += operation_profiles(operations, gpu, first=not launches)
    return Profile(Clock.MODELLED, tuple(sorted(kernels, key=lambda kernel: -kernel.time_ms)))


def _one_after_another(launches: Sequence[tuple[SampledLaunch, int]]) -> Iterator[Launched]:
    for place, (launch, repeats) in enumerate(launches):
        yield from [Launched(place, launch.request.parameters)] * repeats


def _in_order(uses: Sequence[Use], order: Iterable[Launched], gpu: VirtualGpu) -> Iterator[ModelledLaunch]:
    """Every launch modelled, those alike to which L2 holds the same only once."""
    contents = L2Contents(gpu.device.l2_bytes * gpu.model.l2_usable_fraction)
    known: dict[tuple[int, tuple[float, ...]], ModelledLaunch] = {}
    for sample, parameters in order:
        use = uses[sample]
        where = use.moved(moves(use.subject.launch, use.where, parameters))
        held = tuple(contents.held(stretch) if stretch else 0.0 for stretch in where)
        if (sample, held) not in known:
            known[sample, held] = model_use(use, held)
        contents = contents.after([stretch for stretch in where if stretch])
        yield known[sample, held]


def _add(
    entries: dict[tuple[str, tuple[int, ...]], _Entry],
    modelled: ModelledLaunch,
    gpu: VirtualGpu,
    *,
    first: bool,
) -> None:
    overhead = launch_overhead_s(modelled.seconds, gpu.model, first=first)
    request = modelled.subject.launch.request
    key = (request.kernel, (*request.grid, *request.block, request.dynamic_shared_bytes))
    entry = entries.setdefault(key, _Entry(modelled, overhead, 0, 0.0))
    entry.launches += 1
    entry.seconds += modelled.seconds + overhead


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
