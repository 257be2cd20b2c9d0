"""The virtual GPU as a device: what it adds to the contract that every device keeps."""

import platform
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.devices.virtual.device import WATCHED_BELOW_BYTES, VirtualDevice, VirtualLimits
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from tests.contract.sources import (
    FIRST_CASE,
    LAUNCH,
    DeviceCase,
    hosting,
    kernel,
    kernel_of,
    line_of,
    one_device_case_of,
    one_of,
)
from tests.contract.sources import device as device_kernel

COUNT = 1000


@pytest.fixture(scope="module")
def device() -> Iterator[VirtualDevice]:
    device = VirtualDevice(limits=VirtualLimits(seconds=20.0))
    yield device
    device.close()


def arguments(count: int = COUNT, label: str = "x to y") -> Arguments:
    x, y = np.arange(count, dtype=np.float32), np.full(count, np.nan, np.float32)
    items = (Tensor("x", x, Access.INPUT), Tensor("y", y, Access.OUTPUT), Scalar("n", count, "int"))
    return Arguments(items, f"{label} {count}")


def run(device: VirtualDevice, source: KernelSource, given: Arguments | None = None) -> Outputs | RunFailure:
    build = device.build(source)
    assert build.ok, build.log
    return device.run(build, given or arguments())


def faults(result: Outputs | RunFailure) -> list[str]:
    assert isinstance(result, Outputs), result
    return [fault.kind for fault in result.faults]


def failure(result: Outputs | Timing | RunFailure) -> RunFailure:
    assert isinstance(result, RunFailure), result
    return result


def forged(leaked_bytes: int) -> str:
    """Host code that writes an answer to where the worker's are read."""
    answer = f'{{"answer": {{"faults": [], "leaked_bytes": {leaked_bytes}, "seconds": 0, "launches": 1}}}}'
    text = answer.replace('"', '\\"')
    return f'const char* s = "{text}"; int n4 = __builtin_strlen(s); write(3, &n4, 4); write(3, s, n4);'


HOST_CODE = {
    "writes an input": "((float*)x)[0] = 7.0f;",
    "writes an output": "y[0] = 1.0f;",
    "reads an input": "if (x[0] > 2.0f) n = 1;",
    "copies": "float h[4]; cudaMemcpy(h, x, 16, cudaMemcpyDeviceToHost); h[0] += 5; cudaMemset(y, 0, n * 4);"
    "cudaMemcpyAsync(y + 8, h, 16, cudaMemcpyHostToDevice, stream); n = 4;",
    "ends its first call only": "static volatile int calls; while (calls) {} calls = 1;",
    "keeps": "static void* kept = nullptr; if (!kept) cudaMalloc(&kept, 4096);",
    "loses": "void* lost; cudaMalloc(&lost, 4096);",
    "keeps by an address": "static const float* known = nullptr; void* kept;"
    "if (known != x) cudaMalloc(&kept, 4096); known = x;",
    "counts its calls": "static int calls = 0; if (++calls > 2) exit(calls);",
    "prints": 'for (int i = 0; i < 100000; i++) printf("line %d of much output\\n", i);',
    "looks for secrets": 'if (getenv("OPENAI_API_KEY") || getenv("HOME")) exit(9);',
    "forges a leak": f"{forged(-1)} pause();",
    "forges and ends": f"{forged(0)} _exit(0);",
    "launches nothing": "return;",
    "launches twice at first": f"static int calls = 0; if (!calls++) {{ {LAUNCH} }}",
}
"""What an entry does before its launch, in one source."""


def case(name: str) -> tuple[KernelSource, Arguments]:
    """The source, and the arguments of which it does that."""
    return one_of([*HOST_CODE.values()]), arguments(FIRST_CASE + [*HOST_CODE].index(name))


TICKET = (
    "__shared__ unsigned next; if (threadIdx.x == 0) next = 0; __syncthreads();"
    "unsigned mine = atomicAdd(&next, 1u); y[threadIdx.x] = mine;"
)
UNSET = (
    "__shared__ int s[256]; if (threadIdx.x < 200) s[threadIdx.x] = 1; __syncthreads();"
    "int v = s[255 - threadIdx.x]; "
)
RACE = "y[0] = threadIdx.x / 32;"
SEEN = "__shared__ volatile int seen; if (threadIdx.x == 0) seen = 1; if (threadIdx.x == 32 && seen != 1) "
LONG = "for (unsigned i = 0; i < 4000000000u; i++) ((volatile float*)y)[40] = i;"
DEVICE_CODE = {
    "reads out of bounds": DeviceCase("y[0] = x[n + 2];"),
    "writes an input": DeviceCase("((float*)x)[3] = 0.0f;"),
    "never ends": DeviceCase("for (unsigned i = 0;; i++) ((volatile unsigned*)y)[0] = i;"),
    "waits long where its second warp is first": DeviceCase(f"{SEEN}{{ {LONG} }} y[threadIdx.x] = 1.0f;", 64),
    "hangs": DeviceCase("while (((volatile float*)y)[0] != 3.0f) {}"),
    "half a warp passes by": DeviceCase("if (threadIdx.x % 2) __syncthreads(); y[threadIdx.x] = 1.0f;"),
    "races": DeviceCase(RACE, 256),
    "takes tickets": DeviceCase(TICKET, 256),
    "adds up in any order": DeviceCase(
        "if (threadIdx.x == 0) y[0] = 0; __syncthreads(); atomicAdd(y, 1 / (x[threadIdx.x] + 3));", 256
    ),
    "uses what is unset": DeviceCase(f"{UNSET}y[threadIdx.x] = v;", 256),
    "reads what is unset": DeviceCase(f"{UNSET}if (threadIdx.x >= 56) y[threadIdx.x] = v;", 256),
    "counts on the order": DeviceCase(
        "if (threadIdx.x >= 32) { while (((volatile float*)y)[0] != 1.0f) {} y[1] = 2.0f; }"
        " else if (threadIdx.x == 0) { y[0] = 1.0f; }",
        64,
    ),
}
"""What a kernel does, in one source. What kernels with atomic sums do in any order is forgiven them alone."""


def number_of(name: str) -> int:
    return FIRST_CASE + [*DEVICE_CODE].index(name)


def device_case(name: str) -> tuple[KernelSource, Arguments]:
    """The source, and the arguments of which that kernel is launched."""
    return one_device_case_of([*DEVICE_CODE.values()]), arguments(number_of(name))


class TestFaultsHavePlaces:
    def test_a_read_out_of_bounds_names_the_buffer_and_the_line(self, device: VirtualDevice) -> None:
        found = failure(run(device, *device_case("reads out of bounds")))
        assert found.fault is not None
        line = line_of(number_of("reads out of bounds"))
        assert (found.fault.kind, found.fault.line) == ("out_of_bounds", line)
        assert "x" in found.fault.message

    def test_a_written_input_is_a_fault(self, device: VirtualDevice) -> None:
        found = failure(run(device, *device_case("writes an input")))
        assert found.fault is not None
        assert (found.fault.kind, found.fault.line) == (
            "input_written",
            line_of(number_of("writes an input")),
        )

    def test_host_code_cannot_write_inputs(self, device: VirtualDevice) -> None:
        found = failure(run(device, *case("writes an input")))
        assert found.kind is FailureKind.CRASHED
        assert "SIGSEGV" in found.reason

    @pytest.mark.parametrize("use", ["writes an output", "reads an input"])
    def test_host_code_that_uses_a_device_pointer_crashes_as_on_hardware(
        self, device: VirtualDevice, use: str
    ) -> None:
        found = failure(run(device, *case(use)))
        assert found.kind is FailureKind.CRASHED
        assert "host code reads or writes device memory" in found.reason

    def test_copies_between_host_and_device_work(self, device: VirtualDevice) -> None:
        result = run(device, *case("copies"))
        assert isinstance(result, Outputs), result
        assert result.arrays["y"][:12].tolist() == [0, 1, 2, 3, 0, 0, 0, 0, 5, 1, 2, 3]

    def test_host_code_and_kernels_see_managed_variables(self, device: VirtualDevice) -> None:
        bump = "__managed__ float seen[2];\n__global__ void bump(int n) { seen[0] += seen[1] * n; }\n"
        body = "seen[1] = 5; bump<<<1, 1, 0, stream>>>(3); cudaStreamSynchronize(stream); float a = seen[0];"
        source = bump + hosting(f"seen[0] = 1; {body} n = a == 16;").text
        result = run(device, KernelSource(source, "run"))
        assert isinstance(result, Outputs), result
        assert result.arrays["y"][0] == 0.0
        assert np.isnan(result.arrays["y"][1])

    def test_an_endless_kernel_is_ended_with_its_name(self) -> None:
        device = VirtualDevice(limits=VirtualLimits(seconds=2.0))
        assert isinstance(run(device, hosting("")), Outputs)
        found = failure(run(device, *device_case("never ends")))
        device.close()
        assert found.kind is FailureKind.TIMED_OUT
        assert found.fault is not None
        assert found.fault.kernel == kernel_of(number_of("never ends"))

    def test_an_entry_that_ends_its_first_call_only_is_ended(self) -> None:
        device = VirtualDevice(limits=VirtualLimits(seconds=2.0))
        found = failure(run(device, *case("ends its first call only")))
        device.close()
        assert found.kind is FailureKind.TIMED_OUT

    def test_a_call_that_takes_too_long_only_where_it_is_watched_is_as_it_was(self) -> None:
        """Its second warp waits long where it comes first, which only the watched call has it do."""
        device = VirtualDevice(limits=VirtualLimits(seconds=4.0))
        result = run(device, *device_case("waits long where its second warp is first"))
        device.close()
        assert isinstance(result, Outputs), result
        assert result.faults == ()
        assert result.unwatched

    def test_what_is_watched_is_not_called_unwatched(self, device: VirtualDevice) -> None:
        result = run(device, *device_case("races"))
        assert isinstance(result, Outputs), result
        assert not result.unwatched

    def test_a_hang_is_told_before_its_time_is_over(self, device: VirtualDevice) -> None:
        found = failure(run(device, *device_case("hangs")))
        assert found.fault is not None
        assert (found.fault.kind, found.fault.line) == ("deadlock", line_of(number_of("hangs")))

    def test_a_barrier_that_half_a_warp_passes_by_is_told(self, device: VirtualDevice) -> None:
        result = run(device, *device_case("half a warp passes by"))
        assert isinstance(result, Outputs)
        line = line_of(number_of("half a warp passes by"))
        assert [(f.kind, f.line) for f in result.faults] == [("barrier_divergence", line)]

    def test_an_unknown_runtime_call_is_unsupported_and_named(self, device: VirtualDevice) -> None:
        source = hosting("cudaArray_t a; cudaChannelFormatDesc d{}; cudaMallocArray(&a, &d, 8, 8, 0);")
        found = failure(run(device, source))
        assert found.kind is FailureKind.UNSUPPORTED
        assert "cudaMallocArray" in found.reason

    def test_a_library_that_is_not_there_is_named(self, device: VirtualDevice) -> None:
        source = KernelSource('extern "C" void elsewhere();\n' + hosting("elsewhere();").text, "run")
        found = failure(run(device, source))
        assert found.kind is FailureKind.LAUNCH_FAILED
        assert "elsewhere" in found.reason


class TestOrder:
    LAUNCH = "bad<<<1, 256, 0, stream>>>(x, y, n);"

    def test_a_race_between_warps_is_seen_on_small_calls(self, device: VirtualDevice) -> None:
        assert faults(run(device, *device_case("races"))) == ["race"]

    def test_what_no_watch_explains_depends_on_the_order(self, device: VirtualDevice) -> None:
        assert faults(run(device, *device_case("takes tickets"))) == ["order_dependent"]

    def test_sums_in_another_order_are_kept_beside_the_first(self, device: VirtualDevice) -> None:
        result = run(device, *device_case("adds up in any order"))
        assert isinstance(result, Outputs)
        one, other = result.arrays["y"][0], result.reordered["y"][0]
        assert result.faults == ()
        assert one != other
        assert abs(one - other) < 1e-3 * one

    def test_unset_shared_memory_matters_where_the_answer_changes(self, device: VirtualDevice) -> None:
        assert faults(run(device, *device_case("uses what is unset"))) == ["uninitialised"]
        assert faults(run(device, *device_case("reads what is unset"))) == []

    def test_what_one_call_leaves_allocated_is_kept_what_each_leaves_is_lost(
        self, device: VirtualDevice
    ) -> None:
        kept, lost = run(device, *case("keeps")), run(device, *case("loses"))
        assert isinstance(kept, Outputs)
        assert isinstance(lost, Outputs)
        assert (kept.leaked_bytes, lost.leaked_bytes) == (0, 4096)

    def test_what_is_kept_by_an_address_is_lost_at_the_next(self, device: VirtualDevice) -> None:
        result = run(device, *case("keeps by an address"))
        assert isinstance(result, Outputs)
        assert result.leaked_bytes == 4096

    def test_large_calls_run_once(self, device: VirtualDevice) -> None:
        source = device_kernel(TICKET, self.LAUNCH)
        assert faults(run(device, source, arguments(WATCHED_BELOW_BYTES // 8 - 1))) == ["order_dependent"]
        assert faults(run(device, source, arguments(WATCHED_BELOW_BYTES // 8))) == []

    def test_large_calls_are_watched_in_passing(self, device: VirtualDevice) -> None:
        large = f"if (n < {WATCHED_BELOW_BYTES // 8}) return; "
        source = device_kernel(large + RACE, self.LAUNCH)
        assert faults(run(device, source, arguments(WATCHED_BELOW_BYTES // 8 - 1))) == []
        assert faults(run(device, source, arguments(WATCHED_BELOW_BYTES // 8))) == ["race"]

    def test_atomic_float_sums_may_round_in_any_order(self, device: VirtualDevice) -> None:
        body = (
            "if (threadIdx.x == 0) y[0] = 0.0f; __syncthreads(); atomicAdd(y, 1.0f / (1 + threadIdx.x * 7));"
        )
        assert faults(run(device, device_kernel(body, self.LAUNCH))) == []

    def test_a_kernel_that_counts_on_the_order_is_told(self, device: VirtualDevice) -> None:
        result = run(device, *device_case("counts on the order"))
        assert isinstance(result, Outputs), result


class TestWorkers:
    @pytest.mark.skipif(platform.machine() != "x86_64", reason="a system call of x86-64")
    def test_a_denied_system_call_is_named(self, device: VirtualDevice) -> None:
        shmget = 'long r; asm volatile("syscall" : "=a"(r) : "a"(29L), "D"(7L), "S"(4096L), "d"(512L));'
        found = failure(run(device, hosting(shmget)))
        assert found.kind is FailureKind.CRASHED
        assert "tried the system call shmget" in found.reason

    def test_state_of_host_code_lives_until_release(self, device: VirtualDevice) -> None:
        source, given = case("counts its calls")
        build = device.build(source)
        assert isinstance(device.run(build, given), Outputs)  # a small call is two
        assert "exit(3)" in failure(device.run(build, given)).reason
        assert isinstance(device.run(build, given), Outputs)
        device.release(build)
        assert isinstance(device.run(build, given), Outputs)

    def test_more_builds_than_workers_take_turns(self, device: VirtualDevice) -> None:
        sources = [hosting(""), kernel("scratch"), one_of([*HOST_CODE.values()])]
        sources += [hosting(f"int mark = {i}; (void)mark;") for i in range(2)]
        builds = [device.build(source) for source in sources]
        results: list[Outputs | RunFailure] = []

        def work(index: int) -> None:
            for _ in range(3):
                results.append(device.run(builds[index], arguments(100 + index)))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 15
        assert all(isinstance(result, Outputs) for result in results), results

    def test_releasing_a_build_ends_its_call(self, device: VirtualDevice) -> None:
        build = device.build(hosting("while (1) sleep(1);"))
        timer = threading.Timer(1.0, device.release, [build])
        timer.start()
        started = time.monotonic()
        assert failure(device.run(build, arguments())).kind is FailureKind.CRASHED
        assert time.monotonic() - started < 10

    def test_what_a_candidate_prints_is_no_trouble(self, device: VirtualDevice) -> None:
        assert isinstance(run(device, *case("prints")), Outputs)

    def test_a_candidate_sees_no_secrets(
        self, device: VirtualDevice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        other = VirtualDevice()
        result = run(other, *case("looks for secrets"))
        other.close()
        assert isinstance(result, Outputs), result

    def test_forged_answers_are_a_crash(self, device: VirtualDevice) -> None:
        found = failure(run(device, *case("forges a leak")))
        assert found.kind is FailureKind.CRASHED
        assert "channel" in found.reason

    def test_an_answer_to_no_request_is_a_crash(self, device: VirtualDevice) -> None:
        assert failure(run(device, *case("forges and ends"))).kind is FailureKind.CRASHED


class TestModelledTimes:
    def test_a_time_is_one_sample_and_found_again(self, device: VirtualDevice) -> None:
        build, given = device.build(hosting("")), arguments(100_000)
        first = device.time(build, given, TimingPlan(samples=50))
        started = time.monotonic()
        again = device.time(build, given, TimingPlan(samples=50))
        assert time.monotonic() - started < 0.05
        assert isinstance(first, Timing)
        assert first == again
        assert len(first.samples_ms) == 1

    def test_an_entry_without_a_launch_has_no_time(self, device: VirtualDevice) -> None:
        source, given = case("launches nothing")
        result = device.time(device.build(source), given, TimingPlan())
        assert isinstance(result, RunFailure)
        assert "no kernel" in result.reason


def test_closing_twice_is_harmless() -> None:
    device = VirtualDevice()
    device.close()
    device.close()


class TestTimedCallsAreLikeOthers:
    PEEK = "float first; cudaMemcpy(&first, y, 4, cudaMemcpyDeviceToHost); if (first == first) n = 1;"
    """Host code that does less work where the output does not hold what it holds when it is read."""

    def test_outputs_hold_the_same_before_a_timed_call(self, device: VirtualDevice) -> None:
        given = arguments(100_000, "peeked")
        times = [
            device.time(device.build(hosting(words)), given, TimingPlan())
            for words in (self.PEEK, self.PEEK.replace("n = 1", "n = n"))
        ]
        assert isinstance(times[0], Timing)
        assert isinstance(times[1], Timing)
        assert times[0].samples_ms == times[1].samples_ms

    def test_what_launches_less_when_it_is_timed_has_no_time(self, device: VirtualDevice) -> None:
        build = device.build(hosting("static int calls = 0; if (++calls > 2) n = 1;"))
        given = arguments(100_000, "counted")
        ran = device.run(build, given)
        assert isinstance(ran, Outputs)
        found = failure(device.time(build, given, TimingPlan()))
        assert "leaves" in found.reason
        assert found.fault is not None
        assert found.fault.kind == "other_launches"

    def test_what_launches_more_the_first_time_has_a_time(self, device: VirtualDevice) -> None:
        source, given = case("launches twice at first")
        build = device.build(source)
        assert isinstance(device.run(build, given), Outputs)
        device.release(build)
        assert isinstance(device.time(build, given, TimingPlan()), Timing)


LONGER_AND_LONGER = """
__global__ void rounds(const float* x, float* y, int n, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = x[i];
    for (int round = 0; round < most; round++) sum = sum * 0.5f + x[round % n];
    y[i] = sum;
}
extern "C" void entry(const float* x, float* y, int n, cudaStream_t stream) {
    for (int most = 1; most < 5000; most *= 16) rounds<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n, most);
}
"""


def test_a_timing_tells_the_instructions_of_all_threads_of_all_launches(device: VirtualDevice) -> None:
    build = device.build(KernelSource(LONGER_AND_LONGER, "entry"))
    assert build.ok, build.log
    timing = device.time(build, arguments(), TimingPlan())
    assert isinstance(timing, Timing)
    rounds = COUNT * (1 + 16 + 256 + 4096)
    assert 2 * rounds < timing.steps < 20 * rounds


QUEUE = """
__device__ unsigned next;
__global__ void take(const float* x, float* y, int n) {
    __shared__ unsigned mine;
    for (;;) {
        if (threadIdx.x == 0) mine = atomicAdd(&next, 1u);
        __syncthreads();
        int i = mine * blockDim.x + threadIdx.x;
        if (mine * blockDim.x >= n) return;
        if (i < n) y[i] = x[i];
        __syncthreads();
    }
}
extern "C" void entry(const float* x, float* y, int n, cudaStream_t stream) {
    void* at;
    cudaGetSymbolAddress(&at, next);
    cudaMemsetAsync(at, 0, 4, stream);
    take<<<64, 32, 0, stream>>>(x, y, n);
}
"""


def test_blocks_that_depend_on_others_have_no_time_where_they_are_not_to_be_counted_beside_them(
    device: VirtualDevice,
) -> None:
    build = device.build(KernelSource(QUEUE, "entry"))
    assert build.ok, build.log
    found = failure(device.time(build, arguments(50_000), TimingPlan(alone=True)))
    assert found.kind is FailureKind.TIMED_OUT
    assert "its blocks depend on others" in found.reason
    assert isinstance(device.time(build, arguments(50_000), TimingPlan()), Timing)


ONE_OF_MANY = """
__device__ int turn;
__global__ void step(const float* x, float* y, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = x[i];
    if (turn % 60 == 40)
        for (int round = 0; round < rounds; round++) sum = sum * 0.5f + x[round % n];
    y[i] = sum;
}
__global__ void next() { turn++; }
extern "C" void entry(const float* x, float* y, int n, cudaStream_t stream) {
    for (int launch = 0; launch < 60; launch++) {
        step<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n, 1 << 17);
        next<<<1, 1, 0, stream>>>();
    }
}
"""


@pytest.mark.parametrize("within", [False, True])
def test_one_of_many_launches_that_does_more_than_those_it_counts_as_is_found(
    device: VirtualDevice, within: bool
) -> None:
    build = device.build(KernelSource(ONE_OF_MANY, "entry"))
    assert build.ok, build.log
    timing = device.time(build, arguments(4000), TimingPlan(within=within))
    assert isinstance(timing, Timing)
    assert timing.steps > 4000 << 17
