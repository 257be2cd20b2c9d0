"""A call is profiled by Nsight Compute, or where that is refused, by the model at the measured time."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.ncu import NO_NCU, NOT_PERMITTED
from cudamaster.toolchain.devices.cuda.profiling import CallProfiler, ProfiledGpu
from cudamaster.toolchain.devices.cuda.profiling_fallback import open_model
from cudamaster.toolchain.devices.cuda.profiling_tools import Tool
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.timing import Clock, Timing
from tests.doubles.ncu import VERSION, calls, tool
from tests.doubles.scripted_device import SPEC, Script, ScriptedDevice

ARGUMENTS = Arguments((Tensor("x", np.arange(3, dtype=np.float32), Access.INPUT),), "three")
DENIED = 'Path(after("--log-file")).write_text("==ERROR== ERR_NVGPUCTRPERM")\nsys.exit(1)'
FAILED_CALL = """
Path(after("--log-file")).write_text("==ERROR== The application returned an error code (1).")
Path(arguments[-1], "said.json").write_text('{"failed": "the GPU has no room"}')
"""


def measured(build: Build, arguments: Arguments) -> Timing | RunFailure:
    return Timing(Clock.MEASURED, (2.0, 4.0, 3.0), 1)


def unused(build: Build, arguments: Arguments) -> Timing | RunFailure:
    raise AssertionError("nobody asked for a time")


def own_call() -> tuple[Build, Arguments]:
    return built(Path("own.so")), ARGUMENTS


@pytest.fixture
def build(tmp_path: Path) -> Build:
    library = tmp_path / "kernel.so"
    library.write_bytes(b"no machine code in here")
    return built(library)


def built(library: Path) -> Build:
    return Build(
        source=KernelSource("source", "scale"), key="k", architecture="sm_90a", library=library, ptx=None,
        host_object=None, resources=(), diagnostics=(), log="", seconds=0.0, cached=False,
    )  # fmt: skip


def model(time_ms: float | RunFailure = 0.5) -> ScriptedDevice:
    def run(arguments: Arguments) -> Outputs | RunFailure:
        raise AssertionError("nobody asked for outputs")

    return ScriptedDevice({"source": Script(run, lambda arguments: time_ms)}, name="virtual:scripted")


def profiler(
    ncu: Tool | None,
    counting: ScriptedDevice,
    time_call: Callable[[Build, Arguments], Timing | RunFailure] = measured,
) -> CallProfiler:
    gpu = ProfiledGpu(SPEC, "GPU-1", own_call)
    return CallProfiler(gpu, time_call, lambda: ncu, lambda spec: counting)


def told(profiler: CallProfiler, build: Build) -> Profile:
    profile = profiler.profile(build, ARGUMENTS)
    assert isinstance(profile, Profile), profile
    return profile


def test_without_ncu_the_time_is_measured_and_the_counters_are_marked_as_the_models(build: Build) -> None:
    profile = told(profiler(None, model()), build)
    assert profile.clock is Clock.MEASURED
    assert profile.time_ms == pytest.approx(3.0)
    assert profile.counted_by == "the time model of virtual:scripted; only times are measured"
    assert profile.note == NO_NCU


def test_a_lasting_refusal_is_said_once_and_ncu_not_run_again(build: Build, tmp_path: Path) -> None:
    ncu = Tool(tool(tmp_path / "ncu", DENIED), VERSION, "test")
    profiling = profiler(ncu, model())
    first, second = told(profiling, build), told(profiling, build)
    assert (first.note, second.note) == (NOT_PERMITTED, "")
    assert second.counted_by.startswith("the time model")
    assert len(calls(ncu.program)) == 1


def test_a_call_that_fails_has_no_profile_and_no_time(build: Build, tmp_path: Path) -> None:
    ncu = Tool(tool(tmp_path / "ncu", FAILED_CALL), VERSION, "test")
    failure = profiler(ncu, model(), unused).profile(build, ARGUMENTS)
    assert isinstance(failure, RunFailure)
    assert (failure.kind, failure.reason) == (FailureKind.LAUNCH_FAILED, "the GPU has no room")


def test_what_neither_counts_says_why_not_of_both(build: Build) -> None:
    unsupported = RunFailure(FailureKind.UNSUPPORTED, "it does not know the opcode 'tcgen05'")
    failure = profiler(None, model(unsupported)).profile(build, ARGUMENTS)
    assert isinstance(failure, RunFailure)
    assert NO_NCU in failure.reason
    assert "tcgen05" in failure.reason


def test_a_call_that_cannot_be_timed_has_no_profile(build: Build) -> None:
    failed = RunFailure(FailureKind.TIMED_OUT, "it took too long")
    assert profiler(None, model(), lambda build, arguments: failed).profile(build, ARGUMENTS) is failed


def test_closing_closes_the_model_that_counted(build: Build) -> None:
    counting = model()
    profiling = profiler(None, counting)
    profiling.close()
    assert ("close", "") not in counting.asked
    told(profiling, build)
    profiling.close()
    assert counting.asked[-1] == ("close", "")


@pytest.mark.parametrize(
    ("title", "architecture", "name"),
    [
        ("NVIDIA H200", "sm_90a", "h200"),
        ("NVIDIA H100 80GB HBM3", "sm_90a", "h100"),
        ("NVIDIA GeForce RTX 4090", "sm_89", "rtx4090"),
        ("NVIDIA L40", "sm_89", "rtx4090"),
        ("NVIDIA B300", "sm_103a", "h200"),
    ],
)
def test_the_model_is_of_the_same_kind_else_of_the_same_architecture_else_the_default(
    title: str, architecture: str, name: str
) -> None:
    counting = open_model(replace(SPEC, title=title, architecture=architecture))
    assert counting.spec.name == name
    counting.close()
