"""What bounds a kernel, from its metrics, as Nsight Compute's own rules judge it."""

from collections.abc import Mapping

from cudamaster.toolchain.metrics.fitting import fit_limiter

NEAR = 60.0
"""Percent of its peak below which no unit is the limit (Nsight Compute, rule 'Speed of Light')."""
MEMORIES = {"dram_throughput": "DRAM", "l2_throughput": "L2", "l1_throughput": "L1 and shared memory"}
PIPES = {
    "issue_utilisation": "issue slots",
    "fma_pipe_utilisation": "FMA pipe",
    "alu_pipe_utilisation": "integer pipe",
    "xu_pipe_utilisation": "special-function pipe",
    "fp64_pipe_utilisation": "FP64 pipe",
    "tensor_pipe_utilisation": "tensor cores",
}
STALL = "stall_"


def bound_of(metrics: Mapping[str, float]) -> tuple[str, str]:
    """(`memory`, `compute` or `latency`; the units nearest to their peaks and the commonest wait)."""
    memory = metrics.get("memory_throughput", 0.0)
    compute = metrics.get("sm_throughput", 0.0)
    nearest = [_nearest(metrics, MEMORIES, memory, "memory"), _nearest(metrics, PIPES, compute, "the SMs")]
    if compute > memory:
        nearest.reverse()
    waits = _commonest_wait(metrics)
    sentence = f"{nearest[0]}; next {nearest[1]}" + (f"; warps wait mostly for {waits}" if waits else "")
    if max(memory, compute) < NEAR:
        return "latency", f"no unit is near its peak: {sentence}"
    return ("memory" if memory >= compute else "compute"), sentence


def occupancy_limiter(metrics: Mapping[str, float]) -> str:
    """What keeps more warps off an SM; empty where that was not counted."""
    if metrics.get("waves", 1.0) < 1.0:
        return "grid"
    return fit_limiter(metrics)


def _nearest(metrics: Mapping[str, float], units: Mapping[str, str], whole: float, name: str) -> str:
    known = {words: metrics[metric] for metric, words in units.items() if metric in metrics}
    words = max(known, key=lambda unit: known[unit]) if known else name
    return f"{words} at {known.get(words, whole):.0f} % of peak"


def _commonest_wait(metrics: Mapping[str, float]) -> str:
    waits = {name.removeprefix(STALL): share for name, share in metrics.items() if name.startswith(STALL)}
    return max(waits, key=lambda reason: waits[reason]).replace("_", " ") if waits else ""
