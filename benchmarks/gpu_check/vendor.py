"""The vendor's arm of a baseline's operator, timed on the same workloads where the device can run it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.gpu_check.kernels import Kernel
from benchmarks.gpu_check.nouns import Row, Session
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.nvcc.libraries import versions
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Clock, TimingPlan
from mskernelbench.answers import Answer
from mskernelbench.operator import Workload
from mskernelbench.vendor.arms import find_arm

SAMPLES = 20


class Arm(NamedTuple):
    """A vendor's arm that can be called."""

    library: str
    """With its version, such as `cuBLAS 13.0.2.14`."""
    build: Build


def built_arm(session: Session, kernel: Kernel) -> Arm | str | None:
    """The arm, why it cannot be built, or None where the operator has none that this device runs."""
    arm = find_arm(kernel.operator, kernel.precision)
    if arm is None or (arm.needs_gpu and session.device.clock is not Clock.MEASURED):
        return None
    try:
        build = session.device.build(arm.source)
        library = f"{arm.title} {versions(arm.source.libraries, find_toolchain())}"
    except EnvironmentLacks as lack:
        return f"{arm.title}: {lack}"
    return Arm(library, build) if build.ok else f"{arm.title}: {build.first_error}"


def vendor_row(
    session: Session,
    arm: Arm | str | None,
    arguments: Mapping[str, Arguments],
    compared: tuple[Workload, Mapping[str, Answer]],
    timed: Sequence[Workload],
) -> Row:
    """Its times by the label of the workload, once its outputs are found right; or what it lacks."""
    if arm is None:
        return {}
    if isinstance(arm, str):
        return {"vendor": {"lacks": arm}}
    workload, answers = compared
    outputs = session.device.run(arm.build, arguments[workload.label])
    if isinstance(outputs, RunFailure):
        return {"vendor": {"library": arm.library, "lacks": f"{outputs.kind}: {outputs.reason}"}}
    ratio = max(answer.compare(outputs.arrays[name]).ratio for name, answer in answers.items())
    plan = TimingPlan(samples=SAMPLES, seed=session.seed)
    times = {w.label: session.device.time(arm.build, arguments[w.label], plan) for w in timed}
    session.device.release(arm.build)
    ms = {
        label: timing.reason if isinstance(timing, RunFailure) else timing.median_ms
        for label, timing in times.items()
    }
    return {"vendor": {"library": arm.library, "error_ratio": ratio, "ms": ms}}
