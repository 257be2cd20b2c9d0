"""Which blocks of a launch are sampled, which launches are, and how many launches each sample stands for."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How launches are sampled."""

    blocks: int = 8
    """Most blocks with counters a launch."""
    same_launches: int = 2
    """Launches of one kernel, grid and block that are sampled; later ones are only counted."""
    whole_below: float = 2e8
    """Thread instructions (estimated) up to which the whole grid runs too: later kernels see right data."""
    whole_total: float = 4e9
    """Estimated thread instructions that whole grids may take together in one call."""
    snapshot_bytes: int = 256 << 20
    """Writable device memory up to which a sampled launch is undone before its whole grid runs."""
    seed: int = 0
    anywhere: bool = False
    """Whether all but the ends are drawn by the seed."""
    least_bytes: int = 0
    """What the call must touch of its buffers, or it is sampled again with every launch run whole before."""

    def whole(self) -> "SamplePlan":
        """The same samples, with every launch run whole besides."""
        return replace(self, whole_below=math.inf, whole_total=math.inf)


def sampled_blocks(grid: tuple[int, int, int], plan: SamplePlan) -> tuple[int, ...]:
    """Linear block indices to sample, sorted.

    First, last, the middle one with its x- and y-neighbour, which show what blocks share, then one from each
    of evenly spaced strata, drawn by the plan's seed.
    """
    width, height, depth = grid
    total = width * height * depth
    if total <= plan.blocks:
        return tuple(range(total))
    source = random.Random(f"{plan.seed}:{grid}")
    middle = (depth // 2 * height + height // 2) * width + width // 2
    chosen = dict.fromkeys((0, total - 1) if plan.anywhere else (0, total - 1, middle))
    if plan.anywhere:
        width = height = 1
    if width > 1:
        chosen[middle + 1 if width // 2 + 1 < width else middle - 1] = None
    if height > 1:
        chosen[middle + width if height // 2 + 1 < height else middle - width] = None
    strata = max(1, plan.blocks - len(chosen))
    for i in range(strata):
        chosen[int(total * (i + source.random()) / strata)] = None
    return tuple(sorted(list(chosen)[: plan.blocks]))


def apart(blocks: tuple[int, ...], total: int) -> tuple[tuple[int, ...], ...]:
    """The sampled blocks in groups counted apart: both ends of the grid, and those that stand for the rest.

    Ends often do other work than the rest: edges of a field, a half-empty last block.
    """
    if len(blocks) == total:
        return (blocks,)
    ends = tuple(block for block in blocks if block in (0, total - 1))
    return ends, tuple(block for block in blocks if block not in ends)


def joined(parts: Sequence[SampledLaunch]) -> SampledLaunch:
    """One sample of those of `apart`: the ends count for themselves, the others for all other blocks."""
    if len(parts) == 1:
        return parts[0]
    ends, others = parts
    total = ends.request.block_count
    blocks = [*zip(ends.sampled_blocks, ends.footprints, strict=True)]
    blocks = sorted(
        [*blocks, *zip(others.sampled_blocks, others.footprints, strict=True)], key=lambda b: b[0]
    )
    own = len(blocks) / total
    rest = own * (total - len(ends.sampled_blocks)) / len(others.sampled_blocks)
    return replace(
        others,
        sampled_blocks=tuple(block for block, _ in blocks),
        footprints=tuple(footprint for _, footprint in blocks),
        block_counts=np.rint(own * ends.block_counts + rest * others.block_counts).astype(np.int64),
        site_counts=np.rint(own * ends.site_counts + rest * others.site_counts).astype(np.int64),
        seconds=ends.seconds + others.seconds,
    )


def thread_instructions(sample: SampledLaunch) -> float:
    """Estimated thread instructions of the whole grid, from the sampled blocks."""
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.float64)
    executed = float(sample.block_counts[:, 1].astype(np.float64) @ lengths)
    return executed * sample.request.block_count / max(1, len(sample.sampled_blocks))


_Key = tuple[str, tuple[int, int, int], tuple[int, int, int]]


@dataclass(slots=True)
class Samples:
    """The samples of one call, in order."""

    plan: SamplePlan
    _taken: list[tuple[SampledLaunch, int]] = field(default_factory=list)
    _latest: dict[_Key, tuple[int, int]] = field(default_factory=dict)
    """By kernel and shape: how many were sampled, and where the latest stands."""

    def is_due(self, request: LaunchRequest) -> bool:
        """Whether this launch is to be sampled; one that is not must be told by `repeat`."""
        return self._latest.get(_key(request), (0, 0))[0] < self.plan.same_launches

    def take(self, sample: SampledLaunch) -> None:
        """Add a sample, which stands for itself."""
        key = _key(sample.request)
        self._latest[key] = (self._latest.get(key, (0, 0))[0] + 1, len(self._taken))
        self._taken.append((sample, 1))

    def repeat(self, request: LaunchRequest) -> SampledLaunch:
        """Count one more launch like the latest sample of its kernel and shape, which is returned."""
        _, place = self._latest[_key(request)]
        sample, count = self._taken[place]
        self._taken[place] = (sample, count + 1)
        return sample

    def counted(self) -> Iterator[tuple[SampledLaunch, int]]:
        """Each sample with the number of launches it stands for."""
        return iter(self._taken)


def _key(request: LaunchRequest) -> _Key:
    return request.kernel, request.grid, request.block
