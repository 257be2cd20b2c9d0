"""What a launch asks of each resource of the GPU, in cycles, instruction by instruction.

A resource of an SM counts the blocks of the busiest SM; L2, DRAM and atomics count the whole grid.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.footprint import SECTOR_BYTES
from cudamaster.toolchain.devices.virtual.cost.sites import FRAGMENT_LOADS, CountedSite
from cudamaster.toolchain.devices.virtual.cost.subject import Subject
from cudamaster.toolchain.devices.virtual.cost.tensor import tensor_clocks
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic
from cudamaster.toolchain.devices.virtual.cost.work import Pipe
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "compute": ("issue", "fma", "alu", "xu", "fp64", "tensor"),
    "l1": ("lsu", "l1_data", "l1_tags"),
    "memory": ("fabric", "l2", "dram", "atomics"),
    "latency": ("latency",),
}
"""Resources that work on one stream of instructions or bytes: only the busiest of a family binds."""

_SHARED_PIPES = {Pipe.IMAD: "fma", Pipe.HALF: "fma", Pipe.SHUFFLE: "lsu"}
"""Pipes whose instructions pass through another one's, at their own rate."""
_SHARED_ATOMIC = 2.0
"""Passes of an integer atomic on shared memory: read and write."""
_SHARED_FLOAT_ATOMIC = 6.0
"""A float addition on shared memory is a loop of load, add and compare-and-swap."""


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """Cycles asked for."""

    by_instruction: Mapping[Instruction, Mapping[str, float]]
    """Cycles by resource by instruction."""
    spills: Mapping[str, float]
    """Cycles by resource of register spills, which no PTX instruction stands for."""

    def total(self, resource: str) -> float:
        """Cycles of one resource over the launch."""
        own = sum(cycles.get(resource, 0.0) for cycles in self.by_instruction.values())
        return own + self.spills.get(resource, 0.0)


def demand(subject: Subject, traffic: Traffic) -> Demand:
    """Cycles of every resource but latency."""
    ledger = _Ledger(subject, traffic)
    for instruction, count in ledger.executions.items():
        ledger.add_pipes(instruction, count)
    for site in subject.sites:
        ledger.add_l1(site)
        if site.space != "shared":
            ledger.add_beyond_l1(site)
    for instruction, load in subject.constants.items():
        ledger.add_turns(instruction, load.turns)
    ledger.add_dram()
    return Demand(ledger.table, _spills(subject, sum(ledger.executions.values())))


class _Ledger:
    """Adds up cycles by instruction and resource."""

    def __init__(self, subject: Subject, traffic: Traffic) -> None:
        self.table: defaultdict[Instruction, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self.executions = _executions(subject)
        self._subject, self._traffic = subject, traffic
        self._gpu, self._model = subject.gpu, subject.gpu.model

    def add_pipes(self, instruction: Instruction, executions: float) -> None:
        """Issue slots, and slots of the arithmetic pipes and the load/store unit."""
        row, lowering, rates = self.table[instruction], self._subject.lowering, self._model.per_clk
        row["issue"] += lowering.issue(instruction) * executions / rates["issue"]
        for pipe, slots in lowering.work(instruction).pipes:
            resource = _SHARED_PIPES.get(pipe, pipe.value)
            row[resource] += slots * lowering.share(instruction) * executions / rates[pipe.value]
        clocks = tensor_clocks(instruction.opcode, self._gpu)
        if clocks:
            row["tensor"] += clocks * executions

    def add_l1(self, site: CountedSite) -> None:
        """Passes through the data banks and tag lookups.

        An asynchronous copy passes through the banks once, on its way into shared memory.
        """
        row, factor = self.table[site.instruction], self._bank_factor(site)
        if site.space == "shared":
            passes = site.sectors * _shared_passes(site)
        else:
            passes = 0.0 if site.kind == "async_copy" else max(site.requests, site.sectors / 4)
            row["l1_tags"] += site.lines * factor / self._model.l1_lines_per_clk
        row["l1_data"] += passes * factor / self._model.l1_wavefronts_per_clk

    def add_turns(self, instruction: Instruction, turns: float) -> None:
        """Requests to constant memory that follow the first one of a load, an address each."""
        self.table[instruction]["lsu"] += turns * self._subject.per_sm / self._model.per_clk["lsu"]

    def _bank_factor(self, site: CountedSite) -> float:
        """Accesses of the busiest SM for each counted one: fewer where hardware merges or widens them."""
        factor = self._subject.per_sm * self._subject.lowering.share(site.instruction)
        if not site.instruction.opcode.startswith("wmma.load"):
            return factor
        counted = site.requests * self._subject.per_sm
        return factor * min(1.0, FRAGMENT_LOADS * self.executions[site.instruction] / counted)

    def add_beyond_l1(self, site: CountedSite) -> None:
        """The link to L2, L2 itself, and updates that L2 takes one after another."""
        row, sent = self.table[site.instruction], site.l2_sectors * SECTOR_BYTES
        to_cycles = self._model.sustained_clock_hz / self._gpu.device.l2_bytes_per_s
        row["fabric"] += sent * self._subject.per_sm / self._model.l2_to_sm_bytes_per_clk
        row["l2"] += sent * self._subject.scale * to_cycles
        if site.kind == "atomic":
            places = min(self._traffic.atomic_places, self._model.l2_slices)
            row["atomics"] += site.serial_updates * self._subject.scale / places

    def add_dram(self) -> None:
        """Spread the DRAM cycles over the sites by the sectors they sent to L2."""
        total = sum(site.l2_sectors for site in self._subject.sites)
        peak = self._gpu.device.dram_bytes_per_s * self._model.dram_efficiency
        cycles = self._traffic.dram_bytes * self._model.sustained_clock_hz / peak
        for site in self._subject.sites:
            if site.l2_sectors:
                self.table[site.instruction]["dram"] += cycles * site.l2_sectors / total


def _executions(subject: Subject) -> dict[Instruction, float]:
    """Warp executions on the busiest SM."""
    counts, per_sm = subject.launch.block_counts[:, 0].tolist(), subject.per_sm
    return {
        instruction: warps * per_sm
        for block, warps in zip(subject.launch.kernel.blocks, counts, strict=True)
        if warps
        for instruction in block
    }


def _shared_passes(site: CountedSite) -> float:
    if site.kind != "atomic":
        return 1.0
    return _SHARED_FLOAT_ATOMIC if site.instruction.type in ("f32", "f64") else _SHARED_ATOMIC


def _spills(subject: Subject, executions: float) -> dict[str, float]:
    """Register spills hit L1; each is taken to run as often as the mean instruction of the code that ran.

    Code that few warps go through is as little of that code as they are of the warps. More than one for each
    instruction cannot be of this code.
    """
    launch, model = subject.launch, subject.gpu.model
    warps = subject.samples * launch.request.warps_per_block
    counts = zip(launch.kernel.blocks, launch.block_counts[:, 0].tolist(), strict=True)
    length = sum(len(block) * min(1.0, count / warps) for block, count in counts)
    spilled = (subject.resources.spill_load_bytes + subject.resources.spill_store_bytes) / 4
    accesses = min(1.0, spilled / max(1.0, length)) * executions
    return {
        "issue": accesses / model.per_clk["issue"],
        "lsu": accesses / model.per_clk["lsu"],
        "l1_data": accesses / model.l1_wavefronts_per_clk,
    }
