"""What came of running an entry once: the tensors afterwards, or why there are none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from numpy.typing import NDArray


class FailureKind(StrEnum):
    """Why a call gave no outputs."""

    BUILD_FAILED = "build_failed"
    """There is nothing to call: the source has no entry or does not compile."""
    LAUNCH_FAILED = "launch_failed"
    """A launch or runtime call was refused, or the kernel faulted (bad address, trap, deadlock)."""
    TIMED_OUT = "timed_out"
    """The call did not end within its limit."""
    CRASHED = "crashed"
    """Host code of the candidate died, exited, forked or ran out of memory."""
    UNSUPPORTED = "unsupported"
    """The virtual GPU does not know an opcode or runtime call: neither right nor wrong."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something a device saw go wrong, placed in the source where it can be."""

    kind: str
    """`out_of_bounds`, `race`, `uninitialised`, `barrier_divergence`, `deadlock`, `order_dependent` …"""
    message: str
    """One sentence: what, on which buffer, how far outside."""
    kernel: str | None = None
    """Demangled kernel name."""
    line: int | None = None
    """1-based line of the candidate's source."""
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    other_line: int | None = None
    """Of a race or a missing wait: where the other access is."""

    def __str__(self) -> str:
        """The message with its place."""
        line = f", line {self.line}" if self.line else ""
        place = f" (kernel {self.kernel}{line})" if self.kernel else ""
        where = f", thread {self.thread} of block {self.block}" if self.thread and self.block else ""
        return f"{self.message}{where}{place}"


TOO_LARGE = "device_memory"
"""Kind of the fault that the data of a call does not fit on the device, whichever kernel is called."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """A call that gave no outputs: a value, since a bad candidate is nobody's exception."""

    kind: FailureKind
    reason: str
    """One sentence a person can act on."""
    fault: Fault | None = None

    @property
    def too_large(self) -> bool:
        """Whether it says nothing of the kernel: the data of the call does not fit on the device."""
        return self.fault is not None and self.fault.kind == TOO_LARGE


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """A call that returned."""

    arrays: Mapping[str, NDArray[Any]]
    """Every OUTPUT and IN_PLACE tensor after the call, by name."""
    changed_inputs: tuple[str, ...]
    """INPUT tensors whose bytes differ after the call."""
    overwritten_guards: tuple[str, ...]
    """Tensors whose guard bands (before or behind) were written."""
    faults: tuple[Fault, ...]
    """What the device saw that did not stop the call, such as a shared-memory race."""
    leaked_bytes: int
    """Device memory the entry allocated and did not free."""
    seconds: float
    """Wall time of the call in the worker; not a kernel time."""
    notes: tuple[Fault, ...] = ()
    """What is harmless where every result is right, and may be the reason where one is wrong."""
    unwatched: bool = False
    """Whether a call that would be looked at closely was not: that takes too long."""
    kernels: frozenset[str] | None = None
    """Mangled names of those it launched; None where nobody knows."""
    reordered: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """What a call with threads in another order wrote, where that differs: it has to be right too."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What tools found that watched calls of an entry."""

    checks: tuple[str, ...]
    """Those that ran to their end."""
    faults: tuple[Fault, ...]
    missing: str | None = None
    """Why a check did not run, and what mends it; None where all did."""
