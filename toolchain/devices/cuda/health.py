"""Whether a GPU still works: a little memory, filled, waited for and read back."""

import ctypes
from collections.abc import Callable

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.errors import EnvironmentLacks, WorkerBroken
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.worker.ending import WorkerEnd
from cudamaster.toolchain.worker.replies import understood
from cudamaster.toolchain.worker.worker import Worker

PROBE_WORDS = 1024
PATTERN = 0x5AA5C33C
PROBE_SECONDS = 30.0


def probe(context: Context) -> None:
    """Raises DriverFailed where the GPU does not do what it is asked, OSError where it does it wrongly."""
    driver = context.driver
    found = (ctypes.c_uint32 * PROBE_WORDS)()
    memory = driver.call("cuMemAlloc", ctypes.sizeof(found))
    try:
        driver.call("cuMemsetD32", memory, PATTERN, PROBE_WORDS)
        context.wait()
        driver.call("cuMemcpyDtoH", ctypes.addressof(found), memory, ctypes.sizeof(found))
    finally:
        context.let_go("cuMemFree", memory)
    if any(word != PATTERN for word in found):
        raise OSError("the GPU's memory does not hold what was written to it")


def require_health(start: Callable[[], Worker], name: str) -> None:
    """Try the GPU `name` in a process of `start`. Raises EnvironmentLacks where it no longer works."""
    try:
        worker = start()
    except WorkerBroken as broken:
        raise EnvironmentLacks(_lost(name, str(broken).strip().splitlines()[-1])) from broken
    try:
        said = worker.call({"do": "probe"}, seconds=PROBE_SECONDS)
        found = understood(said, worker.limits, name)
    finally:
        worker.close()
    if isinstance(found, RunFailure):
        reason = "no answer" if isinstance(said, WorkerEnd) else found.reason
        raise EnvironmentLacks(_lost(name, reason))


def _lost(name: str, reason: str) -> str:
    return (
        f"{name} no longer works after a kernel that hung ({reason}): 'nvidia-smi' shows its state, and a "
        "restart of the machine mends it"
    )
