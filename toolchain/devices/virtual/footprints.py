"""Which sectors each sampled block touched: one array of all, cut where it is looked at."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

Sectors = NDArray[np.uint64]
FEW = 1 << 14
"""Sectors that are rather copied: what the library lends has room for more."""


@dataclass(frozen=True, slots=True, eq=False)
class Footprints(Sequence[Sectors]):
    """Each block's sectors, in the order of the sampled blocks."""

    sectors: Sectors
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Sectors: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sectors]: ...
    def __getitem__(self, index: int | slice) -> Sectors | Sequence[Sectors]:
        if isinstance(index, slice):
            return Footprints(self.sectors, self.starts[index], self.counts[index])
        start = int(self.starts[index])
        return self.sectors[start : start + int(self.counts[index])]


class _Lent:
    """Memory of the C library as NumPy sees it; given back when no array has it any more."""

    def __init__(self, library: ctypes.CDLL, address: int, count: int) -> None:
        self._library, self._address = library, address
        place = {"shape": (count,), "typestr": "<u8", "data": (address, False), "version": 3}
        self.__array_interface__ = place

    def __del__(self) -> None:
        self._library.vg_give_back_footprints(self._address)


def lent(library: ctypes.CDLL, address: int | None, count: int) -> Sectors:
    """The array of `count` sectors that the C library lends at an address, if there are any."""
    if address is None:
        return np.zeros(0, np.uint64)
    found: Sectors = np.asarray(_Lent(library, address, count))
    return found.copy() if count <= FEW else found
