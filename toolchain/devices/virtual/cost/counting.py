"""The facts that metrics need, of one modelled launch: sampled counters scaled to the grid, and rates over
its time."""

from collections.abc import Callable

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.devices.virtual.cost.flops import block_flops
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    MISSED_SECTORS,
    REQUESTS,
    SECTORS,
    SampledLaunch,
    Site,
)
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu

_BANK_BYTES = 128
"""Bytes of one wavefront of shared memory."""


def counts_of(modelled: ModelledLaunch, gpu: VirtualGpu) -> Counts:
    """Counts of one launch."""
    launch, traffic, duration = modelled.launch, modelled.traffic, modelled.duration
    sites = _Sites(launch)
    instructions, threads, flops = _instructions(modelled)
    warps, lanes = (float(n) for n in launch.block_counts[0])
    return Counts(
        spec=gpu.device,
        seconds=modelled.seconds,
        clock_hz=gpu.model.sustained_clock_hz,
        instructions=instructions * sites.scale,
        thread_instructions=threads * sites.scale,
        entry_lanes=lanes / warps if warps else 32.0,
        flops=flops * sites.scale,
        issue_busy=duration.busy("issue"),
        fma_busy=duration.busy("fma"),
        alu_busy=duration.busy("alu"),
        xu_busy=duration.busy("xu"),
        fp64_busy=duration.busy("fp64"),
        tensor_busy=duration.busy("tensor"),
        lsu_busy=duration.busy("lsu"),
        l1_busy=max(duration.busy("l1_data"), duration.busy("l1_tags")),
        l2_busy=max(duration.busy("l2"), duration.busy("atomics")),
        dram_busy=duration.busy("dram"),
        global_load_requests=sites.total(_loads, REQUESTS),
        global_load_sectors=sites.total(_loads, SECTORS),
        global_store_requests=sites.total(_stores, REQUESTS),
        global_store_sectors=sites.total(_stores, SECTORS),
        global_atomic_requests=sites.total(_atomics, REQUESTS),
        global_atomic_lanes=sites.total(_atomics, LANES),
        l1_missed_sectors=sites.total(_loads, MISSED_SECTORS),
        local_sectors=sites.total(lambda site: site.space == "local", SECTORS),
        shared_requests=sites.total(_shared, REQUESTS),
        shared_wavefronts=sites.total(_shared, SECTORS),
        shared_ideal_wavefronts=sites.ideal_wavefronts(),
        l2_bytes=traffic.l2_bytes,
        dram_read_bytes=traffic.dram_read_bytes,
        dram_write_bytes=traffic.dram_write_bytes,
        warps_per_sm=modelled.residency.warps_per_sm,
        waves=modelled.residency.waves,
        blocks=launch.request.block_count,
        latency_share=duration.weights["latency"],
        registers_per_thread=modelled.resources.registers,
        spill_bytes_per_thread=modelled.resources.spill_load_bytes + modelled.resources.spill_store_bytes,
        shared_bytes_per_block=modelled.resources.shared_bytes + launch.request.dynamic_shared_bytes,
    )


def _loads(site: Site) -> bool:
    return site.space in ("global", "generic") and site.kind in ("load", "async_copy")


def _stores(site: Site) -> bool:
    return site.space in ("global", "generic") and site.kind == "store"


def _atomics(site: Site) -> bool:
    return site.space in ("global", "generic") and site.kind == "atomic"


def _shared(site: Site) -> bool:
    return site.space == "shared"


class _Sites:
    """Sums over the sites of a launch, scaled to the grid."""

    def __init__(self, launch: SampledLaunch) -> None:
        self._launch = launch
        self.scale = launch.request.block_count / len(launch.sampled_blocks)

    def total(self, wanted: Callable[[Site], bool], column: int) -> float:
        pairs = zip(self._launch.sites, self._launch.site_counts, strict=True)
        return self.scale * sum(float(counts[column]) for site, counts in pairs if wanted(site))

    def ideal_wavefronts(self) -> float:
        """One a request, or more where its lanes ask for more than the banks hold."""
        ideal = 0.0
        for site, counts in zip(self._launch.sites, self._launch.site_counts, strict=True):
            if _shared(site) and counts[REQUESTS]:
                wanted = float(counts[LANES]) * site.bytes_per_lane / _BANK_BYTES
                requests, wavefronts = float(counts[REQUESTS]), float(counts[SECTORS])
                ideal += min(wavefronts, max(requests, wanted))
        return ideal * self.scale


def _instructions(modelled: ModelledLaunch) -> tuple[float, float, float]:
    """Warp instructions, thread instructions and FLOPs of the sampled blocks."""
    instructions = threads = flops = 0.0
    launch = modelled.launch
    for block, (warps, lanes) in zip(launch.kernel.blocks, launch.block_counts.tolist(), strict=True):
        if warps:
            issued = sum(modelled.lowering.issue(instruction) for instruction in block)
            instructions += issued * warps
            threads += issued * lanes
            flops += sum(block_flops(i.opcode, warps, lanes) for i in block)
    return instructions, threads, flops
