"""What moves between DRAM, L2, L1, shared memory and the SM."""

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import metric, ratio


@metric("memory", "%", "higher", ncu="dram__throughput.avg.pct_of_peak_sustained_elapsed")
def dram_throughput(counts: Counts) -> float | None:
    """DRAM bytes per second ÷ the card's peak. Streams that keep it busy all the time reach some 92 %;
    above about 85 % a kernel is as fast as its traffic allows."""
    bytes_moved = counts.dram_read_bytes + counts.dram_write_bytes
    return 100 * bytes_moved / counts.seconds / counts.spec.dram_bytes_per_s if counts.seconds else None


@metric("memory", "byte", "lower", ncu="dram__bytes_read.sum")
def dram_read_bytes(counts: Counts) -> float | None:
    """Bytes read from DRAM; the least possible is every input once."""
    return counts.dram_read_bytes


@metric("memory", "byte", "lower", ncu="dram__bytes_write.sum")
def dram_write_bytes(counts: Counts) -> float | None:
    """Bytes written to DRAM; the least possible is every output once."""
    return counts.dram_write_bytes


@metric("memory", "%", "higher", ncu="lts__throughput.avg.pct_of_peak_sustained_elapsed")
def l2_throughput(counts: Counts) -> float | None:
    """Bytes per second between L1 and L2 ÷ L2's peak."""
    return 100 * counts.l2_bytes / counts.seconds / counts.spec.l2_bytes_per_s if counts.seconds else None


@metric("memory", "byte", "lower", ncu="lts__t_bytes.sum")
def l2_bytes(counts: Counts) -> float | None:
    """Bytes between L1 and L2: what L1 missed, all stores and atomics."""
    return counts.l2_bytes


@metric("memory", "%", "higher", ncu="lts__t_sector_hit_rate.pct")
def l2_hit_rate(counts: Counts) -> float | None:
    """Load sectors at L2 that needed no DRAM ÷ all of them."""
    missed = ratio(counts.dram_read_bytes, 32 * counts.l1_missed_sectors)
    return None if missed is None else 100 * (1 - min(1.0, missed))


@metric("memory", "%", "higher", ncu="l1tex__t_sector_hit_rate.pct")
def l1_hit_rate(counts: Counts) -> float | None:
    """Global and local load sectors found in L1 ÷ all of them. Low is fine for data read once."""
    missed = ratio(counts.l1_missed_sectors, counts.global_load_sectors)
    return None if missed is None else 100 * (1 - min(1.0, missed))


@metric(
    "memory",
    "sectors/request",
    "lower",
    ncu="l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
)
def global_load_sectors_per_request(counts: Counts) -> float | None:
    """32-byte sectors one warp-wide global load touches; ideal = bytes a lane loads (fp32 4, bf16 2, float4
    16).
    """
    return ratio(counts.global_load_sectors, counts.global_load_requests)


@metric(
    "memory",
    "sectors/request",
    "lower",
    ncu="l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
)
def global_store_sectors_per_request(counts: Counts) -> float | None:
    """32-byte sectors one warp-wide global store touches; ideal = bytes a lane stores (fp32 4, bf16 2,
    float4 16).
    """
    return ratio(counts.global_store_sectors, counts.global_store_requests)


@metric("memory", "request", "lower", ncu="l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
def global_load_requests(counts: Counts) -> float | None:
    """Warp-wide global loads; wider loads per lane (float4) need fewer."""
    return counts.global_load_requests


@metric(
    "memory",
    "request",
    "lower",
    ncu="l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"
    " + l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
)
def global_atomic_requests(counts: Counts) -> float | None:
    """Warp-wide atomics on global memory; lanes that meet in one address wait for each other at L2."""
    return counts.global_atomic_requests


@metric("memory", "lanes/request", "lower")
def global_atomic_lanes_per_request(counts: Counts) -> float | None:
    """Lanes that take part in one warp-wide global atomic; 1 where a warp or block reduced its values
    first.
    """
    return ratio(counts.global_atomic_lanes, counts.global_atomic_requests)


@metric(
    "memory",
    "byte",
    "lower",
    ncu="l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum + l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum",
)
def local_bytes(counts: Counts) -> float | None:
    """Bytes of local memory touched by arrays that could not stay in registers."""
    return 32 * counts.local_sectors


@metric("shared", "wavefront", "lower", ncu="l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
def shared_bank_conflicts(counts: Counts) -> float | None:
    """Shared-memory wavefronts beyond the ideal: passes spent because lanes met in a bank."""
    return max(0.0, counts.shared_wavefronts - counts.shared_ideal_wavefronts)


@metric("shared", "ratio", "lower", ncu="memory_l1_wavefronts_shared / memory_l1_wavefronts_shared_ideal")
def shared_wavefronts_per_ideal(counts: Counts) -> float | None:
    """Shared-memory wavefronts ÷ the least possible; 1 = no bank conflict, 32 = all lanes in one bank."""
    return ratio(counts.shared_wavefronts, counts.shared_ideal_wavefronts)


@metric("shared", "%", "neither", ncu="l1tex__throughput.avg.pct_of_peak_sustained_elapsed")
def l1_throughput(counts: Counts) -> float | None:
    """How busy L1 and shared memory are: tag lookups or data wavefronts, whichever is busier."""
    return 100 * counts.busy["l1"]
