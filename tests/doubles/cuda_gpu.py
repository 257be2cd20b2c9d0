"""A GPU behind `cuda.bindings.driver`, made of this machine's memory, that two processes can share.

Memory is a file that each process maps at addresses it reserved, with the rights it asked for, so that a
candidate of host code reads and writes it as a kernel would. Every call is noted; any of them can be told to
fail. What is held is counted, so that tests see what was never given back, and in which order things were.
"""
# ruff: noqa: N802, N803 (the real names)

import ctypes
import mmap
import os
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

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if not name.startswith("cu"):
            return found
        self.calls.append(name)
        return (lambda *_: (self.fails[name],)) if name in self.fails else found

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
        assert int(ctx) in self.held["context"]
        return (SUCCESS,)

    def cuCtxSynchronize(self) -> tuple[Any]:
        return (binding.CUresult(self.wait()),)

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
        assert size % PAGE_BYTES == 0
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
        address = _map(None, size, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1)
        self.held.setdefault("addresses", {})[address] = size
        return SUCCESS, binding.CUdeviceptr(address)

    def cuMemAddressFree(self, ptr: int, size: int) -> tuple[Any]:
        assert not [at for at in self.held.get("mapping", {}) if int(ptr) <= at < int(ptr) + size]
        assert self._drop("addresses", int(ptr)) == size
        LIBC.munmap(ctypes.c_void_p(int(ptr)), ctypes.c_size_t(size))
        return (SUCCESS,)

    def cuMemMap(self, ptr: int, size: int, offset: int, handle: int, flags: int) -> tuple[Any]:
        assert int(ptr) not in self.held.get("mapping", {})
        assert any(
            at <= int(ptr) and int(ptr) + size <= at + room for at, room in self.held["addresses"].items()
        )
        _map(int(ptr), size, PROT_NONE, mmap.MAP_SHARED | MAP_FIXED, self.held["memory"][handle])
        self.held.setdefault("mapping", {})[int(ptr)] = size
        return (SUCCESS,)

    def cuMemSetAccess(self, ptr: int, size: int, desc: list[Any], count: int) -> tuple[Any]:
        assert self.held["mapping"][int(ptr)] == size
        writable = desc[0].flags.name.endswith("READWRITE") or not self.protects
        rights = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        assert LIBC.mprotect(ctypes.c_void_p(int(ptr)), ctypes.c_size_t(size), rights) == 0
        return (SUCCESS,)

    def cuMemUnmap(self, ptr: int, size: int) -> tuple[Any]:
        assert self._drop("mapping", int(ptr)) == size
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
        ctypes.memmove(int(dstDevice), srcHost, ByteCount)
        return (SUCCESS,)

    def cuMemcpyDtoH(self, dstHost: int, srcDevice: Any, ByteCount: int) -> tuple[Any]:
        ctypes.memmove(dstHost, int(srcDevice), ByteCount)
        return (SUCCESS,)

    # events

    def cuEventCreate(self, Flags: int) -> tuple[Any, Any]:
        return SUCCESS, binding.CUevent(self._hold("event", [0.0]))

    def cuEventRecord(self, hEvent: Any, hStream: Any) -> tuple[Any]:
        assert int(hStream) == binding.CU_STREAM_LEGACY
        self.held["event"][int(hEvent)][0] = time.perf_counter()
        return (SUCCESS,)

    def cuEventElapsedTime(self, hStart: Any, hEnd: Any) -> tuple[Any, float]:
        begin, end = (self.held["event"][int(event)][0] for event in (hStart, hEnd))
        return SUCCESS, 1e3 * (end - begin)

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

    def _fill(self, address: Any, word: Any, count: int) -> tuple[Any]:
        nbytes = count * word.itemsize
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


def _map(place: int | None, nbytes: int, rights: int, kind: int, file: int) -> int:
    size, offset = ctypes.c_size_t(nbytes), ctypes.c_long(0)
    found = int(LIBC.mmap(ctypes.c_void_p(place), size, rights, kind, file, offset))
    assert found != ctypes.c_size_t(-1).value, os.strerror(ctypes.get_errno())
    return found
