"""How much of what a launch loads comes by asynchronous copies that are under way while its blocks work.

Only code that ran counts, by how often it ran. Bulk copies are early as far as a block goes on, from the copy
to the wait for it, with the instructions that it issues from one wait to the next. Others are for that share
of a tile's reads that stand between a copy and its wait, where code is gone through twice, as a loop does.
"""

from collections.abc import Iterable
from typing import NamedTuple

from cudamaster.toolchain.devices.virtual.cost.subject import Subject
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer

_LEAST = 0.5
"""Share of what is loaded up to which copies ahead help nothing: the block still waits for the rest."""


class Executed(NamedTuple):
    """An instruction and how often the sampled blocks' warps went through it."""

    instruction: Instruction
    executions: int


def copied_ahead(subject: Subject) -> float:
    """0 where half and more of the sectors loaded are waited for at once, 1 where none are."""
    loaded = sum(site.sectors for site in subject.sites if site.loads)
    copies = [site for site in subject.sites if site.loads and site.kind == "async_copy"]
    if not copies:
        return 0.0
    waited = bulk_waits(subject)
    early = sum(
        site.sectors * waited[site.instruction].early for site in copies if site.instruction in waited
    )
    others = sum(site.sectors for site in copies if site.instruction not in waited)
    early += others * read_meanwhile(executed(subject)) if others else 0.0
    return max(0.0, (early / loaded - _LEAST) / (1 - _LEAST))


class BulkWait(NamedTuple):
    """How a block waits for a bulk copy."""

    waits: float
    """Of a mean block."""
    early: float
    """0 where it waits at once, 1 where it issues as much before the wait as from one wait to the next."""


def bulk_waits(subject: Subject) -> dict[Instruction, BulkWait]:
    """Of each bulk copy into shared memory."""
    issued = sum(executions for _, executions in executed(subject))
    found: dict[Instruction, BulkWait] = {}
    for site in subject.sites:
        if site.kind == "async_copy" and site.space == "shared" and "bulk" in site.instruction.modifiers:
            between = site.lines / site.requests
            early = min(1.0, between * site.missed / issued)
            found[site.instruction] = BulkWait(site.missed / subject.samples, early)
    return found


def executed(subject: Subject) -> list[Executed]:
    """The code that ran, in its order."""
    launch = subject.launch
    counts = launch.block_counts[:, 0].tolist()
    return [
        Executed(instruction, count)
        for block, count in zip(launch.kernel.blocks, counts, strict=True)
        if count
        for instruction in block
    ]


def read_meanwhile(code: Iterable[Executed]) -> float:
    """Share of the reads of tiles that are made while a copy is under way, 0 to 1."""
    steps, flight = list(code), _Flight()
    for instruction, _ in steps:
        flight.take(instruction)
    meanwhile = total = 0
    for instruction, executions in steps:
        flight.take(instruction)
        if _reads_a_tile(instruction):
            total += executions
            meanwhile += executions * flight.under_way
    return meanwhile / total if total else 0.0


class _Flight:
    """Groups of copies that nothing has waited for, the oldest first, each by whether it has any copy."""

    def __init__(self) -> None:
        self._groups: list[bool] = []
        self._open = False

    @property
    def under_way(self) -> bool:
        return self._open or any(self._groups)

    def take(self, instruction: Instruction) -> None:
        kind = instruction.modifiers[2] if instruction.opcode.startswith("cp.async.") else ""
        if kind in ("ca", "cg"):
            self._open = True
        elif kind == "commit_group":
            self._groups.append(self._open)
            self._open = False
        elif kind in ("wait_group", "wait_all"):
            kept = _groups_left(instruction)
            self._groups = self._groups[len(self._groups) - kept :] if kept else []
            self._open = self._open and kind != "wait_all"


def _groups_left(wait: Instruction) -> int:
    left = wait.operands[0] if wait.operands else None
    return left.value if isinstance(left, Integer) else 0


def _reads_a_tile(instruction: Instruction) -> bool:
    is_load = instruction.base == "ld" and "shared" in instruction.modifiers
    return is_load or instruction.base in ("ldmatrix", "wmma", "mma", "wgmma")
