"""Kernels that a device must run, and kernels that misbehave, each in its own way."""

from pathlib import Path

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


def device(body: str, launch: str = "bad<<<1, 32, 0, stream>>>(x, y, n);") -> KernelSource:
    """A kernel with one statement, on line 2."""
    return KernelSource(
        f"__global__ void bad(const float* x, float* y, int n) {{\n{body}\n}}\n{ENTRY}\n{launch}\n}}\n", "run"
    )
