"""Small problems cut out of a large workload, whose answers are those of some of its output elements.

What a call wrote at a few places can so be compared with the float64 answer without working out all of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mskernelbench.operator import Arrays, Shape, Workload

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """Elements of one output."""

    output: str
    dimensions: tuple[int, ...]
    """Of the whole output."""
    places: Whole
    """In the flattened output, ascending."""

    @property
    def coordinates(self) -> tuple[Whole, ...]:
        """One array an axis."""
        return tuple(np.asarray(c, np.int64) for c in np.unravel_index(self.places, self.dimensions))


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One small problem."""

    workload: "Workload"
    arrays: "Arrays"
    covered: Whole
    """Which of the wanted elements its output holds."""
    coordinates: tuple[Whole, ...]
    """Where it holds them, one array an axis."""


Cut = Callable[["Workload", "Arrays", Wanted], Iterator[Piece]]
"""Cuts a workload up; the pieces together hold all wanted elements, or some."""


def along(**sizes: Mapping[str, int]) -> Cut:
    """For operators whose outputs do not depend on each other along some axes.

    Each size is given with the axis that it is of every tensor which has it: `M={"A": 0, "C": 0}`. One that
    is none of the shape's stands for one of several equal ones.
    """

    def cut(workload: "Workload", arrays: "Arrays", wanted: Wanted) -> Iterator[Piece]:
        smaller, shape, where = dict(arrays), dict(workload.shape), list(wanted.coordinates)
        for size, axes in sizes.items():
            axis = axes[wanted.output]
            kept, where[axis] = np.unique(where[axis], return_inverse=True)
            for name in axes.keys() & smaller.keys():
                smaller[name] = np.take(smaller[name], kept, axis=axes[name])
            if size in shape:
                shape[size] = len(kept)
        covered = np.arange(len(wanted.places))
        yield Piece(replace(workload, shape=shape), smaller, covered, tuple(where))

    return cut


Reach = Callable[["Shape"], tuple[tuple[int, int], ...]]
"""How far before and behind an output element's own place its inputs lie, along every axis."""


def windows(field: str, sizes: tuple[str, ...], reach: Reach) -> Cut:
    """For operators that see a neighbourhood in the input `field`, as wide as `sizes` say, axis by axis.

    Each stretch of wanted elements along the last axis is a piece.
    """

    def cut(workload: "Workload", arrays: "Arrays", wanted: Wanted) -> Iterator[Piece]:
        for stretch in stretches(wanted):
            where = [axis[stretch] for axis in wanted.coordinates]
            window = []
            for axis, (before, behind) in zip(where, reach(workload.shape), strict=True):
                window.append(slice(max(int(axis.min()) - before, 0), int(axis.max()) + behind + 1))
            part = arrays[field][tuple(window)]
            shape = {**workload.shape, **dict(zip(sizes, part.shape, strict=True))}
            inner = tuple(axis - place.start for axis, place in zip(where, window, strict=True))
            yield Piece(replace(workload, shape=shape), {**arrays, field: part}, stretch, inner)

    return cut


def stretches(wanted: Wanted) -> Iterator[Whole]:
    """Which wanted elements follow each other within one line of the output, line by line."""
    *lines, last = wanted.coordinates
    breaks = np.diff(last) != 1
    for axis in lines:
        breaks |= np.diff(axis) != 0
    yield from np.split(np.arange(len(last)), np.flatnonzero(breaks) + 1)
