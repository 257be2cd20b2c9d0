"""One kernel launch: what was asked for, and what the sampled blocks of it did."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """A launch as the host code asked for it."""

    kernel: str
    """Mangled name."""
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    parameters: bytes
    """The kernel's parameter block, laid out as its PTX `.param` list says."""
    cooperative: bool = False
    cluster: tuple[int, int, int] = (1, 1, 1)
    overlaps: bool = False
    """Whether it may begin before the launch before it has ended."""

    @property
    def block_count(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the last one possibly partial."""
        return -(-self.block[0] * self.block[1] * self.block[2] // 32)


def launched(requests: Sequence[LaunchRequest]) -> dict[str, int]:
    """How often each kernel was launched in each shape, such as `softmax<<<(8, 1, 1), (256, 1, 1), 0>>>`."""
    shapes = (f"{r.kernel}<<<{r.grid}, {r.block}, {r.dynamic_shared_bytes}>>>" for r in requests)
    return dict(Counter(shapes))


@dataclass(frozen=True, slots=True)
class Site:
    """One memory instruction of a kernel, counted on its own."""

    instruction: Instruction
    block_index: int
    """Its basic block."""
    space: str
    """`global`, `shared`, `shared_cluster`, `local`, `const` or `generic`."""
    kind: str
    """`load`, `store`, `atomic`, `ldmatrix`, `async_copy`."""
    bytes_per_lane: int


def counted_as(site: Site) -> Site:
    """Return the site with the space whose counters it has: a cluster's shared memory counts as a block's."""
    return replace(site, space="shared") if site.space == "shared_cluster" else site


REQUESTS, LANES, SECTORS, MISSED_SECTORS, LINES = range(5)
"""Columns of `SampledLaunch.site_counts`: warp-wide requests, active lanes, 32-byte sectors (global) or
wavefronts (shared), sectors that missed the modelled L1, distinct 128-byte lines a request. Of a bulk copy
into shared memory the last two are how often it was waited for, and how many warp instructions its block
issued between copy and wait, summed over its requests."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledLaunch:
    """Counters of a launch, summed over the sampled blocks only."""

    request: LaunchRequest
    kernel: Kernel
    sampled_blocks: tuple[int, ...]
    """Linear indices (x fastest) of the blocks that were run with counters."""
    block_counts: NDArray[np.int64]
    """Shape [basic blocks, 2]: warp executions, lane executions of each basic block."""
    sites: tuple[Site, ...]
    site_counts: NDArray[np.int64]
    """Shape [sites, 5], columns above."""
    footprints: Sequence[NDArray[np.uint64]]
    """For each sampled block, the sorted distinct global sector ids (address >> 5) it read or wrote."""
    allocations: tuple[tuple[int, int], ...]
    """(first address, bytes) of every device buffer that was live at the launch."""
    seconds: float
    """Wall time of the sampled simulation."""
    instructions: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Warp instructions that each sampled block issued, in their order; empty if unknown."""
    longest: float = 1.0
    """Warp instructions of the busiest block that is known, over the mean of all blocks of the grid."""
    longest_warp: float = 1.0
    """Warp instructions along a block's longest path, from warp to warp at its barriers, over the mean of its
    warps; blocks weigh by theirs."""
    path_counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """How often a block's longest path leads through each basic block, summed over the sampled blocks; empty
    if unknown."""
    unseen: float = 0.0
    """Share of the grid's instructions in code that no sampled block executed, where the whole grid ran."""
    longest_block: int = 0
    """Linear index of the busiest block that is known."""
    stretch: float = 1.0
    """How much longer the launch takes than a mean place on the GPU is busy: blocks wait, or are uneven."""
    depends: bool = False
    """Whether sampled blocks waited for others, or did more than they may: in a whole launch they do else."""
