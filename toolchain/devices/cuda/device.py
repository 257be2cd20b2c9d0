"""The real GPU as a device: one or several of a kind, each with its own workers; times are measured.

A thread's calls go to one GPU and stay there, so that what it compares ran on the same; threads spread over
all of them.
"""

import itertools
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.equipment import USUAL, CudaLimits, Equipment, usual_equipment
from cudamaster.toolchain.devices.cuda.fingerprint import fingerprint_build, fingerprint_call
from cudamaster.toolchain.devices.cuda.opening import OpenedGpus
from cudamaster.toolchain.devices.cuda.profiling import CallProfiler, ProfiledGpu
from cudamaster.toolchain.devices.cuda.station import Station
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.outputs import Examined, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan


class CudaDevice:
    """The opened `gpus`, which are closed with it. Raises EnvironmentLacks, DriverFailed."""

    clock = Clock.MEASURED

    def __init__(
        self, gpus: OpenedGpus, *, limits: CudaLimits = USUAL, equipment: Equipment | None = None
    ) -> None:
        self.spec = gpus.spec
        self.name = gpus.name
        self._toolchain = gpus.machine.toolchain
        with ExitStack() as undo:
            undo.callback(gpus.close)
            equipment = equipment or usual_equipment(gpus.spec, self._toolchain, limits)
            self._stations = []
            for gpu in gpus.gpus:
                self._stations.append(Station(gpus.machine.driver, gpu, equipment))
                undo.callback(self._stations[-1].close)
            self._profilers = {
                station.name: _profiler(station, gpu.monitor.uuid, self.spec, self._toolchain)
                for station, gpu in zip(self._stations, gpus.gpus, strict=True)
            }
            for profiler in self._profilers.values():
                undo.callback(profiler.close)
            self._undo = undo.pop_all()
        self._thread = threading.local()
        self._next = itertools.cycle(self._stations)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of workers' hardening NVIDIA's driver and tools do not work with, as far as is known yet."""
        of_workers = [word for station in self._stations for word in station.left_out]
        tools = [tool for profiler in self._profilers.values() for tool in profiler.unconfined]
        return tuple(
            dict.fromkeys((*of_workers, *(f"the confinement of what {tool} watches" for tool in tools)))
        )

    def build(self, source: KernelSource) -> Build:
        """Compile `source` for these GPUs, or find it compiled."""
        for station in self._stations:
            station.warm()
        return compile_kernel(source, self.spec.architecture, self._toolchain)

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """Call the entry once on a copy of `arguments` and return every tensor's bytes afterwards."""
        return self._station.run(_whole(build), arguments)

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        """Time calls of the entry, from cold caches where the plan says so."""
        return self._station.time(_whole(build), arguments, plan)

    def timed_outputs(self, build: Build, arguments: Arguments) -> Mapping[str, NDArray[Any]] | None:
        """What this thread's latest call on `arguments` wrote, timed or not; None where it is gone."""
        return self._station.timed_outputs(build, arguments)

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        """Count what one call does, by Nsight Compute or by what is to be had without it."""
        station = self._station
        with station.exclusively():
            return self._profilers[station.name].profile(_whole(build), arguments)

    def examine(self, build: Build, arguments: Arguments) -> Examined:
        """Have a call watched by compute-sanitizer, where there is one."""
        station = self._station
        with station.exclusively():
            return self._profilers[station.name].examine(_whole(build), arguments)

    def release(self, build: Build) -> None:
        """End every process that still holds `build`."""
        for station in self._stations:
            station.release(build.key)

    def close(self) -> None:
        """End every process and let go of the GPUs."""
        self._undo.close()

    @property
    def _station(self) -> Station:
        """This thread's GPU: the next one, when it first calls something."""
        found: Station | None = getattr(self._thread, "station", None)
        if found is None:
            found = self._thread.station = next(self._next)
        return found


def _profiler(station: Station, uuid: str, spec: DeviceSpec, toolchain: Toolchain) -> CallProfiler:
    def own_call() -> tuple[Build, Arguments]:
        return fingerprint_build(toolchain, spec.architecture), fingerprint_call()

    return CallProfiler(
        ProfiledGpu(spec, uuid, own_call),
        lambda build, arguments: station.time(build, arguments, TimingPlan()),
    )


def _whole(build: Build) -> Build:
    """Raises ValueError for a failed build."""
    if build.library is None:
        raise ValueError("a failed build cannot be called")
    return build
