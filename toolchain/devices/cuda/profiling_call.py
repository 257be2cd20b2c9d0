"""Makes one call of an entry on the GPU, in a process of its own, for a tool that watches: `… FOLDER`.

The folder holds what `profiling_tools.prepared_call` wrote. Profilers are told when the call begins and ends,
so that nothing else is counted. No verdict rests on this call; its outputs are thrown away.
"""

import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudamaster.toolchain.devices.cuda.driver import CudaDriver, load_driver
from cudamaster.toolchain.devices.cuda.profiling_tools import CALL, SAID
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.passing import passed

RUNTIME = "cudart"


def make_call(driver: CudaDriver, runtime: Any, call: dict[str, Any], folder: Path) -> str | None:
    """Call the entry once between the profiler's marks; the error that it left behind, where it did.

    `runtime` is the CUDA runtime that the build is bound to. Raises DriverFailed, OSError, ValueError.
    """
    device = driver.call("cuDeviceGet", 0)
    driver.call("cuCtxSetCurrent", driver.call("cuDevicePrimaryCtxRetain", device))
    buffers = _Buffers(driver, folder)
    try:
        values = [passed(buffers.address(item) if isinstance(item, dict) else item) for item in call["items"]]
        stream = driver.call("cuStreamCreate", int(driver.binding.CUstream_flags.CU_STREAM_DEFAULT))
        entry = getattr(ctypes.CDLL(call["library"]), call["entry"])
        entry.restype = None
        driver.call("cuProfilerStart")
        entry(*values, ctypes.c_void_p(int(stream)))
        driver.call("cuCtxSynchronize")
        driver.call("cuProfilerStop")
        return _left_behind(runtime)
    finally:
        buffers.free()


def _left_behind(runtime: Any) -> str | None:
    """A refused launch does not stop the entry: the runtime remembers it."""
    code = int(runtime.cudaGetLastError())
    return f"a call of the entry was refused: CUDA runtime error {code}" if code else None


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
    """The CUDA runtime, loaded for everyone: builds link against none. Raises OSError where there is none."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        return ctypes.CDLL(load_nvidia_dynamic_lib(RUNTIME).abs_path, mode=ctypes.RTLD_GLOBAL)
    except DynamicLibNotFoundError as failure:
        raise OSError(f"no CUDA runtime library here: {failure}") from failure


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
