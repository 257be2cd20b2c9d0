"""What a launch asks of each resource of the GPU, in cycles, instruction by instruction.

A resource of an SM counts the blocks of the busiest SM; L2, DRAM and atomics count the whole grid.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.footprint import SECTOR_BYTES
from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy
from cudamaster.toolchain.devices.virtual.cost.sites import FRAGMENT_LOADS, CountedSite
from cudamaster.toolchain.devices.virtual.cost.tensor import tensor_clocks
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic
from cudamaster.toolchain.devices.virtual.cost.work import Pipe
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "compute": ("issue", "fma", "alu", "xu", "fp64", "tensor"),
    "l1": ("lsu", "l1_data", "l1_tags"),
    "memory": ("fabric", "l2", "dram", "atomics"),
    "latency": ("latency",),
}
"""Resources that work on one stream of instructions or bytes: only the busiest of a family binds."""

_SHARED_ATOMIC = 2.0
"""Passes of an integer atomic on shared memory: read and write."""
_SHARED_FLOAT_ATOMIC = 6.0
"""A float addition on shared memory is a loop of load, add and compare-and-swap."""

Demands = dict[Instruction, dict[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """Cycles asked for."""

    by_instruction: Mapping[Instruction, Mapping[str, float]]
    """Cycles by resource by instruction."""
    spills: Mapping[str, float]
    """Cycles by resource of register spills, which no PTX instruction stands for."""

    def total(self, resource: str) -> float:
        """Cycles of one resource over the launch."""
        own = sum(cycles.get(resource, 0.0) for cycles in self.by_instruction.values())
        return own + self.spills.get(resource, 0.0)


def demand(
    launch: SampledLaunch,
    sites: Sequence[CountedSite],
    lowering: Lowering,
    residency: Occupancy,
    traffic: Traffic,
    resources: KernelResources,
    gpu: VirtualGpu,
) -> Demand:
    """Cycles of every resource but latency."""
    table: Demands = defaultdict(lambda: defaultdict(float))
    executions: dict[Instruction, float] = {}
    per_sm = residency.busiest_blocks / len(launch.sampled_blocks)
    for block, warps in zip(launch.kernel.blocks, launch.block_counts[:, 0].tolist(), strict=True):
        executions.update(dict.fromkeys(block if warps else (), warps * per_sm))
    for instruction, count in executions.items():
        _add_pipes(table[instruction], instruction, count, lowering, gpu)
    for site in sites:
        row = table[site.instruction]
        factor = per_sm * lowering.share(site.instruction)
        if site.instruction.opcode.startswith("wmma.load"):
            factor *= min(1.0, FRAGMENT_LOADS * executions[site.instruction] / (per_sm * site.requests))
        _add_l1(row, site, factor, gpu)
        if site.space != "shared":
            scale = residency.block_count / len(launch.sampled_blocks)
            _add_beyond_l1(row, site, per_sm, scale, traffic, gpu)
    _add_dram(table, sites, traffic, gpu)
    return Demand(table, _spills(launch, resources, per_sm, gpu))


def _add_pipes(
    row: dict[str, float], instruction: Instruction, executions: float, lowering: Lowering, gpu: VirtualGpu
) -> None:
    work, rates = lowering.work(instruction), gpu.model.per_clk
    row["issue"] += lowering.issue(instruction) * executions / rates["issue"]
    for pipe, slots in work.pipes:
        resource = "fma" if pipe in (Pipe.FMA, Pipe.IMAD, Pipe.HALF) else pipe.value
        row[resource] += slots * lowering.share(instruction) * executions / rates[pipe.value]
    clocks = tensor_clocks(instruction.opcode, gpu)
    if clocks:
        row["tensor"] += clocks * executions


def _add_l1(row: dict[str, float], site: CountedSite, factor: float, gpu: VirtualGpu) -> None:
    """An asynchronous copy passes through the banks once, on its way into shared memory."""
    if site.space == "shared":
        passes = site.sectors * _shared_passes(site)
    else:
        passes = 0.0 if site.kind == "async_copy" else max(site.requests, site.sectors / 4)
        row["l1_tags"] += site.lines * factor / gpu.model.l1_lines_per_clk
    row["l1_data"] += passes * factor / gpu.model.l1_wavefronts_per_clk


def _shared_passes(site: CountedSite) -> float:
    if site.kind != "atomic":
        return 1.0
    return _SHARED_FLOAT_ATOMIC if site.instruction.type in ("f32", "f64") else _SHARED_ATOMIC


def _add_beyond_l1(
    row: dict[str, float], site: CountedSite, per_sm: float, scale: float, traffic: Traffic, gpu: VirtualGpu
) -> None:
    sent = site.l2_sectors * SECTOR_BYTES
    row["fabric"] += sent * per_sm / gpu.model.l2_to_sm_bytes_per_clk
    row["l2"] += sent * scale * gpu.model.sustained_clock_hz / gpu.device.l2_bytes_per_s
    if site.kind == "atomic":
        places = min(traffic.atomic_places, gpu.model.l2_slices)
        row["atomics"] += site.serial_updates * scale / places


def _add_dram(table: Demands, sites: Sequence[CountedSite], traffic: Traffic, gpu: VirtualGpu) -> None:
    """Spread the DRAM cycles over the sites by the sectors they sent to L2."""
    total = sum(site.l2_sectors for site in sites)
    rate = gpu.device.dram_bytes_per_s * gpu.model.dram_efficiency / gpu.model.sustained_clock_hz
    for site in sites:
        if site.l2_sectors:
            table[site.instruction]["dram"] += traffic.dram_bytes / rate * site.l2_sectors / total


def _spills(
    launch: SampledLaunch, resources: KernelResources, per_sm: float, gpu: VirtualGpu
) -> dict[str, float]:
    """Register spills hit L1; each is taken to run as often as the kernel's mean instruction."""
    static = sum(len(block) for block in launch.kernel.blocks)
    counts = launch.block_counts[:, 0]
    dynamic = sum(len(block) * int(n) for block, n in zip(launch.kernel.blocks, counts, strict=True))
    accesses = (
        (resources.spill_load_bytes + resources.spill_store_bytes) / 4 * dynamic / max(static, 1) * per_sm
    )
    return {
        "issue": accesses / gpu.model.per_clk["issue"],
        "lsu": accesses / gpu.model.per_clk["lsu"],
        "l1_data": accesses / gpu.model.l1_wavefronts_per_clk,
    }
