"""Memory of a GPU that one process owns and another maps: each for what it may do with it.

Allocations are exported as open files, which travel with a message. Unlike the older `cuIpc…` handles they
need no socket and no common namespaces, can be mapped to be read only, and at addresses of one's choice.
"""

import os
from contextlib import ExitStack
from typing import Any

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.errors import DriverFailed

PLACES = 8
"""Between which addresses of a borrowed memory move from call to call."""


class SharedMemory:
    """At least `nbytes` of memory, owned by this process. Raises DriverFailed where there is not enough."""

    def __init__(self, context: Context, nbytes: int) -> None:
        properties = _properties(context)
        self.nbytes = -(-nbytes // _granularity(context, properties)) * _granularity(context, properties)
        with ExitStack() as undo:
            handle = context.driver.call("cuMemCreate", self.nbytes, properties, 0)
            undo.callback(context.let_go, "cuMemRelease", handle)
            self.file = int(
                context.driver.call("cuMemExportToShareableHandle", handle, _file_type(context), 0)
            )
            """For another process; this one keeps it open."""
            undo.callback(os.close, self.file)
            self.address = _reserved(context, self.nbytes, undo)
            _map(context, self.address, self.nbytes, handle, writable=True)
            undo.callback(context.let_go, "cuMemUnmap", self.address, self.nbytes)
            self._undo = undo.pop_all()

    def close(self) -> None:
        """Give it back; another process that still maps it keeps its own hold on it."""
        self._undo.close()


class BorrowedMemory:
    """Another process's memory, whose `file` was sent here. Raises DriverFailed."""

    def __init__(self, context: Context, file: int, nbytes: int, *, writable: bool) -> None:
        self.nbytes = nbytes
        self.writable = writable
        self.address = 0
        """Where it is mapped; 0 where it is not."""
        self._context = context
        with ExitStack() as undo:
            self._handle = context.driver.call("cuMemImportFromShareableHandle", file, _file_type(context))
            undo.callback(context.let_go, "cuMemRelease", self._handle)
            self._window = _reserved(context, PLACES * nbytes, undo)
            undo.callback(self.lift)
            self._undo = undo.pop_all()

    def place(self, number: int) -> None:
        """Map it at the `number`-th of its places, and no longer where it was. Nothing may be using it."""
        self.lift()
        address = self._window + number % PLACES * self.nbytes
        _map(self._context, address, self.nbytes, self._handle, writable=self.writable)
        self.address = address

    def close(self) -> None:
        """Let go of it."""
        self._undo.close()

    def lift(self) -> None:
        """Map it nowhere."""
        if self.address:
            self._context.let_go("cuMemUnmap", self.address, self.nbytes)
            self.address = 0


def _properties(context: Context) -> Any:
    binding = context.driver.binding
    properties = binding.CUmemAllocationProp()
    properties.type = binding.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.requestedHandleTypes = _file_type(context)
    properties.location = _location(context)
    return properties


def _location(context: Context) -> Any:
    binding = context.driver.binding
    location = binding.CUmemLocation()
    location.type = binding.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    location.id = int(context.gpu)
    return location


def _file_type(context: Context) -> Any:
    return context.driver.binding.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def _granularity(context: Context, properties: Any) -> int:
    option = context.driver.binding.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    return int(context.driver.call("cuMemGetAllocationGranularity", properties, option))


def _reserved(context: Context, nbytes: int, undo: ExitStack) -> int:
    """Unused addresses, until `undo`."""
    address = int(context.driver.call("cuMemAddressReserve", nbytes, 0, 0, 0))
    undo.callback(context.let_go, "cuMemAddressFree", address, nbytes)
    return address


def _map(context: Context, address: int, nbytes: int, handle: Any, *, writable: bool) -> None:
    context.driver.call("cuMemMap", address, nbytes, 0, handle, 0)
    try:
        _give_access(context, address, nbytes, writable=writable)
    except DriverFailed:
        context.let_go("cuMemUnmap", address, nbytes)
        raise


def _give_access(context: Context, address: int, nbytes: int, *, writable: bool) -> None:
    """Where a driver gives no read-only access, that to write: whether it was written, the owner looks."""
    flags = context.driver.binding.CUmemAccess_flags
    rights = [flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE]
    if not writable:
        rights.insert(0, flags.CU_MEM_ACCESS_FLAGS_PROT_READ)
    access = context.driver.binding.CUmemAccessDesc()
    access.location = _location(context)
    for right in rights:
        access.flags = right
        try:
            context.driver.call("cuMemSetAccess", address, nbytes, [access], 1)
        except DriverFailed:
            if right is rights[-1]:
                raise
        else:
            return
