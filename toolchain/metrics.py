"""Every profiler metric, declared once: name, unit, meaning, Nsight Compute's counter, and how it follows
from counts.

A function decorated with `@metric` declares one; its docstring is what agents, reports and the
documentation show.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cudamaster.toolchain.counts import Counts

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One declared metric."""

    name: str
    section: str
    """`time`, `memory`, `shared`, `compute`, `instructions` or `occupancy`."""
    unit: str
    better: Better
    ncu: str | None
    """Nsight Compute's name of it; None where ncu has none."""
    meaning: str
    """One or two sentences for agents and people."""
    compute: Callable[[Counts], float | None]
    """None where the counts hold nothing to speak of, such as no load at all."""


METRICS: dict[str, Metric] = {}
"""Metrics by name, in the order of declaration."""

_Compute = Callable[[Counts], float | None]


def metric(
    section: str, unit: str, better: Better = "neither", ncu: str | None = None
) -> Callable[[_Compute], _Compute]:
    """Declare the decorated function a metric."""

    def declare(compute: _Compute) -> _Compute:
        name = compute.__name__
        meaning = inspect.cleandoc(compute.__doc__ or "").replace("\n", " ")
        METRICS[name] = Metric(name, section, unit, better, ncu, meaning, compute)
        return compute

    return declare


def measure(counts: Counts) -> dict[str, float]:
    """Values of all metrics that `counts` has something to say about."""
    values = {name: declared.compute(counts) for name, declared in METRICS.items()}
    return {name: value for name, value in values.items() if value is not None}


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@metric("time", "us", "lower", ncu="gpu__time_duration.sum")
def duration(counts: Counts) -> float | None:
    """Time of one launch of the kernel on the device, without launch overhead."""
    return counts.seconds * 1e6


@metric("time", "%", "higher", ncu="sm__throughput.avg.pct_of_peak_sustained_elapsed")
def sm_throughput(counts: Counts) -> float | None:
    """Speed of light of the SMs: the busiest of issue slots, arithmetic pipes and the load/store unit."""
    return 100 * max(counts.busy[unit] for unit in ("issue", "lsu", "fma", "alu", "xu", "fp64", "tensor"))


@metric("time", "%", "higher", ncu="gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")
def memory_throughput(counts: Counts) -> float | None:
    """Speed of light of the memory system: the busiest of L1/shared memory, L2 and DRAM."""
    return 100 * max(counts.busy[unit] for unit in ("l1", "l2", "dram"))


@metric("time", "%", "lower")
def latency_share(counts: Counts) -> float | None:
    """Share of the time in which warps wait for memory, barriers or results, and no unit is the limit."""
    return 100 * counts.latency_share


@metric("memory", "%", "higher", ncu="dram__throughput.avg.pct_of_peak_sustained_elapsed")
def dram_throughput(counts: Counts) -> float | None:
    """DRAM bytes per second ÷ the card's peak. Above about 85 % a kernel is as fast as its traffic allows."""
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
    missed = _ratio(counts.dram_read_bytes, 32 * counts.l1_missed_sectors)
    return None if missed is None else 100 * (1 - min(1.0, missed))


@metric("memory", "%", "higher", ncu="l1tex__t_sector_hit_rate.pct")
def l1_hit_rate(counts: Counts) -> float | None:
    """Global and local load sectors found in L1 ÷ all of them. Low is fine for data read once."""
    missed = _ratio(counts.l1_missed_sectors, counts.global_load_sectors)
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
    return _ratio(counts.global_load_sectors, counts.global_load_requests)


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
    return _ratio(counts.global_store_sectors, counts.global_store_requests)


@metric("memory", "request", "lower", ncu="l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
def global_load_requests(counts: Counts) -> float | None:
    """Warp-wide global loads; wider loads per lane (float4) need fewer."""
    return counts.global_load_requests


@metric("memory", "request", "lower", ncu="l1tex__t_requests_pipe_lsu_mem_global_op_red.sum")
def global_atomic_requests(counts: Counts) -> float | None:
    """Warp-wide atomics on global memory; lanes that meet in one address wait for each other at L2."""
    return counts.global_atomic_requests


@metric("memory", "lanes/request", "lower")
def global_atomic_lanes_per_request(counts: Counts) -> float | None:
    """Lanes that take part in one warp-wide global atomic; 1 where a warp or block reduced its values
    first.
    """
    return _ratio(counts.global_atomic_lanes, counts.global_atomic_requests)


@metric("memory", "byte", "lower", ncu="l1tex__t_bytes_pipe_lsu_mem_local.sum")
def local_bytes(counts: Counts) -> float | None:
    """Bytes of local memory touched by arrays that could not stay in registers."""
    return 32 * counts.local_sectors


@metric("shared", "wavefront", "lower", ncu="l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
def shared_bank_conflicts(counts: Counts) -> float | None:
    """Shared-memory wavefronts beyond the ideal: passes spent because lanes met in a bank."""
    return max(0.0, counts.shared_wavefronts - counts.shared_ideal_wavefronts)


@metric("shared", "ratio", "lower")
def shared_wavefronts_per_ideal(counts: Counts) -> float | None:
    """Shared-memory wavefronts ÷ the least possible; 1 = no bank conflict, 32 = all lanes in one bank."""
    return _ratio(counts.shared_wavefronts, counts.shared_ideal_wavefronts)


@metric("shared", "%", "neither", ncu="l1tex__throughput.avg.pct_of_peak_sustained_elapsed")
def l1_throughput(counts: Counts) -> float | None:
    """How busy L1 and shared memory are: tag lookups or data wavefronts, whichever is busier."""
    return 100 * counts.busy["l1"]


@metric("compute", "FLOP/byte", "neither")
def arithmetic_intensity(counts: Counts) -> float | None:
    """Floating-point operations ÷ DRAM bytes; below the ridge point (peak FLOP/s ÷ peak bytes/s) memory
    binds.
    """
    return _ratio(counts.flops, counts.dram_read_bytes + counts.dram_write_bytes)


@metric("compute", "%", "higher", ncu="sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed")
def fma_pipe_utilisation(counts: Counts) -> float | None:
    """How busy the FP32 and integer-multiply pipe is."""
    return 100 * counts.busy["fma"]


@metric("compute", "%", "neither", ncu="sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active")
def alu_pipe_utilisation(counts: Counts) -> float | None:
    """How busy the integer, logic and comparison pipe is; high values in a floating-point kernel are
    overhead.
    """
    return 100 * counts.busy["alu"]


@metric("compute", "%", "neither", ncu="sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active")
def xu_pipe_utilisation(counts: Counts) -> float | None:
    """How busy the special-function pipe (exp, log, sin, sqrt, int-to-float) is."""
    return 100 * counts.busy["xu"]


@metric("compute", "%", "neither", ncu="sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active")
def fp64_pipe_utilisation(counts: Counts) -> float | None:
    """How busy the double-precision pipe is; unwanted in an FP32 or BF16 kernel (a literal without `f`?)."""
    return 100 * counts.busy["fp64"]


@metric("compute", "%", "higher", ncu="sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed")
def tensor_pipe_utilisation(counts: Counts) -> float | None:
    """How busy the tensor cores are; 0 means that none of the arithmetic uses them."""
    return 100 * counts.busy["tensor"]


@metric("instructions", "instruction", "lower", ncu="smsp__inst_executed.sum")
def instructions_executed(counts: Counts) -> float | None:
    """Warp-wide machine instructions."""
    return counts.instructions


@metric("instructions", "%", "higher", ncu="smsp__issue_active.avg.pct_of_peak_sustained_active")
def issue_utilisation(counts: Counts) -> float | None:
    """Share of issue slots used; above about 80 % the number of instructions is the limit."""
    return 100 * counts.busy["issue"]


@metric("instructions", "threads", "higher", ncu="smsp__thread_inst_executed_per_inst_executed.ratio")
def threads_per_instruction(counts: Counts) -> float | None:
    """Active lanes of a warp-wide instruction, 32 at best; less means divergence or partial warps."""
    return _ratio(counts.thread_instructions, counts.instructions)


@metric("instructions", "%", "lower")
def branch_divergence(counts: Counts) -> float | None:
    """Lane slots idle because a warp's lanes took different paths, of all that could have been active."""
    possible = counts.instructions * counts.entry_lanes
    return max(0.0, 100 * (1 - counts.thread_instructions / possible)) if possible else None


@metric("occupancy", "%", "higher", ncu="sm__maximum_warps_per_active_cycle_pct")
def theoretical_occupancy(counts: Counts) -> float | None:
    """Warps that fit on an SM ÷ its limit. 25 to 50 % is enough where each thread has several independent
    loads.
    """
    return 100 * counts.warps_per_sm / counts.spec.warps_per_sm


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
