"""A profile where nobody may count on the GPU: its own time, and the counters of its model, marked as such.

The virtual GPU runs the same source and counts; registers, spills, occupancy and machine code are those of
the real build in any case. The measured time of the call is shared out among its kernels as the model
shares its own.
"""

import re
from dataclasses import replace

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.catalog import list_devices, open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.profile import KernelProfile, Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock, Timing

VIRTUAL = "virtual"
DURATION = "duration"


def open_model(spec: DeviceSpec) -> Device:
    """The virtual GPU that models this one: of its kind, else of its architecture, else the default."""
    names = [listed.name for listed in list_devices() if listed.name.startswith(f"{VIRTUAL}:")]
    models = sorted((open_device(name) for name in names), key=lambda model: _likeness(model.spec, spec))
    best = models.pop()
    for other in models:
        other.close()
    if any(_likeness(best.spec, spec)):
        return best
    best.close()
    return open_device(VIRTUAL)


def _likeness(model: DeviceSpec, spec: DeviceSpec) -> tuple[bool, bool]:
    """Whether they are of one architecture, and the GPU's title holds the model's name."""
    title = re.sub(r"[^a-z0-9]", "", spec.title.lower())
    return model.architecture == spec.architecture, model.name in title


def modelled_profile(
    model: Device, build: Build, arguments: Arguments, timing: Timing
) -> Profile | RunFailure:
    """What `model` counts in a call that took `timing` on the GPU; why not, where it cannot run it."""
    counted_build = model.build(build.source)
    if not counted_build.ok:
        return RunFailure(FailureKind.UNSUPPORTED, f"{model.name} does not build it")
    try:
        counted = model.profile(counted_build, arguments)
    finally:
        model.release(counted_build)
    if isinstance(counted, RunFailure):
        return counted
    factor = timing.median_ms / counted.time_ms if counted.time_ms else 0.0
    kernels = tuple(_at_its_time(kernel, factor) for kernel in counted.kernels)
    said = f"the time model of {model.name}; only times are measured"
    return Profile(Clock.MEASURED, kernels, said)


def _at_its_time(kernel: KernelProfile, factor: float) -> KernelProfile:
    metrics = dict(kernel.metrics)
    if DURATION in metrics:
        metrics[DURATION] *= factor
    return replace(kernel, time_ms=factor * kernel.time_ms, metrics=metrics)
