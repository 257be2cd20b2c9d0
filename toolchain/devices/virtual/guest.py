"""The guest of a virtual GPU's worker: the process in which a candidate's host code runs.

It has the CUDA runtime and the candidate's library, and no device: kernels, device memory and counters are
the worker's, which does what is asked here over the link and believes nothing else. Device addresses are the
worker's; here no memory is behind them.
"""

import ctypes
import socket
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cudamaster.toolchain.devices.virtual import host_abi as abi
from cudamaster.toolchain.devices.virtual.addresses import BOUNCE_BYTES, AddressSpace
from cudamaster.toolchain.devices.virtual.calling import EntryCaller, report_fields
from cudamaster.toolchain.devices.virtual.host import CudaRuntime, KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.ptx.nouns import Variable
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.passing import passed
from cudamaster.toolchain.worker.wire import ConnectionEnded, receive_message, send_message

COPY_FIELDS = tuple(name for name, *_ in abi.CopyLayout._fields_)
FILL_FIELDS = tuple(name for name, *_ in abi.FillLayout._fields_)


class _Link:
    """The way to the worker: one question at a time, from any thread."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def say(self, message: Mapping[str, Any]) -> None:
        send_message(self._connection, message)

    def receive(self) -> dict[str, Any]:
        return receive_message(self._connection)[0]

    def ask(self, what: str, **fields: Any) -> Any:
        with self._lock:
            self.say({"ask": what, **fields})
            return self.receive()["answer"]


class DistantMachine:
    """The worker's machine and its memory, as the CUDA runtime here uses them."""

    def __init__(self, link: _Link, native: ctypes.CDLL, bounce: int) -> None:
        self._link, self._native, self._bounce = link, native, bounce

    def add_module(self, ptx: str) -> None:
        """The worker has the build's own."""

    def facts(self, kernel: str) -> KernelFacts | None:
        """What the worker knows of the kernel."""
        found = self._link.ask("facts", kernel=kernel)
        if found is None:
            return None
        places = found.pop("parameters")
        parameters = tuple(Variable("", "param", 1, size, offset=offset) for offset, size in places)
        return KernelFacts(parameters, **{**found, "cluster": tuple(found["cluster"])})

    def launch(self, request: LaunchRequest) -> int:
        """Have the worker run it."""
        names = ("kernel", "grid", "block", "cooperative", "cluster", "overlaps")
        fields = {name: getattr(request, name) for name in names}
        fields |= {"shared": request.dynamic_shared_bytes, "parameters": request.parameters.hex()}
        return int(self._link.ask("launch", **fields))

    def symbol(self, name: str) -> tuple[int, int] | None:
        """Where the worker keeps it; known to the runtime here from now on."""
        found = self._link.ask("symbol", name=name)
        if found is None:
            return None
        address, nbytes = found
        self._native.vg_register(ctypes.c_void_p(address), ctypes.c_size_t(nbytes), 1, name.encode())
        return address, nbytes

    def memory_operation(self, name: str, moved_bytes: int) -> None:
        """Only what the worker cannot see for itself."""
        self._link.ask("operation", name=name)

    def allocate(self, nbytes: int, kind: int) -> int | None:
        """The address of new memory."""
        found = self._link.ask("allocate", nbytes=nbytes, kind=kind)
        return None if found is None else int(found)

    def release(self, address: int) -> int:
        """Free it."""
        return int(self._link.ask("release", address=address))

    def carry(self, device: int, host: int, nbytes: int, *, to_device: bool) -> int:
        """By memory that both processes see, part by part."""
        for start in range(0, nbytes, BOUNCE_BYTES):
            size = min(BOUNCE_BYTES, nbytes - start)
            if to_device:
                ctypes.memmove(self._bounce, host + start, size)
            code = int(self._link.ask("carry", device=device + start, nbytes=size, to_device=to_device))
            if code:
                return code
            if not to_device:
                ctypes.memmove(host + start, self._bounce, size)
        return 0

    def copy(self, work: abi.CopyLayout) -> int:
        """Have the worker do it."""
        return int(self._link.ask("copy", work=[getattr(work, name) or 0 for name in COPY_FIELDS]))

    def fill(self, work: abi.FillLayout) -> int:
        """Have the worker do it."""
        return int(self._link.ask("fill", work=[getattr(work, name) or 0 for name in FILL_FIELDS]))


class GuestProgram:
    """Loads the candidate when told to, and calls its entry."""

    def __init__(self, connection: socket.socket, addresses: AddressSpace) -> None:
        self._link = _Link(connection)
        self._native = load_native()
        self._addresses = addresses
        self._caller: EntryCaller | None = None

    def serve(self) -> None:
        """Until the worker is gone."""
        self._addresses.fence()
        while True:
            try:
                request = self._link.receive()
            except ConnectionEnded:
                return
            self._link.say(self._answered(request))

    def _answered(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._load(request) if "load" in request else self._call(request)
        except Unsupported as lacking:
            return {"unsupported": str(lacking)}
        except OSError as failure:
            return {"unloadable": str(failure)}
        except MemoryError:
            return {"out_of_memory": True}
        except Exception:  # noqa: BLE001 (a process boundary: the worker raises it)
            return {"broken": traceback.format_exc()}

    def _load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        machine = DistantMachine(self._link, self._native, self._addresses.bounce)
        runtime = CudaRuntime(self._native, machine, machine)
        runtime.set_device(load_gpu(request["gpu"]).device, request["allocation_limit"])
        self._caller = EntryCaller(runtime, Path(request["load"]))
        return {"loaded": True}

    def _call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._caller is not None
        known = [(ctypes.c_void_p(address), *rest) for address, *rest in request["regions"]]
        for address, nbytes, writable, name in known:
            self._native.vg_register(address, ctypes.c_size_t(nbytes), int(writable), name.encode())
        try:
            values = [passed(argument) for argument in request["arguments"]]
            return {"returned": report_fields(self._caller.call(request["call"], values))}
        finally:
            for address, *_ in known:
                self._native.vg_unregister(address)
