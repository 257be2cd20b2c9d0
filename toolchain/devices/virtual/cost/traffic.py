"""Bytes a launch moves between L1, L2 and DRAM.

DRAM bytes are compulsory ones (every distinct byte once) plus those fetched again because more than L2 was
touched in between: buffers that a later wave of resident blocks reads once more, and later sweeps of a
block over its own data.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.cost.footprint import (
    SECTOR_BYTES,
    BufferFootprint,
    buffer_footprints,
)
from cudamaster.toolchain.devices.virtual.cost.l2_contents import Stretch, stretches
from cudamaster.toolchain.devices.virtual.cost.regions import Region
from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite
from cudamaster.toolchain.devices.virtual.cost.subject import Subject


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of one launch, whole grid."""

    l2_load_bytes: float
    """Load sectors that L1 did not hold."""
    l2_store_bytes: float
    l2_atomic_bytes: float
    dram_read_bytes: float
    dram_write_bytes: float
    atomic_places: float
    """Sectors that global atomics are spread over."""

    @property
    def dram_bytes(self) -> float:
        """Bytes read and written."""
        return self.dram_read_bytes + self.dram_write_bytes

    @property
    def l2_bytes(self) -> float:
        """Bytes between L1 and L2."""
        return self.l2_load_bytes + self.l2_store_bytes + self.l2_atomic_bytes

    @property
    def dram_share(self) -> float:
        """Share of the loads at L2 that DRAM answers."""
        return min(1.0, self.dram_read_bytes / self.l2_load_bytes) if self.l2_load_bytes else 0.0


@dataclass(slots=True)
class _Buffer:
    """How the sampled sites use one buffer."""

    loads: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    """Missed load sectors by region."""
    stored_bytes: float = 0.0
    atomics: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """How a launch uses its buffers, whatever L2 holds before it."""

    subject: Subject
    buffers: Sequence[_Buffer]
    footprints: Sequence[BufferFootprint]
    waves: "_Waves"
    unique_bytes: Sequence[float]
    """Distinct bytes that the grid touches, by allocation and then of everything else."""
    where: tuple[Stretch | None, ...]
    """The addresses of those."""

    def moved(self, by: Sequence[int]) -> list[Stretch | None]:
        """`where` of a launch that was given other pointers."""
        return [stretch and stretch.moved(step) for stretch, step in zip(self.where, by, strict=True)]


def use_of(subject: Subject) -> Use:
    """What can be said of a launch's traffic before it is known what L2 holds."""
    launch = subject.launch
    footprints = buffer_footprints(launch, subject.gpu.model.dram_access_bytes)
    buffers = _uses(len(launch.allocations), subject.sites, subject.regions)
    waves = _Waves(subject, footprints)
    unique = [waves.unique(index, buffer) for index, buffer in enumerate(buffers)]
    return Use(subject, buffers, footprints, waves, unique, stretches(launch, unique))


def estimate_traffic(use: Use, held: Sequence[float]) -> Traffic:
    """Traffic of the whole grid, of whose bytes L2 holds the shares `held`, buffer by buffer, before it."""
    subject, waves = use.subject, use.waves
    reads = writes = 0.0
    for index, (buffer, unique) in enumerate(zip(use.buffers, use.unique_bytes, strict=True)):
        if not unique:
            continue
        if not buffer.stored_bytes or buffer.loads or buffer.atomics:
            reads += waves.read_bytes(index, buffer, unique, held[index])
        if buffer.stored_bytes or buffer.atomics:
            writes += waves.written_bytes(index, buffer, unique)
    sent = _sent_bytes(subject)
    return Traffic(
        sent["load"],
        sent["store"],
        sent["atomic"],
        reads if sent["load"] or sent["atomic"] else 0.0,
        writes,
        _atomic_places(use.buffers, use.footprints, subject.launch.request.grid),
    )


def _uses(buffers: int, sites: Sequence[CountedSite], regions: Sequence[Region]) -> list[_Buffer]:
    """Use of each allocation; the last one is of sites of unknown origin."""
    region_of = {block: i for i, region in enumerate(regions) for block in region.blocks}
    uses = [_Buffer() for _ in range(buffers + 1)]
    for site in sites:
        if site.space != "global":
            continue
        use = uses[buffers if site.allocation is None else site.allocation]
        if site.kind == "store":
            use.stored_bytes += site.lanes * site.bytes_per_lane
        elif site.kind == "atomic":
            use.atomics += site.sectors
        elif site.sectors:
            use.loads[region_of.get(site.block_index, -1)] += site.missed
    return uses


class _Waves:
    """Distinct bytes of the grid and of one wave of resident blocks, buffer by buffer."""

    def __init__(self, subject: Subject, footprints: Sequence[BufferFootprint]) -> None:
        gpu, request = subject.gpu, subject.launch.request
        self._grid, self._blocks = request.grid, request.block_count
        self._samples, self._scale = subject.samples, subject.scale
        self._wave = subject.residency.resident_on_gpu
        self._footprints = footprints
        self._usable = gpu.device.l2_bytes * gpu.model.l2_usable_fraction
        distance = sum(self._of_wave(i) for i in range(len(footprints)))
        self._miss = max(0.0, 1 - self._usable / distance) if distance else 0.0

    def unique(self, index: int, use: _Buffer) -> float:
        """Distinct bytes of the buffer that the grid touches, at least those that mere stores fill."""
        footprint = self._footprints[index]
        whole = footprint.grid(self._grid)
        if use.loads or use.atomics or not footprint.own_bytes:
            return whole
        return max(whole, min(use.stored_bytes * self._scale, footprint.size_bytes))

    def read_bytes(self, index: int, use: _Buffer, unique: float, held: float) -> float:
        """Bytes DRAM answers: compulsory, again in later waves, again in later sweeps of a block.

        Of a buffer read at random L2 holds the same share at any time, however long ago a byte was read.
        """
        footprint = self._footprints[index]
        own = footprint.own_sectors
        if footprint.random and unique > self._usable:
            fetched = sum(use.loads.values()) * self._scale * footprint.own_bytes / own
            return max(unique * (1 - held), fetched * footprint.private * (1 - self._usable / unique))
        again = self._of_wave(index) * max(1.0, self._blocks / self._wave) / unique - 1
        sweeps = sum(min(missed / self._samples, own) for missed in use.loads.values()) / own - 1
        return unique * (1 - held + (max(0.0, again) + max(0.0, sweeps)) * self._miss)

    def written_bytes(self, index: int, use: _Buffer, unique: float) -> float:
        """Bytes written back: each distinct byte once, of a buffer that is only written whole sectors."""
        if use.atomics:
            return unique
        footprint, stored = self._footprints[index], use.stored_bytes * self._scale
        if not use.loads and footprint.own_bytes:
            stored = max(stored, unique * footprint.own_sectors * SECTOR_BYTES / footprint.own_bytes)
        return min(stored, unique)

    def _of_wave(self, index: int) -> float:
        """Bytes of the buffer that one wave touches, at least its even share of the grid's."""
        width = min(self._wave, self._grid[0])
        height = min(max(1.0, self._wave / self._grid[0]), self._grid[1])
        depth = max(1.0, self._wave / (self._grid[0] * self._grid[1]))
        footprint = self._footprints[index]
        share = self._wave / self._blocks * footprint.grid(self._grid)
        return max(share, footprint.rectangle(width, height, depth))


def _atomic_places(
    uses: Sequence[_Buffer], footprints: Sequence[BufferFootprint], grid: tuple[int, int, int]
) -> float:
    """Sectors of the buffers that atomics update."""
    places = 0.0
    for use, footprint in zip(uses, footprints, strict=True):
        if use.atomics and footprint.own_bytes:
            places += footprint.grid(grid) * footprint.own_sectors / footprint.own_bytes
    return max(1.0, places)


def _sent_bytes(subject: Subject) -> dict[str, float]:
    """Bytes that loads, stores and atomics send between L1 and L2."""
    sent = dict.fromkeys(("load", "store", "atomic"), 0.0)
    for site in subject.sites:
        kind = site.kind if site.kind in sent else "load"
        sent[kind] += site.l2_sectors * SECTOR_BYTES * subject.scale
    return sent
