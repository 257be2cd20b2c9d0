"""A candidate's library in a worker: bound to the real CUDA runtime, called, and what it asks counted."""

import ctypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudamaster.toolchain.devices.cuda.driver import REFUSED, REFUSED_BY_SYSTEM
from cudamaster.toolchain.passing import passed

Call = Callable[[], None]


class Counted(NamedTuple):
    """What was asked of the runtime since `begin`."""

    launches: int
    moves: int
    """Copies and fills."""
    live_bytes: int
    """Device memory allocated and not freed, ever."""
    error: str | None
    """The first launch that was refused, or the error left behind."""


class _Counted(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_longlong) for name in ("launches", "moves", "live_bytes", "refused"))


class Runtime:
    """The CUDA runtime at `cudart`, behind the counting library at `counting`. Raises OSError."""

    def __init__(self, counting: Path, cudart: Path) -> None:
        self._counting = ctypes.CDLL(str(counting), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
        if not self._counting.counting_open(str(cudart).encode()):
            raise OSError(f"the CUDA runtime {cudart} cannot be loaded")
        self._cudart = ctypes.CDLL(str(cudart))
        self._cudart.cudaGetErrorName.restype = ctypes.c_char_p

    def start(self) -> None:
        """Have it make itself ready in this process, which takes more rights than a call."""
        self._cudart.cudaFree(None)
        self._cudart.cudaGetLastError()

    def begin(self) -> None:
        """Count anew, and forget errors."""
        self._cudart.cudaGetLastError()
        self._counting.counting_begin()

    def counted(self) -> Counted:
        """Since `begin`."""
        counts = _Counted()
        self._counting.counting_read(ctypes.byref(counts))
        left = int(self._cudart.cudaGetLastError())
        error = None
        if counts.refused:
            error = f"a launch was refused with {self._name(counts.refused)}"
        elif left:
            error = f"the entry left the error {self._name(left)} behind"
        return Counted(counts.launches, counts.moves, counts.live_bytes, error)

    def load(self, library: Path) -> ctypes.CDLL:
        """A candidate's library, which binds to what this has loaded. Raises OSError."""
        return ctypes.CDLL(str(library), mode=os.RTLD_NOW)

    def _name(self, code: int) -> str:
        name = str(self._cudart.cudaGetErrorName(code).decode())
        return f"{name} ({REFUSED})" if code == REFUSED_BY_SYSTEM else name


def bound_call(library: ctypes.CDLL, entry: str, items: Sequence[Any]) -> Call:
    """A call of `entry` with these items, as `passing` has them, and the legacy stream after them.

    That stream is the one nothing that a candidate may launch escapes: every other stream that it can have
    waits for it, and it for them. Raises AttributeError where there is no such entry.
    """
    function = getattr(library, entry)
    function.restype = None
    values = (*(passed(item) for item in items), ctypes.c_void_p(None))

    def call() -> None:
        function(*values)

    return call
