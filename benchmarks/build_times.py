"""What stands between a source and its answer: compile, worker, call. Prints medians beside their targets."""

import time
import uuid
from collections.abc import Callable
from statistics import median

import numpy as np

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.devices.virtual.device import VirtualDevice
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.starter import WorkerStarter

COPY = """\
// {mark}
#include <cuda_bf16.h>
__global__ void copy(const float* x, float* y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}}
extern "C" void run(const float* x, float* y, int n, int total, cudaStream_t stream) {{
    copy<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}}
"""
PROGRAM = "cudamaster.toolchain.devices.virtual.program"


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begun))
    return median(times)


def line(what: str, found_ms: float, target_ms: float | None = None) -> None:
    target = f"target {target_ms:8.1f} ms, ratio {found_ms / target_ms:5.2f}" if target_ms else ""
    print(f"{what:48s} {found_ms:9.2f} ms   {target}")


def source(mark: str) -> KernelSource:
    return KernelSource(COPY.format(mark=mark), "run")


def arguments(total: int, moved: int, label: str) -> Arguments:
    """`total` floats each way, of which the kernel moves `moved`: what is left is the harness's own cost."""
    x = np.arange(total, dtype=np.float32)
    y = np.full(total, np.nan, np.float32)
    items = (
        Tensor("x", x, Access.INPUT), Tensor("y", y, Access.OUTPUT), Scalar("n", moved, "int"),
        Scalar("total", total, "int"),
    )  # fmt: skip
    return Arguments(items, label)


def workers() -> None:
    limits = WorkerLimits()
    line("zygote start, native library compiled before", milliseconds(_start_and_stop, 3), 1000)
    starter = WorkerStarter(PROGRAM)
    starter.start(limits).close()
    line("worker: fork, harden, end", milliseconds(lambda: starter.start(limits).close(), 20), 20)
    started = []
    line("worker: fork, harden", milliseconds(lambda: started.append(starter.start(limits)), 20), 10)
    for worker in started:
        worker.close()
    starter.close()


def _start_and_stop() -> None:
    starter = WorkerStarter(PROGRAM)
    starter.start(WorkerLimits()).close()
    starter.close()


def calls(device: VirtualDevice) -> None:
    build = device.build(source("benchmark"))
    small, large = arguments(128, 128, "1 KB"), arguments(12_500_000, 256, "100 MB")

    def run(workload: Arguments) -> None:
        outputs = device.run(build, workload)
        assert isinstance(outputs, Outputs), outputs

    line("first call: worker, library, parse, compile", milliseconds(lambda: run(small), 1))
    line("call with 1 KB, both orders", milliseconds(lambda: run(small), 50), 5)
    line("first call with 100 MB", milliseconds(lambda: run(large), 1))
    line("call with 100 MB", milliseconds(lambda: run(large), 10), 100)


def main() -> None:
    device = VirtualDevice()
    line("compile, first time", milliseconds(lambda: device.build(source(uuid.uuid4().hex)), 5), 1500)
    line("compile, found in the cache", milliseconds(lambda: device.build(source("benchmark")), 50), 5)
    workers()
    calls(device)
    device.close()


if __name__ == "__main__":
    main()
