"""The addresses that a worker and its guest agree on: the worker's device memory, and what both see."""

import ctypes
import mmap

from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.errors import EnvironmentLacks

ARENA_BYTES = (8 << 40, 1 << 40, 128 << 30)
"""Address space for device memory, as much as there is; each address is used once."""
BOUNCE_BYTES = 1 << 20
"""What is copied at a time between the guest's memory and the device's."""
SHARED_BYTES = 1 << 30
"""The bounce buffer and pinned host memory; takes room only where it is used."""
PAGE_BYTES = 4096
MAP_NORESERVE = 0x4000
POISON = 0xFF


def require_addresses(nbytes: int = ARENA_BYTES[-1] + SHARED_BYTES) -> None:
    """Raise EnvironmentLacks where a process may not have so much address space, whatever memory there is."""
    try:
        mmap.mmap(-1, nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, prot=0).close()
    except OSError as refused:
        raise EnvironmentLacks(
            f"a virtual GPU needs {nbytes >> 30} GiB of address space (not of memory), which a limit forbids "
            f"({refused.strerror}): run 'ulimit -v unlimited' first, or lift the job's own limit"
        ) from refused


class AddressSpace:
    """Made before the fork. Raises OSError where there is not enough of it."""

    def __init__(self) -> None:
        native = load_native()
        native.vg_reserve_arena.restype = native.vg_place.restype = ctypes.c_void_p
        self._arena, self._arena_bytes = 0, 0
        for nbytes in ARENA_BYTES:
            if base := native.vg_reserve_arena(ctypes.c_size_t(nbytes)):
                self._arena, self._arena_bytes = int(base), nbytes
                break
        if not self._arena:
            raise OSError(f"no address space of {ARENA_BYTES[-1]} bytes")
        flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        self._shared = mmap.mmap(-1, SHARED_BYTES, flags)
        self.bounce = ctypes.addressof(ctypes.c_char.from_buffer(self._shared))
        """First byte of the bounce buffer."""
        self._first = self._next = self.bounce + BOUNCE_BYTES
        self._live: set[int] = set()

    def fence(self) -> None:
        """In the guest: say so where host code touches device memory."""
        load_native().vg_fence(ctypes.c_void_p(self._arena), ctypes.c_size_t(self._arena_bytes))

    def place(self, nbytes: int) -> int:
        """In the worker: unused addresses of the arena. Raises MemoryError."""
        found = load_native().vg_place(ctypes.c_size_t(nbytes))
        if found is None:
            raise MemoryError(f"no addresses for {nbytes} bytes")
        return int(found)

    @property
    def shares_memory(self) -> bool:
        """In the worker: whether there is memory that both processes see, besides the bounce buffer."""
        return bool(self._live) or self._first > self.bounce + BOUNCE_BYTES

    def pin(self, nbytes: int, *, lasting: bool = False) -> int | None:
        """In the worker: poisoned memory that both processes see; None where there is none left.

        What is `lasting` is there for good, and must be asked for before anything that is not.
        """
        address = self._next
        end = address + -(-(nbytes + PAGE_BYTES) // PAGE_BYTES) * PAGE_BYTES
        if end > self.bounce + SHARED_BYTES:
            return None
        self._next = end
        if lasting:
            self._first = end
        else:
            self._live.add(address)
        ctypes.memset(address, POISON, nbytes)
        return address

    def unpin(self, address: int) -> bool:
        """Give it back; False where `pin` did not give it. Addresses are used again when none is left."""
        if address not in self._live:
            return False
        self._live.remove(address)
        if not self._live:
            self._next = self._first
        return True
