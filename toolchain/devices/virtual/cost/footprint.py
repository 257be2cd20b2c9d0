"""Distinct bytes that many blocks touch, extrapolated from the footprints of a few.

Needed of the sample: groups (b, b + 1, b + grid.x) of neighbouring blocks, spread evenly over the grid with
the first and the last block among them. Without neighbours, what blocks far apart share stands in.

The model is separable: a rectangle of wx × wy blocks touches

    u·(1 + (wx - 1)(1 - ox))·(1 + (wy - 1)(1 - oy))

bytes of a buffer, where u is a block's own footprint and ox, oy the share of it that the next block in x or y
touches too. Blocks far apart tell whether sharing among neighbours goes on: without it a grid of one
dimension that walks a matrix in tiles would seem to touch one row only. All is counted in whole DRAM
accesses, so that sectors which no neighbour completes cost what DRAM fetches for them.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

SECTOR_BYTES = 32
_REGULAR = 0.6
"""From this share of the two commonest gaps between accesses on, a footprint is regular, not random."""
_FEW = 8
"""Footprints of fewer accesses have no pattern."""

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class BufferFootprint:
    """What blocks touch of one buffer."""

    size_bytes: float
    """The whole buffer, or the stretch of it that random accesses are drawn from."""
    own_bytes: float
    """Distinct bytes a block touches, in whole DRAM accesses, mean over the sample."""
    own_sectors: float
    """Distinct sectors a block touches, mean over the sample."""
    shared_x: float
    """Share of `own_bytes` that the next block in x touches too, 0 to 1."""
    shared_y: float
    shared_far: float
    """Share that a sampled block far away touches too."""
    random: bool
    """Whether a block's accesses lie in no regular pattern."""

    @property
    def private(self) -> float:
        """Share of a block's bytes that others touch by chance at most."""
        return 1 - max(map(self._structural, (self.shared_x, self.shared_y, self.shared_far)))

    def rectangle(self, width: float, height: float, depth: float = 1.0) -> float:
        """Distinct bytes that `width` × `height` × `depth` neighbouring blocks touch."""
        growth = 1.0
        for extent, shared in ((width, self.shared_x), (height, self.shared_y), (depth, self.shared_far)):
            growth *= 1 + (extent - 1) * (1 - self._structural(shared))
        return self._saturated(growth)

    def grid(self, grid: tuple[int, int, int]) -> float:
        """Distinct bytes that the whole grid touches."""
        blocks = grid[0] * grid[1] * grid[2]
        far = self._saturated(1 + (blocks - 1) * (1 - self._structural(self.shared_far)))
        return max(far, self.rectangle(*grid))

    def _structural(self, shared: float) -> float:
        """The part of a shared share that is not chance: two random draws share own ÷ size."""
        chance = min(self.own_bytes / self.size_bytes, 1.0) if self.random and self.size_bytes else 0.0
        return max(0.0, (shared - chance) / (1 - chance)) if chance < 1 else 1.0

    def _saturated(self, growth: float) -> float:
        if self.size_bytes <= 0 or self.own_bytes <= 0:
            return 0.0
        if self.random:
            share = min(self.own_bytes / self.size_bytes, 1 - 1e-12)
            return -self.size_bytes * math.expm1(growth * math.log1p(-share))
        return min(self.size_bytes, self.own_bytes * growth)


def buffer_footprints(launch: SampledLaunch, access_bytes: int) -> tuple[BufferFootprint, ...]:
    """One for each of `launch.allocations`, and a last one for everything outside them (module variables).

    `access_bytes` are the bytes of one DRAM access, at least a sector.
    """
    pieces = [_pieces(footprint, launch.allocations) for footprint in launch.footprints]
    pairs = _pairs(launch)
    found = []
    for buffer in range(len(launch.allocations) + 1):
        sectors = [piece[buffer] for piece in pieces]
        accesses = [_distinct(part // np.uint64(access_bytes // SECTOR_BYTES)) for part in sectors]
        if buffer < len(launch.allocations):
            size = -(-launch.allocations[buffer][1] // access_bytes)
        else:
            size = len(np.unique(np.concatenate(accesses))) if accesses else 0
        own_sectors = float(np.mean([len(part) for part in sectors])) if sectors else 0.0
        found.append(_measure(accesses, pairs, (size, own_sectors), access_bytes))
    return tuple(found)


def _distinct(ordered: Numbers) -> Numbers:
    """Each of some numbers in ascending order once."""
    kept = np.ones(len(ordered), dtype=bool)
    kept[1:] = ordered[1:] != ordered[:-1]
    return ordered[kept]


def _pieces(footprint: Numbers, allocations: Sequence[tuple[int, int]]) -> list[Numbers]:
    """The part of a footprint in each allocation, then the part in none."""
    pieces = []
    elsewhere = np.ones(len(footprint), dtype=bool)
    for first, size in allocations:
        start, stop = np.searchsorted(
            footprint, np.array([first // SECTOR_BYTES, -(-(first + size) // SECTOR_BYTES)], dtype=np.uint64)
        )
        pieces.append(footprint[start:stop])
        elsewhere[start:stop] = False
    return [*pieces, footprint[elsewhere]]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of sample indices: neighbours in x, in y, and blocks far apart."""

    x: list[tuple[int, int]]
    y: list[tuple[int, int]]
    far: list[tuple[int, int]]


def _pairs(launch: SampledLaunch) -> _Pairs:
    where = {block: index for index, block in enumerate(launch.sampled_blocks)}
    width = launch.request.grid[0]
    x = [(i, where[b + 1]) for b, i in where.items() if b + 1 in where and (b + 1) % width]
    y = [(i, where[b + width]) for b, i in where.items() if width > 1 and b + width in where]
    return _Pairs(x, y, list(_far_pairs(launch.sampled_blocks, width)))


def _far_pairs(blocks: Sequence[int], width: int) -> Iterator[tuple[int, int]]:
    """Consecutive members of a chain of sampled blocks that are no neighbours."""
    order = sorted(range(len(blocks)), key=lambda i: blocks[i])
    last: int | None = None
    for index in order:
        if last is None or (blocks[index] - blocks[last] > 1 and blocks[index] - blocks[last] != width):
            if last is not None:
                yield last, index
            last = index


def _measure(
    accesses: Sequence[Numbers], pairs: _Pairs, sizes: tuple[int, float], access_bytes: int
) -> BufferFootprint:
    size, own_sectors = sizes
    own = float(np.mean([len(part) for part in accesses])) if accesses else 0.0
    near_x, near_y, far = (_shared(accesses, found) for found in (pairs.x, pairs.y, pairs.far))
    if not pairs.far:
        far = min(near_x if pairs.x else 1.0, near_y if pairs.y else 1.0)
    fallback = far if pairs.far else 0.0
    random = _is_random(max(accesses, key=len, default=np.empty(0, np.uint64)))
    return BufferFootprint(
        (_reach(accesses, size) if random else size) * access_bytes,
        own * access_bytes,
        own_sectors,
        near_x if pairs.x else fallback,
        near_y if pairs.y else fallback,
        far,
        random,
    )


def _reach(accesses: Sequence[Numbers], size: int) -> float:
    """Accesses between the outermost that any block made, and a mean gap beyond each; at most `size`."""
    seen = [part for part in accesses if len(part)]
    span = float(max(part[-1] for part in seen) - min(part[0] for part in seen) + np.uint64(1))
    return min(float(size), span * (1 + 2 / sum(map(len, seen))))


def _shared(parts: Sequence[Numbers], pairs: Sequence[tuple[int, int]]) -> float:
    """Mean share of the smaller footprint that both blocks of a pair touch, over pairs that touch any."""
    shares = [
        _common(parts[a], parts[b]) / min(len(parts[a]), len(parts[b]))
        for a, b in pairs
        if len(parts[a]) and len(parts[b])
    ]
    return float(np.mean(shares)) if shares else 0.0


def _common(some: Numbers, others: Numbers) -> int:
    """How many numbers stand in both, each in ascending order without repeats."""
    places = np.minimum(np.searchsorted(others, some), len(others) - 1)
    return int(np.count_nonzero(others[places] == some))


def _is_random(accesses: Numbers) -> bool:
    if len(accesses) < _FEW:
        return False
    _, counts = np.unique(np.diff(accesses), return_counts=True)
    return bool(np.sort(counts)[-2:].sum() < _REGULAR * (len(accesses) - 1))
