"""How long a launch takes, and how near its busiest units are to their peaks."""

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import metric


@metric("speed of light", "us", "lower", ncu="gpu__time_duration.sum")
def duration(counts: Counts) -> float | None:
    """Time of one launch of the kernel on the device, without launch overhead."""
    return counts.seconds * 1e6


@metric("speed of light", "%", "higher", ncu="sm__throughput.avg.pct_of_peak_sustained_elapsed")
def sm_throughput(counts: Counts) -> float | None:
    """Speed of light of the SMs: the busiest of issue slots, arithmetic pipes and the load/store unit."""
    return 100 * max(counts.busy[unit] for unit in ("issue", "lsu", "fma", "alu", "xu", "fp64", "tensor"))


@metric(
    "speed of light", "%", "higher", ncu="gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
)
def memory_throughput(counts: Counts) -> float | None:
    """Speed of light of the memory system: the busiest of L1/shared memory, L2 and DRAM."""
    return 100 * max(counts.busy[unit] for unit in ("l1", "l2", "dram"))


@metric("speed of light", "%", "lower")
def latency_share(counts: Counts) -> float | None:
    """Share of the time in which warps wait for memory, barriers or results, and no unit is the limit."""
    return 100 * counts.latency_share
