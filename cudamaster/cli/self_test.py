"""A tiny kernel end to end on a device: built, run, and its outputs compared."""

from typing import NamedTuple

KERNEL = """\
__global__ void doubled(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
extern "C" void twice(const float* x, float* y, int n) { doubled<<<(n + 63) / 64, 64>>>(x, y, n); }
"""
COUNT = 100


class Finding(NamedTuple):
    """How it went."""

    ok: bool
    sentence: str


def run_tiny_kernel(device_name: str) -> Finding:
    """Double a hundred numbers on the device. Raises EnvironmentLacks where it cannot be opened."""
    import numpy as np

    from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
    from cudamaster.toolchain.catalog import open_device
    from cudamaster.toolchain.kernel import KernelSource
    from cudamaster.toolchain.outputs import RunFailure

    x = np.arange(COUNT, dtype=np.float32)
    tensors = (Tensor("x", x, Access.INPUT), Tensor("y", np.full_like(x, np.nan), Access.OUTPUT))
    arguments = Arguments((*tensors, Scalar("n", COUNT, "int")), "doctor")
    device = open_device(device_name)
    try:
        build = device.build(KernelSource(KERNEL, "twice"))
        outputs = device.run(build, arguments) if build.ok else None
    finally:
        device.close()
    if outputs is None:
        return Finding(False, f"a tiny kernel does not build: {build.first_error}")
    if isinstance(outputs, RunFailure):
        return Finding(False, f"a tiny kernel does not run: {outputs.reason}")
    right = np.array_equal(outputs.arrays["y"], 2 * x)
    return Finding(right, f"{device.name} runs a tiny kernel " + ("right" if right else "wrong"))
