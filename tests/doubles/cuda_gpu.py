"""A GPU behind `cuda.bindings.driver`, made of this machine's memory, that two processes can share.

Memory is a file that each process maps at addresses it reserved, with the rights it asked for, so that a
candidate of host code reads and writes it as a kernel would. Every call is noted; any of them can be told to
fail. What is held is counted, so that tests see what was never given back, and in which order things were.

It refuses what a real driver refuses, with the same error: a thread without a current context, one that was
given up or is lost, sizes and addresses off the granularity, memory that is not mapped or not accessible,
events that have not happened yet. What would be a fault of ours and is no error there (giving back twice)
raises.
"""
# ruff: noqa: N802, N803 (the real names)

import ctypes
import mmap
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from cuda.bindings import driver as binding
from numpy.typing import NDArray

from tests.doubles.nvidia import H200_ATTRIBUTES, SUCCESS, Card, FakeBinding

PAGE_BYTES = 1 << 16
"""The granularity here; a real one is 2 MiB."""
SMALL_L2_BYTES = 1 << 16
OUT_OF_MEMORY = binding.CUresult.CUDA_ERROR_OUT_OF_MEMORY
INVALID = binding.CUresult.CUDA_ERROR_INVALID_VALUE
NO_CONTEXT = binding.CUresult.CUDA_ERROR_INVALID_CONTEXT
DESTROYED = binding.CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED
NOT_READY = binding.CUresult.CUDA_ERROR_NOT_READY
NOT_RECORDED = binding.CUresult.CUDA_ERROR_INVALID_HANDLE
ANYWHERE = ("cuInit", "cuDevice", "cuDriver", "cuGet", "cuCtxSetCurrent")
"""What begins the names of functions that need no context."""
PASSING = (0, 2, 304)
"""What waiting may give that leaves the context whole: nothing, no room, a refusal of the system."""
PROT_NONE, MAP_FIXED = 0, 0x10
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p


def small_card(**changes: Any) -> Card:
    """An H200 with a small L2, which is soon flushed."""
    own = {
        "L2_CACHE_SIZE": SMALL_L2_BYTES,
        "MAX_PERSISTING_L2_CACHE_SIZE": SMALL_L2_BYTES // 2,
        "MEMORY_POOLS_SUPPORTED": 1,
        "COMPUTE_MODE": 0,
        "MPS_ENABLED": 0,
        "VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED": 1,  # the older name of the same number
        "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED": 1,
    }
    return Card(attributes={**H200_ATTRIBUTES, **own}, **changes)


@dataclass
class Event:
    """When it was recorded, and when that is known to be over; 0 where it was not."""

    recorded: float = 0.0
    happened: float = 0.0


@dataclass
class Mapping:
    """Memory at reserved addresses, and what it may be used for."""

    nbytes: int
    readable: bool = False
    writable: bool = False


@dataclass
class FakeGpu(FakeBinding):
    """The driver's functions; the names that this double lacks are the real module's types."""

    capacity_bytes: int = 1 << 30
    """Of all GPUs' memory that is shared."""
    protects: bool = True
    """Whether memory that was mapped to be read cannot be written."""
    wait: Callable[[], int] = lambda: 0
    """What waiting for the context gives: the number of its fault, or 0."""
    calls: list[str] = field(default_factory=list)
    """Names, in order."""
    fails: dict[str, Any] = field(default_factory=dict)
    """The error that a function gives instead of working, until it is taken away."""
    held: dict[str, dict[int, Any]] = field(default_factory=dict)
    """What is held, by kind and number."""
    current: dict[int, int] = field(default_factory=dict)
    """The context of each thread that has set one."""
    lost: Any = None
    """The error that broke the context, which every later call gives again."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if not name.startswith("cu") or name == "current":
            return found
        self.calls.append(name)
        error = self.fails.get(name) or (None if name.startswith(ANYWHERE) else self._context_error())
        return (lambda *_: (error,)) if error else found

    def _context_error(self) -> Any:
        context = self.current.get(threading.get_ident())
        if context is None:
            return NO_CONTEXT
        return self.lost if context in self.held.get("context", {}) else DESTROYED

    def __getattr__(self, name: str) -> Any:
        value = getattr(binding, name)
        assert isinstance(value, type | int), f"{name} is not faked"
        return value

    @property
    def kept(self) -> dict[str, int]:
        """How many of what are held."""
        return {kind: len(things) for kind, things in self.held.items() if things}

    # contexts

    def cuDevicePrimaryCtxRetain(self, dev: Any) -> tuple[Any, Any]:
        return SUCCESS, binding.CUcontext(self._hold("context", int(dev)))

    def cuDevicePrimaryCtxRelease(self, dev: Any) -> tuple[Any]:
        self._drop("context", next(n for n, gpu in self.held["context"].items() if gpu == int(dev)))
        return (SUCCESS,)

    def cuCtxSetCurrent(self, ctx: Any) -> tuple[Any]:
        if int(ctx) not in self.held.get("context", {}):
            return (NO_CONTEXT,)
        self.current[threading.get_ident()] = int(ctx)
        return (SUCCESS,)

    def cuCtxSynchronize(self) -> tuple[Any]:
        error = binding.CUresult(self.wait())
        if int(error) not in PASSING:
            self.lost = error
        for event in self.held.get("event", {}).values():
            event.happened = event.recorded
        return (error,)

    def cuCtxSetLimit(self, limit: Any, value: int) -> tuple[Any]:
        assert (limit.name, value) == ("CU_LIMIT_PERSISTING_L2_CACHE_SIZE", 0)
        return (SUCCESS,)

    def cuDeviceGetDefaultMemPool(self, dev: Any) -> tuple[Any, Any]:
        return SUCCESS, int(dev)

    def cuMemPoolSetAttribute(self, pool: Any, attr: Any, value: Any) -> tuple[Any]:
        assert (attr.name, int(value)) == ("CU_MEMPOOL_ATTR_RELEASE_THRESHOLD", 2**64 - 1)
        return (SUCCESS,)

    def cuCtxResetPersistingL2Cache(self) -> tuple[Any]:
        return (SUCCESS,)

    def cuGetErrorString(self, error: Any) -> tuple[Any, bytes]:
        return SUCCESS, f"words for {int(error)}".encode()

    # memory that is shared

    def cuMemGetAllocationGranularity(self, prop: Any, option: Any) -> tuple[Any, int]:
        return SUCCESS, PAGE_BYTES

    def cuMemCreate(self, size: int, prop: Any, flags: int) -> tuple[Any, Any]:
        if not size or size % PAGE_BYTES or flags:
            return INVALID, None
        assert prop.requestedHandleTypes.name.endswith("POSIX_FILE_DESCRIPTOR")
        if (
            size + sum(os.fstat(file).st_size for file in self.held.get("memory", {}).values())
            > self.capacity_bytes
        ):
            return OUT_OF_MEMORY, None
        file = os.memfd_create("gpu", os.MFD_CLOEXEC)
        os.ftruncate(file, size)
        return SUCCESS, self._hold("memory", file)

    def cuMemRelease(self, handle: int) -> tuple[Any]:
        os.close(self._drop("memory", handle))
        return (SUCCESS,)

    def cuMemExportToShareableHandle(self, handle: int, handleType: Any, flags: int) -> tuple[Any, int]:
        return SUCCESS, os.dup(self.held["memory"][handle])

    def cuMemImportFromShareableHandle(self, osHandle: int, shHandleType: Any) -> tuple[Any, int]:
        return SUCCESS, self._hold("memory", os.dup(osHandle))

    def cuMemAddressReserve(self, size: int, alignment: int, addr: int, flags: int) -> tuple[Any, Any]:
        if not size or size % PAGE_BYTES or flags:
            return INVALID, None
        found = _map(None, size + PAGE_BYTES, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1)
        address = -(-found // PAGE_BYTES) * PAGE_BYTES
        _unmap(found, address - found)
        _unmap(address + size, found + PAGE_BYTES - address)
        self.held.setdefault("addresses", {})[address] = size
        return SUCCESS, binding.CUdeviceptr(address)

    def cuMemAddressFree(self, ptr: int, size: int) -> tuple[Any]:
        assert not [at for at in self.held.get("mapping", {}) if int(ptr) <= at < int(ptr) + size]
        assert self._drop("addresses", int(ptr)) == size
        _unmap(int(ptr), size)
        return (SUCCESS,)

    def cuMemMap(self, ptr: int, size: int, offset: int, handle: int, flags: int) -> tuple[Any]:
        reserved = self.held.get("addresses", {}).items()
        taken = self.held.get("mapping", {}).items()
        inside = any(at <= int(ptr) and int(ptr) + size <= at + room for at, room in reserved)
        free = all(int(ptr) + size <= at or at + found.nbytes <= int(ptr) for at, found in taken)
        if (int(ptr) | size | offset) % PAGE_BYTES or flags or not (inside and free):
            return (INVALID,)
        if os.fstat(self.held["memory"][handle]).st_size < offset + size:
            return (INVALID,)
        _map(int(ptr), size, PROT_NONE, mmap.MAP_SHARED | MAP_FIXED, self.held["memory"][handle])
        self.held.setdefault("mapping", {})[int(ptr)] = Mapping(size)
        return (SUCCESS,)

    def cuMemSetAccess(self, ptr: int, size: int, desc: list[Any], count: int) -> tuple[Any]:
        found = self.held.get("mapping", {}).get(int(ptr))
        device = self.held["context"][self.current[threading.get_ident()]]
        if found is None or found.nbytes != size or (len(desc), desc[0].location.id) != (count, device):
            return (INVALID,)
        found.readable = True
        found.writable = desc[0].flags.name.endswith("READWRITE")
        writable = found.writable or not self.protects
        rights = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        assert LIBC.mprotect(ctypes.c_void_p(int(ptr)), ctypes.c_size_t(size), rights) == 0
        return (SUCCESS,)

    def cuMemUnmap(self, ptr: int, size: int) -> tuple[Any]:
        assert self._drop("mapping", int(ptr)).nbytes == size
        _map(int(ptr), size, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, -1)
        return (SUCCESS,)

    # memory of a process's own, fills and copies

    def cuMemAlloc(self, bytesize: int) -> tuple[Any, Any]:
        memory = mmap.mmap(-1, bytesize)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.held.setdefault("allocation", {})[address] = memory
        return SUCCESS, binding.CUdeviceptr(address)

    def cuMemFree(self, dptr: Any) -> tuple[Any]:
        self._drop("allocation", int(dptr))
        return (SUCCESS,)

    def cuMemGetInfo(self) -> tuple[Any, int, int]:
        used = sum(os.fstat(file).st_size for file in self.held.get("memory", {}).values())
        return SUCCESS, self.capacity_bytes - used, self.capacity_bytes

    def cuMemsetD8(self, dstDevice: Any, uc: int, N: int) -> tuple[Any]:
        return self._fill(dstDevice, np.uint8(uc), N)

    def cuMemsetD16(self, dstDevice: Any, us: int, N: int) -> tuple[Any]:
        return self._fill(dstDevice, np.uint16(us), N)

    def cuMemsetD32(self, dstDevice: Any, ui: int, N: int) -> tuple[Any]:
        return self._fill(dstDevice, np.uint32(ui), N)

    def cuMemsetD32Async(self, dstDevice: Any, ui: int, N: int, hStream: Any) -> tuple[Any]:
        assert int(hStream) == binding.CU_STREAM_LEGACY
        return self._fill(dstDevice, np.uint32(ui), N)

    def cuMemcpyHtoD(self, dstDevice: Any, srcHost: int, ByteCount: int) -> tuple[Any]:
        if not self._reaches(dstDevice, ByteCount, to_write=True):
            return (INVALID,)
        ctypes.memmove(int(dstDevice), srcHost, ByteCount)
        return (SUCCESS,)

    def cuMemcpyDtoH(self, dstHost: int, srcDevice: Any, ByteCount: int) -> tuple[Any]:
        if not self._reaches(srcDevice, ByteCount, to_write=False):
            return (INVALID,)
        ctypes.memmove(dstHost, int(srcDevice), ByteCount)
        return (SUCCESS,)

    # events

    def cuEventCreate(self, Flags: int) -> tuple[Any, Any]:
        return SUCCESS, binding.CUevent(self._hold("event", Event()))

    def cuEventDestroy(self, hEvent: Any) -> tuple[Any]:
        self._drop("event", int(hEvent))
        return (SUCCESS,)

    def cuEventRecord(self, hEvent: Any, hStream: Any) -> tuple[Any]:
        assert int(hStream) == binding.CU_STREAM_LEGACY
        self.held["event"][int(hEvent)].recorded = time.perf_counter()
        return (SUCCESS,)

    def cuEventElapsedTime(self, hStart: Any, hEnd: Any) -> tuple[Any, float]:
        begin, end = (self.held["event"][int(event)] for event in (hStart, hEnd))
        if not (begin.recorded and end.recorded):
            return NOT_RECORDED, None
        if (begin.happened, end.happened) != (begin.recorded, end.recorded):
            return NOT_READY, None
        return SUCCESS, 1e3 * (end.happened - begin.happened)

    # the one kernel of our own

    def cuModuleLoadData(self, image: bytes) -> tuple[Any, Any]:
        return SUCCESS, binding.CUmodule(self._hold("module", image))

    def cuModuleGetFunction(self, hmod: Any, name: bytes) -> tuple[Any, Any]:
        assert (int(hmod) in self.held["module"], name) == (True, b"fingerprint")
        return SUCCESS, binding.CUfunction(int(hmod))

    def cuModuleUnload(self, hmod: Any) -> tuple[Any]:
        self._drop("module", int(hmod))
        return (SUCCESS,)

    def cuLaunchKernel(
        self, f: Any, gridDimX: int, gridDimY: int, gridDimZ: int, blockDimX: int, blockDimY: int,
        blockDimZ: int, sharedMemBytes: int, hStream: Any, kernelParams: Any, extra: Any,
    ) -> tuple[Any]:  # fmt: skip
        (address, count, seed, total), types = kernelParams
        assert types == (ctypes.c_uint64,) * 4
        if not (self._reaches(address, 8 * count, to_write=False) and self._reaches(total, 8, to_write=True)):
            self.lost = binding.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
            return (self.lost,)
        words = np.frombuffer((ctypes.c_uint64 * count).from_address(address), np.uint64)
        ctypes.c_uint64.from_address(total).value += fingerprint(words, seed)
        return (SUCCESS,)

    def _hold(self, kind: str, thing: Any) -> int:
        things = self.held.setdefault(kind, {})
        number = 1 + max(things, default=0x1000)
        things[number] = thing
        return number

    def _drop(self, kind: str, number: int) -> Any:
        return self.held[kind].pop(number)

    def _reaches(self, address: Any, nbytes: int, *, to_write: bool) -> bool:
        """Whether these bytes are of one allocation, or mapped with the right to use them so."""
        allocated = [(at, len(memory), True) for at, memory in self.held.get("allocation", {}).items()]
        mapped = [
            (at, found.nbytes, found.writable if to_write else found.readable)
            for at, found in self.held.get("mapping", {}).items()
        ]
        return any(
            may and at <= int(address) and int(address) + nbytes <= at + room
            for at, room, may in (*allocated, *mapped)
        )

    def _fill(self, address: Any, word: Any, count: int) -> tuple[Any]:
        nbytes = count * word.itemsize
        if int(address) % word.itemsize or not self._reaches(address, nbytes, to_write=True):
            return (INVALID,)
        np.frombuffer((ctypes.c_uint8 * nbytes).from_address(int(address)), word.dtype)[:] = word
        return (SUCCESS,)


def fingerprint(words: NDArray[np.uint64], seed: int) -> int:
    """What `fingerprint.cu` computes."""
    places = np.arange(words.size, dtype=np.uint64) + np.uint64(seed)
    return int(_mix(words ^ _mix(places)).sum(dtype=np.uint64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _unmap(place: int, nbytes: int) -> None:
    if nbytes:
        assert LIBC.munmap(ctypes.c_void_p(place), ctypes.c_size_t(nbytes)) == 0


def _map(place: int | None, nbytes: int, rights: int, kind: int, file: int) -> int:
    size, offset = ctypes.c_size_t(nbytes), ctypes.c_long(0)
    found = int(LIBC.mmap(ctypes.c_void_p(place), size, rights, kind, file, offset))
    assert found != ctypes.c_size_t(-1).value, os.strerror(ctypes.get_errno())
    return found
