"""The seam: a device can build, run, time and profile one kernel. Nothing above knows which one it has.

One contract test suite (`tests/contract/`) runs against every implementation in `toolchain/devices/`.
"""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Examined, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan


class Device(Protocol):
    """Something with the four verbs. Every verb may be called from several threads at once."""

    spec: DeviceSpec
    """Limits and peaks: the roofline's corners."""
    clock: Clock
    """Copied into every `Timing` and record."""
    name: str
    """The name that opens it again, such as `virtual:h200`."""

    def build(self, source: KernelSource) -> Build:
        """Compile `source`; a failed build is a `Build` without a library."""

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """Call the entry once on a copy of `arguments` and return every tensor's bytes afterwards."""

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        """Time calls of the entry."""

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        """Count what one call of the entry does on the device, kernel by kernel."""

    def release(self, build: Build) -> None:
        """End every process that still holds `build`; harmless where there is none."""

    def close(self) -> None:
        """Release everything; the device is not used afterwards."""


@runtime_checkable
class Examining(Protocol):
    """A device that has tools for faults that its own runs do not see."""

    def examine(self, build: Build, arguments: Arguments) -> Examined:
        """Have calls of the entry watched; takes much longer than a run."""


@runtime_checkable
class Retaining(Protocol):
    """A device on which what a timed call wrote can be read afterwards."""

    def timed_outputs(self, build: Build, arguments: Arguments) -> Mapping[str, NDArray[Any]] | None:
        """What this thread's latest call on `arguments` wrote, timed or not; None where it is gone."""


@runtime_checkable
class Guarding(Protocol):
    """A device that may have to leave out some of what keeps kernels from this machine's other things."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is left out, in words, as far as is known yet; usually nothing."""
