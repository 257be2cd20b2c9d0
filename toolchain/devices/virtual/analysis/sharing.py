"""Whether blocks of a kernel may take work from each other, by what atomics return, or must run alone."""

from cudamaster.toolchain.devices.virtual.analysis.flow import successors
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel

HEAP_CALLS = frozenset({"devicecall.malloc", "devicecall.free"})
"""They change the table of memory, which every access reads unlocked."""
FLOATS = frozenset({"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"})


def needs_one_thread(kernel: Kernel) -> bool:
    """Whether it depends on the order of atomic float additions, or changes the heap."""
    return any(i.opcode in HEAP_CALLS or _adds_floats(i) for block in kernel.blocks for i in block)


def _adds_floats(instruction: Instruction) -> bool:
    is_update = instruction.base in ("atom", "red") or "reduce" in instruction.modifiers
    return is_update and not FLOATS.isdisjoint(instruction.modifiers)


def blocks_with_atomics(kernel: Kernel) -> list[int]:
    """The basic blocks that use what an atomic on global memory returns."""
    return [
        index
        for index, block in enumerate(kernel.blocks)
        if any(i.base == "atom" and not any(m.startswith("shared") for m in i.modifiers) for i in block)
    ]


def takes_from_a_queue(kernel: Kernel) -> bool:
    """Whether such an atomic is in a loop: a block may do more the earlier it comes, or wait for others."""
    following = successors(kernel)
    return any(_returns(following, block) for block in blocks_with_atomics(kernel))


def _returns(following: list[list[int]], start: int) -> bool:
    """Whether a way leads from a basic block back to it."""
    seen: set[int] = set()
    ahead = list(following[start])
    while ahead:
        block = ahead.pop()
        if block == start:
            return True
        if block not in seen:
            seen.add(block)
            ahead.extend(following[block])
    return False
