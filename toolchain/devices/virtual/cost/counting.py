"""The facts that metrics need: a launch's sampled counters scaled to its grid, and rates over its time."""

from collections.abc import Callable
from typing import Literal

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.devices.virtual.cost.duration import Duration
from cudamaster.toolchain.devices.virtual.cost.flops import block_flops
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite
from cudamaster.toolchain.devices.virtual.cost.stalls import stall_shares
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu

Column = Literal["requests", "lanes", "sectors", "missed"]
_BANK_BYTES = 128
"""Bytes of one wavefront of shared memory."""


def counts_of(modelled: ModelledLaunch, gpu: VirtualGpu) -> Counts:
    """Counts of one launch."""
    subject, traffic = modelled.subject, modelled.traffic
    sites = _Sites(modelled)
    instructions, threads, flops = _instructions(modelled)
    warps, lanes = (float(n) for n in subject.launch.block_counts[0])
    return Counts(
        spec=gpu.device,
        seconds=modelled.seconds,
        clock_hz=gpu.model.sustained_clock_hz,
        instructions=instructions * sites.scale,
        thread_instructions=threads * sites.scale,
        entry_lanes=lanes / warps if warps else 32.0,
        flops=flops * sites.scale,
        busy=_busy(modelled.duration),
        **_accesses(sites),
        l2_bytes=traffic.l2_bytes,
        dram_read_bytes=traffic.dram_read_bytes,
        dram_write_bytes=traffic.dram_write_bytes,
        warps_per_sm=subject.residency.warps_per_sm,
        resident_warps=subject.resident_warps,
        block_limits=subject.residency.limits,
        waves=subject.residency.waves,
        blocks=subject.launch.request.block_count,
        longest_block=subject.launch.longest,
        longest_warp=subject.launch.longest_warp,
        stalls=stall_shares(modelled),
        latency_share=modelled.duration.weights["latency"],
        registers_per_thread=subject.resources.registers,
        spill_bytes_per_thread=subject.resources.spill_load_bytes + subject.resources.spill_store_bytes,
        shared_bytes_per_block=subject.resources.shared_bytes + subject.launch.request.dynamic_shared_bytes,
    )


def _accesses(sites: "_Sites") -> dict[str, float]:
    """What memory instructions ask for, by the names that `Counts` gives it."""
    return {
        "global_load_requests": sites.total(_loads, "requests"),
        "global_load_sectors": sites.total(_loads, "sectors"),
        "global_store_requests": sites.total(_stores, "requests"),
        "global_store_sectors": sites.total(_stores, "sectors"),
        "global_atomic_requests": sites.total(_atomics, "requests"),
        "global_atomic_lanes": sites.total(_atomics, "lanes"),
        "l1_missed_sectors": sites.total(_loads, "missed"),
        "local_sectors": sites.total(lambda site: site.space == "local", "sectors"),
        "shared_requests": sites.total(_shared, "requests"),
        "shared_wavefronts": sites.total(_shared, "sectors"),
        "shared_ideal_wavefronts": sites.ideal_wavefronts(),
    }


def _busy(duration: Duration) -> dict[str, float]:
    """Units by the names that `Counts` gives them."""
    same = ("issue", "fma", "alu", "xu", "fp64", "tensor", "lsu", "dram")
    units = {unit: duration.busy(unit) for unit in same}
    units["l1"] = max(duration.busy("l1_data"), duration.busy("l1_tags"))
    units["l2"] = max(duration.busy("l2"), duration.busy("atomics"))
    return units


def _loads(site: CountedSite) -> bool:
    return site.loads


def _stores(site: CountedSite) -> bool:
    return site.space == "global" and site.kind == "store"


def _atomics(site: CountedSite) -> bool:
    return site.space == "global" and site.kind == "atomic"


def _shared(site: CountedSite) -> bool:
    return site.space == "shared"


class _Sites:
    """Sums over the sites of a launch, scaled to the grid."""

    def __init__(self, modelled: ModelledLaunch) -> None:
        self._sites = modelled.subject.sites
        self.scale = modelled.subject.scale

    def total(self, wanted: Callable[[CountedSite], bool], column: Column) -> float:
        """Sum of one column over the wanted sites."""
        return self.scale * sum(float(getattr(site, column)) for site in self._sites if wanted(site))

    def ideal_wavefronts(self) -> float:
        """One a request, or more where its lanes ask for more than the banks hold."""
        return self.scale * sum(ideal_wavefronts(site) for site in self._sites if _shared(site))


def ideal_wavefronts(site: CountedSite) -> float:
    """Passes over the banks that a shared-memory site would need without conflicts, at most those it took."""
    wanted = site.lanes * site.bytes_per_lane / _BANK_BYTES
    return min(site.sectors, max(site.requests, wanted))


def _instructions(modelled: ModelledLaunch) -> tuple[float, float, float]:
    """Warp instructions, thread instructions and FLOPs of the sampled blocks."""
    instructions = threads = flops = 0.0
    launch = modelled.subject.launch
    for block, (warps, lanes) in zip(launch.kernel.blocks, launch.block_counts.tolist(), strict=True):
        if warps:
            issued = sum(modelled.subject.lowering.issue(instruction) for instruction in block)
            instructions += issued * warps
            threads += issued * lanes
            flops += sum(block_flops(i.opcode, warps, lanes) for i in block)
    return instructions, threads, flops
