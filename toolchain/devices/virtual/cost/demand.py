"""What a launch asks of each resource of the GPU, in cycles, instruction by instruction.

A resource of an SM counts the blocks of the busiest SM; L2, DRAM and atomics count the whole grid.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.footprint import SECTOR_BYTES
from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy
from cudamaster.toolchain.devices.virtual.cost.tensor import tensor_clocks
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic
from cudamaster.toolchain.devices.virtual.cost.work import Pipe
from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    LINES,
    MISSED_SECTORS,
    REQUESTS,
    SECTORS,
    SampledLaunch,
    Site,
)
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "compute": ("issue", "fma", "alu", "xu", "fp64", "tensor"),
    "l1": ("lsu", "l1_data", "l1_tags"),
    "memory": ("fabric", "l2", "dram", "atomics"),
    "latency": ("latency",),
}
"""Resources that work on the same stream of instructions or bytes, so that only the busiest of a family
binds."""

_SHARED_ATOMIC = 2.0
"""Passes of an integer atomic on shared memory: read and write."""
_SHARED_FLOAT_ATOMIC = 6.0
"""A float addition on shared memory is a loop of load, add and compare-and-swap."""
_WORDS_OF_A_SECTOR = 8

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
    lowering: Lowering,
    residency: Occupancy,
    traffic: Traffic,
    resources: KernelResources,
    gpu: VirtualGpu,
) -> Demand:
    """Cycles of every resource but latency."""
    table: Demands = defaultdict(lambda: defaultdict(float))
    per_sm = residency.busiest_blocks / len(launch.sampled_blocks)
    for index, block in enumerate(launch.kernel.blocks):
        executions = float(launch.block_counts[index, 0]) * per_sm
        if executions:
            for instruction in block:
                _add_pipes(table[instruction], instruction, executions, lowering, gpu)
    for site, counts in zip(launch.sites, launch.site_counts, strict=True):
        if counts[REQUESTS]:
            row = table[site.instruction]
            numbers = [float(c) for c in counts]
            _add_l1(row, site, numbers, per_sm * lowering.share(site.instruction), gpu)
            if site.space not in ("shared", "const"):
                scale = residency.block_count / len(launch.sampled_blocks)
                _add_beyond_l1(row, site, numbers, per_sm, scale, traffic, gpu)
    _add_dram(table, launch, traffic, gpu)
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


def _add_l1(row: dict[str, float], site: Site, counts: list[float], factor: float, gpu: VirtualGpu) -> None:
    if site.space == "const":
        return
    if site.space == "shared":
        passes = counts[SECTORS] * _shared_passes(site)
    else:
        passes = max(counts[REQUESTS], counts[SECTORS] / 4)
        row["l1_tags"] += counts[LINES] * factor / gpu.model.l1_lines_per_clk
    row["l1_data"] += passes * factor / gpu.model.l1_wavefronts_per_clk


def _shared_passes(site: Site) -> float:
    if site.kind != "atomic":
        return 1.0
    return _SHARED_FLOAT_ATOMIC if site.instruction.type in ("f32", "f64") else _SHARED_ATOMIC


def l2_sectors(site: Site, counts: list[float]) -> float:
    """Sectors of a global or local site that reach L2."""
    return counts[MISSED_SECTORS] if site.kind in ("load", "async_copy") else counts[SECTORS]


def serial_lanes(counts: list[float]) -> float:
    """Atomics of a site that L2 takes one after another.

    A sector's eight words are updated at once; more lanes than words in a sector must meet in the same word.
    """
    crowded = counts[LANES] > _WORDS_OF_A_SECTOR * counts[SECTORS]
    return counts[LANES] if crowded else counts[SECTORS]


def _add_beyond_l1(
    row: dict[str, float],
    site: Site,
    counts: list[float],
    per_sm: float,
    scale: float,
    traffic: Traffic,
    gpu: VirtualGpu,
) -> None:
    sent = l2_sectors(site, counts) * SECTOR_BYTES
    row["fabric"] += sent * per_sm / gpu.model.l2_to_sm_bytes_per_clk
    row["l2"] += sent * scale * gpu.model.sustained_clock_hz / gpu.device.l2_bytes_per_s
    if site.kind == "atomic":
        places = min(traffic.atomic_places, gpu.model.l2_slices)
        row["atomics"] += serial_lanes(counts) * scale / places


def _add_dram(table: Demands, launch: SampledLaunch, traffic: Traffic, gpu: VirtualGpu) -> None:
    """Spread the DRAM cycles over the sites by the sectors they sent to L2."""
    sent = {
        site.instruction: l2_sectors(site, [float(c) for c in counts])
        for site, counts in zip(launch.sites, launch.site_counts, strict=True)
        if site.space not in ("shared", "const")
    }
    total = sum(sent.values())
    rate = gpu.device.dram_bytes_per_s * gpu.model.dram_efficiency / gpu.model.sustained_clock_hz
    for instruction, sectors in sent.items():
        if sectors:
            table[instruction]["dram"] += traffic.dram_bytes / rate * sectors / total


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
