"""Which registers an instruction reads and writes, and which basic blocks follow which."""

import functools
from collections.abc import Iterator

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
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

_WRITES_NOTHING = frozenset(
    {"st", "bra", "brx", "bar", "barrier", "red", "ret", "exit", "trap", "membar", "fence", "cp", "call"}
    | {"stmatrix", "prefetch", "prefetchu", "nanosleep", "setmaxnreg", "griddepcontrol", "discard"}
)
"""Bases whose first operand is not a destination."""

KEPT_INSTRUCTIONS = 1 << 16
"""Instructions whose registers are remembered: every sample of a kernel is modelled from the same ones."""

KEPT_KERNELS = 64


def _names(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Vector(items):
            for item in items:
                yield from _names(item)
        case Pair(first, second):
            yield from _names(first)
            yield from _names(second)
        case Negated(register):
            yield register.name
        case Address(base, _):
            yield from _names(base)


def has_destination(instruction: Instruction) -> bool:
    """Whether the first operand is written."""
    if instruction.base == "wmma":
        return "store" not in instruction.modifiers
    if instruction.base == "mbarrier":
        return not isinstance(instruction.operands[0], Address)
    return instruction.base not in _WRITES_NOTHING


@functools.lru_cache(KEPT_INSTRUCTIONS)
def writes(instruction: Instruction) -> tuple[str, ...]:
    """Registers that `instruction` writes."""
    if not instruction.operands or not has_destination(instruction):
        return ()
    return tuple(_names(instruction.operands[0]))


@functools.lru_cache(KEPT_INSTRUCTIONS)
def reads(instruction: Instruction) -> tuple[str, ...]:
    """Registers that `instruction` reads, its guard and (where it is `wgmma`) its accumulator included."""
    skipped = 1 if has_destination(instruction) and instruction.base != "wgmma" else 0
    names = [name for operand in instruction.operands[skipped:] for name in _names(operand)]
    if instruction.guard is not None:
        names.append(instruction.guard.register)
    return tuple(names)


def address_of(instruction: Instruction) -> Address | None:
    """The first memory operand."""
    return next((o for o in instruction.operands if isinstance(o, Address)), None)


def _targets(kernel: Kernel, last: Instruction) -> list[int]:
    """Blocks that the branch `last` may jump to."""
    names = [o.name for o in last.operands if isinstance(o, Symbol)]
    if last.base == "brx":
        names = [label for name in names for label in kernel.branch_tables.get(name, ())]
    return [kernel.labels[name] for name in names if name in kernel.labels]


def successors(kernel: Kernel) -> list[tuple[int, ...]]:
    """For each basic block the blocks that may follow it, the fall-through last."""
    following: list[tuple[int, ...]] = []
    for index, block in enumerate(kernel.blocks):
        last = block[-1] if block else None
        leaves = last is not None and last.base in ("bra", "brx", "ret", "exit", "trap")
        found = _targets(kernel, last) if last is not None and last.base in ("bra", "brx") else []
        falls_through = not leaves or (last is not None and last.guard is not None)
        if falls_through and index + 1 < len(kernel.blocks):
            found.append(index + 1)
        following.append(tuple(dict.fromkeys(found)))
    return following


def predecessors(kernel: Kernel) -> list[tuple[int, ...]]:
    """For each basic block the blocks that may come before it."""
    before: list[list[int]] = [[] for _ in kernel.blocks]
    for index, following in enumerate(successors(kernel)):
        for block in following:
            before[block].append(index)
    return [tuple(blocks) for blocks in before]
