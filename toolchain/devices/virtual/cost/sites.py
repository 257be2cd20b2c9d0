"""What each memory instruction's requests touched, as the sampled blocks counted it."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from cudamaster.toolchain.devices.virtual.cost.pointers import site_allocations
from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    LINES,
    MISSED_SECTORS,
    REQUESTS,
    SECTORS,
    SampledLaunch,
    Site,
)
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

FRAGMENT_LOADS = 4
"""Machine loads of one `wmma.load`; the virtual GPU may count more, narrower ones."""
_SECTOR_WORDS = 8
_PAST_L1 = frozenset({"cg", "cv", "volatile", "relaxed", "acquire", "mmio"})
_ROUNDING = 1.05
"""How much more lanes may seem beside sectors: counts of sampled blocks are weighed, then rounded."""


@dataclass(frozen=True, slots=True)
class CountedSite:
    """One memory instruction that ran, summed over the sampled blocks."""

    instruction: Instruction
    block_index: int
    space: str
    """`global`, `shared` or `local`: a generic address has been resolved by what was counted of it."""
    kind: str
    bytes_per_lane: int
    allocation: int | None
    """Index into the launch's allocations that the address comes from; None where unknown."""
    requests: float
    lanes: float
    sectors: float
    """32-byte sectors, or wavefronts where `space` is shared."""
    missed: float
    """Sectors that L1 did not hold."""
    lines: float

    @property
    def loads(self) -> bool:
        """Whether it reads global memory without changing it."""
        return self.space == "global" and self.kind in ("load", "async_copy")

    @property
    def l2_sectors(self) -> float:
        """Sectors that reach L2; stores and atomics always do."""
        if self.space == "shared":
            return 0.0
        return self.missed if self.kind in ("load", "async_copy") else self.sectors

    @property
    def serial_updates(self) -> float:
        """Updates of a global atomic that L2 takes one after another.

        A sector's eight words are updated at once; more lanes than words in a sector must meet in one word.
        """
        crowded = self.lanes > _ROUNDING * _SECTOR_WORDS * self.sectors
        return self.lanes if crowded else self.sectors


class ConstantLoad(NamedTuple):
    """A load of constant memory that ran, summed over the sampled blocks."""

    requests: float
    addresses: float
    """Different ones among a request's lanes, summed over the requests."""

    @property
    def turns(self) -> float:
        """What follows the first address of each request."""
        return self.addresses - self.requests


def counted_sites(launch: SampledLaunch, combined: Collection[Instruction] = ()) -> tuple[CountedSite, ...]:
    """Sites that made requests, those of one instruction and space together; constant memory is left out.

    Of the atomics in `combined` one lane makes a warp's updates.
    """
    merged: defaultdict[tuple[Instruction, str], list[CountedSite]] = defaultdict(list)
    rows = zip(launch.sites, launch.site_counts.tolist(), site_allocations(launch), strict=True)
    for site, counts, allocation in rows:
        if counts[REQUESTS] and site.space != "const":
            one = _counted(site, [float(count) for count in counts], allocation)
            merged[one.instruction, one.space].append(one)
    sites = (_together(parts) for parts in merged.values())
    return tuple(_by_one_lane(site) if site.instruction in combined else site for site in sites)


def scattered_constants(launch: SampledLaunch) -> dict[Instruction, ConstantLoad]:
    """Loads of constant memory whose lanes differ in their addresses, answered one after another."""
    return {
        site.instruction: ConstantLoad(float(counts[REQUESTS]), float(counts[SECTORS]))
        for site, counts in zip(launch.sites, launch.site_counts, strict=True)
        if site.space == "const" and counts[SECTORS] > counts[REQUESTS]
    }


def _by_one_lane(site: CountedSite) -> CountedSite:
    return replace(site, lanes=site.requests, sectors=site.requests)


def passes_l1(instruction: Instruction) -> bool:
    """Whether a load goes to L2 whatever L1 holds: by its cache operator, volatile or synchronising."""
    return not _PAST_L1.isdisjoint(instruction.modifiers)


def _counted(site: Site, counts: list[float], allocation: int | None) -> CountedSite:
    space = site.space
    if space == "generic":
        space = "global" if counts[LINES] else "shared"
    return CountedSite(
        site.instruction,
        site.block_index,
        space,
        site.kind,
        site.bytes_per_lane,
        allocation,
        counts[REQUESTS],
        counts[LANES],
        counts[SECTORS],
        counts[SECTORS] if passes_l1(site.instruction) else counts[MISSED_SECTORS],
        counts[LINES],
    )


def _together(parts: list[CountedSite]) -> CountedSite:
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        requests=sum(part.requests for part in parts),
        lanes=sum(part.lanes for part in parts),
        sectors=sum(part.sectors for part in parts),
        missed=sum(part.missed for part in parts),
        lines=sum(part.lines for part in parts),
    )
