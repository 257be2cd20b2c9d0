"""Control and data flow of a kernel: successors of each basic block, registers read, written and live."""

from collections.abc import Iterator
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.isa.registry import lookup, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    CARRY,
    CARRY_READERS,
    Address,
    Instruction,
    Kernel,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)

ENDS = frozenset({"ret", "exit", "trap"})
"""Base opcodes after which a lane does not go on."""


def registers_of(operand: Operand) -> Iterator[str]:
    """Every register name within an operand, special ones included."""
    match operand:
        case Register(name):
            yield name
        case Negated(register):
            yield register.name
        case Address(base):
            yield from registers_of(base)
        case Vector(items):
            for item in items:
                yield from registers_of(item)
        case Pair(first, second):
            yield from registers_of(first)
            yield from registers_of(second)


@dataclass(frozen=True, slots=True)
class Accesses:
    """The registers of one instruction."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    """Sources, base registers of addresses and the guard."""


def accesses(kernel: Kernel, instruction: Instruction) -> Accesses:
    """Return the declared registers that `instruction` writes and reads."""
    entry = lookup(instruction)
    written: list[str] = []
    read: list[str] = []
    for index, operand in enumerate(instruction.operands):
        names = [name for name in registers_of(operand) if name in kernel.registers]
        if index < entry.writes:
            written.extend(names)
        if index >= entry.writes or entry.updates:
            read.extend(names)
    if instruction.guard is not None:
        read.append(instruction.guard.register)
    if instruction.base in CARRY_READERS:
        read.append(CARRY)
    if "cc" in instruction.modifiers:
        written.append(CARRY)
    return Accesses(tuple(written), tuple(read))


def label_target(kernel: Kernel, instruction: Instruction, operand: Operand) -> int:
    """Return the block that a branch operand names."""
    if not isinstance(operand, Symbol) or operand.name not in kernel.labels:
        raise unsupported(instruction, f"the target {operand}")
    return kernel.labels[operand.name]


def branch_targets(kernel: Kernel, instruction: Instruction) -> list[int]:
    """Return the blocks that a `bra` or `brx.idx` may go to."""
    if instruction.base == "bra":
        return [label_target(kernel, instruction, instruction.operands[0])]
    if instruction.base == "brx":
        table = instruction.operands[1]
        if not isinstance(table, Symbol) or table.name not in kernel.branch_tables:
            raise unsupported(instruction, f"the targets {table}")
        return [kernel.labels[name] for name in kernel.branch_tables[table.name]]
    return []


def successors(kernel: Kernel) -> list[list[int]]:
    """Return, for each basic block, the blocks that may follow it."""
    result = []
    for index, block in enumerate(kernel.blocks):
        last = block[-1]
        following = branch_targets(kernel, last)
        falls_through = last.guard is not None or last.base not in ENDS | {"bra", "brx"}
        if falls_through and index + 1 < len(kernel.blocks):
            following.append(index + 1)
        result.append(following)
    return result


@dataclass(frozen=True, slots=True)
class Flow:
    """What is known about a kernel's registers and blocks."""

    successors: list[list[int]]
    live_in: list[frozenset[str]]
    """Registers whose value on entry to each block may still be read."""
    definitions: dict[str, list[Instruction]]
    """Instructions that write each register."""

    @property
    def crossing(self) -> frozenset[str]:
        """Registers that outlive some basic block."""
        return frozenset().union(*self.live_in)

    def live_out(self, block: int) -> frozenset[str]:
        """Registers whose value at the end of `block` may still be read."""
        return frozenset().union(*(self.live_in[s] for s in self.successors[block]))


def analyse(kernel: Kernel) -> Flow:
    """Compute `Flow`; raise Unsupported at the first unknown instruction."""
    used: list[set[str]] = []
    defined: list[set[str]] = []
    definitions: dict[str, list[Instruction]] = {}
    for block in kernel.blocks:
        use, define = _block_summary(kernel, block, definitions)
        used.append(use)
        defined.append(define)
    following = successors(kernel)
    return Flow(following, _liveness(used, defined, following), definitions)


def _block_summary(
    kernel: Kernel, block: list[Instruction], definitions: dict[str, list[Instruction]]
) -> tuple[set[str], set[str]]:
    use: set[str] = set()
    define: set[str] = set()
    for instruction in block:
        touched = accesses(kernel, instruction)
        use.update(name for name in touched.read if name not in define)
        for name in touched.written:
            definitions.setdefault(name, []).append(instruction)
            if instruction.guard is None:
                define.add(name)
            elif name not in define:
                use.add(name)
    return use, define


def _liveness(
    used: list[set[str]], defined: list[set[str]], following: list[list[int]]
) -> list[frozenset[str]]:
    live = [set(names) for names in used]
    changed = True
    while changed:
        changed = False
        for index in range(len(used) - 1, -1, -1):
            size = len(live[index])
            for successor in following[index]:
                live[index] |= live[successor] - defined[index]
            changed |= len(live[index]) != size
    return [frozenset(names) for names in live]
