"""Launches that may begin before the one before them has ended, and never wait for it.

Here launches run one after another, whatever they were asked for; on hardware one that is launched to overlap
begins once all blocks of the one before have called `griddepcontrol.launch_dependents`, or have ended.
Whether a kernel that waits somewhere does so before it reads is not looked at, nor are buffers known to be
shared whose addresses no parameter holds as they are.
"""

import ctypes
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from cudamaster.toolchain.devices.virtual.faults import demangled
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Kernel, Symbol
from cudamaster.toolchain.outputs import Fault

MOST_BYTES = 64 << 20
"""Of memory that a launch can reach, above which it is not looked at: small calls show as much."""
Buffer = tuple[int, int]
"""First address and bytes of memory on the device."""
Checksums = dict[Buffer, int]


class Ordering(NamedTuple):
    """What a kernel's code does about the launches before and behind it."""

    releases: bool
    """Whether it may let the next one begin before it ends."""
    waits: bool
    """Whether it may wait for the one before."""
    names: frozenset[str]
    """What it takes the address of: variables, and labels."""

    @classmethod
    def of(cls, kernel: Kernel) -> "Ordering":
        """Look at a prepared kernel."""
        code = [instruction for block in kernel.blocks for instruction in block]
        control = {m for i in code if i.base == "griddepcontrol" for m in i.modifiers}
        return cls("launch_dependents" in control, "wait" in control, _named_in(code))


class Runs(Protocol):
    """What runs launches: the engine."""

    def launch(self, request: LaunchRequest) -> Fault | None:
        """Run every block."""

    def ordering(self, request: LaunchRequest) -> Ordering:
        """Of the kernel."""

    def allocations(self) -> tuple[Buffer, ...]:
        """Every live device buffer."""

    def symbol_address(self, name: str) -> int:
        """Of a module's variable; KeyError if there is none."""


class Launched(NamedTuple):
    """A launch that may still run."""

    kernel: str
    ordering: Ordering
    reached: frozenset[Buffer]
    changed: frozenset[Buffer]


@dataclass(slots=True)
class InFlight:
    """What may still run, on hardware, as the next launch begins."""

    _last: Launched | None = None
    _before: tuple[Launched, ...] = ()
    """What may still run beside the last one."""
    _told: set[str] = field(default_factory=set)

    def wait(self) -> None:
        """Something came between that waits for all of them."""
        self._last, self._before = None, ()

    def run(self, request: LaunchRequest, engine: Runs) -> tuple[Fault | None, Fault | None]:
        """Run it: the fault that ended it, and the one that it uses what another one may yet write."""
        ordering, before = engine.ordering(request), self._before_of(request)
        looked = ordering.releases or (request.overlaps and not ordering.waits)
        sums = _checksums(_reached(request, ordering, engine)) if looked else {}
        fault = engine.launch(request)
        changed = frozenset(buffer for buffer, now in _checksums(sums).items() if now != sums[buffer])
        self._last = Launched(request.kernel, ordering, frozenset(sums), changed)
        self._before = before
        return fault, None if ordering.waits else self._told_of(self._last, before)

    def _before_of(self, request: LaunchRequest) -> tuple[Launched, ...]:
        if not request.overlaps or self._last is None:
            return ()
        last = self._last.ordering
        still = () if last.waits and not last.releases else self._before
        return (*still, self._last) if self._last.ordering.releases else still

    def _told_of(self, last: Launched, before: Sequence[Launched]) -> Fault | None:
        clash = next((one for one in before if _clash(one, last)), None)
        if clash is None or last.kernel in self._told:
            return None
        self._told.add(last.kernel)
        message = (
            f"a missing wait: it is launched to overlap {demangled(clash.kernel)}, the kernel before it, "
            "with which it shares memory, and never waits for it (cudaGridDependencySynchronize(), "
            "griddepcontrol.wait)"
        )
        return Fault("race", message, demangled(last.kernel))


def _clash(one: Launched, other: Launched) -> bool:
    """Whether one may write what the other uses."""
    return bool(one.changed & other.reached or one.reached & other.changed)


def _reached(request: LaunchRequest, ordering: Ordering, engine: Runs) -> list[Buffer]:
    """The allocations that an aligned word of the parameters points into, and the variables; none of many."""
    parameters, own = request.parameters, set(_addresses(ordering.names, engine))
    words = np.frombuffer(parameters[: len(parameters) & ~7], np.uint64)
    found = [
        (base, size)
        for base, size in engine.allocations()
        if base in own or np.any((words >= base) & (words < base + size))
    ]
    return found if sum(size for _, size in found) <= MOST_BYTES else []


def _addresses(names: Iterable[str], engine: Runs) -> Iterator[int]:
    for name in names:
        with suppress(KeyError):
            yield engine.symbol_address(name)


def _named_in(code: Iterable[Instruction]) -> frozenset[str]:
    operands = [operand for instruction in code for operand in instruction.operands]
    places = [operand.base if isinstance(operand, Address) else operand for operand in operands]
    return frozenset(place.name for place in places if isinstance(place, Symbol))


def _checksums(buffers: Iterable[Buffer]) -> Checksums:
    return {(base, size): zlib.crc32((ctypes.c_char * size).from_address(base)) for base, size in buffers}
