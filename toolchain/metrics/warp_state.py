"""Why warps wait: shares of their time by Nsight Compute's stall reasons."""

from collections.abc import Callable

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import Compute, metric


def _stall_metric(reason: str) -> Callable[[Compute], Compute]:
    """A stall's share of the cycles between two instructions of a warp, as Nsight's own rules take it."""
    stalled = f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
    return metric(
        "warp state", "%", "lower", ncu=f"{stalled} / smsp__average_warp_latency_per_inst_issued.ratio"
    )


def _stall(counts: Counts, reason: str) -> float | None:
    return 100 * counts.stalls[reason] if counts.stalls.get(reason) else None


@_stall_metric("long_scoreboard")
def stall_long_scoreboard(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for global or local memory (L1 misses, L2, DRAM), or
    queue for it. Helps: more loads in flight, more warps, or fewer bytes.
    """
    return _stall(counts, "long_scoreboard")


@_stall_metric("short_scoreboard")
def stall_short_scoreboard(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for shared memory, a shuffle or a special function.
    Helps: fewer or wider accesses, or independent work between.
    """
    return _stall(counts, "short_scoreboard")


@_stall_metric("barrier")
def stall_barrier(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for other warps of the block at a barrier. Helps: fewer
    barriers, or more blocks on an SM.
    """
    return _stall(counts, "barrier")


@_stall_metric("wait")
def stall_wait(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for a result of fixed latency, such as the sum before
    this one. Helps: independent chains of arithmetic.
    """
    return _stall(counts, "wait")


@_stall_metric("math_pipe_throttle")
def stall_math_pipe_throttle(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for an arithmetic pipe that is busy. Helps: less
    arithmetic, or another pipe.
    """
    return _stall(counts, "math_pipe_throttle")


@_stall_metric("lg_throttle")
def stall_lg_throttle(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for the queue of global and local memory instructions.
    Helps: wider or fewer accesses.
    """
    return _stall(counts, "lg_throttle")


@_stall_metric("mio_throttle")
def stall_mio_throttle(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for the queue to shared memory. Helps: fewer bank
    conflicts, or values kept in registers.
    """
    return _stall(counts, "mio_throttle")


@_stall_metric("membar")
def stall_membar(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for a memory fence. Helps: fewer fences."""
    return _stall(counts, "membar")


@_stall_metric("branch_resolving")
def stall_branch_resolving(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for a branch's target. Helps: unrolled loops."""
    return _stall(counts, "branch_resolving")


@_stall_metric("not_selected")
def stall_not_selected(counts: Counts) -> float | None:
    """Share of the warps' time in which they wait for a turn, while other warps issue. Helps: fewer
    instructions; more warps do not help.
    """
    return _stall(counts, "not_selected")
