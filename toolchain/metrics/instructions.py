"""What a launch executes, and how busy the pipes are with it."""

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import metric, ratio


@metric("compute", "FLOP/byte", "neither")
def arithmetic_intensity(counts: Counts) -> float | None:
    """Floating-point operations ÷ DRAM bytes; below the ridge point (peak FLOP/s ÷ peak bytes/s) memory
    binds.
    """
    return ratio(counts.flops, counts.dram_read_bytes + counts.dram_write_bytes)


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
    return ratio(counts.thread_instructions, counts.instructions)


@metric("instructions", "%", "lower")
def branch_divergence(counts: Counts) -> float | None:
    """Lane slots idle because a warp's lanes took different paths, of all that could have been active."""
    possible = counts.instructions * counts.entry_lanes
    return max(0.0, 100 * (1 - counts.thread_instructions / possible)) if possible else None
