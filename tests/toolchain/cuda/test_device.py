"""The real device on a fake GPU: real workers, hardening and host code; memory that two processes share."""

import itertools
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Tensor
from cudamaster.toolchain.device import Examining, Retaining
from cudamaster.toolchain.devices.cuda.device import CudaDevice
from cudamaster.toolchain.errors import DriverFailed, EnvironmentLacks
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from tests.doubles.cuda_device import LIMITS, CudaBench, copy_arguments, one_card, two_cards
from tests.doubles.cuda_gpu import FakeGpu, small_card
from tests.doubles.cuda_program import FULL, LOST, UNPROTECTED

ALLOCATE = "volatile char *p = malloc({bytes}); for (long i = 0; i < {bytes}; i += 4096) p[i] = 1;"
MANY = 100_000
"""Elements that take as long as a small kernel."""
EXPECTED = np.arange(1000, dtype=np.float32)


@pytest.fixture(scope="module")
def gpu() -> FakeGpu:
    return one_card()


@pytest.fixture(scope="module")
def device(cuda_bench: CudaBench, gpu: FakeGpu) -> Iterator[CudaDevice]:
    device = cuda_bench.device(gpu)
    yield device
    device.close()
    assert not gpu.kept


def ran(device: CudaDevice, cuda_bench: CudaBench, name: str, entry: str = "", kernel: str = "") -> Outputs:
    outputs = device.run(cuda_bench.candidate(name, entry, kernel), copy_arguments())
    assert isinstance(outputs, Outputs), outputs
    return outputs


def failed(
    device: CudaDevice, cuda_bench: CudaBench, name: str, entry: str = "", kernel: str = ""
) -> RunFailure:
    failure = device.run(cuda_bench.candidate(name, entry, kernel), copy_arguments())
    assert isinstance(failure, RunFailure), failure
    return failure


class TestRunning:
    def test_outputs_are_what_the_entry_wrote_into_our_memory(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        outputs = ran(device, cuda_bench, "copy")
        assert np.array_equal(outputs.arrays["y"], EXPECTED)
        assert (outputs.changed_inputs, outputs.overwritten_guards, outputs.leaked_bytes) == ((), (), 0)

    def test_what_is_not_written_is_still_poisoned(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        ran(device, cuda_bench, "twice")
        outputs = ran(device, cuda_bench, "twice", kernel="n = calls > 1 ? 10 : n;")
        assert np.array_equal(outputs.arrays["y"], EXPECTED)
        assert np.all(np.isnan(ran(device, cuda_bench, "short", kernel="n = 10;").arrays["y"][10:]))
        assert np.all(np.isnan(ran(device, cuda_bench, "short").arrays["y"][10:]))

    def test_addresses_move_from_call_to_call(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        told = [
            ran(device, cuda_bench, "tells", kernel="y[0] = (float)((size_t)y % 8388593); n--; y++; x++;")
            for _ in range(3)
        ]
        assert len({float(outputs.arrays["y"][0]) for outputs in told}) == 3

    def test_writes_beside_outputs_are_seen(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        assert ran(device, cuda_bench, "behind", kernel="y[n] = 1;").overwritten_guards == ("y",)
        assert ran(device, cuda_bench, "before", kernel="y[-1] = 1;").overwritten_guards == ("y",)
        assert ran(device, cuda_bench, "copy").overwritten_guards == ()

    def test_inputs_cannot_be_written(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        failure = failed(device, cuda_bench, "writes_input", kernel="((float *)x)[0] = 7;")
        assert failure.kind is FailureKind.CRASHED
        assert "SIGSEGV" in failure.reason

    def test_between_calls_nothing_of_ours_is_mapped_in_a_worker(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        entry = "static float *last; if (last) last[0] = 7; last = y;"
        build = cuda_bench.candidate("remembers", entry)
        assert isinstance(device.run(build, copy_arguments(8)), Outputs)
        failure = device.run(build, copy_arguments(9))
        assert isinstance(failure, RunFailure)
        assert "SIGSEGV" in failure.reason

    def test_what_every_call_leaves_allocated_is_told_and_a_kept_workspace_is_not(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        leaks = ran(device, cuda_bench, "leaks", "void *w; cudaMalloc(&w, 4000);")
        keeps = ran(device, cuda_bench, "keeps", "static void *w; if (!w) cudaMalloc(&w, 4000);")
        frees = ran(device, cuda_bench, "frees", "void *w; cudaMalloc(&w, 4000); cudaFree(w);")
        assert (leaks.leaked_bytes, keeps.leaked_bytes, frees.leaked_bytes) == (4000, 0, 0)

    def test_other_bytes_under_another_label_are_seen(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        for count in (10, 40_000, 1, 0):
            outputs = device.run(cuda_bench.candidate("copy"), copy_arguments(count))
            assert isinstance(outputs, Outputs), outputs
            assert np.array_equal(outputs.arrays["y"], np.arange(count, dtype=np.float32))


class TestFailures:
    @pytest.mark.parametrize(
        ("name", "entry", "kind", "words"),
        [
            ("exits", "exit(0);", FailureKind.CRASHED, "exit(0)"),
            ("crashes", "*(volatile int *)8 = 1;", FailureKind.CRASHED, "SIGSEGV"),
            ("forges", 'write(3, "forged words", 12); sleep(1);', FailureKind.CRASHED, "channel"),
            ("too_wide", "dim3 wide = {4096, 1, 1}; cudaLaunchKernel(copy, one, wide, a, 0, stream);",
             FailureKind.LAUNCH_FAILED, "cudaErrorInvalidConfiguration"),
            ("leaves_error", "void *w; cudaMalloc(&w, 1ull << 45);",
             FailureKind.LAUNCH_FAILED, "cudaErrorMemoryAllocation"),
            ("faults", "fake_fault(700);", FailureKind.LAUNCH_FAILED, "CUDA_ERROR_ILLEGAL_ADDRESS"),
            ("confined", "fake_fault(304);", FailureKind.LAUNCH_FAILED, "seccomp or Landlock"),
            ("confined_too", "dim3 none = {1, 0, 1}; cudaLaunchKernel(copy, none, one, a, 0, stream);",
             FailureKind.LAUNCH_FAILED, "cudaErrorOperatingSystem (the system refuses"),
        ],
    )  # fmt: skip
    def test_each_has_its_reason_and_stays_in_its_worker(
        self, device: CudaDevice, cuda_bench: CudaBench, name: str, entry: str, kind: FailureKind, words: str
    ) -> None:
        failure = failed(device, cuda_bench, name, f"if (n == 1000) {{ {entry} }}")
        assert failure.kind is kind, failure
        assert words in failure.reason
        assert isinstance(device.run(cuda_bench.candidate(name), copy_arguments(8)), Outputs)

    def test_an_error_that_the_entry_handles_is_none(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        ran(device, cuda_bench, "handles", "void *w; if (cudaMalloc(&w, 1ull << 45)) cudaGetLastError();")

    def test_others_cannot_be_killed_and_nothing_is_started(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        ran(device, cuda_bench, "violent", "kill(getppid(), SIGKILL); if (fork() >= 0) for (;;) sleep(1);")

    def test_too_much_host_memory_is_a_crash(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        assert ran(device, cuda_bench, "modest", ALLOCATE.format(bytes=1 << 24))
        failure = failed(device, cuda_bench, "greedy", ALLOCATE.format(bytes=3 << 30))
        assert failure.kind is FailureKind.CRASHED

    def test_a_failed_build_cannot_be_called(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        with pytest.raises(ValueError, match="failed build"):
            device.run(replace(cuda_bench.candidate("copy"), library=None), copy_arguments())

    def test_a_library_that_cannot_be_loaded_is_a_failure(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        build = cuda_bench.candidate("copy")
        assert build.library is not None
        strange = replace(build, key="strange", library=build.library.with_suffix(".c"))
        failure = device.run(strange, copy_arguments())
        assert isinstance(failure, RunFailure)
        assert "cannot be loaded" in failure.reason
        nameless = replace(build, key="nameless", source=replace(build.source, entry="nothing"))
        failure = device.run(nameless, copy_arguments())
        assert isinstance(failure, RunFailure)
        assert "nothing" in failure.reason


class TestHanging:
    def test_a_hang_is_ended_and_the_gpu_is_tried_before_work_goes_on(self, cuda_bench: CudaBench) -> None:
        device = cuda_bench.device(limits=replace(LIMITS, seconds=1.0))
        try:
            hangs = cuda_bench.candidate("hangs", "while (n == 1000) sleep(1);")
            failure = device.run(hangs, copy_arguments())
            assert isinstance(failure, RunFailure)
            assert failure.kind is FailureKind.TIMED_OUT
            assert isinstance(device.run(hangs, copy_arguments(9)), Outputs)
        finally:
            device.close()

    def test_a_gpu_that_is_lost_after_a_hang_is_told(self, cuda_bench: CudaBench, tmp_path: Path) -> None:
        lost = tmp_path / "lost"
        bench = replace(cuda_bench, variables={LOST: str(lost)})
        device = bench.device(limits=replace(LIMITS, seconds=1.0))
        try:
            assert isinstance(device.run(bench.candidate("copy"), copy_arguments()), Outputs)
            hangs = bench.candidate("hangs", "while (n == 1000) sleep(1);")
            assert isinstance(device.run(hangs, copy_arguments(9)), Outputs)
            lost.touch()
            with pytest.raises(
                EnvironmentLacks,
                match=r"no longer works after a kernel that hung \(cuDevicePrimaryCtxRetain failed",
            ):
                device.run(hangs, copy_arguments())
        finally:
            device.close()


class TestTiming:
    def test_samples_are_measured_with_the_clock_beside_each(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        timing = device.time(cuda_bench.candidate("copy"), copy_arguments(MANY), TimingPlan(samples=3))
        assert isinstance(timing, Timing), timing
        assert (timing.clock, len(timing.samples_ms), timing.kernels) == (Clock.MEASURED, 3, 1)
        assert all(0 < ms < 100 for ms in timing.samples_ms)
        assert [(s.sm_mhz, s.temperature_celsius) for s in timing.states] == [(1755.0, 41.0)] * 3

    def test_what_flushes_take_is_tried_on_a_kernel_of_ours_where_short_calls_are_held_against_batches(
        self, cuda_bench: CudaBench
    ) -> None:
        """At once, before other threads may keep this one waiting. Whether they agree is another matter."""
        gpu = one_card()
        device = cuda_bench.device(gpu, limits=replace(LIMITS, cold_share=0.75))
        assert gpu.calls.count("cuEventRecord") >= 2 * (96 + 192)
        copy = cuda_bench.candidate("copy")
        timing = device.time(copy, copy_arguments(), TimingPlan(samples=1))
        device.close()
        assert isinstance(timing, Timing) or timing.fault
        assert not gpu.kept

    def test_caches_may_stay_warm(self, device: CudaDevice, cuda_bench: CudaBench, gpu: FakeGpu) -> None:
        plan = TimingPlan(samples=2, cold_l2=False)
        timing = device.time(cuda_bench.candidate("warm"), copy_arguments(MANY), plan)
        assert isinstance(timing, Timing), timing
        assert len(timing.samples_ms) == len(timing.states) == 2

    def test_work_that_events_do_not_see_leaves_no_time(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        hides = cuda_bench.candidate("hides", kernel="fake_hide_ms(5);")
        failure = device.time(hides, copy_arguments(), TimingPlan(samples=1))
        assert isinstance(failure, RunFailure)
        assert failure.fault is not None
        assert failure.fault.kind == "clocks_disagree"

    def test_an_entry_that_does_nothing_has_no_time(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        idle = cuda_bench.candidate("idle", "return;")
        failure = device.time(idle, copy_arguments(), TimingPlan(samples=1))
        assert isinstance(failure, RunFailure)
        assert "launched no kernel" in failure.reason

    def test_what_a_vendor_library_launches_by_a_runtime_of_its_own_has_a_time(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        runtime = cuda_bench.cudart
        entry = (
            "void *dlopen(const char *, int), *dlsym(void *, const char *);"
            "int (*launch)(const void *, dim3, dim3, void **, size_t, void *) ="
            f'dlsym(dlopen("{runtime}", 2), "cudaLaunchKernel");'
            "launch(copy, one, one, a, 0, stream); return;"
        )
        unseen = cuda_bench.candidate("unseen", entry)
        assert isinstance(device.time(unseen, copy_arguments(), TimingPlan(samples=1)), RunFailure)
        arm = replace(unseen, key="arm", source=replace(unseen.source, libraries=("cublas",)))
        timing = device.time(arm, copy_arguments(), TimingPlan(samples=1))
        assert isinstance(timing, Timing), timing
        assert timing.kernels == 0

    def test_the_referee_sees_that_timed_outputs_and_tools_are_there(self, device: CudaDevice) -> None:
        assert isinstance(device, Retaining)
        assert isinstance(device, Examining)

    def test_what_the_latest_timed_call_wrote_can_be_read(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        lazy = cuda_bench.candidate("lazy", kernel="n = calls > 3 ? n / 2 : n;")
        arguments = copy_arguments(MANY)
        assert device.timed_outputs(lazy, arguments) is None
        assert isinstance(device.time(lazy, arguments, TimingPlan(samples=1)), Timing)
        left = device.timed_outputs(lazy, arguments)
        assert left is not None
        assert np.array_equal(left["y"][: MANY // 2], np.arange(MANY // 2, dtype=np.float32))
        assert np.all(np.isnan(left["y"][MANY // 2 :]))

    def test_what_a_call_changes_it_reads_anew_each_time(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        adds = cuda_bench.candidate("adds", kernel="for (int i = 0; i < n; i++) y[i] += x[i]; return;")
        ones = Tensor("y", np.ones(MANY, np.float32), Access.IN_PLACE)
        copies = copy_arguments(MANY)
        arguments = Arguments((copies.items[0], ones, copies.items[2]), "adds")
        assert isinstance(device.time(adds, arguments, TimingPlan(samples=1)), Timing)
        left = device.timed_outputs(adds, arguments)
        assert left is not None
        assert np.array_equal(left["y"], 1 + np.arange(MANY, dtype=np.float32))

    def test_a_timed_call_that_writes_elsewhere_has_no_time(
        self, device: CudaDevice, cuda_bench: CudaBench
    ) -> None:
        strays = cuda_bench.candidate("strays", kernel="y[n + calls / 4] = 1;")
        failure = device.time(strays, copy_arguments(), TimingPlan(samples=1))
        assert isinstance(failure, RunFailure)
        assert failure.reason == "the entry wrote outside y where only its time is taken"

    def test_an_entry_that_fails_has_no_time(self, device: CudaDevice, cuda_bench: CudaBench) -> None:
        failure = device.time(cuda_bench.candidate("exits", "exit(0);"), copy_arguments(), TimingPlan())
        assert isinstance(failure, RunFailure)
        assert failure.kind is FailureKind.CRASHED


class TestMemory:
    def test_inputs_that_were_changed_are_seen_where_the_gpu_does_not_protect_them(
        self, cuda_bench: CudaBench
    ) -> None:
        bench = replace(cuda_bench, variables={UNPROTECTED: "1"})
        device = bench.device()
        try:
            spoils = bench.candidate("spoils", kernel="if (n == 1000) ((float *)x)[5] = 7;")
            outputs = device.run(spoils, copy_arguments())
            assert isinstance(outputs, Outputs)
            assert outputs.changed_inputs == ("x",)
            clean = device.run(bench.candidate("copy"), copy_arguments())
            assert isinstance(clean, Outputs)
            assert np.array_equal(clean.arrays["y"], EXPECTED), "they were put right again"
            failure = device.time(spoils, copy_arguments(), TimingPlan(samples=1))
            assert isinstance(failure, RunFailure)
            assert failure.reason == "the entry changed its input x where only its time is taken"
        finally:
            device.close()

    def test_a_workload_that_does_not_fit_is_left_out_with_its_size(self, cuda_bench: CudaBench) -> None:
        gpu = one_card(capacity_bytes=6 << 20)
        device = cuda_bench.device(gpu)
        try:
            copy = cuda_bench.candidate("copy")
            for count in (300_000, 300_001, 300_002):
                assert isinstance(device.run(copy, copy_arguments(count)), Outputs), "others make room"
            failure = device.run(copy, copy_arguments(4_000_000))
            assert isinstance(failure, RunFailure)
            assert failure.kind is FailureKind.UNSUPPORTED
            assert failure.reason.startswith("copy 4000000 output needs 0.0298 GiB of device memory")
            assert isinstance(device.run(copy, copy_arguments()), Outputs)
        finally:
            device.close()
        assert not gpu.kept

    def test_a_gpu_without_room_for_another_worker_leaves_the_workload_out(
        self, cuda_bench: CudaBench, tmp_path: Path
    ) -> None:
        full = tmp_path / "full"
        bench = replace(cuda_bench, variables={FULL: str(full)})
        device = bench.device()
        try:
            assert isinstance(device.run(bench.candidate("copy"), copy_arguments()), Outputs)
            full.touch()
            failure = device.run(bench.candidate("other"), copy_arguments())
            assert isinstance(failure, RunFailure)
            assert failure.kind is FailureKind.UNSUPPORTED
            full.unlink()
            assert isinstance(device.run(bench.candidate("copy"), copy_arguments()), Outputs)
        finally:
            device.close()

    def test_nothing_is_kept_whatever_fails_while_opening(self, cuda_bench: CudaBench) -> None:
        for name in ("cuModuleLoadData", "cuMemAlloc", "cuMemCreate", "cuMemExportToShareableHandle",
                     "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"):  # fmt: skip
            gpu = one_card()
            gpu.fails[name] = gpu.CUresult.CUDA_ERROR_UNKNOWN
            with pytest.raises(Exception, match=f"{name} failed: CUDA_ERROR_UNKNOWN"):
                cuda_bench.device(gpu)
            assert not gpu.kept, name

    def test_nothing_stays_open_after_many_builds_and_workloads(self, cuda_bench: CudaBench) -> None:
        gpu = one_card()
        device = cuda_bench.device(gpu)
        for name, count in itertools.product(("a", "b", "c", "d"), (10, 20, 30)):
            assert isinstance(device.run(cuda_bench.candidate(name), copy_arguments(count)), Outputs)
        opened = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for name, count in itertools.product(("e", "f"), (40, 50, 60)):
            assert isinstance(device.run(cuda_bench.candidate(name), copy_arguments(count)), Outputs)
        assert len(os.listdir("/proc/self/fd")) <= opened + 12  # noqa: PTH208
        device.release(cuda_bench.candidate("f"))
        device.release(cuda_bench.candidate("f"))
        device.close()
        assert not gpu.kept


class TestOpening:
    @pytest.mark.parametrize(
        ("attribute", "value", "words"),
        [
            ("COMPUTE_MODE", 3, "takes one process at a time"),
            ("MPS_ENABLED", 1, "is used through CUDA MPS"),
            ("VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED", 0, "maps no memory at chosen addresses"),
            ("HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", 0, "shares no memory between processes"),
        ],
    )
    def test_what_a_gpu_cannot_do_is_told(
        self, cuda_bench: CudaBench, attribute: str, value: int, words: str
    ) -> None:
        gpu = one_card()
        gpu.cards[0].attributes[attribute] = value
        with pytest.raises(EnvironmentLacks, match=words):
            cuda_bench.device(gpu)
        assert not gpu.kept

    def test_a_device_that_could_not_be_opened_holds_no_lock(self, cuda_bench: CudaBench) -> None:
        gpu = FakeGpu([small_card(uuid="GPU-3")])
        gpu.fails["cuMemCreate"] = gpu.CUresult.CUDA_ERROR_OUT_OF_MEMORY
        with pytest.raises(DriverFailed):
            cuda_bench.device(gpu)
        gpu.fails.clear()
        replace(cuda_bench, locks=None).device(gpu).close()


class TestSeveralGpus:
    def test_a_threads_calls_stay_on_one_and_threads_spread_over_all(self, cuda_bench: CudaBench) -> None:
        gpu = two_cards()
        device = cuda_bench.device(gpu, "all")
        copy, left = cuda_bench.candidate("copy"), []

        def work() -> None:
            outputs = device.run(copy, copy_arguments())
            assert isinstance(outputs, Outputs), outputs
            left.append(device.timed_outputs(copy, copy_arguments()))

        for _ in range(2):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert device.name == "cuda:0,1"
        assert all(arrays is not None and np.array_equal(arrays["y"], EXPECTED) for arrays in left)
        assert len(gpu.held["context"]) == 2
        device.close()
        assert not gpu.kept
