"""The latency bound: how long the launch would take if only waiting counted.

A warp waits for the operands of each region (`scoreboard`); a block lasts as long as its longest path, on
which warps that meet at a barrier go on from the last to come. An SM's resident blocks wait side by side, the
others queue; no SM is done before its longest block.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.copying import bulk_waits
from cudamaster.toolchain.devices.virtual.cost.scoreboard import Latency, is_barrier, region_times
from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite
from cudamaster.toolchain.devices.virtual.cost.subject import Subject
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


@dataclass(frozen=True, slots=True, eq=False)
class LatencyBound:
    """Cycles of waiting."""

    cycles: float
    """On the busiest SM, over the launch."""
    warp_cycles: float
    """The longest path through a mean block from start to end, alone."""
    by_instruction: Mapping[Instruction, float]
    """`cycles` by the instruction waited for."""


def latency_bound(subject: Subject, traffic: Traffic) -> LatencyBound:
    """Waiting of the busiest SM: its rounds of resident blocks × a block's path, or its longest block's."""
    launch = subject.launch
    latency = latency_of(subject, traffic)
    branch = subject.gpu.model.branch_cycles
    times = region_times(launch.kernel, subject.regions, subject.lowering, latency, branch)
    waits: defaultdict[Instruction, float] = defaultdict(float)
    path = 0.0
    for region, time in zip(subject.regions, times, strict=True):
        path += time.cycles * subject.path_executions(region)
        for instruction, cycles in time.blame.items():
            waits[instruction] += cycles * subject.path_executions(region)
    for instruction, cycles in _bulk_waiting(subject, latency).items():
        path += cycles
        waits[instruction] += cycles
    start, rounds = subject.gpu.model.block_start_cycles, subject.residency.rounds
    cycles = max(rounds * (start + path) * launch.stretch, start + launch.longest * path)
    walked = max(rounds * launch.stretch, launch.longest)
    return LatencyBound(cycles, start + path, {i: cycles * walked for i, cycles in waits.items()})


def _bulk_waiting(subject: Subject, latency: Latency) -> dict[Instruction, float]:
    """Cycles in which a block waits for bulk copies that it has nothing to do beside; several at a time."""
    waiting = {
        instruction: wait.waits * (1 - wait.early) * latency(instruction)
        for instruction, wait in bulk_waits(subject).items()
    }
    return dict([max(waiting.items(), key=lambda item: item[1])]) if waiting else {}


def latency_of(subject: Subject, traffic: Traffic) -> Latency:
    """Cycles by instruction; loads as far as the sampled blocks had to go for them."""
    table = subject.gpu.model.latency
    loads: dict[Instruction, float] = {}
    for instruction, load in subject.constants.items():
        loads[instruction] = table["constant"] + load.turns / load.requests
    for site in subject.sites:
        cycles = _access_latency(site, traffic, table)
        loads[site.instruction] = max(cycles, loads.get(site.instruction, 0.0))

    def latency(instruction: Instruction) -> float:
        if instruction in loads:
            return loads[instruction]
        kind = subject.lowering.work(instruction).latency
        if is_barrier(instruction):
            kind = "barrier"
        if kind == "load":
            kind = "shared" if "shared" in instruction.modifiers else "l1"
        return table.get(kind, 0.0)

    return latency


def _access_latency(site: CountedSite, traffic: Traffic, table: Mapping[str, float]) -> float:
    if site.space == "shared":
        passes = site.sectors / site.requests
        return table["shared"] * (2.0 if site.kind == "atomic" else 1.0) + 2 * max(0.0, passes - 1)
    if site.kind == "atomic":
        return table["atomic"]
    missed = site.missed / site.requests
    leaves_l1 = min(1.0, missed)
    leaves_l2 = min(1.0, traffic.dram_share * max(1.0, missed))
    beyond = table["l2"] + leaves_l2 * (table["dram"] - table["l2"])
    return table["l1"] + leaves_l1 * (beyond - table["l1"])
