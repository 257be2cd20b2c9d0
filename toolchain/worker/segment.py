"""Tensors in memory that the trusted process and a worker share, with guard bands around each.

The trusted process makes a segment, fills it, and reads it after the call: what a worker says about outputs
and guards is never asked. A segment's size is sealed, and one that is not `writable` cannot be written by
anybody else, whatever they try.
"""

import ctypes
import fcntl
import mmap
import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.worker.bands import bands, place

PROT_NONE, MAP_FIXED = 0, 0x10
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE = 1, 2, 4, 16


class Segment:
    """Shared memory that holds `arrays`, of any dtypes and shapes, by name; those of `blank` hold zeros."""

    def __init__(
        self, arrays: Mapping[str, NDArray[Any]], *, writable: bool, blank: Collection[str] = ()
    ) -> None:
        self.writable = writable
        self._blank = frozenset(blank)
        self.placements, self.nbytes = place({name: array.nbytes for name, array in arrays.items()})
        self._bands = bands(self.placements, self.nbytes)
        self._arrays: dict[str, NDArray[Any]] = {}
        self.file = os.memfd_create("tensors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        """For the worker to map."""
        os.ftruncate(self.file, self.nbytes)
        self._memory = mmap.mmap(self.file, self.nbytes)
        self._bytes = np.frombuffer(self._memory, np.uint8)
        seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | (0 if writable else F_SEAL_FUTURE_WRITE)
        fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, seals)
        self._poison_gaps()
        self.reset(arrays)

    def reset(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Give every tensor its first bytes again, those of `arrays`: the same names, shapes and dtypes.

        Blank ones stay as they are: memory that nobody touched takes no room and no time.
        """
        self._arrays = dict(arrays)
        for placement in (p for p in self.placements if p.name not in self._blank):
            self.view(placement.name)[:] = self._arrays[placement.name].reshape(-1)

    def read(self, name: str) -> NDArray[Any]:
        """A copy of a tensor as it is now."""
        return self.view(name).copy().reshape(self._arrays[name].shape)

    def view(self, name: str) -> NDArray[Any]:
        """A tensor, flat, in the shared memory itself: to be dropped before the segment is closed."""
        placement = next(p for p in self.placements if p.name == name)
        return self._bytes[placement.offset : placement.end].view(self._arrays[name].dtype)

    def overwritten_guards(self) -> tuple[str, ...]:
        """Names of the tensors beside which a guard band was written; bands are whole again afterwards."""
        written = [name for band in self._bands for name in band.written(self._bytes[band.start : band.end])]
        if written:
            self._poison_gaps()
        return tuple(dict.fromkeys(written))

    def close(self) -> None:
        """Give the memory back; what a worker that still maps it is lent read-only stays as long as that."""
        if self.file >= 0:
            if self.writable:
                self._memory.madvise(mmap.MADV_REMOVE)
            os.close(self.file)
            self.file = -1
            del self._bytes
            self._memory.close()

    def __del__(self) -> None:
        self.close()

    def _poison_gaps(self) -> None:
        for band in self._bands:
            self._bytes[band.start : band.end] = band.poison()


class MappedSegment:
    """A segment as a worker sees it, at `place`, addresses that the worker has reserved."""

    def __init__(self, file: int, nbytes: int, place: int, *, writable: bool) -> None:
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        _map(place, nbytes, access, mmap.MAP_SHARED, file)
        self.address = place
        """Of the segment's first byte."""
        self.nbytes = nbytes
        self.writable = writable

    def close(self) -> None:
        """Unmap it; its addresses stay reserved."""
        _map(self.address, self.nbytes, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1)


def _map(place: int, nbytes: int, access: int, kind: int, file: int) -> None:
    """mmap(2) at this very place. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    size, offset = ctypes.c_size_t(nbytes), ctypes.c_long(0)
    found = libc.mmap(ctypes.c_void_p(place), size, access, kind | MAP_FIXED, file, offset)
    if found != place:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
