"""A device that follows a script: what each source computes in NumPy, and how long it takes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments, Scalar
from cudamaster.toolchain.build import Build, Diagnostic
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from mskernelbench.operator import Operator, Workload

SPEC = DeviceSpec(
    name="scripted",
    title="Scripted device",
    architecture="sm_90a",
    sm_count=132,
    clock_hz=1.98e9,
    fp32_flops=67e12,
    bf16_tensor_flops=989e12,
    tf32_tensor_flops=495e12,
    fp64_flops=34e12,
    dram_bytes_per_s=4.8e12,
    l2_bytes_per_s=10e12,
    dram_bytes=141 * 10**9,
    l2_bytes=50 * 2**20,
    shared_bytes_per_sm=228 * 2**10,
    shared_bytes_per_block=227 * 2**10,
    registers_per_sm=65536,
    warps_per_sm=64,
    blocks_per_sm=32,
)

Arrays = Mapping[str, NDArray[Any]]
Compute = Callable[[Arguments], Outputs | RunFailure]


@dataclass(frozen=True)
class Script:
    """How one source behaves."""

    run: Compute
    time_ms: Callable[[Arguments], float | RunFailure] = lambda arguments: 1.0
    errors: tuple[Diagnostic, ...] = ()
    """The build fails with these."""
    host_object: Path | None = None


@dataclass
class ScriptedDevice:
    """Sources it has no script for fail to build. Remembers what was asked of it."""

    scripts: Mapping[str, Script]
    """By source text."""
    clock: Clock = Clock.MODELLED
    name: str = "scripted"
    spec: DeviceSpec = SPEC
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Verb and workload label, in order."""

    def __post_init__(self) -> None:
        self._lock = Lock()

    def build(self, source: KernelSource) -> Build:
        script = self.scripts.get(source.text)
        unknown = (Diagnostic("error", "this source is in no script", 1),)
        errors = unknown if script is None else script.errors
        return Build(
            source=source,
            key=source.digest,
            architecture=self.spec.architecture,
            library=None if errors else Path("/scripted.so"),
            ptx=None,
            host_object=script.host_object if script else None,
            resources=(),
            diagnostics=errors,
            log="\n".join(map(str, errors)),
            seconds=0.0,
            cached=False,
        )

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        self._note("run", arguments)
        return self.scripts[build.source.text].run(arguments)

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        self._note("time", arguments)
        time_ms = self.scripts[build.source.text].time_ms(arguments)
        if isinstance(time_ms, RunFailure):
            return time_ms
        count = 1 if self.clock is Clock.MODELLED else plan.samples
        jitter = [1 + 0.01 * (i % 3 - 1) if count > 1 else 1.0 for i in range(count)]
        return Timing(self.clock, tuple(time_ms * j for j in jitter), kernels=1)

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        self._note("profile", arguments)
        time_ms = self.scripts[build.source.text].time_ms(arguments)
        if isinstance(time_ms, RunFailure):
            return time_ms
        launch = Launch((1, 1, 1), (32, 1, 1), 0)
        kernel = KernelProfile("scripted", launch, 1, time_ms, {}, "memory", "DRAM, by script", ())
        return Profile(self.clock, (kernel,))

    def release(self, build: Build) -> None:
        with self._lock:
            self.asked.append(("release", build.key))

    def close(self) -> None:
        self.asked.append(("close", ""))

    def _note(self, verb: str, arguments: Arguments) -> None:
        with self._lock:
            self.asked.append((verb, arguments.label))


def outputs(arrays: Arrays, **details: Any) -> Outputs:
    """A call that returned, with nothing remarkable but `details`."""
    usual: dict[str, Any] = {
        "changed_inputs": (),
        "overwritten_guards": (),
        "faults": (),
        "leaked_bytes": 0,
        "seconds": 0.0,
    }
    return Outputs(arrays=arrays, **(usual | details))


def honest(operator: Operator) -> Compute:
    """Computes the operator's own reference, rounded to the output's type."""

    def compute(arguments: Arguments) -> Outputs:
        return outputs(answer(operator, arguments))

    return compute


def answer(operator: Operator, arguments: Arguments) -> dict[str, NDArray[Any]]:
    """The right outputs for these arguments."""
    named = re.findall(r"(\w+)=(-?[\d.]+)", arguments.label)
    shape: dict[str, int | float] = {n: float(v) if "." in v else int(v) for n, v in named}
    shape |= {item.name: item.value for item in arguments.items if isinstance(item, Scalar)}
    tensors = {tensor.name: tensor.array for tensor in arguments.tensors}
    inputs = {t.name: t.array for t in arguments.tensors if t.access is not Access.OUTPUT}
    with np.errstate(invalid="ignore", over="ignore"):
        references = operator.reference(Workload("scripted", shape), inputs)
        return {name: value.astype(tensors[name].dtype) for name, value in references.items()}
