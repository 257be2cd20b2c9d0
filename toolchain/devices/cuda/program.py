"""What runs in a GPU's worker: one candidate in a context of its own, on memory that the trusted side owns.

A request names everything it needs. The reply holds a `failure`, or claims about what was called: outputs,
inputs and guard bands the trusted side reads itself.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudamaster.toolchain.arguments import Scalar
from cudamaster.toolchain.devices.cuda.candidate import Call, Runtime, bound_call
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import (
    NO_BINDINGS,
    REFUSED,
    REFUSED_BY_SYSTEM,
    CudaDriver,
    load_driver,
)
from cudamaster.toolchain.devices.cuda.fingerprint import ENTRY, WORD_BYTES
from cudamaster.toolchain.devices.cuda.health import probe
from cudamaster.toolchain.devices.cuda.sharing import BorrowedMemory, SharedMemory
from cudamaster.toolchain.devices.cuda.stopwatch import Stopwatch
from cudamaster.toolchain.errors import DriverFailed, EnvironmentLacks
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.passing import argument_fields
from cudamaster.toolchain.worker.program import Ask
from cudamaster.toolchain.worker.replies import encode_failure

COUNTING_VARIABLE, CUDART_VARIABLE = "CUDAMASTER_COUNTING", "CUDAMASTER_CUDART"
"""Where the counting library and the CUDA runtime are."""
OWN_KERNEL_VARIABLE = "CUDAMASTER_OWN_KERNEL"
"""Where a library with a kernel of ours is, built as a candidate's is."""
ALL_OF_IT = (1 << 64) - 1


def preload() -> None:
    """Load, without starting it, what calls the driver; a process that has started it must not fork."""
    try:
        from cuda.bindings import driver  # noqa: F401 (loaded for the children)
    except ImportError as failure:
        raise EnvironmentLacks(f"{NO_BINDINGS} ({failure})") from failure


def prepare(harden: Callable[[], None]) -> "Prepared":
    """The driver with a context on the one GPU that is visible here, and the runtime: they need rights."""
    return prepared(load_driver())


def prepared(driver: CudaDriver) -> "Prepared":
    """The same with this driver. Raises DriverFailed, OSError."""
    runtime = Runtime(Path(os.environ[COUNTING_VARIABLE]), Path(os.environ[CUDART_VARIABLE]))
    context = Context(driver, driver.call("cuDeviceGet", 0))
    context.use()
    runtime.start()
    _keep_freed_memory(context)
    stopwatch = Stopwatch(context)
    probe(context)  # what a driver makes at its first use, it makes now
    owned = SharedMemory(context, 1)
    _borrow(context, owned)  # likewise
    return Prepared(context, runtime, stopwatch, owned, Path(os.environ[OWN_KERNEL_VARIABLE]))


def _keep_freed_memory(context: Context) -> None:
    """Have scratch memory that is freed on a stream stay here.

    Else every wait gives it back to the system (CUDA runtime API, cudaMemPoolAttrReleaseThreshold), and each
    timed call takes the time of getting it anew.
    """
    binding = context.driver.binding
    if context.attribute("MEMORY_POOLS_SUPPORTED"):
        pool = context.driver.call("cuDeviceGetDefaultMemPool", context.gpu)
        threshold = binding.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        context.driver.call("cuMemPoolSetAttribute", pool, threshold, binding.cuuint64_t(ALL_OF_IT))


def _borrow(context: Context, owned: SharedMemory) -> None:
    """Use one's own memory as another's, at two places. Raises DriverFailed."""
    borrowed = BorrowedMemory(context, owned.file, owned.nbytes, writable=True)
    try:
        for place in range(2):
            borrowed.place(place)
            context.driver.call("cuMemsetD32", borrowed.address, place, borrowed.nbytes // 4)
            context.wait()
    finally:
        borrowed.close()


def open_program(ask: Ask, prepared: "Prepared") -> "CudaProgram":
    """A child's program, where the driver works with the rights that are left. Raises EnvironmentLacks."""
    try:
        probe(prepared.context)
        _borrow(prepared.context, prepared.owned)
        _launch_own(prepared)
    except (DriverFailed, OSError) as failure:
        raise EnvironmentLacks(f"{failure}, once a worker has given its rights up: {REFUSED}") from failure
    finally:
        prepared.owned.close()
    return CudaProgram(prepared)


def _launch_own(prepared: "Prepared") -> None:
    """Load a kernel of ours and launch it, as a candidate's is: no earlier does a driver load one at all.

    Raises DriverFailed, OSError.
    """
    context, runtime, place = prepared.context, prepared.runtime, prepared.owned.address
    counts = [Scalar(name, value, "int") for name, value in (("count", 1), ("seed", 1))]
    items = [place, place + WORD_BYTES, *map(argument_fields, counts)]
    runtime.begin()
    bound_call(runtime.load(prepared.own_kernel), ENTRY, items)()
    context.wait()
    if error := runtime.counted().error:
        raise OSError(f"a kernel of ours does not run: {error}")


class Prepared(NamedTuple):
    """What a worker has before it gives its rights up."""

    context: Context
    runtime: Runtime
    stopwatch: Stopwatch
    owned: SharedMemory
    """A little memory that was shared before; it is closed once that was tried."""
    own_kernel: Path


class CudaProgram:
    """One candidate; or none at all in a worker that only asks whether the GPU still works."""

    def __init__(self, prepared: Prepared) -> None:
        self._context, self._runtime, self._stopwatch = prepared[:3]
        self._memory: dict[str, BorrowedMemory] = {}
        self._library: Any = None

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        """Call the entry as `request` says, or try the GPU. Raises DriverFailed for our own use of it."""
        if request["do"] == "probe":
            probe(self._context)
            return {}
        self._borrow(request, files)
        try:
            return self._called(request, self._call(request))
        except DriverFailed as failure:
            return _failure(f"the GPU stopped in the call: {self._words(failure)}")
        except (OSError, AttributeError) as failure:
            return _failure(f"the library cannot be loaded: {failure}")
        finally:
            for name in request["lent"]:
                self._memory[name].lift()

    def _call(self, request: Mapping[str, Any]) -> Call:
        if self._library is None:
            self._library = self._runtime.load(Path(request["library"]))
        return bound_call(self._library, request["entry"], [self._item(item) for item in request["items"]])

    def _called(self, request: Mapping[str, Any], call: Call) -> Mapping[str, Any]:
        before = self._runtime.counted().live_bytes
        self._runtime.begin()
        begun = time.perf_counter()
        times_ms = self._times(request, call)
        seconds = time.perf_counter() - begun
        counted = self._runtime.counted()
        if counted.error:
            return _failure(counted.error)
        return {
            "launches": counted.launches,
            "moves": counted.moves,
            "leaked_bytes": max(0, counted.live_bytes - before),
            "seconds": seconds,
            "times_ms": times_ms,
        }

    def _times(self, request: Mapping[str, Any], call: Call) -> list[float]:
        self._stopwatch.forbid_persistence()
        if request["do"] == "row":
            return [self._stopwatch.row(call, request["calls"])]
        flush = None
        if request["flush"] is not None:
            memory = self._memory[request["flush"]]
            flush = (memory.address, memory.nbytes)
        return self._stopwatch.each(call, request["calls"], flush)

    def _borrow(self, request: Mapping[str, Any], files: Sequence[int]) -> None:
        """Map what is lent for this call, some of which came as `files`; between calls nothing is mapped."""
        for fields, file in zip(request["new"], files, strict=True):
            self._memory[fields["name"]] = BorrowedMemory(
                self._context, file, fields["nbytes"], writable=fields["writable"]
            )
            os.close(file)
        for stale in self._memory.keys() - set(request["kept"]):
            self._memory.pop(stale).close()
        for name in request["lent"]:
            self._memory[name].place(request["place"])

    def _item(self, item: Any) -> Any:
        if isinstance(item, Mapping):
            return self._memory[item["memory"]].address + item["offset"]
        return item

    def _words(self, failure: DriverFailed) -> str:
        """`CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered`."""
        _, words = self._context.driver.binding.cuGetErrorString(
            self._context.driver.binding.CUresult(failure.code)
        )
        refused = f" ({REFUSED})" if failure.code == REFUSED_BY_SYSTEM else ""
        return f"{failure.error}, {words.decode()}{refused}"


def _failure(reason: str) -> dict[str, Any]:
    return {"failure": encode_failure(RunFailure(FailureKind.LAUNCH_FAILED, reason))}
