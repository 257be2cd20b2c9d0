"""Straight-line regions: basic blocks that ptxas schedules as one, as it predicates short branches.

The parser splits blocks at every warp-synchronous instruction; and a bounds check around one load becomes a
guard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.cost.dataflow import predecessors, successors
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel

_PREDICATED = 12
"""Longest block that is guarded instead of jumped over."""
_USUAL = 0.5
"""A guarded block belongs to the region if at least this share of the region's executions enter it."""


@dataclass(frozen=True, slots=True)
class Region:
    """Blocks that run one after another."""

    blocks: tuple[int, ...]
    executions: int
    """Warp executions of the first block, over the sampled blocks."""
    before: tuple[int, ...]
    """Indices of the regions it may be entered from."""


def form_regions(kernel: Kernel, executions: NDArray[np.int64]) -> tuple[Region, ...]:
    """Partition the blocks that ran (`executions`: of warps, shape [blocks]) into regions."""
    after, before = successors(kernel), predecessors(kernel)
    chains: list[list[int]] = []
    taken: set[int] = set()
    for head in range(len(kernel.blocks)):
        if head in taken or executions[head] == 0:
            continue
        chain = [head]
        while more := _next_blocks(kernel, chain[-1], after, before, executions):
            if not taken.isdisjoint(more) or not set(chain).isdisjoint(more):
                break
            chain.extend(more)
        taken.update(chain)
        chains.append(chain)
    owner = {chain[-1]: index for index, chain in enumerate(chains)}
    return tuple(
        Region(
            tuple(chain),
            int(executions[chain[0]]),
            tuple(owner[block] for block in before[chain[0]] if block in owner),
        )
        for chain in chains
    )


def _next_blocks(
    kernel: Kernel,
    last: int,
    after: Sequence[tuple[int, ...]],
    before: Sequence[tuple[int, ...]],
    executions: NDArray[np.int64],
) -> list[int]:
    """Blocks that continue the region behind `last`; none where it ends."""
    if len(after[last]) == 1:
        (only,) = after[last]
        return [only] if before[only] == (last,) else []
    if len(after[last]) != 2:
        return []
    join, guarded = after[last]
    triangle = (
        after[guarded] == (join,)
        and before[guarded] == (last,)
        and set(before[join]) == {last, guarded}
        and len(kernel.blocks[guarded]) <= _PREDICATED
        and not any(i.base in ("bar", "barrier") for i in kernel.blocks[guarded])
    )
    usual = executions[guarded] >= _USUAL * executions[last]
    return [guarded, join] if triangle and usual and executions[join] else []
