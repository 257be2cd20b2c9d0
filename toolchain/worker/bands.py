"""Where tensors lie in a segment of memory, and the guard bands of poison around each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

GUARD_BYTES = 64 * 1024
"""Least distance of a tensor's first and last byte from anything else."""
PAGE_BYTES = 4096
GUARD_PATTERN = np.uint16(0x7FF5)
"""A NaN in BF16 and FP16, and, repeated, in FP32 and FP64."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a tensor lies in its segment: it starts on a page, and ends where its bytes end."""

    name: str
    offset: int
    nbytes: int

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.offset + self.nbytes


def place(sizes: Mapping[str, int]) -> tuple[tuple[Placement, ...], int]:
    """Where tensors of these sizes (bytes) lie, and the size of the segment that holds them."""
    placements: list[Placement] = []
    end = 0
    for name, nbytes in sizes.items():
        placements.append(Placement(name, _page_after(end + 2 * GUARD_BYTES), nbytes))
        end = placements[-1].end
    return tuple(placements), _page_after(end + GUARD_BYTES)


def _page_after(byte: int) -> int:
    return -(-byte // PAGE_BYTES) * PAGE_BYTES


class Band(NamedTuple):
    """The bytes in front of a tensor, or behind the last one: poison, in aligned pairs of bytes.

    Behind a tensor of an odd number of bytes the first of them is no pair's, and 0.
    """

    start: int
    end: int
    behind: str
    """The tensor that ends where it starts; the first one for the first band."""
    before: str
    """The tensor that starts where it ends; the last one for the last band."""

    def poison(self) -> NDArray[np.uint8]:
        """Its bytes while nobody wrote there."""
        pairs = np.full((self.end - self.start) // 2, GUARD_PATTERN).view(np.uint8)
        return np.concatenate([np.zeros(self.start % 2, np.uint8), pairs])

    def written(self, found: NDArray[np.uint8]) -> tuple[str, ...]:
        """The tensors to which the writes are nearest that made these bytes of it."""
        at = np.flatnonzero(found != self.poison())
        near = [self.behind] * bool(np.any(at < found.size / 2)) + [self.before] * bool(
            np.any(at >= found.size / 2)
        )
        return tuple(dict.fromkeys(near))


def bands(placements: Sequence[Placement], nbytes: int) -> tuple[Band, ...]:
    """Those of a segment of `nbytes`, from its first byte to its last; none where nothing lies in it."""
    if not placements:
        return ()
    starts = [0, *(placement.end for placement in placements)]
    ends = [*(placement.offset for placement in placements), nbytes]
    names = [placement.name for placement in placements]
    return tuple(map(Band, starts, ends, [names[0], *names], [*names, names[-1]]))
