"""Whether blocks of a kernel may take work from each other, by what atomics on global memory return."""

from cudamaster.toolchain.devices.virtual.analysis.flow import successors
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel


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
