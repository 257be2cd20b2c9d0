"""Which blocks of a launch are sampled, which launches are, and how many launches each sample stands for."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cudamaster.toolchain.devices.virtual.launch import MISSED_SECTORS, LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.tallies import of_parts


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How launches are sampled."""

    blocks: int = 8
    """Most blocks with counters a launch."""
    same_launches: int = 2
    """Launches of one kernel, grid and block that are sampled whatever their scalars are."""
    scalar_sets: int = 64
    """Most different scalar parameters of one kernel, grid and block that are each sampled."""
    drawn_repeats: int = 4
    """Repeats of one kernel, grid and block that are sampled, and of later ones so many in each e-fold."""
    whole_below: float = 2e8
    """Thread instructions (estimated) up to which blocks are counted within the whole grid: that is exact,
    and later kernels see right data."""
    whole_total: float = 4e9
    """Estimated thread instructions that whole grids may take together in one call."""
    snapshot_bytes: int = 256 << 20
    """Writable device memory up to which a sampled launch is undone before its whole grid runs."""
    seed: int = 0
    anywhere: bool = False
    """Whether all but the ends are drawn by the seed."""
    least_bytes: int = 0
    """What the call must touch of its buffers, or it is sampled again with every launch run whole before."""
    alone: bool = False
    """Whether a launch whose sampled blocks depend on others ends the call, and is not counted as all run."""
    within: bool = False
    """Whether launches run whole, once, their sampled blocks counted as they run among the others."""

    def whole(self) -> "SamplePlan":
        """The same samples, counted within whole launches."""
        return replace(self, within=True)


def sampled_blocks(grid: tuple[int, int, int], plan: SamplePlan) -> tuple[int, ...]:
    """Linear block indices to sample, sorted.

    First, last, the middle one with its x- and y-neighbour, which show what blocks share, then one from each
    of evenly spaced strata, drawn by the plan's seed.
    """
    width, height, depth = grid
    total = width * height * depth
    if total <= plan.blocks:
        return tuple(range(total))
    source = random.Random(f"{plan.seed}:{grid}")
    middle = (depth // 2 * height + height // 2) * width + width // 2
    chosen = dict.fromkeys((0, total - 1) if plan.anywhere else (0, total - 1, middle))
    if plan.anywhere:
        width = height = 1
    if width > 1:
        chosen[middle + 1 if width // 2 + 1 < width else middle - 1] = None
    if height > 1:
        chosen[middle + width if height // 2 + 1 < height else middle - width] = None
    strata = max(1, plan.blocks - len(chosen))
    for i in range(strata):
        chosen[int(total * (i + source.random()) / strata)] = None
    return tuple(sorted(list(chosen)[: plan.blocks]))


def apart(blocks: tuple[int, ...], total: int) -> tuple[tuple[int, ...], ...]:
    """The sampled blocks in groups counted apart: both ends of the grid, and those that stand for the rest.

    Ends often do other work than the rest: edges of a field, a half-empty last block.
    """
    if len(blocks) == total:
        return (blocks,)
    ends = tuple(block for block in blocks if block in (0, total - 1))
    return ends, tuple(block for block in blocks if block not in ends)


def joined(parts: Sequence[SampledLaunch]) -> SampledLaunch:
    """One sample of those of `apart`: the ends count for themselves, the others for all other blocks."""
    if len(parts) == 1:
        return parts[0]
    ends, others = parts
    total = ends.request.block_count
    blocks, footprints = ends.sampled_blocks + others.sampled_blocks, (*ends.footprints, *others.footprints)
    order = sorted(range(len(blocks)), key=blocks.__getitem__)
    longest, longest_warp = of_parts(ends, others)
    own = len(blocks) / total
    rest = own * (total - len(ends.sampled_blocks)) / len(others.sampled_blocks)
    return replace(
        others,
        sampled_blocks=tuple(blocks[i] for i in order),
        footprints=tuple(footprints[i] for i in order),
        block_counts=np.rint(own * ends.block_counts + rest * others.block_counts).astype(np.int64),
        site_counts=np.rint(own * ends.site_counts + rest * others.site_counts).astype(np.int64),
        seconds=ends.seconds + others.seconds,
        instructions=np.concatenate([ends.instructions, others.instructions])[order],
        longest=longest,
        longest_warp=longest_warp,
        path_counts=np.rint(own * ends.path_counts + rest * others.path_counts).astype(np.int64),
        depends=ends.depends or others.depends,
    )


def thread_instructions(sample: SampledLaunch) -> float:
    """Estimated thread instructions of the whole grid, from the sampled blocks."""
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.float64)
    executed = float(sample.block_counts[:, 1].astype(np.float64) @ lengths)
    return executed * sample.request.block_count / max(1, len(sample.sampled_blocks))


def warp_instructions(sample: SampledLaunch) -> float:
    """As `thread_instructions`, of warps."""
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.int64)
    issued = float(sample.block_counts[:, 0] @ lengths)
    return issued * sample.request.block_count / max(1, len(sample.sampled_blocks))


def scalars_of(parameters: bytes, allocations: Sequence[tuple[int, int]]) -> bytes:
    """The parameter block with zeros for addresses: aligned words within one of the (address, bytes)."""
    words = np.frombuffer(parameters[: len(parameters) & ~7], np.uint64).copy()
    for base, size in allocations:
        words[(words >= base) & (words < base + size)] = 0
    return words.tobytes() + parameters[len(words) * 8 :]


COSTLIER = 1.1
"""Times the work of another launch that the same launch may have by its data."""

_Kind = tuple[str, tuple[int, int, int], tuple[int, int, int], int]
_Key = tuple[_Kind, bytes | None]
"""A kind of launch with its scalars; None for those of launches after too many different ones."""


@dataclass(slots=True)
class _Seen:
    """What was seen of the launches of one kind."""

    sampled: int = 0
    scalar_sets: set[bytes] = field(default_factory=set)
    repeats: int = 0


@dataclass(slots=True)
class Samples:
    """The samples of one call, in order.

    A launch that is not sampled counts as another of its kernel, shape and scalars. Device memory may make
    it do other work than that, so some are sampled too, drawn by `draws`. One that does more than the launch
    it would count as stands for all that were counted so; else the draw leaves no trace.
    """

    plan: SamplePlan
    draws: random.Random = field(default_factory=random.SystemRandom)
    """Not to be foreseen by the code that launches."""
    order: list[int] = field(default_factory=list)
    """Of each launch in turn which sample it counts as."""
    _taken: list[tuple[SampledLaunch, int]] = field(default_factory=list)
    _seen: dict[_Kind, _Seen] = field(default_factory=dict)
    _standing: dict[_Key, int] = field(default_factory=dict)
    """Where the sample is that later launches count as."""

    def is_due(self, request: LaunchRequest, scalars: bytes) -> bool:
        """Whether this launch is to be sampled in any case."""
        seen = self._seen.get(_kind(request), _Seen())
        return seen.sampled < self.plan.same_launches or self._key(request, scalars) not in self._standing

    def is_drawn(self, request: LaunchRequest) -> bool:
        """Whether a launch that is not due is to be sampled all the same."""
        seen = self._seen[_kind(request)]
        seen.repeats += 1
        return self.draws.random() * seen.repeats < self.plan.drawn_repeats

    def take(self, sample: SampledLaunch, scalars: bytes) -> None:
        """Add the sample of a launch that was due, which stands for itself and those like it that follow."""
        key = self._key(sample.request, scalars)
        seen = self._seen.setdefault(key[0], _Seen())
        seen.sampled += 1
        if key[1] is not None:
            seen.scalar_sets.add(key[1])
        self._standing[key] = len(self._taken)
        self.order.append(len(self._taken))
        self._taken.append((sample, 1))

    def compare(self, drawn: SampledLaunch, scalars: bytes) -> None:
        """Count a launch that was drawn: as those like it or, where it does more, they as it."""
        key = self._key(drawn.request, scalars)
        place = self._standing[key]
        sample, count = self._taken[place]
        self.order.append(place)
        if not _does_more(drawn, sample):
            self._taken[place] = (sample, count + 1)
            return
        self._taken[place] = (sample, 1)
        self._standing[key] = len(self._taken)
        later = self.order.index(place) + 1
        self.order[later:] = [len(self._taken) if one == place else one for one in self.order[later:]]
        self._taken.append((drawn, count))

    def count_known(self, sample: SampledLaunch, scalars: bytes) -> None:
        """Count a launch that was looked at though it was not due: as those like it, or else as itself."""
        place = self._standing[self._key(sample.request, scalars)]
        standing, count = self._taken[place]
        if _does_more(sample, standing) or _does_more(standing, sample):
            self.order.append(len(self._taken))
            self._taken.append((sample, 1))
        else:
            self.order.append(place)
            self._taken[place] = (standing, count + 1)

    def repeat(self, request: LaunchRequest, scalars: bytes) -> SampledLaunch:
        """Count one more launch like the sample that it is taken for, which is returned."""
        place = self._standing[self._key(request, scalars)]
        sample, count = self._taken[place]
        self._taken[place] = (sample, count + 1)
        self.order.append(place)
        return sample

    def counted(self) -> Iterator[tuple[SampledLaunch, int]]:
        """Each sample with the number of launches it stands for."""
        return iter(self._taken)

    def _key(self, request: LaunchRequest, scalars: bytes) -> _Key:
        kind = _kind(request)
        known = self._seen.get(kind, _Seen()).scalar_sets
        return kind, scalars if scalars in known or len(known) < self.plan.scalar_sets else None


def _kind(request: LaunchRequest) -> _Kind:
    return request.kernel, request.grid, request.block, request.dynamic_shared_bytes


def _does_more(sample: SampledLaunch, other: SampledLaunch) -> bool:
    """Whether a launch, or its busiest block, issues more or asks more of L2 than another one's."""
    return any(a > COSTLIER * b for a, b in zip(_work(sample), _work(other), strict=True))


def _work(sample: SampledLaunch) -> tuple[float, float, float]:
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.int64)
    issued = float(sample.block_counts[:, 0] @ lengths)
    return (
        issued,
        float(sample.site_counts[:, MISSED_SECTORS].sum()),
        issued * sample.longest * sample.stretch,
    )
