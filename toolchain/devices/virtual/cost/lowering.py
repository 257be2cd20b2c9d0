"""What ptxas makes of a kernel's PTX, estimated: instructions that vanish, fuse, or merge into wider ones.

Patterns are those seen in SASS of sm_80 to sm_90: single-use results folded into their only reader
(`IMAD.WIDE`, `LEA`, `IADD3`, `LOP3`), address additions folded into a memory instruction's 24-bit offset,
neighbouring 32-bit accesses of shared memory merged into 64 or 128 bits, and short counted loops unrolled
by another four. Accesses of global memory are not merged: ptxas does not know how a pointer is aligned, and
the front end has already widened those it could prove.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.alignment import low_bits
from cudamaster.toolchain.devices.virtual.cost.dataflow import KEPT_KERNELS, address_of, reads, writes
from cudamaster.toolchain.devices.virtual.cost.merging import merged_shares
from cudamaster.toolchain.devices.virtual.cost.work import FREE, Work, work_of
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Instruction,
    Integer,
    Kernel,
    Register,
    Symbol,
    Vector,
)

_LOGIC = frozenset({"and", "or", "xor", "not"})
_FUSED: tuple[tuple[str, frozenset[str]], ...] = (
    ("mul.wide", frozenset({"add.s64", "add.u64"})),
    ("shl.b32", frozenset({"add.s32", "add.u32", "sub.s32"})),
    ("shl.b64", frozenset({"add.s64", "add.u64"})),
    ("add.s32", frozenset({"add.s32", "sub.s32"})),
    ("mul.lo.s32", frozenset({"add.s32"})),
    ("cvt.s64.s32", frozenset({"shl.b64", "add.s64", "mul.lo.s64"})),
)
"""(prefix of a producer, its only reader's opcodes): the producer costs nothing."""
_IMMEDIATE_REACH = 1 << 23
"""A memory instruction's offset has 24 signed bits."""
_SPECIAL = ("%tid", "%ctaid", "%laneid", "%warpid", "%smid", "%clock", "%globaltimer", "%lanemask")
"""Special registers that SASS reads with an instruction; sizes of grid and block are constants."""
_MOST_COPIES = 4
_LONGEST_UNROLLED = 160
"""Issue slots of the longest loop body that ptxas makes by unrolling, as far as seen."""


def _copies(kernel: Kernel, index: int) -> int:
    """How often ptxas repeats a block: once unless it is a short counted loop."""
    block = kernel.blocks[index]
    if not block or block[-1].base != "bra" or block[-1].guard is None:
        return 1
    targets = [kernel.labels.get(o.name) for o in block[-1].operands if isinstance(o, Symbol)]
    if targets != [index] or len(_loop_overhead(block)) < len(("counter", "comparison", "branch")):
        return 1
    slots = sum(work_of(i.opcode).issue for i in block if i.base != "mov")
    return max(1, min(_MOST_COPIES, int(_LONGEST_UNROLLED // max(slots, 1))))


def _loop_overhead(block: list[Instruction]) -> list[Instruction]:
    """What unrolling divides: steps of counters and pointers, the comparison of one, the branch.

    Empty where the loop does not end by such a comparison.
    """
    branch = block[-1]
    steps = [i for i in block if _constant_step(i)]
    ends = branch.guard.register if branch.guard else ""
    comparison = next((i for i in block if i.base == "setp" and ends in writes(i)), None)
    if comparison is None or {writes(i)[0] for i in steps}.isdisjoint(reads(comparison)):
        return []
    return [*steps, comparison, branch]


def _constant_step(instruction: Instruction) -> int:
    """The constant of `add r, r, constant`, 0 for everything else."""
    if instruction.base != "add" or len(instruction.operands) != 3:
        return 0
    target, source, step = instruction.operands
    return step.value if isinstance(step, Integer) and target == source else 0


def _steps(block: list[Instruction]) -> dict[str, int]:
    """Constants by which registers advance in one round of a loop."""
    return {writes(i)[0]: _constant_step(i) for i in block if _constant_step(i)}


@dataclass(frozen=True, slots=True)
class Lowered:
    """What one PTX instruction costs after ptxas."""

    work: Work
    share: float = 1.0
    """1 / (merged accesses): its part of the wider instruction's requests and wavefronts."""


@dataclass(frozen=True, slots=True, eq=False)
class Lowering:
    """The estimate for a whole kernel."""

    by_instruction: Mapping[Instruction, Lowered]
    copies: tuple[int, ...]
    """For each basic block how many copies of it ptxas lays end to end."""

    def work(self, instruction: Instruction) -> Work:
        """Slots of one warp-wide execution, before `share`."""
        return self.by_instruction[instruction].work

    def share(self, instruction: Instruction) -> float:
        """Part of a merged access that this instruction stands for."""
        return self.by_instruction[instruction].share

    def issue(self, instruction: Instruction) -> float:
        """Issue slots of one warp-wide execution."""
        lowered = self.by_instruction[instruction]
        return lowered.work.issue * lowered.share


@functools.lru_cache(KEPT_KERNELS)
def lower(kernel: Kernel) -> Lowering:
    """Estimate the SASS of `kernel`, instruction by instruction."""
    readers = _readers(kernel)
    shares: dict[Instruction, float] = {}
    known = low_bits(kernel)
    copies = tuple(_copies(kernel, index) for index in range(len(kernel.blocks)))
    for block, count in zip(kernel.blocks, copies, strict=True):
        shares.update(merged_shares(block, known, count, _steps(block) if count > 1 else None))
        if count > 1:
            shares.update(dict.fromkeys(_loop_overhead(block), 1 / count))
    return Lowering(
        {
            instruction: Lowered(_lowered_work(instruction, readers), shares.get(instruction, 1.0))
            for block in kernel.blocks
            for instruction in block
        },
        copies,
    )


def _readers(kernel: Kernel) -> dict[str, list[Instruction]]:
    """Readers of each register that is written once; a register written twice has none here."""
    written = Counter(name for block in kernel.blocks for i in block for name in writes(i))
    readers: defaultdict[str, list[Instruction]] = defaultdict(list)
    for block in kernel.blocks:
        for instruction in block:
            for name in reads(instruction):
                if written[name] == 1:
                    readers[name].append(instruction)
    return dict(readers)


def _lowered_work(instruction: Instruction, readers: Mapping[str, list[Instruction]]) -> Work:
    if instruction.base == "mov":
        return _move_work(instruction)
    destination = writes(instruction)
    users = readers.get(destination[0], []) if len(destination) == 1 else []
    if users and (_folds_into_addresses(instruction, users) or _fuses(instruction, users)):
        return FREE
    return work_of(instruction.opcode)


def _move_work(instruction: Instruction) -> Work:
    """Packing halves and reading special registers cost; every other move is renamed or unpacked in place."""
    match instruction.operands[1:]:
        case [Vector()] if instruction.type == "b32":
            return work_of("mov.pack")
        case [Register(name)] if name.startswith(_SPECIAL):
            return work_of("mov.special")
    return FREE


def _fuses(instruction: Instruction, users: list[Instruction]) -> bool:
    if len(users) != 1:
        return False
    user = users[0]
    if instruction.base in _LOGIC and user.base in _LOGIC and instruction.type != "pred":
        return True
    return any(instruction.opcode.startswith(producer) and user.opcode in into for producer, into in _FUSED)


def _folds_into_addresses(instruction: Instruction, users: Iterable[Instruction]) -> bool:
    """Whether this adds a constant to a pointer that only serves as a base of memory accesses."""
    if instruction.base != "add" or TYPE_BYTES.get(instruction.type, 0) < 4:
        return False
    if not any(isinstance(o, Integer) and abs(o.value) < _IMMEDIATE_REACH for o in instruction.operands[1:]):
        return False
    name = writes(instruction)[0]
    if any(name == read for read in reads(instruction)):
        return False
    return all(_is_only_the_base(user, name) for user in users)


def _is_only_the_base(user: Instruction, name: str) -> bool:
    address = address_of(user)
    return (
        address is not None
        and isinstance(address.base, Register)
        and address.base.name == name
        and reads(user).count(name) == 1
    )
