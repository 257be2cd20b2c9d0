"""How many bytes of each buffer a call reads or writes, of all its blocks from those that were sampled."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.traces import Extent

SECTOR_BYTES = 32
Buffer = tuple[str, int, int]
"""Name, address, bytes."""
Counted = Sequence[tuple[SampledLaunch, int]]
"""Samples, each with the number of launches it stands for."""


Repeats = Collection[tuple[bytes, bytes]]
"""Parameters of launches that were not sampled, beside those of the samples that they count as."""


def extents(samples: Counted, buffers: Iterable[Buffer], repeats: Repeats = ()) -> Mapping[str, Extent]:
    """Of every buffer; a byte that two blocks touch counts twice, and a launch for all that it stands for.

    A buffer that a launch is given and its sample is not, it may touch whole.
    """
    return {name: _with(repeats, _extent(samples, *place), *place) for name, *place in buffers}


def touched_bytes(
    samples: Counted, buffers: Sequence[Buffer], moved_bytes: int, repeats: Repeats = ()
) -> float:
    """At most what the call reads and writes of the buffers, `moved_bytes` of it without a kernel."""
    found = extents(samples, buffers, repeats)
    return moved_bytes + sum(min(found[name].most, nbytes) for name, _, nbytes in buffers)


def _with(repeats: Repeats, extent: Extent, address: int, nbytes: int) -> Extent:
    """The extent, with what launches that were not sampled may touch of a buffer."""
    others = any(_given(own, address, nbytes) and not _given(of, address, nbytes) for own, of in repeats)
    return replace(extent, most=extent.most + nbytes) if others else extent


def _given(parameters: bytes, address: int, nbytes: int) -> bool:
    """Whether one of the aligned words is an address within the buffer."""
    words = np.frombuffer(parameters[: len(parameters) & ~7], np.uint64)
    return bool(np.any((words >= address) & (words < address + nbytes)))


def _extent(samples: Counted, address: int, nbytes: int) -> Extent:
    least = usual = most = by_samples = 0.0
    for sample, launches in samples:
        touched = np.array([_touched(sectors, address, nbytes) for sectors in sample.footprints])
        total, blocks = sample.request.block_count, np.array(sample.sampled_blocks)
        whole = len(blocks) == total
        ends = (blocks == 0) | (blocks == total - 1) | whole
        own, rest = float(touched[ends].sum()), total - int(ends.sum())
        others = touched[~ends] if rest and not ends.all() else touched
        least += launches * (own + rest * float(others.min()))
        usual += launches * (own + rest * float(others.mean()))
        most += launches * (own + rest * float(touched.max()))
        by_samples += float(touched.sum())
    return Extent(least, usual, most, by_samples)


def _touched(sectors: NDArray[np.uint64], address: int, nbytes: int) -> int:
    """Bytes of sorted sectors within a buffer."""
    ends = np.array([address // SECTOR_BYTES, (address + nbytes - 1) // SECTOR_BYTES + 1], np.uint64)
    first, last = np.searchsorted(sectors, ends)
    return int(min(SECTOR_BYTES * (last - first), nbytes))
