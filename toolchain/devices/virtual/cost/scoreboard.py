"""How long one warp would take alone: a scoreboard over straight-line regions.

Inside a region instructions start as soon as their operands are there (ptxas hoists loads), never before
the last barrier, a load not before a store to what may be its word, and at most one a clock. Values still on
their way at a region's end are waited for by their first reader in the next region, entered from its most
executed predecessor: a loop that loads its next tile early hides the latency. A short counted loop is walked
as many times in a row as ptxas unrolls it.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cudamaster.toolchain.devices.virtual.cost.dataflow import KEPT_KERNELS, reads, writes
from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering
from cudamaster.toolchain.devices.virtual.cost.regions import Region
from cudamaster.toolchain.devices.virtual.cost.words import Place, Stores, place_of
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Kernel

_PASSES = 3
"""Enough for values carried around nested loops: each pass follows them over one more edge."""

Latency = Callable[[Instruction], float]
"""Cycles from an instruction's start to its result."""
_Code = Sequence[tuple["_Step", float]]
"""A region's steps, each with its latency."""


class _Step(NamedTuple):
    """An instruction and what a walk needs to know of it."""

    instruction: Instruction
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    issue: float
    barrier: bool
    fence: bool
    asynchronous: bool
    """Whether it is of the `cp.async` family."""
    place: Place | None
    """Of a load or store that may be of a word which another one writes."""


@functools.lru_cache(KEPT_KERNELS)
def _steps(kernel: Kernel, lowering: Lowering) -> tuple[tuple[_Step, ...], ...]:
    """Of each basic block."""
    return tuple(tuple(_step(instruction, lowering) for instruction in block) for block in kernel.blocks)


def _step(instruction: Instruction, lowering: Lowering) -> _Step:
    return _Step(
        instruction=instruction,
        reads=reads(instruction),
        writes=writes(instruction),
        issue=lowering.issue(instruction),
        barrier=is_barrier(instruction),
        fence=instruction.base in ("membar", "fence"),
        asynchronous=instruction.base == "cp" and "async" in instruction.modifiers,
        place=place_of(instruction),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Event:
    """One instruction that started, and what it had waited for."""

    instruction: Instruction
    start: float
    cause: "_Event | None"


@dataclass(frozen=True, slots=True)
class _Due:
    """A result and when it is there."""

    at: float
    by: _Event | None


_AT_ONCE = _Due(0.0, None)


@dataclass(slots=True)
class _Pending:
    """What is still on its way when a region ends, in cycles after that end."""

    ready: dict[str, _Due] = field(default_factory=dict)
    groups: list[_Due] = field(default_factory=list)
    """Committed groups of asynchronous copies, the oldest first."""


_NOTHING = _Pending()


@dataclass(frozen=True, slots=True)
class RegionTime:
    """One region's steady state."""

    cycles: float
    blame: Mapping[Instruction, float]
    """Cycles by the instruction whose result, or issue, was waited for."""


def region_times(
    kernel: Kernel, regions: Sequence[Region], lowering: Lowering, latency: Latency, branch_cycles: float
) -> tuple[RegionTime, ...]:
    """Time of each region, entered in its usual state."""
    times: dict[int, RegionTime] = {}
    leaving: dict[int, _Pending] = {}
    entered: dict[int, _Pending] = {}
    steps = _steps(kernel, lowering)
    codes = [
        [(step, latency(step.instruction)) for block in region.blocks for step in steps[block]]
        for region in regions
    ]
    for _ in range(_PASSES):
        for index, region in enumerate(regions):
            usual = max(region.before, key=lambda i: (regions[i].executions, i), default=-1)
            entering = leaving.get(usual, _NOTHING)
            if entered.get(index) is entering:
                continue
            entered[index] = entering
            copies = max((lowering.copies[block] for block in region.blocks), default=1)
            times[index], leaving[index] = _Walk(entering).run(codes[index], copies, branch_cycles)
    return tuple(times[index] for index in range(len(regions)))


def is_barrier(instruction: Instruction) -> bool:
    """Whether a whole block meets here."""
    return instruction.base in ("bar", "barrier") and "warp" not in instruction.modifiers


class _Walk:
    """One pass over a region's instructions."""

    def __init__(self, entering: _Pending) -> None:
        self._ready = dict(entering.ready)
        self._groups = list(entering.groups)
        self._copies_in_flight: _Due | None = None
        self._floor = _AT_ONCE
        """The last barrier: nothing behind it starts earlier."""
        self._issued = 0.0
        """Issue slots since the last barrier."""
        self._last: _Event | None = None
        self._stores: Stores[_Due] = Stores()
        """Since the last barrier, by when each has started."""

    def run(self, code: _Code, copies: int, branch_cycles: float) -> tuple[RegionTime, _Pending]:
        for _ in range(copies):
            for step, latency in code:
                self._take(step, latency)
        end = max(self._now(), self._issue_time())
        if code and code[-1][0].instruction.base in ("bra", "brx"):
            end += branch_cycles
        blame = self._blame(code, end)
        time = RegionTime(end / copies, {i: cycles / copies for i, cycles in blame.items()})
        return time, _Pending(
            {name: _after(due, end) for name, due in self._ready.items() if due.at > end},
            [_after(due, end) for due in self._groups],
        )

    def _now(self) -> float:
        return 0.0 if self._last is None else self._last.start + 1

    def _issue_time(self) -> float:
        return self._floor.at + self._issued

    def _take(self, step: _Step, latency: float) -> None:
        due = self._floor
        for name in step.reads:
            ready = self._ready.get(name, _AT_ONCE)
            if ready.at > due.at:
                due = ready
        if step.place and step.instruction.base == "ld":
            due = max([due, *self._stores.that_may_be(step.place)], key=lambda d: d.at)
        if step.barrier:
            due = self._everything(due)
        if step.asynchronous:
            due = self._asynchronous(step, due, latency)
        self._start(step, due, latency)

    def _start(self, step: _Step, due: _Due, latency: float) -> None:
        done = due
        if step.issue:
            event = _Event(step.instruction, due.at, due.by)
            done = _Due(due.at + latency, event)
            if self._last is None or due.at >= self._last.start:
                self._last = event
            self._issued += step.issue
        if step.place and step.instruction.base == "st":
            self._stores.add(step.place, _Due(due.at + 1, self._last))
        for name in step.writes:
            self._ready[name] = done
        if step.barrier or step.fence:
            self._floor = done
            self._issued = 0.0
            self._stores = Stores()

    def _everything(self, due: _Due) -> _Due:
        """A barrier waits until all instructions before it have started."""
        started = max(self._now(), self._issue_time())
        return due if due.at >= started else _Due(started, self._last)

    def _asynchronous(self, step: _Step, due: _Due, latency: float) -> _Due:
        """When an instruction of the `cp.async` family starts; copies are collected until their commit."""
        instruction = step.instruction
        kind = instruction.modifiers[2]
        if kind == "commit_group":
            self._groups.append(self._copies_in_flight or due)
            self._copies_in_flight = None
            return due
        if kind not in ("wait_group", "wait_all"):
            copied = _Due(due.at + latency, _Event(instruction, due.at, due.by))
            self._copies_in_flight = max(self._copies_in_flight or copied, copied, key=lambda d: d.at)
            return due
        count = instruction.operands[0] if instruction.operands else None
        kept = count.value if isinstance(count, Integer) else 0
        waited = self._groups[: max(0, len(self._groups) - kept)]
        self._groups = self._groups[len(waited) :]
        if kind == "wait_all" and self._copies_in_flight:
            waited.append(self._copies_in_flight)
        return max([due, *waited], key=lambda d: d.at)

    def _blame(self, code: _Code, end: float) -> dict[Instruction, float]:
        """Follow the causes back from the last start; spread the time over all where issue was the limit."""
        if self._issue_time() >= self._now() and self._issued:
            total = sum(step.issue for step, _ in code)
            return {step.instruction: end * step.issue / total for step, _ in code}
        blame: dict[Instruction, float] = {}
        at, event = end, self._last
        while event is not None:
            start = min(at, max(0.0, event.start))
            blame[event.instruction] = blame.get(event.instruction, 0.0) + at - start
            at, event = start, event.cause
        return blame


def _after(due: _Due, end: float) -> _Due:
    """`due` as the next region sees it: the wait's cause is kept, the causes before that are not."""
    by = _Event(due.by.instruction, 0.0, None) if due.by else None
    return _Due(due.at - end, by)
