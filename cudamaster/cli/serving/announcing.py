"""A device that says what it is asked, so that a long verdict shows how far it is."""

from collections.abc import Callable

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.timing import Timing, TimingPlan

Say = Callable[[str], None]


class AnnouncingDevice:
    """`device`, with each verb told to `say` before it is done."""

    def __init__(self, device: Device, say: Say) -> None:
        self._device = device
        self.say = say
        self.spec, self.clock, self.name = device.spec, device.clock, device.name

    def build(self, source: KernelSource) -> Build:
        """As the device does."""
        self.say(f"compiling {source.entry}")
        return self._device.build(source)

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """As the device does."""
        self.say(f"running on {arguments.label}")
        return self._device.run(build, arguments)

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        """As the device does."""
        self.say(f"timing on {arguments.label}")
        return self._device.time(build, arguments, plan)

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        """As the device does."""
        self.say(f"profiling on {arguments.label}")
        return self._device.profile(build, arguments)

    def release(self, build: Build) -> None:
        """As the device does."""
        self._device.release(build)

    def close(self) -> None:
        """As the device does."""
        self._device.close()
