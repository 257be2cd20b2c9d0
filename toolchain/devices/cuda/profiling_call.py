"""Makes one call of an entry on the GPU, in a process of its own, for a tool that watches: `… FOLDER`.

The folder holds what `profiling_tools.prepared_call` wrote. Profilers are told when the call begins and ends,
so that nothing else is counted. No verdict rests on this call; its outputs are thrown away. Once driver,
runtime and buffers are ready, the process gives up what the call does not need, where the folder says so.
"""

import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudamaster.toolchain.devices.cuda.candidate import bound_call
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver, load_driver
from cudamaster.toolchain.devices.cuda.profiling_tools import CALL, SAID
from cudamaster.toolchain.devices.cuda.runtime import runtime_library
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.worker.hardening import confine_watched


def make_call(driver: CudaDriver, runtime: Any, call: dict[str, Any], folder: Path) -> str | None:
    """Call the entry once between the profiler's marks; the error that it left behind, where it did.

    `runtime` is the CUDA runtime that the build is bound to. Raises DriverFailed, OSError, ValueError.
    """
    context = Context(driver, driver.call("cuDeviceGet", 0))
    context.use()
    buffers = _Buffers(driver, folder)
    try:
        items = [buffers.address(item) if isinstance(item, dict) else item for item in call["items"]]
        if call["confined"] is not None:
            confine_watched(call["confined"]["readable"], folder, call["confined"]["devices"])
        entry = bound_call(ctypes.CDLL(call["library"]), call["entry"], items)
        driver.call("cuProfilerStart")
        entry()
        context.wait()
        driver.call("cuProfilerStop")
        return _left_behind(runtime)
    finally:
        buffers.free()


def _left_behind(runtime: Any) -> str | None:
    """A refused launch does not stop the entry: the runtime remembers it."""
    code = int(runtime.cudaGetLastError())
    return f"the entry left the error {runtime.cudaGetErrorName(code).decode()} behind" if code else None


class _Buffers:
    """Device memory of the call, filled from the folder's files."""

    def __init__(self, driver: CudaDriver, folder: Path) -> None:
        self._driver = driver
        self._folder = folder
        self._held: list[Any] = []

    def address(self, item: dict[str, str]) -> int:
        """A new buffer that holds the file's bytes."""
        content = (self._folder / item["file"]).read_bytes()
        pointer = self._driver.call("cuMemAlloc", max(1, len(content)))
        self._held.append(pointer)
        if content:
            self._driver.call("cuMemcpyHtoD", pointer, content, len(content))
        return int(pointer)

    def free(self) -> None:
        """Give everything back; after a fault the context is lost, and with it all that it held."""
        while self._held:
            self._driver.binding.cuMemFree(self._held.pop())


def load_runtime() -> ctypes.CDLL:
    """The CUDA runtime, loaded for everyone: builds link against none. Raises EnvironmentLacks."""
    runtime = ctypes.CDLL(str(runtime_library(find_toolchain())), mode=ctypes.RTLD_GLOBAL)
    runtime.cudaGetErrorName.restype = ctypes.c_char_p
    return runtime


def main(arguments: Sequence[str]) -> int:
    """Make the call of the folder and leave there what became of it; 0 where it returned."""
    folder = Path(arguments[0])
    try:
        call = json.loads((folder / CALL).read_text())
        failed = make_call(load_driver(), load_runtime(), call, folder)
    except (ToolchainError, OSError, ValueError) as failure:
        failed = str(failure)
    (folder / SAID).write_text(json.dumps({"failed": failed}))
    return 0 if failed is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
