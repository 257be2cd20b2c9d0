"""Times calls in a worker by CUDA events: a claim, with which the trusted side's clock must agree.

Events lie on the legacy stream, which waits for all that a call may have launched elsewhere. Filling the
buffer that takes the place of everything in L2 keeps the GPU busy while the host asks for the call, so that
the time between the events is the GPU's.
"""

import gc
from collections.abc import Callable

from cudamaster.toolchain.devices.cuda.context import Context

MOST_CALLS = 192
"""That are timed each by itself in one request."""
Call = Callable[[], None]


class Stopwatch:
    """Makes its events at once; later calls make nothing. Raises DriverFailed."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._driver = context.driver
        binding = self._driver.binding
        self._stream = binding.CUstream(binding.CU_STREAM_LEGACY)
        timed = int(binding.CUevent_flags.CU_EVENT_DEFAULT)
        self._events = [self._driver.call("cuEventCreate", timed) for _ in range(2 * MOST_CALLS)]
        self._persisting = context.attribute("MAX_PERSISTING_L2_CACHE_SIZE") > 0

    def each(self, call: Call, calls: int, flush: tuple[int, int] | None) -> list[float]:
        """Milliseconds of each of `calls` calls, at most 192; before each, L2 is filled from `flush`.

        That is the address and size of memory larger than L2; without it caches are as the call before left
        them.
        """
        pairs = list(zip(self._events[::2], self._events[1::2], strict=True))[:calls]
        with _NoCollection():
            for begin, end in pairs:
                if flush is not None:
                    self._flush(*flush)
                self._driver.call("cuEventRecord", begin, self._stream)
                call()
                self._driver.call("cuEventRecord", end, self._stream)
            self._context.wait()
        return [self._between(*pair) for pair in pairs]

    def row(self, call: Call, calls: int) -> float:
        """Milliseconds of all of `calls` calls, one after the other."""
        begin, end = self._events[:2]
        with _NoCollection():
            self._driver.call("cuEventRecord", begin, self._stream)
            for _ in range(calls):
                call()
            self._driver.call("cuEventRecord", end, self._stream)
            self._context.wait()
        return self._between(begin, end)

    def close(self) -> None:
        """Give the events back."""
        while self._events:
            self._context.let_go("cuEventDestroy", self._events.pop())

    def forbid_persistence(self) -> None:
        """Set nothing of L2 aside for lines that survive a flush; where that is refused, nothing can be."""
        if self._persisting:
            limit = self._driver.binding.CUlimit.CU_LIMIT_PERSISTING_L2_CACHE_SIZE
            self._driver.binding.cuCtxSetLimit(limit, 0)

    def _flush(self, address: int, nbytes: int) -> None:
        if self._persisting:
            self._driver.binding.cuCtxResetPersistingL2Cache()
        self._driver.call("cuMemsetD32Async", address, 0, nbytes // 4, self._stream)

    def _between(self, begin: object, end: object) -> float:
        return float(self._driver.call("cuEventElapsedTime", begin, end))


class _NoCollection:
    """Python's garbage is not collected in the block."""

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.enable()
