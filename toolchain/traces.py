"""What a timed call left on its tensors: how much of each it touched, and some elements of what it wrote."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
RUNS, RUN_ELEMENTS = 64, 32
"""So many stretches of so many elements are handed back of what a call wrote."""
PART_ELEMENTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Extent:
    """Bytes of a tensor that a call reads or writes, each counted once a block; of all blocks from some."""

    least: float
    """Were all like the sampled block that touches least."""
    usual: float
    """Were all like the sampled blocks' mean."""
    most: float
    """Were all like the one that touches most, both ends of the grid included."""
    sampled: float = field(default=0.0, compare=False)
    """What the sampled blocks touch themselves; 0 where the device does not tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Elements of one output that a call wrote, from places that nobody can know beforehand."""

    places: Whole
    """In the flattened tensor, ascending."""
    values: NDArray[np.generic]
    reaches_end: bool
    """Whether the very last element is among all that it wrote."""
    left_out: int
    """How many elements it left as they were."""


def written(before: NDArray[np.generic], after: NDArray[np.generic], rng: np.random.Generator) -> Written:
    """Some of the elements that differ, bit for bit, between two flat arrays of one dtype."""
    counts = [int(np.count_nonzero(part)) for part in _differing(before, after)]
    anchors = _drawn(before, after, counts, rng)
    near = np.unique((anchors[:, None] + np.arange(RUN_ELEMENTS)).ravel())
    near = near[near < len(after)]
    places = near[_bits(before[near]) != _bits(after[near])]
    reaches_end = bool(np.any(_bits(before[-1:]) != _bits(after[-1:])))
    return Written(places, after[places], reaches_end, left_out=len(after) - sum(counts))


def _drawn(
    before: NDArray[np.generic],
    after: NDArray[np.generic],
    counts: Sequence[int],
    rng: np.random.Generator,
) -> Whole:
    """Places of RUNS of the elements that differ, so many in each part; each is as likely as any other."""
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    ranks = np.sort(rng.integers(0, max(1, first[-1]), RUNS if first[-1] else 0))
    found = []
    for number, part in enumerate(_differing(before, after)):
        mine = ranks[(ranks >= first[number]) & (ranks < first[number + 1])] - first[number]
        if mine.size:
            found.append(number * PART_ELEMENTS + np.flatnonzero(part)[mine])
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _differing(before: NDArray[np.generic], after: NDArray[np.generic]) -> Iterator[NDArray[np.bool_]]:
    for start in range(0, len(after), PART_ELEMENTS):
        part = slice(start, start + PART_ELEMENTS)
        yield _bits(before[part]) != _bits(after[part])


def _bits(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array.view(f"u{array.dtype.itemsize}")
