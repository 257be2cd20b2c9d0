"""Whether blocks of a kernel may wait for each other, and roughly how long one takes from wait to wait."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

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
OF_WAITS = frozenset(
    {"mbarrier", "setp", "selp", "and", "or", "xor", "not", "mov", "cvt", "cvta", "bra", "nanosleep"}
)
"""Opcodes of a loop that does nothing but ask an mbarrier."""
ASKS = frozenset({"test_wait", "try_wait"})
LANES, PREDICATE_BYTES = 32, 4
"""Of a register in a warp's context: elements, and bytes of a bit for each lane."""


@dataclass(frozen=True, slots=True, eq=False)
class Pace:
    """What clocks of a kernel's blocks go by, as the C runtime takes it."""

    cycles: NDArray[np.int32]
    live_starts: NDArray[np.int32]
    live_ranges: NDArray[np.int32]

    @classmethod
    def of(cls, module: Module, kernel: Kernel, latency: Mapping[str, float]) -> "Pace":
        """Look at a prepared kernel, on a GPU with these latencies."""
        return cls(cycles(kernel, latency), *live_ranges(module, kernel))

    def give(self, native: NativeLaunch) -> None:
        """Let the blocks of a launch have clocks; the arrays must outlive it."""
        native.cycles = self.cycles.ctypes.data
        native.live_starts, native.live_ranges = self.live_starts.ctypes.data, self.live_ranges.ctypes.data


def may_wait(kernel: Kernel) -> bool:
    """Whether one block may go on when another one has done something.

    It asks what others may write in order, or for an atomic's answer; or a loop does little but look.
    """
    code = [instruction for block in kernel.blocks for instruction in block]
    read = {name for instruction in code for name in accesses(kernel, instruction).read}
    if any(_orders(i) or (_asks(i) and _matters(i, read)) for i in code):
        return True
    return any(_only_looks(kernel, loop) for loop in _loops(kernel))


def _matters(instruction: Instruction, read: set[str]) -> bool:
    """Whether it is no atomic whose answer nobody reads."""
    return instruction.base != "atom" or not read.isdisjoint(registers_of(instruction.operands[0]))


def _only_looks(kernel: Kernel, loop: list[Instruction]) -> bool:
    """Whether a loop does little but look at the same place."""
    does_more = any(i.base == "atom" or (_changes(i) and i.base != "cp") for i in loop)
    looks = [instruction for instruction in loop if _looks(instruction)]
    return len(loop) <= SHORT_LOOP and not does_more and _looks_at_one_place(kernel, looks, loop)


def _looks_at_one_place(kernel: Kernel, looks: list[Instruction], loop: list[Instruction]) -> bool:
    """Whether a load in a loop has the same address each time: the compiler was told to leave it there."""
    written = {name for instruction in loop for name in accesses(kernel, instruction).written}
    return any(written.isdisjoint(registers_of(look.operands[1])) for look in looks if len(look.operands) > 1)


def only_waits(kernel: Kernel) -> NDArray[np.int8]:
    """Of each basic block, whether it is of a loop that does nothing but ask an mbarrier."""
    plain = frozenset(index for index, block in enumerate(kernel.blocks) if all(map(_is_of_waits, block)))
    found = np.zeros(len(kernel.blocks), np.int8)
    for loop in _loops_within(kernel, plain):
        asks = any(instruction.base == "mbarrier" for index in loop for instruction in kernel.blocks[index])
        found[loop] = asks
    return found


def _is_of_waits(instruction: Instruction) -> bool:
    asks = instruction.base != "mbarrier" or not ASKS.isdisjoint(instruction.modifiers)
    return instruction.base in OF_WAITS and asks


def cycles(kernel: Kernel, latency: Mapping[str, float]) -> NDArray[np.int32]:
    """Shape [basic blocks, 2]: cycles of a warp that is alone, and whether memory changes.

    `latency` in cycles by the classes of the time model: a basic block takes its longest wait, and `issue`
    for each instruction.
    """
    rows = [(round(_duration(block, latency)), any(map(_changes, block))) for block in kernel.blocks]
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
    if instruction.base not in ("ld", "ldu", "atom", "cp"):
        return False
    own = ("param", "const", "local", "shared")
    spaces = set(instruction.modifiers) - {"shared_cluster"}
    return instruction.base == "cp" or not any(word.startswith(own) for word in spaces)


def _duration(block: Sequence[Instruction], latency: Mapping[str, float]) -> float:
    waits = (_wait(instruction, latency) for instruction in block)
    return latency["issue"] * len(block) + max(waits, default=0)


def _wait(instruction: Instruction, latency: Mapping[str, float]) -> float:
    if instruction.base in ("ld", "ldu", "atom", "cp"):
        return _beyond(instruction, latency) if _looks(instruction) else latency["shared"]
    if instruction.base in FENCES:
        return latency["fence"]
    return latency["barrier"] if instruction.base in ("bar", "barrier", "barvote") else 0


def _beyond(instruction: Instruction, latency: Mapping[str, float]) -> float:
    """For memory that all blocks have; of what is not asked of L2, half is taken to be beyond that."""
    if instruction.base == "atom":
        return latency["atomic"]
    return latency["l2"] if _asks(instruction) else (latency["l2"] + latency["dram"]) / 2


def _changes(instruction: Instruction) -> bool:
    if instruction.base == "mbarrier":
        return ASKS.isdisjoint(instruction.modifiers)
    return instruction.base in CHANGES


def _loops(kernel: Kernel) -> list[list[Instruction]]:
    """The code of each loop, with the loops within it."""
    found = _loops_within(kernel, frozenset(range(len(kernel.blocks))))
    return [[instruction for index in loop for instruction in kernel.blocks[index]] for loop in found]


def _loops_within(kernel: Kernel, blocks: frozenset[int]) -> list[list[int]]:
    """The basic blocks of each loop that leads through these alone."""
    following = successors(kernel)
    edges = [(index, after) for index in blocks for after in following[index] if after in blocks]
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    count = len(following)
    ways = csr_array((np.ones(len(edges)), (rows, columns)), shape=(count, count))
    _, loop_of = connected_components(ways, connection="strong")
    in_one = {loop_of[start] for start, end in edges if loop_of[start] == loop_of[end]}
    return [[int(index) for index in np.flatnonzero(loop_of == loop)] for loop in in_one]
