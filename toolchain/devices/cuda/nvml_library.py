"""NVIDIA's own NVML library, where the package that wraps it (`pynvml`) is not installed.

It has the names of that package that `nvml` uses, and no others. Values and structures: NVIDIA's `nvml.h`.
"""

import ctypes
from typing import Any, NamedTuple

LIBRARY = "libnvidia-ml.so.1"
ROOM = 96
"""Bytes for a name; NVIDIA's limits are 96 (NVML_DEVICE_NAME_V2_BUFFER_SIZE, _UUID_V2_) and 80."""
MOST_PROCESSES = 1024
NOT_SUPPORTED, NO_PERMISSION = 3, 4


class NVMLError(Exception):
    """NVML's refusal of a call, in its own words."""


class NVMLError_NotSupported(NVMLError):  # noqa: N801 (the package's name)
    """The GPU has no such thing."""


class NVMLError_NoPermission(NVMLError):  # noqa: N801
    """This user may not know."""


class Process(NamedTuple):
    """What the package calls so: a process with a context on the GPU."""

    pid: int
    usedGpuMemory: int | None  # noqa: N815
    """Bytes; None where the system does not tell."""


class _ProcessInfo(ctypes.Structure):
    """`nvmlProcessInfo_v2_t`."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


UNKNOWN_BYTES = (1 << 64) - 1
"""NVML_VALUE_NOT_AVAILABLE."""


class NvmlLibrary:
    """The functions, each raising NVMLError where NVML refuses; `nvmlInit` loads the library."""

    NVMLError = NVMLError
    NVMLError_NotSupported = NVMLError_NotSupported
    NVMLError_NoPermission = NVMLError_NoPermission
    NVMLError_FunctionNotFound = NVMLError_NotSupported
    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    NVML_TEMPERATURE_GPU = 0
    NVML_DEVICE_MIG_ENABLE = 1
    nvmlClocksEventReasonSwPowerCap = 0x04  # noqa: N815
    nvmlClocksEventReasonHwSlowdown = 0x08  # noqa: N815
    nvmlClocksEventReasonSwThermalSlowdown = 0x20  # noqa: N815
    nvmlClocksEventReasonHwThermalSlowdown = 0x40  # noqa: N815
    nvmlClocksEventReasonHwPowerBrakeSlowdown = 0x80  # noqa: N815

    def __init__(self, name: str = LIBRARY) -> None:
        self._name = name
        self._library: Any = None

    def nvmlInit(self) -> None:  # noqa: N802
        """Load and start it; each call needs its `nvmlShutdown`."""
        try:
            self._library = self._library or ctypes.CDLL(self._name)
        except OSError as failure:
            raise NVMLError("NVML Shared Library Not Found") from failure
        self._library.nvmlErrorString.restype = ctypes.c_char_p
        self._call("nvmlInit_v2")

    def nvmlShutdown(self) -> None:  # noqa: N802
        """Let go of it."""
        self._call("nvmlShutdown")

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        """Such as `580.65.06`."""
        return self._text("nvmlSystemGetDriverVersion")

    def nvmlDeviceGetHandleByPciBusId(self, bus_id: str) -> Any:  # noqa: N802
        """The GPU at this place of the PCI bus."""
        handle = ctypes.c_void_p()
        self._call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.encode(), ctypes.byref(handle))
        return handle

    def nvmlDeviceGetName(self, handle: Any) -> str:  # noqa: N802
        """The vendor's name."""
        return self._text("nvmlDeviceGetName", handle)

    def nvmlDeviceGetUUID(self, handle: Any) -> str:  # noqa: N802
        """Such as `GPU-3f2a…`."""
        return self._text("nvmlDeviceGetUUID", handle)

    def nvmlDeviceGetMaxClockInfo(self, handle: Any, kind: int) -> int:  # noqa: N802
        """MHz at most."""
        return self._number("nvmlDeviceGetMaxClockInfo", handle, kind)

    def nvmlDeviceGetClockInfo(self, handle: Any, kind: int) -> int:  # noqa: N802
        """MHz now."""
        return self._number("nvmlDeviceGetClockInfo", handle, kind)

    def nvmlDeviceGetTemperature(self, handle: Any, sensor: int) -> int:  # noqa: N802
        """Degrees Celsius."""
        return self._number("nvmlDeviceGetTemperature", handle, sensor)

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle: Any) -> int:  # noqa: N802
        """Bits that say what keeps the clock down."""
        reasons = ctypes.c_ulonglong()
        self._call("nvmlDeviceGetCurrentClocksEventReasons", handle, ctypes.byref(reasons))
        return reasons.value

    def nvmlDeviceGetMigMode(self, handle: Any) -> tuple[int, int]:  # noqa: N802
        """(now, after the next reset)."""
        now, then = ctypes.c_uint(), ctypes.c_uint()
        self._call("nvmlDeviceGetMigMode", handle, ctypes.byref(now), ctypes.byref(then))
        return now.value, then.value

    def nvmlDeviceGetComputeRunningProcesses(self, handle: Any) -> list[Process]:  # noqa: N802
        """Those with a context on it, at most 1024."""
        count, room = ctypes.c_uint(MOST_PROCESSES), (_ProcessInfo * MOST_PROCESSES)()
        self._call("nvmlDeviceGetComputeRunningProcesses_v3", handle, ctypes.byref(count), room)
        return [
            Process(one.pid, None if one.used == UNKNOWN_BYTES else one.used) for one in room[: count.value]
        ]

    def _number(self, function: str, *arguments: Any) -> int:
        found = ctypes.c_uint()
        self._call(function, *arguments, ctypes.byref(found))
        return found.value

    def _text(self, function: str, *arguments: Any) -> str:
        buffer = ctypes.create_string_buffer(ROOM)
        self._call(function, *arguments, buffer, ctypes.c_uint(ROOM))
        return buffer.value.decode(errors="replace")

    def _call(self, function: str, *arguments: Any) -> None:
        try:
            code = getattr(self._library, function)(*arguments)
        except AttributeError as missing:  # an older driver's library
            raise NVMLError_NotSupported(f"NVML has no {function}") from missing
        if code:
            raise _KINDS.get(code, NVMLError)(self._library.nvmlErrorString(code).decode())


_KINDS = {NOT_SUPPORTED: NVMLError_NotSupported, NO_PERMISSION: NVMLError_NoPermission}
