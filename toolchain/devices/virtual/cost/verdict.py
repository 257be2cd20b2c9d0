"""What bounds a launch, in one word and one sentence."""

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch

_WORDS = {
    "issue": "issue slots", "fma": "FMA pipe", "alu": "integer pipe", "xu": "special-function pipe",
    "fp64": "FP64 pipe", "tensor": "tensor cores", "lsu": "load/store issue",
    "l1_data": "L1/shared wavefronts", "l1_tags": "L1 tag lookups", "fabric": "L2-to-SM link",
    "l2": "L2", "dram": "DRAM", "atomics": "L2 atomics", "latency": "waiting",
}  # fmt: skip
_BOUND = {"compute": "compute", "l1": "memory", "memory": "memory", "latency": "latency"}


def bound_of(modelled: ModelledLaunch, overhead_s: float) -> tuple[str, str]:
    """(`memory`, `compute` or `latency`; the binding resource and the runner-up, with figures)."""
    duration = modelled.duration
    ranked = sorted(FAMILIES, key=lambda family: -duration.weights[family])
    first, second = (duration.binding(family) for family in ranked[:2])
    sentence = f"{_say(modelled, first)}; next {_say(modelled, second)}"
    if overhead_s > modelled.seconds:
        return "latency", (
            f"launch overhead is {overhead_s * 1e6:.1f} of {(overhead_s + modelled.seconds) * 1e6:.1f} us; "
            f"then {_say(modelled, first)}"
        )
    return _BOUND[ranked[0]], sentence


def _say(modelled: ModelledLaunch, resource: str) -> str:
    percent = f"{100 * modelled.duration.busy(resource):.0f} %"
    if resource != "latency":
        return f"{_WORDS[resource]} busy {percent} of the time"
    residency = modelled.subject.residency
    warps = residency.resident_blocks * modelled.subject.launch.request.warps_per_block
    room = f"{warps} of {residency.warps_possible} warps"
    return f"waiting for results {percent} of the time with {room} on an SM (limited by {residency.limiter})"
