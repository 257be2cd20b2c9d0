"""The arrays that the C runtime counts sampled blocks into, and what comes of them."""

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.codegen.frame import SITE_COLUMNS
from cudamaster.toolchain.devices.virtual.executable import Code, Executable
from cudamaster.toolchain.devices.virtual.runtime import NativeLaunch

RESIDENT_BYTES = 512 << 20
"""What blocks that are resident together may take of memory."""
MOST_LOOKS, LEAST_PLACES = 1 << 20, 64
"""How often blocks of a chain may look whether it is their turn, where each looks as often as there are
others beside it; and how many blocks are resident together in any case."""


def resident_bytes(native: NativeLaunch) -> int:
    """What a resident block takes of memory."""
    warps = -(-native.block[0] * native.block[1] * native.block[2] // 32)
    a_warp = native.context_bytes + 32 * native.local_bytes
    return int(warps * a_warp + native.shared_bytes + 4096)


def places_kept(native: NativeLaunch, places: int) -> int:
    """How many of the GPU's `places` for blocks are made use of: as far as there is memory and time."""
    blocks: int = native.grid[0] * native.grid[1] * native.grid[2]
    most: int = min(RESIDENT_BYTES // resident_bytes(native), max(LEAST_PLACES, MOST_LOOKS // blocks))
    return max(1, min(places, most))


class Counting:
    """The arrays that a sampled launch counts into."""

    def __init__(
        self, native: NativeLaunch, executable: Executable, code: Code, blocks: Sequence[int]
    ) -> None:
        self.native, self.executable, self.code, self.blocks = native, executable, code, blocks
        basic_blocks, count = len(executable.kernel.blocks), len(blocks)
        self._split = 2 * basic_blocks
        self.issued = np.zeros((2, count), np.int64)
        """Of each sampled block: its warp instructions, and those along its longest path."""
        self.paths = np.zeros((count, basic_blocks), np.int64)
        """Of each sampled block: how often its longest path leads through each basic block."""
        self.whole = np.zeros((basic_blocks, 2), np.int64)
        """As `block_counts`, of all blocks of the grid, where they run."""
        self._ranges = np.zeros((3, count), np.int64)
        """Of each sampled block: its index, where its footprint begins, and how many sectors that has."""
        self._ranges[0] = blocks
        self._counters = np.zeros(self._split + SITE_COLUMNS * len(code.sites), np.int64)
        native.sampled, native.sampled_count = self._ranges.ctypes.data, count
        native.footprint_starts = native.sampled + self._ranges.strides[0]
        native.footprint_counts = native.footprint_starts + self._ranges.strides[0]
        native.counters, native.counter_count = self._counters.ctypes.data, len(self._counters)
        native.issued, native.paths = self.issued.ctypes.data, self.paths.ctypes.data

    @property
    def block_counts(self) -> NDArray[np.int64]:
        """Shape [basic blocks, 2]."""
        return self._counters[: self._split].reshape(-1, 2)

    @property
    def site_counts(self) -> NDArray[np.int64]:
        """Shape [sites, 5]."""
        return self._counters[self._split :].reshape(-1, SITE_COLUMNS)

    def take_footprints(self, library: ctypes.CDLL, native: NativeLaunch) -> tuple[NDArray[np.uint64], ...]:
        """Return each sampled block's sectors, sorted, and free the library's copy."""
        _, starts, counts = self._ranges
        whole = np.empty(int(counts.sum()), np.uint64)
        library.vg_take_footprints(ctypes.byref(native), whole.ctypes.data)
        ranges = map(slice, starts.tolist(), (starts + counts).tolist())
        return tuple(map(whole.__getitem__, ranges))
