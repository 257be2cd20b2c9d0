"""What L2 still holds of the launches before: stretches of addresses, those touched last first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cudamaster.toolchain.devices.virtual.cost.footprint import SECTOR_BYTES
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

_ELSEWHERE = -(1 << 40)
"""Stands for the addresses of module variables, which lie in no allocation."""
_POINTER_BYTES = 8


class Stretch(NamedTuple):
    """Addresses between which a launch touches distinct bytes, evenly spread as far as is known."""

    first: int
    end: int
    touched_bytes: float

    def moved(self, by: int) -> "Stretch":
        """The same bytes at other addresses."""
        return Stretch(self.first + by, self.end + by, self.touched_bytes) if by else self

    def within(self, other: "Stretch") -> float:
        """Share of this stretch's addresses that lie in another, 0 to 1."""
        common = min(self.end, other.end) - max(self.first, other.first)
        return max(0, common) / (self.end - self.first)

    def outside(self, other: "Stretch") -> "Iterator[Stretch]":
        """What lies before another and what behind it."""
        for first, end in ((self.first, min(self.end, other.first)), (max(self.first, other.end), self.end)):
            if first < end:
                yield Stretch(first, end, self.touched_bytes * (end - first) / (self.end - self.first))


@dataclass(frozen=True, slots=True)
class L2Contents:
    """What the launches before have left; the last touched stay."""

    capacity_bytes: float
    resident: tuple[Stretch, ...] = ()

    def held(self, wanted: Stretch) -> float:
        """Share of the bytes of a stretch that are resident, 0 to 1."""
        return min(1.0, sum(_common(wanted, stretch) for stretch in self.resident) / wanted.touched_bytes)

    def after(self, touched: Sequence[Stretch]) -> "L2Contents":
        """The contents once a launch has touched `touched`."""
        total = sum(stretch.touched_bytes for stretch in touched)
        shrink = min(1.0, self.capacity_bytes / total) if total else 1.0
        kept = [stretch._replace(touched_bytes=stretch.touched_bytes * shrink) for stretch in touched]
        room = self.capacity_bytes - total * shrink
        for stretch in _untouched(self.resident, touched):
            size = min(stretch.touched_bytes, room)
            if size > 0:
                kept.append(stretch._replace(touched_bytes=size))
                room -= size
        return L2Contents(self.capacity_bytes, tuple(kept))


def _common(wanted: Stretch, resident: Stretch) -> float:
    """Bytes of both, at most those that either has where they overlap."""
    return min(
        wanted.within(resident) * wanted.touched_bytes, resident.within(wanted) * resident.touched_bytes
    )


def _untouched(resident: Iterable[Stretch], touched: Sequence[Stretch]) -> list[Stretch]:
    left = list(resident)
    for new in touched:
        left = [piece for stretch in left for piece in stretch.outside(new)]
    return left


def stretches(launch: SampledLaunch, touched_bytes: Sequence[float]) -> tuple[Stretch | None, ...]:
    """For each allocation, then for everything else, where the launch touches it; None where it does not.

    From the sampled blocks, of which the first and the last of the grid reach farthest; wider where more
    bytes are touched than they leave room for.
    """
    found: list[Stretch | None] = []
    for (first, size), touched in zip(launch.allocations, touched_bytes, strict=False):
        reach = _reach(launch, first, first + size) if touched else None
        if reach is None:
            found.append(Stretch(first, first + max(1, size), touched) if touched else None)
            continue
        start, end = reach
        end = min(first + size, max(end, start + int(touched)))
        found.append(Stretch(max(first, min(start, end - int(touched))), end, touched))
    elsewhere = touched_bytes[-1]
    return (*found, Stretch(_ELSEWHERE, _ELSEWHERE + 1, elsewhere) if elsewhere else None)


def _reach(launch: SampledLaunch, first: int, end: int) -> tuple[int, int] | None:
    """The first and last address between two that a sampled block touches."""
    bounds = np.array([first // SECTOR_BYTES, -(-end // SECTOR_BYTES)], np.uint64)
    ends: list[int] = []
    for sectors in launch.footprints:
        start, stop = np.searchsorted(sectors, bounds)
        if start < stop:
            ends += [int(sectors[start]) * SECTOR_BYTES, (int(sectors[stop - 1]) + 1) * SECTOR_BYTES]
    return (max(first, min(ends)), min(end, max(ends))) if ends else None


def moves(launch: SampledLaunch, where: Sequence[Stretch | None], parameters: bytes) -> tuple[int, ...]:
    """How far another launch's stretches lie from the sampled one's: as far as the pointers it was given."""
    if parameters == launch.request.parameters:
        return (0,) * len(where)
    own, other = _words(launch.request.parameters), _words(parameters)
    found = []
    for stretch, (first, size) in zip(where, (*launch.allocations, (0, 0)), strict=True):
        given = [(word, new) for word, new in zip(own, other, strict=False) if first <= word < first + size]
        start = stretch.first if stretch else first
        before = [pair for pair in given if pair[0] <= start]
        pointer, new = max(before) if before else min(given, default=(0, 0))
        found.append(new - pointer)
    return tuple(found)


def _words(parameters: bytes) -> list[int]:
    whole = len(parameters) // _POINTER_BYTES * _POINTER_BYTES
    words: list[int] = np.frombuffer(parameters[:whole], np.uint64).tolist()
    return words
