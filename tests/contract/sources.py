"""Kernels that a device must run, and kernels that misbehave, each in its own way."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cudamaster.toolchain.kernel import KernelSource

FOLDER = Path(__file__).parent / "kernels"
HEADER = """\
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <signal.h>
"""
KERNEL = """\
__global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""
ENTRY = 'extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {'
LAUNCH = "copy<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);"


def kernel(name: str) -> KernelSource:
    """The kernel in `kernels/<name>.cu`."""
    return KernelSource((FOLDER / f"{name}.cu").read_text(), "run")


def hosting(statements: str) -> KernelSource:
    """A copy kernel whose entry does something else first."""
    return KernelSource(f"{HEADER}{KERNEL}{ENTRY}\n{statements}\n{LAUNCH}\n}}\n", "run")


FIRST_CASE = 1000


def one_of(cases: Sequence[str]) -> KernelSource:
    """A copy kernel whose entry does what the case of the number n says: compiled once for all of them.

    The first case is of n = 1000, the next of 1001; of any other n the entry does nothing else.
    """
    told = "\n".join(f"case {n}: {{ {body} }} break;" for n, body in enumerate(cases, FIRST_CASE))
    return hosting(f"switch (n) {{\n{told}\n}}")


def device(body: str, launch: str = "bad<<<1, 32, 0, stream>>>(x, y, n);") -> KernelSource:
    """A kernel with one statement, on line 2."""
    return KernelSource(
        f"__global__ void bad(const float* x, float* y, int n) {{\n{body}\n}}\n{ENTRY}\n{launch}\n}}\n", "run"
    )


class DeviceCase(NamedTuple):
    """A kernel of one statement, launched as one block."""

    body: str
    threads: int = 32


def kernel_of(number: int) -> str:
    """The name of a case's kernel."""
    return f"case_{number}"


def line_of(number: int) -> int:
    """Where its statement stands."""
    return 3 * (number - FIRST_CASE) + 2


def one_device_case_of(cases: Sequence[DeviceCase]) -> KernelSource:
    """Kernels of which the case of the number n is launched, numbered as by `one_of`."""
    kernels = launches = ""
    for number, (body, threads) in enumerate(cases, FIRST_CASE):
        name = kernel_of(number)
        kernels += f"__global__ void {name}(const float* x, float* y, int n) {{\n{body}\n}}\n"
        launches += f"case {number}: {name}<<<1, {threads}, 0, stream>>>(x, y, n); break;\n"
    return KernelSource(f"{kernels}{ENTRY}\nswitch (n) {{\n{launches}}}\n}}\n", "run")
