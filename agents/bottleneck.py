"""Which metrics matter for which bottleneck, so that a reader of a profile is not shown all of them."""

from collections.abc import Mapping

from cudamaster.toolchain.profile import KernelProfile, Profile

ALWAYS = ("duration", "dram_throughput", "sm_throughput", "theoretical_occupancy", "registers_per_thread")
"""Shown whatever binds."""

TELLING: Mapping[str, tuple[str, ...]] = {
    "memory": (
        "memory_throughput",
        "l2_throughput",
        "l1_throughput",
        "l1_hit_rate",
        "l2_hit_rate",
        "dram_read_bytes",
        "dram_write_bytes",
        "global_load_sectors_per_request",
        "global_store_sectors_per_request",
        "global_load_requests",
        "shared_wavefronts_per_ideal",
        "local_bytes",
    ),
    "compute": (
        "fma_pipe_utilisation",
        "tensor_pipe_utilisation",
        "alu_pipe_utilisation",
        "xu_pipe_utilisation",
        "issue_utilisation",
        "instructions_executed",
        "threads_per_instruction",
        "branch_divergence",
        "arithmetic_intensity",
    ),
    "latency": (
        "latency_share",
        "stall_long_scoreboard",
        "stall_short_scoreboard",
        "stall_barrier",
        "stall_wait",
        "achieved_occupancy",
        "waves",
        "blocks",
        "shared_bytes_per_block",
        "issue_utilisation",
        "global_load_requests",
        "l1_hit_rate",
        "l2_hit_rate",
        "threads_per_instruction",
        "spill_bytes_per_thread",
    ),
}
"""Beside those, by bound."""


def heaviest(profile: Profile | None) -> KernelProfile | None:
    """The kernel that takes the most time; None without a profile."""
    return max(profile.kernels, key=lambda k: k.time_ms, default=None) if profile else None


def telling_metrics(kernel: KernelProfile) -> dict[str, float]:
    """The metrics of `kernel` that matter for its bound, the general ones first."""
    names = ALWAYS + TELLING.get(kernel.bound, ())
    return {name: kernel.metrics[name] for name in names if name in kernel.metrics}
