"""Tells on the GPU whether memory was changed: a sum over its words that any changed bit changes."""

import ctypes
import secrets
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.nvcc.machine_code import machine_codes

SOURCE = Path(__file__).with_name("fingerprint.cu")
ENTRY, KERNEL = "fingerprint_of", b"fingerprint"
WORD_BYTES = 8
BLOCKS, THREADS = 1024, 256


def fingerprint_code(library: Path) -> bytes:
    """The kernel's machine code in its library."""
    return next(machine_codes(library.read_bytes()))


def fingerprint_library(toolchain: Toolchain, architecture: str) -> Path:
    """The kernel's library. Raises EnvironmentLacks where nvcc does not compile it."""
    library = fingerprint_build(toolchain, architecture).library
    assert library is not None
    return library


def fingerprint_build(toolchain: Toolchain, architecture: str) -> Build:
    """Its source, compiled. Raises EnvironmentLacks where nvcc does not."""
    build = compile_kernel(KernelSource(SOURCE.read_text(), ENTRY, SOURCE.name), architecture, toolchain)
    if build.library is None:
        raise EnvironmentLacks(f"nvcc {toolchain.version} does not compile for the GPU: {build.first_error}")
    return build


def fingerprint_call() -> Arguments:
    """What its entry can be called with."""
    words, total = np.arange(1024, dtype=np.uint64), np.zeros(1, np.uint64)
    tensors = Tensor("words", words, Access.INPUT), Tensor("sum", total, Access.OUTPUT)
    scalars = Scalar("count", words.size, "int"), Scalar("seed", 1, "int")
    return Arguments((*tensors, *scalars), "fingerprint")


class Fingerprint:
    """The kernel in the context, with a seed that nobody else knows. Raises DriverFailed."""

    def __init__(self, context: Context, code: bytes) -> None:
        self._context = context
        driver = context.driver
        with ExitStack() as undo:
            module = driver.call("cuModuleLoadData", code)
            undo.callback(context.let_go, "cuModuleUnload", module)
            self._kernel = driver.call("cuModuleGetFunction", module, KERNEL)
            self._sum = int(driver.call("cuMemAlloc", WORD_BYTES))
            undo.callback(context.let_go, "cuMemFree", self._sum)
            self._undo = undo.pop_all()
        self._seed = secrets.randbits(64)

    def of(self, address: int, nbytes: int) -> int:
        """That of so many bytes, a multiple of 8, of this process's memory."""
        driver, found = self._context.driver, ctypes.c_uint64()
        driver.call("cuMemsetD8", self._sum, 0, WORD_BYTES)
        self.begin(address, nbytes)
        driver.call("cuMemcpyDtoH", ctypes.addressof(found), self._sum, WORD_BYTES)
        return found.value

    def begin(self, address: int, nbytes: int) -> None:
        """Launch the kernel on these bytes, and wait for nothing."""
        values = (address, nbytes // WORD_BYTES, self._seed, self._sum)
        self._context.driver.call(
            "cuLaunchKernel", self._kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0,
            (values, (ctypes.c_uint64,) * len(values)), 0,
        )  # fmt: skip

    def close(self) -> None:
        """Unload it."""
        self._undo.close()
