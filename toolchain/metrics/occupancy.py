"""How many warps an SM holds, and what keeps more away."""

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import metric


@metric("occupancy", "%", "higher", ncu="sm__maximum_warps_per_active_cycle_pct")
def theoretical_occupancy(counts: Counts) -> float | None:
    """Warps that fit on an SM ÷ its limit. 25 to 50 % is enough where each thread has several independent
    loads.
    """
    return 100 * counts.warps_per_sm / counts.spec.warps_per_sm


@metric("occupancy", "%", "higher", ncu="sm__warps_active.avg.pct_of_peak_sustained_active")
def achieved_occupancy(counts: Counts) -> float | None:
    """Warps on a busy SM, mean over the launch, ÷ its limit; below the theoretical where the grid is small or
    its last wave half empty.
    """
    return 100 * counts.resident_warps / counts.spec.warps_per_sm


@metric("occupancy", "blocks", "neither", ncu="launch__occupancy_limit_registers")
def occupancy_limit_registers(counts: Counts) -> float | None:
    """Blocks that fit on an SM as far as registers go; the smallest of the four limits counts."""
    return float(counts.block_limits["registers"])


@metric("occupancy", "blocks", "neither", ncu="launch__occupancy_limit_shared_mem")
def occupancy_limit_shared(counts: Counts) -> float | None:
    """Blocks that fit on an SM as far as shared memory goes."""
    return float(counts.block_limits["shared memory"])


@metric("occupancy", "blocks", "neither", ncu="launch__occupancy_limit_warps")
def occupancy_limit_warps(counts: Counts) -> float | None:
    """Blocks that fit on an SM as far as its number of warps goes."""
    return float(counts.block_limits["warps"])


@metric("occupancy", "blocks", "neither", ncu="launch__occupancy_limit_blocks")
def occupancy_limit_blocks(counts: Counts) -> float | None:
    """Blocks that fit on an SM whatever they need."""
    return float(counts.block_limits["blocks"])


@metric("occupancy", "waves", "neither", ncu="launch__waves_per_multiprocessor")
def waves(counts: Counts) -> float | None:
    """Grid ÷ blocks resident at one time; well below 1 leaves SMs idle, just above an integer leaves a
    tail.
    """
    return counts.waves


@metric("occupancy", "blocks", "neither", ncu="launch__grid_size")
def blocks(counts: Counts) -> float | None:
    """Blocks of the grid; fewer than the card has SMs leave some idle."""
    return float(counts.blocks)


@metric("occupancy", "ratio", "lower")
def longest_block(counts: Counts) -> float | None:
    """Work of the busiest block ÷ the mean block's; the launch lasts until that block is done. Helps: parts
    of equal size, or more and smaller ones.
    """
    return counts.longest_block


@metric("occupancy", "ratio", "lower")
def longest_warp(counts: Counts) -> float | None:
    """A block's longest path, from warp to warp at its barriers, ÷ its mean warp's work; the block keeps its
    place so long. Helps: work for all warps between two barriers.
    """
    return counts.longest_warp


@metric("occupancy", "registers", "neither", ncu="launch__registers_per_thread")
def registers_per_thread(counts: Counts) -> float | None:
    """32-bit registers a thread, of at most 255."""
    return float(counts.registers_per_thread)


@metric("occupancy", "byte", "lower")
def spill_bytes_per_thread(counts: Counts) -> float | None:
    """Bytes of registers that ptxas keeps in local memory, loads and stores, per thread."""
    return float(counts.spill_bytes_per_thread)


@metric("occupancy", "byte", "neither", ncu="launch__shared_mem_per_block")
def shared_bytes_per_block(counts: Counts) -> float | None:
    """Shared memory of a block, static and dynamic."""
    return float(counts.shared_bytes_per_block)
