"""A candidate's entry, loaded against the CUDA runtime of this process and called on a thread of its own."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cudamaster.toolchain.devices.virtual.host import CudaError, CudaRuntime
from cudamaster.toolchain.devices.virtual.host_thread import HostThread


@dataclass(frozen=True, slots=True)
class HostReport:
    """What the runtime says of a call that returned, or was left where it was."""

    refused_launch: str | None
    """The first launch that the runtime's checks refused, with its error."""
    violation: str | None
    """What the host code did that the harness forbids, such as copying into an input."""
    refused_bytes: int
    """Of the first allocation that was refused; 0 where none was."""
    error: CudaError | None
    """The last error left behind."""


def report_fields(report: HostReport) -> dict[str, Any]:
    """For `report_of`."""
    return asdict(report)


def report_of(fields: Mapping[str, Any]) -> HostReport:
    """The inverse of `report_fields`, for nobody's word. Raises KeyError, TypeError, ValueError."""
    error = fields["error"]
    words = [None if fields[name] is None else str(fields[name]) for name in ("refused_launch", "violation")]
    left = None if error is None else CudaError(int(error["code"]), str(error["name"]), str(error["text"]))
    return HostReport(words[0], words[1], int(fields["refused_bytes"]), left)


class EntryCaller:
    """A loaded candidate. Raises Unsupported for runtime calls we lack, OSError where it cannot be loaded."""

    def __init__(self, runtime: CudaRuntime, library: Path) -> None:
        self._runtime = runtime
        self._loaded = runtime.load(library)
        self._stream = ctypes.c_void_p()
        runtime.native.cudaStreamCreate(ctypes.byref(self._stream))

    def call(self, entry: str, values: Sequence[Any]) -> HostReport:
        """Call `extern "C" void entry(values…, stream)` once. Raises what the runtime's callbacks raised."""
        function = getattr(self._loaded, entry)
        function.restype = None
        runtime = self._runtime
        runtime.native.vgrt_begin_call()
        host = HostThread()
        runtime.leave = host.abandon
        host.run(lambda: function(*values, self._stream))
        runtime.leave = None
        runtime.raise_failure()
        return HostReport(
            runtime.refused_launch(), runtime.violation(), runtime.refused_bytes(), runtime.last_error()
        )
