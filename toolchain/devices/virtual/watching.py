"""Watched calls: launches whose accesses are remembered, so that races and reads of unset memory show.

Blocks are watched until the call's allowance of accesses is used up; later ones run at full speed.
"""

import ctypes
from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.codegen.watching import has_fences
from cudamaster.toolchain.devices.virtual.executable import Code, Executable
from cudamaster.toolchain.devices.virtual.faults import fault_of
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.runtime import (
    FENCED,
    MOST_NOTED,
    OTHER_POISON,
    NativeFault,
    NativeLaunch,
)
from cudamaster.toolchain.outputs import Fault

MOST_ACCESSES = 1_000_000
"""Warp-wide accesses of a call that are watched: about half a second."""
FEW_ACCESSES = 30_000
"""The same of a large call: about ten milliseconds."""


@dataclass(slots=True)
class Watch:
    """One call's watch: what it may still look at, and what it found. Found faults end no launch."""

    accesses_left: int = MOST_ACCESSES
    in_passing: bool = False
    """Whether the call is no other than it would be unwatched: as quick, in the same order, on the same
    garbage."""
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)
    """Of which nothing may come: reads of unset shared memory, and races that lanes in step do not lose."""
    _noted: "ctypes.Array[NativeFault]" = field(default_factory=lambda: (NativeFault * MOST_NOTED)())

    def prepare(self, native: NativeLaunch, executable: Executable, plain: Code) -> None:
        """Have this launch watched; `plain` runs the blocks that go unwatched. Raises Unsupported."""
        native.options |= 0 if self.in_passing else OTHER_POISON
        if not self.accesses_left:
            return
        watched = executable.watched_code()
        if self.in_passing and not _same_sites(watched, plain):
            return
        native.options |= FENCED if has_fences(executable.kernel) else 0
        native.watched = watched.address
        if not _same_sites(watched, plain):
            native.function = watched.address
        native.sites, native.site_count = ctypes.addressof(watched.native_sites), len(watched.sites)
        native.threads = native.threads if self.in_passing else 1
        native.watched_accesses = self.accesses_left
        native.noted = ctypes.addressof(self._noted)

    def take(self, native: NativeLaunch, request: LaunchRequest, kernel: Kernel) -> None:
        """Take over what the launch noted."""
        if not native.noted:
            return
        self.accesses_left = native.watched_accesses
        for noted in self._noted[: native.noted_count]:
            (self.notes if noted.detail else self.faults).append(fault_of(noted, request, kernel))


def _same_sites(one: Code, other: Code) -> bool:
    """Whether two codes of a kernel number its accesses alike."""
    return one.translation.sites == other.translation.sites
