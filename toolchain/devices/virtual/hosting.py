"""The worker's side of its guest: has it call the entry, and does what its CUDA runtime asks of the device.

What the guest asks for is checked as if it came from anywhere: it may ask for anything that host code could
have asked for, at any moment, and gets it at its price.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cudamaster.toolchain.devices.virtual import host_abi as abi
from cudamaster.toolchain.devices.virtual.addresses import BOUNCE_BYTES, AddressSpace
from cudamaster.toolchain.devices.virtual.calling import (
    EntryCaller,
    HostReport,
    report_of,
)
from cudamaster.toolchain.devices.virtual.host import OPERATIONS, CudaRuntime, KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.machine import EngineMachine
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.passing import Argument, argument_fields, passed
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.worker.guest import Guest, GuestForged

DEVICE_MEMORY = 2
"""`MEMORY_DEVICE` of cudart_abi.h; other kinds are memory of the host that the device sees."""
MOST_THREADS, MOST_BLOCK_Z, MOST_GRID_X, MOST_GRID_YZ = 1024, 64, 0x7FFFFFFF, 65535
NOTED = frozenset(OPERATIONS) - {"memcpy", "memset"}
"""Operations of which the guest tells; copies and fills are the worker's own."""
MEMORY_CALLS = ("cudaMalloc", "cudaFree", "cudaMallocAsync")
T = TypeVar("T")
NO_FIELDS = (AttributeError, KeyError, TypeError, ValueError, OverflowError, ctypes.ArgumentError)


@dataclass(frozen=True, slots=True)
class Region:
    """Memory of the caller that kernels may touch while it is registered."""

    address: int
    nbytes: int
    writable: bool
    name: str
    """How faults call it."""
    blank: bool = False
    """Whether a call must write it before it may read it."""


class Host(Protocol):
    """Where a candidate's host code runs."""

    def load(self, library: Path) -> None:
        """Load the candidate. Raises Unsupported, PtxError, OSError."""

    def call(self, entry: str, arguments: Sequence[Argument], regions: Sequence[Region]) -> HostReport:
        """Call the entry once, with these buffers known to the runtime. Raises Unsupported."""


class OwnHost:
    """Host code in this very process: for trusted candidates."""

    def __init__(self, runtime: CudaRuntime) -> None:
        self._runtime = runtime
        self._caller: EntryCaller | None = None

    def load(self, library: Path) -> None:
        """Load it here."""
        self._caller = EntryCaller(self._runtime, library)

    def call(self, entry: str, arguments: Sequence[Argument], regions: Sequence[Region]) -> HostReport:
        """Call it here; the buffers are known already."""
        assert self._caller is not None
        return self._caller.call(entry, [passed(argument_fields(argument)) for argument in arguments])


class GuestHost:
    """Host code in the worker's guest."""

    def __init__(self, guest: Guest, addresses: AddressSpace, ptx: str, spec: DeviceSpec, limit: int) -> None:
        """`limit` is the most device memory, in bytes, that the candidate may allocate."""
        self._guest, self._addresses, self._ptx, self._spec, self._limit = guest, addresses, ptx, spec, limit
        self._machine: EngineMachine
        self._native: ctypes.CDLL
        self._calls = self._told = 0

    def connect(self, machine: EngineMachine) -> "GuestHost":
        """Answer for this machine."""
        self._machine, self._native = machine, machine.native
        return self

    def share(self, nbytes: int) -> int | None:
        """Memory for a module's variable that the guest sees too; None where there is none left."""
        return self._addresses.pin(nbytes, lasting=True)

    def load(self, library: Path) -> None:
        """Take the build's own PTX, whatever the library holds, and have the guest load the library."""
        self._machine.add_module(self._ptx)
        self._guest.send({"load": str(library), "gpu": self._spec.name, "allocation_limit": self._limit})
        self._served("loaded")

    def call(self, entry: str, arguments: Sequence[Argument], regions: Sequence[Region]) -> HostReport:
        """Have the guest call it."""
        self._calls = self._told = 0
        known = [(r.address, r.nbytes, r.writable, r.name) for r in regions]
        self._guest.send(
            {"call": entry, "arguments": [argument_fields(a) for a in arguments], "regions": known}
        )
        report = _read(report_of, self._served("returned"))
        self._machine.read_back |= self._addresses.shares_memory
        for _ in range(self._calls - self._told):
            self._machine.memory_operation("cudaMallocAsync", 0)
        return report

    def _served(self, end: str) -> Any:
        """Answer the guest's questions until it says that it is done."""
        while True:
            message = self._guest.receive()
            if end in message:
                return message[end]
            self._guest.send({"answer": self._answer(message)})

    def _answer(self, message: Mapping[str, Any]) -> Any:
        if "ask" not in message:
            _raise(message)
        if message["ask"] == "launch":
            return self._machine.launch(_read(self._launch, message))
        answer: Callable[[Mapping[str, Any]], Any] | None = getattr(self, f"_do_{message['ask']}", None)
        if answer is None:
            raise GuestForged("no question of ours")
        return _read(answer, message)

    def _do_facts(self, asked: Mapping[str, Any]) -> Any:
        facts = self._machine.facts(str(asked["kernel"]))
        if facts is None:
            return None
        places = [(p.offset, p.size) for p in facts.parameters]
        return {**asdict(facts), "parameters": places}

    def _launch(self, asked: Mapping[str, Any]) -> LaunchRequest:
        request = LaunchRequest(
            kernel=str(asked["kernel"]),
            grid=_shape(asked["grid"]),
            block=_shape(asked["block"]),
            dynamic_shared_bytes=int(asked["shared"]),
            parameters=bytes.fromhex(asked["parameters"]),
            cooperative=bool(asked["cooperative"]),
            cluster=_shape(asked["cluster"]),
            overlaps=bool(asked["overlaps"]),
        )
        facts = self._machine.facts(request.kernel)
        if facts is None or not self._possible(request, facts):
            raise GuestForged("a launch that the runtime refuses")
        return request

    def _possible(self, request: LaunchRequest, facts: KernelFacts) -> bool:
        """Whether hardware would run it: the runtime in the guest has checked that, if nobody changed it."""
        grid, block = request.grid, request.block
        threads = block[0] * block[1] * block[2]
        shaped = max(grid[1:]) <= MOST_GRID_YZ and grid[0] <= MOST_GRID_X and block[2] <= MOST_BLOCK_Z
        room = self._spec.shared_bytes_per_block - facts.static_shared_bytes
        expected = max((p.offset + p.size for p in facts.parameters), default=0)
        return (
            shaped
            and threads <= (facts.max_threads or MOST_THREADS)
            and 0 <= request.dynamic_shared_bytes <= room
            and len(request.parameters) == expected
        )

    def _do_symbol(self, asked: Mapping[str, Any]) -> tuple[int, int] | None:
        return self._machine.symbol(str(asked["name"]))

    def _do_operation(self, asked: Mapping[str, Any]) -> int:
        name = asked["name"]
        if name not in NOTED:
            raise GuestForged("an operation that the worker sees itself")
        self._told += name in MEMORY_CALLS
        self._machine.memory_operation(str(name), 0)
        return 0

    def _do_allocate(self, asked: Mapping[str, Any]) -> int | None:
        nbytes, kind = int(asked["nbytes"]), int(asked["kind"])
        if nbytes <= 0:
            raise GuestForged("an allocation of nothing")
        self._calls += 1
        if kind == DEVICE_MEMORY:
            out = ctypes.c_void_p()
            self._native.vgrt_allocate(ctypes.byref(out), ctypes.c_size_t(nbytes), kind)
            return out.value
        address = self._addresses.pin(nbytes)
        if address is not None:
            self._native.vg_register(address, nbytes, 1, b"pinned host memory")
        return address

    def _do_release(self, asked: Mapping[str, Any]) -> int:
        address = int(asked["address"])
        if self._addresses.unpin(address):
            return int(self._native.vg_unregister(address))
        self._calls += 1
        return int(self._native.vgrt_free(ctypes.c_void_p(address)))

    def _do_carry(self, asked: Mapping[str, Any]) -> int:
        nbytes = int(asked["nbytes"])
        if not 0 <= nbytes <= BOUNCE_BYTES:
            raise GuestForged("more than the buffer holds")
        device, bounce = ctypes.c_void_p(int(asked["device"])), ctypes.c_void_p(self._addresses.bounce)
        to_device = int(bool(asked["to_device"]))
        self._machine.read_back |= not to_device
        code = int(self._native.vgrt_serve_carry(device, bounce, ctypes.c_uint64(nbytes), to_device))
        if not code:
            self._machine.memory_operation("transfer", nbytes)
        return code

    def _do_copy(self, asked: Mapping[str, Any]) -> int:
        return int(self._native.vgrt_serve_copy(ctypes.byref(abi.CopyLayout(*map(int, asked["work"])))))

    def _do_fill(self, asked: Mapping[str, Any]) -> int:
        return int(self._native.vgrt_serve_fill(ctypes.byref(abi.FillLayout(*map(int, asked["work"])))))


def _read(reading: Callable[[Any], T], fields: Any) -> T:
    """What `reading` makes of the guest's word. Raises GuestForged where it lacks a part."""
    try:
        return reading(fields)
    except NO_FIELDS as failure:
        raise GuestForged("a message without its parts") from failure


def _shape(three: Any) -> tuple[int, int, int]:
    x, y, z = (int(extent) for extent in three)
    if min(x, y, z) < 1:
        raise GuestForged("a launch of nothing")
    return x, y, z


def _raise(message: Mapping[str, Any]) -> None:
    """Raise what the guest could not do."""
    if "unsupported" in message:
        raise Unsupported(str(message["unsupported"]).removeprefix("the virtual GPU does not support "))
    if "unloadable" in message:
        raise OSError(str(message["unloadable"]))
    if "out_of_memory" in message:
        raise MemoryError
    if "broken" in message:
        raise RuntimeError(str(message["broken"]))
    raise GuestForged("no message of ours")
