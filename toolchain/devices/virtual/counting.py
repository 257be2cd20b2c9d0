"""The arrays that the C runtime counts sampled blocks into, and what comes of them."""

import ctypes
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.codegen.frame import SITE_COLUMNS
from cudamaster.toolchain.devices.virtual.executable import Code, Executable
from cudamaster.toolchain.devices.virtual.footprints import Footprints, lent
from cudamaster.toolchain.devices.virtual.runtime import NativeLaunch

RESIDENT_BYTES = 512 << 20
"""What blocks that are resident together may take of memory."""


def resident_bytes(native: NativeLaunch) -> int:
    """What a resident block takes of memory."""
    warps = -(-native.block[0] * native.block[1] * native.block[2] // 32)
    a_warp = native.context_bytes + 32 * native.local_bytes
    return int(warps * a_warp + native.shared_bytes + 4096)


def places_kept(native: NativeLaunch, places: int) -> int:
    """How many of the GPU's `places` for blocks are made use of: as far as there is memory.

    All of them, in grids of any size: blocks in as many chains as there are places would not wait.
    """
    return max(1, min(places, RESIDENT_BYTES // resident_bytes(native)))


class Counting:
    """The arrays that a sampled launch counts into."""

    def __init__(
        self, native: NativeLaunch, executable: Executable, code: Code, blocks: Sequence[int]
    ) -> None:
        self.native, self.executable, self.code, self.blocks = native, executable, code, blocks
        basic_blocks, count = len(executable.kernel.blocks), len(blocks)
        self._split = 2 * basic_blocks
        counters = self._split + SITE_COLUMNS * len(code.sites)
        arrays, places = _zeros(counters, 2 * count, count * basic_blocks, self._split, *[count] * 3)
        self._counters, sampled, self._starts, self._counts = arrays[0], *arrays[4:]
        self.issued = arrays[1].reshape(2, count)
        """Of each sampled block: its warp instructions, and those along its longest path."""
        self.paths = arrays[2].reshape(count, basic_blocks)
        """Of each sampled block: how often its longest path leads through each basic block."""
        self.whole = arrays[3].reshape(basic_blocks, 2)
        """As `block_counts`, of all blocks of the grid, where they run."""
        sampled[:] = blocks
        native.counters, native.issued, native.paths = places[:3]
        native.sampled, native.footprint_starts, native.footprint_counts = places[4:]
        native.counter_count, native.sampled_count = counters, count

    @property
    def block_counts(self) -> NDArray[np.int64]:
        """Shape [basic blocks, 2]."""
        return self._counters[: self._split].reshape(-1, 2)

    @property
    def site_counts(self) -> NDArray[np.int64]:
        """Shape [sites, 5]."""
        return self._counters[self._split :].reshape(-1, SITE_COLUMNS)

    def take_footprints(self, library: ctypes.CDLL, native: NativeLaunch) -> Footprints:
        """Return each sampled block's sectors, sorted."""
        sectors = lent(library, library.vg_lend_footprints(ctypes.byref(native)), sum(self._counts.tolist()))
        return Footprints(sectors, self._starts, self._counts)


def _zeros(*lengths: int) -> tuple[list[NDArray[np.int64]], list[int]]:
    """Arrays of zeros in one piece of memory, and their addresses."""
    ends = list(itertools.accumulate(lengths, initial=0))
    whole = np.zeros(ends[-1], np.int64)
    first = ctypes.addressof(ctypes.c_char.from_buffer(whole.data)) if ends[-1] else 0
    arrays = [whole[start:end] for start, end in itertools.pairwise(ends)]
    return arrays, [first + whole.itemsize * start for start in ends[:-1]]
