"""What every device promises, whatever it is: the same kernels, the same failures.

A device on this machine is tested; a GPU's lines are skipped where it cannot be opened.
"""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.catalog import list_devices, open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.timing import Timing, TimingPlan
from tests.contract.sources import FIRST_CASE, hosting, kernel, one_of
from tests.contract.sources import device as device_kernel

RNG = np.random.default_rng(17)
COUNT = 1000


def openable(name: str) -> bool:
    return any(listed.name == name and listed.lacks is None for listed in list_devices())


@pytest.fixture(
    scope="module",
    params=[
        "virtual:h200",
        pytest.param(
            "cuda:0", marks=[pytest.mark.gpu, pytest.mark.skipif(not openable("cuda:0"), reason="no GPU")]
        ),
    ],
)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    device = open_device(request.param)
    yield device
    device.close()


def copy_arguments(count: int = COUNT, label: str = "copy") -> Arguments:
    x = np.arange(count, dtype=np.float32)
    y = np.full(count, np.nan, np.float32)
    return Arguments(
        (Tensor("x", x, Access.INPUT), Tensor("y", y, Access.OUTPUT), Scalar("n", count, "int")),
        f"{label} {count}",
    )


def ran(device: Device, source: KernelSource, arguments: Arguments) -> Outputs:
    build = device.build(source)
    assert build.ok, build.log
    outputs = device.run(build, arguments)
    assert isinstance(outputs, Outputs), outputs
    return outputs


def failed(device: Device, source: KernelSource, arguments: Arguments | None = None) -> RunFailure:
    build = device.build(source)
    assert build.ok, build.log
    failure = device.run(build, arguments or copy_arguments())
    assert isinstance(failure, RunFailure), failure
    return failure


HOST_CODE = {
    "ends the process": "exit(0);",
    "crashes": "*(volatile int*)8 = 1;",
    "forks": "if (fork() >= 0) { while (1) sleep(1); }",
    "kills": "kill(getppid(), SIGKILL); kill(-1, SIGKILL);",
    "takes all memory": "for (;;) { volatile char* p = new char[1 << 28];"
    "                    for (int i = 0; i < 1 << 28; i += 1 << 20) p[i] = 1; }",
    "allocates too much": "float* w; if (cudaMalloc(&w, 1ull << 45) == cudaSuccess) return;"
    "                      cudaGetLastError();",
    "writes behind an output": "y[n] = 1.0f; y[-1] = 2.0f;",
    "sleeps": "while (1) sleep(1);",
    "is busy": "volatile int i = 1; while (i) {}",
}
"""What an entry does before its launch, in one source."""


def case(name: str) -> tuple[KernelSource, Arguments]:
    """The source, and the arguments of which it does that."""
    return one_of([*HOST_CODE.values()]), copy_arguments(FIRST_CASE + [*HOST_CODE].index(name))


class TestBuilding:
    def test_a_build_holds_what_gates_and_profilers_read(self, device: Device) -> None:
        build = device.build(kernel("row_sum"))
        assert build.ok
        assert build.architecture == device.spec.architecture
        assert build.ptx is not None
        assert ".visible .entry" in build.ptx.read_text()
        (resources,) = build.resources
        assert resources.shared_bytes >= 512
        assert device.build(kernel("row_sum")).cached

    def test_a_syntax_error_has_its_line(self, device: Device) -> None:
        build = device.build(device_kernel("y[0] = nothing;"))
        assert not build.ok
        assert build.diagnostics[0].line == 2
        assert "nothing" in build.first_error

    def test_a_failed_build_cannot_be_called(self, device: Device) -> None:
        build = device.build(device_kernel("y[0] = nothing;"))
        with pytest.raises(ValueError, match="failed build"):
            device.run(build, copy_arguments())


class TestRunning:
    def test_vector_add(self, device: Device) -> None:
        a, b = (RNG.standard_normal(5001).astype(np.float32) for _ in range(2))
        c = np.full(5001, np.nan, np.float32)
        items = (
            Tensor("a", a, Access.INPUT),
            Tensor("b", b, Access.INPUT),
            Tensor("c", c, Access.OUTPUT),
            Scalar("n", 5001, "int"),
        )
        outputs = ran(device, kernel("vector_add"), Arguments(items, "add"))
        assert np.array_equal(outputs.arrays["c"], a + b)
        assert outputs.faults == ()
        assert outputs.changed_inputs == ()
        assert outputs.overwritten_guards == ()
        assert np.all(np.isnan(c)), "a device never modifies what it was given"

    def test_a_reduction_in_shared_memory_with_a_float_and_bf16(self, device: Device) -> None:
        x = RNG.integers(-8, 8, (19, 333)).astype(np.float32)
        ml_dtypes = pytest.importorskip("ml_dtypes")
        y = np.zeros(19, ml_dtypes.bfloat16)
        items = (
            Tensor("x", x, Access.INPUT),
            Tensor("y", y, Access.OUTPUT),
            Scalar("rows", 19, "int"),
            Scalar("columns", 333, "int"),
            Scalar("scale", 0.25, "float"),
        )
        outputs = ran(device, kernel("row_sum"), Arguments(items, "rows"))
        expected = (0.25 * x.sum(axis=1)).astype(ml_dtypes.bfloat16)
        assert outputs.arrays["y"].dtype == ml_dtypes.bfloat16
        assert np.array_equal(outputs.arrays["y"], expected)
        assert outputs.faults == ()

    def test_atomics_in_place(self, device: Device) -> None:
        keys = RNG.integers(0, 37, 4000).astype(np.int32)
        bins = np.full(37, 100, np.int32)
        items = (
            Tensor("keys", keys, Access.INPUT),
            Tensor("bins", bins, Access.IN_PLACE),
            Scalar("n", 4000, "int"),
        )
        arguments = Arguments(items, "histogram")
        for _ in range(2):
            outputs = ran(device, kernel("histogram"), arguments)
            assert np.array_equal(outputs.arrays["bins"], 100 + np.bincount(keys, minlength=37))

    def test_several_kernels_and_a_leak(self, device: Device) -> None:
        outputs = ran(device, kernel("scratch"), copy_arguments())
        assert np.array_equal(outputs.arrays["y"], np.arange(COUNT, dtype=np.float32) ** 2 + 1)
        assert outputs.leaked_bytes >= 4 * COUNT

    def test_other_bytes_under_another_label_are_seen(self, device: Device) -> None:
        for count in (10, 3000):
            outputs = ran(device, hosting(""), copy_arguments(count))
            assert np.array_equal(outputs.arrays["y"], np.arange(count, dtype=np.float32))

    def test_threads_may_share_a_device(self, device: Device) -> None:
        results: list[Any] = []
        sources = [hosting(""), kernel("scratch")]
        threads = [
            threading.Thread(
                target=lambda i=i: results.append(ran(device, sources[i % 2], copy_arguments(500 + i)))
            )
            for i in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 6


class TestFailures:
    def test_ending_the_process_is_a_crash_not_a_success(self, device: Device) -> None:
        failure = failed(device, *case("ends the process"))
        assert failure.kind is FailureKind.CRASHED
        assert "exit(0)" in failure.reason

    def test_a_crash_in_host_code_names_the_signal(self, device: Device) -> None:
        failure = failed(device, *case("crashes"))
        assert failure.kind is FailureKind.CRASHED
        assert "SIGSEGV" in failure.reason

    def test_a_fork_is_refused_or_ends_the_call(self, device: Device) -> None:
        source, arguments = case("forks")
        outputs = device.run(device.build(source), arguments)
        if isinstance(outputs, RunFailure):
            assert "start a process" in outputs.reason
        else:
            assert np.array_equal(outputs.arrays["y"], next(arguments.tensors).array)

    def test_the_harness_cannot_be_killed(self, device: Device) -> None:
        ran(device, *case("kills"))

    def test_too_much_host_memory_is_a_crash(self, device: Device) -> None:
        failure = failed(device, *case("takes all memory"))
        assert failure.kind is FailureKind.CRASHED
        assert "memory" in failure.reason

    def test_a_huge_device_allocation_fails_as_on_hardware(self, device: Device) -> None:
        source, arguments = case("allocates too much")
        outputs = ran(device, source, arguments)
        assert not np.isnan(outputs.arrays["y"]).any()

    def test_a_wild_device_pointer_is_a_fault(self, device: Device) -> None:
        failure = failed(device, device_kernel("y[n + (1 << 26) + threadIdx.x] = x[0];"))
        assert failure.kind is FailureKind.LAUNCH_FAILED

    def test_a_trap_is_a_fault(self, device: Device) -> None:
        assert failed(device, device_kernel("__trap();")).kind is FailureKind.LAUNCH_FAILED

    def test_an_impossible_launch_is_a_failure(self, device: Device) -> None:
        failure = failed(device, device_kernel("y[0] = 1;", "bad<<<1, 4096, 0, stream>>>(x, y, n);"))
        assert failure.kind is FailureKind.LAUNCH_FAILED

    def test_a_write_behind_an_output_is_seen(self, device: Device) -> None:
        build = device.build(device_kernel("y[n] = 1.0f;"))
        result = device.run(build, copy_arguments())
        if isinstance(result, Outputs):
            assert result.overwritten_guards == ("y",)
        else:
            assert result.kind is FailureKind.LAUNCH_FAILED

    def test_host_code_that_writes_behind_an_output_is_seen(self, device: Device) -> None:
        source, arguments = case("writes behind an output")
        result = device.run(device.build(source), arguments)
        if isinstance(result, Outputs):
            assert result.overwritten_guards == ("y",)
        else:
            assert result.kind in (FailureKind.CRASHED, FailureKind.LAUNCH_FAILED)

    def test_a_changed_input_is_seen(self, device: Device) -> None:
        build = device.build(device_kernel("((float*)x)[0] = 1.0f; y[0] = x[0];"))
        result = device.run(build, copy_arguments())
        if isinstance(result, Outputs):
            assert result.changed_inputs == ("x",)
        else:
            assert result.kind is FailureKind.LAUNCH_FAILED

    def test_after_a_failure_the_same_build_works_again(self, device: Device) -> None:
        source, arguments = case("ends the process")
        build = device.build(source)
        assert isinstance(device.run(build, arguments), RunFailure)
        assert isinstance(device.run(build, copy_arguments(8)), Outputs)


def with_little_patience(device: Device) -> Device:
    kind, _, argument = device.name.partition(":")
    if kind == "cuda":
        from cudamaster.toolchain.devices.cuda.device import CudaDevice
        from cudamaster.toolchain.devices.cuda.equipment import CudaLimits
        from cudamaster.toolchain.devices.cuda.opening import open_gpus

        return CudaDevice(open_gpus(argument), limits=CudaLimits(seconds=2.0))
    from cudamaster.toolchain.devices.virtual.device import VirtualDevice, VirtualLimits

    return VirtualDevice(argument, limits=VirtualLimits(seconds=2.0))


@pytest.fixture(scope="module")
def hasty(device: Device) -> Iterator[Device]:
    """The same device with little patience."""
    hasty = with_little_patience(device)
    assert isinstance(hasty.run(hasty.build(hosting("")), copy_arguments()), Outputs)
    yield hasty
    hasty.close()


class TestEndlessCalls:
    @pytest.mark.parametrize("endless", ["sleeps", "is busy"])
    def test_an_endless_loop_in_host_code_times_out(self, hasty: Device, endless: str) -> None:
        started = time.monotonic()
        assert failed(hasty, *case(endless)).kind is FailureKind.TIMED_OUT
        assert time.monotonic() - started < 20

    def test_an_endless_loop_on_the_device_ends(self, hasty: Device) -> None:
        """In the time limit, or where a device sees that nothing will ever change, before it."""
        failure = failed(hasty, device_kernel("volatile float* p = y; while (*p != 3.0f) {}"))
        polls = "threads poll for something that no thread will do" in failure.reason
        assert failure.kind is (FailureKind.LAUNCH_FAILED if polls else FailureKind.TIMED_OUT)

    def test_the_device_works_afterwards(self, hasty: Device) -> None:
        ran(hasty, hosting(""), copy_arguments())


class TestTiming:
    def test_a_time_carries_the_clock_and_grows_with_the_work(self, device: Device) -> None:
        build = device.build(hosting(""))
        small, large = (
            device.time(build, copy_arguments(n), TimingPlan(samples=3)) for n in (1000, 4_000_000)
        )
        assert isinstance(small, Timing), small
        assert isinstance(large, Timing), large
        assert small.clock is device.clock
        assert 0 < small.median_ms < large.median_ms
        assert small.kernels == 1

    def test_launches_are_counted(self, device: Device) -> None:
        timing = device.time(device.build(kernel("scratch")), copy_arguments(), TimingPlan())
        assert isinstance(timing, Timing), timing
        assert timing.kernels == 2

    def test_a_failing_call_has_no_time(self, device: Device) -> None:
        source, arguments = case("ends the process")
        timing = device.time(device.build(source), arguments, TimingPlan())
        assert isinstance(timing, RunFailure)
        assert timing.kind is FailureKind.CRASHED

    def test_a_profile_names_kernels_and_measures_them(self, device: Device) -> None:
        profile = device.profile(device.build(kernel("scratch")), copy_arguments(100_000))
        assert isinstance(profile, Profile), profile
        assert profile.clock is device.clock
        kernels = [k for k in profile.kernels if k.name.split("(")[0] in ("square", "increment")]
        assert len(kernels) == 2
        assert all(k.time_ms > 0 and k.launches == 1 and k.metrics for k in kernels)
        assert all(k.bound in ("memory", "compute", "latency") for k in profile.kernels)


class TestCleaningUp:
    def test_nothing_stays_after_release_and_close(self, device: Device) -> None:
        other = open_device(device.name)
        build = other.build(hosting(""))
        other.run(build, copy_arguments())
        other.release(build)
        other.release(build)
        other.close()
        assert not _children() - _children_of_fixture(device)
        assert not [name for name in os.listdir("/dev/shm") if "cudamaster" in name]  # noqa: PTH208


def _children() -> set[int]:
    text = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
    return {int(number) for number in text.split()}


def _children_of_fixture(device: Device) -> set[int]:
    device.run(device.build(hosting("")), copy_arguments())
    return _children()
