"""Whether blocks of a kernel may wait for each other, and roughly how long one takes from wait to wait."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.analysis.flow import (
    accesses,
    analyse,
    registers_of,
    successors,
)
from cudamaster.toolchain.devices.virtual.analysis.layout import plan
from cudamaster.toolchain.devices.virtual.analysis.uniform import launch_constants
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction, Kernel, Module
from cudamaster.toolchain.devices.virtual.runtime import NativeLaunch

STRONG = frozenset({"volatile", "acquire", "relaxed", "mmio", "cv"})
FENCES = frozenset({"membar", "fence", "nanosleep"})
NARROW = frozenset({"cta", "proxy", "mbarrier_init"})
"""Of fences that order nothing among blocks."""
CHANGES = frozenset(
    ("st", "red", "cp", "stmatrix", "multimem", "wgmma", "wmma", "call", "devicecall", "vprintf", "trap")
)
"""Opcodes that change more than registers, or that end later than they begin."""
SHORT_LOOP = 16
"""Instructions of a loop that does little but look."""
LANES, PREDICATE_BYTES = 32, 4
"""Of a register in a warp's context: elements, and bytes of a bit for each lane."""
ISSUE, SHARED, BARRIER, L2, BEYOND, ORDER = 3, 25, 20, 270, 450, 300
"""Cycles of an instruction; and of the longest wait in a basic block: for shared memory, at a barrier, for
L2, for memory beyond L1, for what was written to be seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Pace:
    """What clocks of a kernel's blocks go by, as the C runtime takes it."""

    cycles: NDArray[np.int32]
    live_starts: NDArray[np.int32]
    live_ranges: NDArray[np.int32]

    @classmethod
    def of(cls, module: Module, kernel: Kernel) -> "Pace":
        """Look at a prepared kernel."""
        return cls(cycles(kernel), *live_ranges(module, kernel))

    def give(self, native: NativeLaunch) -> None:
        """Let the blocks of a launch have clocks; the arrays must outlive it."""
        native.cycles = self.cycles.ctypes.data
        native.live_starts, native.live_ranges = self.live_starts.ctypes.data, self.live_ranges.ctypes.data


def may_wait(kernel: Kernel) -> bool:
    """Whether a loop may be left when another block has done something: it asks memory again and again."""
    following = successors(kernel)
    read = {name for block in kernel.blocks for i in block for name in accesses(kernel, i).read}
    return any(_polls(kernel, following, read, index) for index in range(len(kernel.blocks)))


def _matters(instruction: Instruction, read: set[str]) -> bool:
    """Whether it is no atomic whose answer nobody reads."""
    return instruction.base != "atom" or not read.isdisjoint(registers_of(instruction.operands[0]))


def _polls(kernel: Kernel, following: list[list[int]], read: set[str], index: int) -> bool:
    """Whether a loop comes by here which looks, in order or at the same place, at what others may write."""
    block = kernel.blocks[index]
    if any(_asks(instruction) and _matters(instruction, read) for instruction in block):
        return index in _reached(following, index)
    looks = [instruction for instruction in block if _looks(instruction)]
    if not looks and not any(map(_orders, block)):
        return False
    loop = [instruction for i in _loop(following, index) for instruction in kernel.blocks[i]]
    if any(map(_orders, block)):
        return any(map(_looks, loop))
    is_short = 0 < len(loop) <= SHORT_LOOP and not any(i.base == "atom" or _changes(i) for i in loop)
    return is_short and _looks_at_one_place(kernel, looks, loop)


def _looks_at_one_place(kernel: Kernel, looks: list[Instruction], loop: list[Instruction]) -> bool:
    """Whether a load in a loop has the same address each time: the compiler was told to leave it there."""
    written = {name for instruction in loop for name in accesses(kernel, instruction).written}
    return any(written.isdisjoint(registers_of(look.operands[1])) for look in looks)


def cycles(kernel: Kernel) -> NDArray[np.int32]:
    """Shape [basic blocks, 2]: cycles of a warp that is alone, and whether memory changes."""
    rows = [(_duration(block), any(map(_changes, block))) for block in kernel.blocks]
    return np.array(rows, np.int32).reshape(-1, 2)


def live_ranges(module: Module, kernel: Kernel) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where a warp's context has what may still be read as a basic block begins: (offset, bytes), by block.

    The first array says where those of each begin. What a poll returned is left out: it may be another number
    each time, and the answer is the same.
    """
    flow = analyse(kernel)
    uniform = launch_constants(kernel, flow)
    places = plan(module, kernel, uniform, flow.crossing).registers
    polled = {name for name, written in flow.definitions.items() if all(map(_asks, written))}
    starts, ranges = [0], list[tuple[int, int]]()
    for index in range(len(kernel.blocks)):
        names = sorted(flow.live_in[index] - uniform - polled, key=places.__getitem__)
        ranges += [(places[name], _context_bytes(kernel.registers[name])) for name in names]
        starts.append(len(ranges))
    return np.array(starts, np.int32), np.array(ranges, np.int32).reshape(-1, 2)


def _context_bytes(kind: str) -> int:
    return PREDICATE_BYTES if kind == "pred" else LANES * TYPE_BYTES[kind]


def _asks(instruction: Instruction) -> bool:
    return _looks(instruction) and (
        instruction.base == "atom" or not STRONG.isdisjoint(instruction.modifiers)
    )


def _orders(instruction: Instruction) -> bool:
    return instruction.base in FENCES and NARROW.isdisjoint(instruction.modifiers)


def _looks(instruction: Instruction) -> bool:
    """Whether it reads what other blocks may write."""
    if instruction.base not in ("ld", "atom") or "nc" in instruction.modifiers:
        return False
    own = ("param", "const", "local", "shared")
    return not any(word.startswith(own) for word in instruction.modifiers)


def _duration(block: tuple[Instruction, ...] | list[Instruction]) -> int:
    return ISSUE * len(block) + max(map(_wait, block), default=0)


def _wait(instruction: Instruction) -> int:
    if _asks(instruction):
        return L2
    if instruction.base in ("ld", "ldu", "cp"):
        return BEYOND if _looks(instruction) or instruction.base in ("ldu", "cp") else SHARED
    if instruction.base in FENCES:
        return ORDER
    return BARRIER if instruction.base in ("bar", "barrier", "barvote") else 0


def _changes(instruction: Instruction) -> bool:
    if instruction.base == "mbarrier":
        return {"test_wait", "try_wait"}.isdisjoint(instruction.modifiers)
    return instruction.base in CHANGES


def _loop(following: list[list[int]], index: int) -> set[int]:
    """The basic blocks on ways that lead from one back to it."""
    ahead = _reached(following, index)
    return {block for block in ahead if index in _reached(following, block)} if index in ahead else set()


def _reached(ways: list[list[int]], start: int) -> set[int]:
    """What a step or more from a basic block lead to."""
    seen: set[int] = set()
    ahead = list(ways[start])
    while ahead:
        block = ahead.pop()
        if block not in seen:
            seen.add(block)
            ahead.extend(ways[block])
    return seen
