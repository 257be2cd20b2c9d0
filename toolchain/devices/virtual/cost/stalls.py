"""Why warps do not issue: the modelled time by Nsight's stall reasons.

Waiting for operands is what the scoreboard blamed instructions for; the time beyond that is spent queueing
for the busiest resource.
"""

from collections import defaultdict
from collections.abc import Mapping

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.cost.scoreboard import is_barrier
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

_QUEUES = {
    "issue": "not_selected", "fma": "math_pipe_throttle", "alu": "math_pipe_throttle",
    "xu": "math_pipe_throttle", "fp64": "math_pipe_throttle", "tensor": "math_pipe_throttle",
    "lsu": "lg_throttle", "l1_data": "mio_throttle", "l1_tags": "lg_throttle", "fabric": "long_scoreboard",
    "l2": "long_scoreboard", "dram": "long_scoreboard", "atomics": "long_scoreboard",
}  # fmt: skip
"""The stall that a busy resource shows as."""
_WAITS = {
    "xu": "short_scoreboard", "shuffle": "short_scoreboard", "shared": "short_scoreboard",
    "fence": "membar", "load": "long_scoreboard", "atomic": "long_scoreboard",
}  # fmt: skip
"""The stall of waiting for a result, by its latency class; the others have a fixed latency."""


def stall_shares(modelled: ModelledLaunch) -> Mapping[str, float]:
    """Share of the time by stall reason, 0 to 1; they sum to 1 where the launch took any."""
    total = modelled.duration.cycles
    if not total:
        return {}
    waits = _waits(modelled)
    waiting = sum(waits.values())
    if waiting > total:
        waits = {reason: cycles * total / waiting for reason, cycles in waits.items()}
    shares = defaultdict(float, {reason: cycles / total for reason, cycles in waits.items()})
    shares[_QUEUES[_busiest(modelled)]] += max(0.0, 1 - waiting / total)
    return dict(shares)


def _waits(modelled: ModelledLaunch) -> dict[str, float]:
    shared = {site.instruction for site in modelled.subject.sites if site.space == "shared"}
    waits: defaultdict[str, float] = defaultdict(float)
    for instruction, cycles in modelled.latency.by_instruction.items():
        waits[_reason(modelled, instruction, shared)] += cycles
    return waits


def _reason(modelled: ModelledLaunch, instruction: Instruction, shared: set[Instruction]) -> str:
    if is_barrier(instruction):
        return "barrier"
    if instruction.base in ("bra", "brx"):
        return "branch_resolving"
    if instruction.opcode.startswith("cp.async"):
        return "long_scoreboard"
    if instruction in shared or "shared" in instruction.modifiers:
        return "short_scoreboard"
    return _WAITS.get(modelled.subject.lowering.work(instruction).latency, "wait")


def _busiest(modelled: ModelledLaunch) -> str:
    duration = modelled.duration
    others = [family for family in FAMILIES if family != "latency"]
    return duration.binding(max(others, key=lambda family: duration.weights[family]))
