"""A candidate's entry, loaded against the CUDA runtime of this process and called on a thread of its own."""

import ctypes
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cudamaster.toolchain.arguments import Scalar
from cudamaster.toolchain.devices.virtual.host import CudaError, CudaRuntime
from cudamaster.toolchain.devices.virtual.host_thread import HostThread

Argument = int | Scalar
"""A device buffer's address, or a value passed by value."""


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


class _Bf16(ctypes.Structure):
    """`__nv_bfloat16`: two bytes, passed by value like an integer on x86-64 and aarch64."""

    _fields_ = (("bits", ctypes.c_uint16),)


def argument_fields(argument: Argument) -> Any:
    """An argument in JSON, for `passed`."""
    return argument if isinstance(argument, int) else [argument.name, argument.value, argument.ctype]


def passed(fields: Any) -> ctypes.c_void_p | ctypes.c_int32 | ctypes.c_float | _Bf16:
    """The argument as C passes it. Raises ValueError for an unknown type."""
    if isinstance(fields, int):
        return ctypes.c_void_p(fields)
    name, value, ctype = fields
    match ctype:
        case "int":
            return ctypes.c_int32(int(value))
        case "float":
            return ctypes.c_float(value)
        case "bf16":
            return _Bf16(bf16_bits(float(value)))
        case "null":
            return ctypes.c_void_p(None)
    raise ValueError(f"the scalar {name} has the unknown type {ctype}")


def bf16_bits(value: float) -> int:
    """The bits of the bfloat16 nearest to `value`, ties to even; NaN stays NaN."""
    bits = int.from_bytes(struct.pack("<f", value), "little")
    if value != value:
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF
