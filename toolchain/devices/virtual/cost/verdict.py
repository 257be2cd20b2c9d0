"""What bounds a launch, in one word and one sentence."""

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.cost.subject import Subject

_WORDS = {
    "issue": "issue slots", "fma": "FMA pipe", "alu": "integer pipe", "xu": "special-function pipe",
    "fp64": "FP64 pipe", "tensor": "tensor cores", "lsu": "load/store issue",
    "l1_data": "L1/shared wavefronts", "l1_tags": "L1 tag lookups", "fabric": "L2-to-SM link",
    "l2": "L2", "dram": "DRAM", "atomics": "L2 atomics", "latency": "waiting",
}  # fmt: skip
_UNEVEN = 1.5
"""Times the mean from which on a block or warp is worth a word."""
_BOUND = {"compute": "compute", "l1": "memory", "memory": "memory", "latency": "latency"}


def bound_of(modelled: ModelledLaunch, overhead_s: float) -> tuple[str, str]:
    """(`memory`, `compute` or `latency`; the binding resource and the runner-up, with figures)."""
    duration = modelled.duration
    ranked = sorted(FAMILIES, key=lambda family: -duration.weights[family])
    first, second = (duration.binding(family) for family in ranked[:2])
    sentence = f"{_say(modelled, first)}; next {_say(modelled, second)}{_uneven(modelled.subject)}"
    if overhead_s > modelled.seconds:
        return "latency", (
            f"launch overhead is {overhead_s * 1e6:.1f} of {(overhead_s + modelled.seconds) * 1e6:.1f} us; "
            f"then {_say(modelled, first)}{_uneven(modelled.subject)}"
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


def _uneven(subject: Subject) -> str:
    """What the launch waits for where its work is unevenly spread; empty where that matters little."""
    launch = subject.launch
    if launch.longest >= max(_UNEVEN, subject.residency.rounds):
        return f"; its busiest block does {launch.longest:.1f} times the mean block's work"
    if launch.longest_warp >= _UNEVEN:
        return f"; a block's longest path through its warps is {launch.longest_warp:.1f} times a mean warp's"
    return ""
