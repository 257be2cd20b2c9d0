"""Profiles calls of an entry on one GPU: by Nsight Compute, or where that is refused, by the GPU's model.

Why Nsight Compute is not used is said once a GPU, with what would allow it.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.devices.cuda.confining import Confining, OwnCall
from cudamaster.toolchain.devices.cuda.ncu import NAME, NO_NCU, Refused, collect
from cudamaster.toolchain.devices.cuda.ncu_reading import ReaderMissing, kernels_of, load_actions
from cudamaster.toolchain.devices.cuda.profiling_fallback import modelled_profile, open_model
from cudamaster.toolchain.devices.cuda.profiling_tools import Tool, call_failed, find_tool, prepared_call
from cudamaster.toolchain.devices.cuda.sanitizer import NAME as SANITIZER
from cudamaster.toolchain.devices.cuda.sanitizer import NO_SANITIZER, sanitize
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.outputs import Examined, FailureKind, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock, Timing

TimeCall = Callable[[Build, Arguments], Timing | RunFailure]
NOTHING_COUNTED = "the call launched no kernel that ncu could count"


@dataclass(frozen=True, slots=True)
class ProfiledGpu:
    """Whose calls are profiled."""

    spec: DeviceSpec
    uuid: str
    """What CUDA_VISIBLE_DEVICES calls it."""
    own_call: OwnCall
    """A call of a kernel of ours, which tells whether tools work."""


class CallProfiler:
    """Profiles on one GPU; to be closed. Any thread may call; one call is profiled at a time."""

    def __init__(
        self,
        gpu: ProfiledGpu,
        time_call: TimeCall,
        find_ncu: Callable[[], Tool | None] = lambda: find_tool(NAME),
        open_counting: Callable[[DeviceSpec], Device] = open_model,
    ) -> None:
        self._gpu = gpu
        self._time_call = time_call
        self._find_ncu = find_ncu
        self._open_counting = open_counting
        self._refusal: Refused | None = None
        self._told = False
        self._model: Device | None = None
        self._lock = threading.Lock()
        self._counted = Confining(self._by_ncu, _is_profile, _is_lasting, gpu.own_call)
        self._examined = Confining(self._by_sanitizer, _is_complete, _is_missing, gpu.own_call)

    @property
    def unconfined(self) -> tuple[str, ...]:
        """Tools that work only where the process they watch has this user's rights, as far as is known."""
        tools = {NAME: self._counted.confined, SANITIZER: self._examined.confined}
        return tuple(name for name, confined in tools.items() if confined is False)

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        """What one call does, kernel by kernel; why it could not be called, or by nobody counted."""
        with self._lock:
            found = self._refusal or self._counted.watch(build, arguments)
            if not isinstance(found, Refused):
                return found
            if found.lasting:
                self._refusal = found
            return self._by_model(build, arguments, found.reason)

    def examine(self, build: Build, arguments: Arguments) -> Examined:
        """Have a call watched by compute-sanitizer, where there is one."""
        with self._lock:
            return self._examined.watch(build, arguments)

    def close(self) -> None:
        """Close the model that counted, if it was opened."""
        with self._lock:
            if self._model is not None:
                self._model.close()
                self._model = None

    def _by_sanitizer(self, build: Build, arguments: Arguments, confined: bool) -> Examined:
        return sanitize(build, arguments, self._gpu.uuid, confined=confined)

    def _by_ncu(self, build: Build, arguments: Arguments, confined: bool) -> Profile | RunFailure | Refused:
        try:
            ncu = self._find_ncu()
        except EnvironmentLacks as lacking:
            return Refused(str(lacking), lasting=True)
        if ncu is None:
            return Refused(NO_NCU, lasting=True)
        with prepared_call(build, arguments, confined=confined) as folder:
            report = collect(ncu, folder, self._gpu.uuid)
            if isinstance(report, Refused):
                failed = None if report.lasting else call_failed(folder)
                return RunFailure(FailureKind.LAUNCH_FAILED, failed) if failed else report
            return self._read(report, ncu, build)

    def _read(self, report: Path, ncu: Tool, build: Build) -> Profile | Refused:
        try:
            kernels = kernels_of(load_actions(report, ncu.program), build)
        except ReaderMissing as missing:
            return Refused(str(missing), lasting=True)
        if not kernels:
            return Refused(NOTHING_COUNTED, lasting=False)
        return Profile(Clock.MEASURED, kernels, f"{NAME} {ncu.version}")

    def _by_model(self, build: Build, arguments: Arguments, reason: str) -> Profile | RunFailure:
        timing = self._time_call(build, arguments)
        if isinstance(timing, RunFailure):
            return timing
        if self._model is None:
            self._model = self._open_counting(self._gpu.spec)
        profile = modelled_profile(self._model, build, arguments, timing)
        if isinstance(profile, RunFailure):
            return replace(profile, reason=f"{reason}; and the model does not count it: {profile.reason}")
        note, self._told = "" if self._told else reason, True
        return replace(profile, note=note)


def _is_profile(found: Profile | RunFailure | Refused) -> bool:
    return isinstance(found, Profile)


def _is_lasting(found: Profile | RunFailure | Refused) -> bool:
    return isinstance(found, Refused) and found.lasting


def _is_complete(found: Examined) -> bool:
    return not found.missing


def _is_missing(found: Examined) -> bool:
    return found.missing == NO_SANITIZER
