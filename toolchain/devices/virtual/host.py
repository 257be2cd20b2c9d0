"""The host side of a candidate: its library loaded against our CUDA runtime, and what that asks of us.

The runtime (`native/cudart*.c`) is one per process. It calls back for modules, facts of kernels, launches
and symbols.
"""

import ctypes
import re
from collections.abc import Callable, Iterable
from ctypes import c_char_p, c_int64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol

from cudamaster.toolchain.devices.virtual import host_abi as abi
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.ptx.nouns import Variable
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.elf import undefined_symbols
from cudamaster.toolchain.spec import DeviceSpec

_RUNTIME_SYMBOL = re.compile(r"_{0,2}cu(da|[A-Z]|blas|fft|sparse|solver|rand|dnn)\w*")
_INVALID_DEVICE_FUNCTION, _INVALID_SYMBOL, _INVALID_KERNEL_IMAGE, _UNKNOWN = 98, 13, 200, 999
_NOT_SUPPORTED, _NO_MEMORY = 801, 2
_NAMED_AT_ONCE = 4
OPERATIONS = ("memcpy", "memset", "cudaMalloc", "cudaFree", "cudaMallocAsync", "synchronize")
"""What takes time besides kernels, by number in `cudart.h`; a free from a pool counts as an allocation."""


@dataclass(frozen=True, slots=True)
class CudaError:
    """An error code of the CUDA runtime, as the candidate's host code sees it."""

    code: int
    name: str
    """Such as `cudaErrorInvalidConfiguration`."""
    text: str
    """What cudaGetErrorString says."""

    def __str__(self) -> str:
        """`cudaErrorInvalidConfiguration (9): invalid configuration argument`."""
        return f"{self.name} ({self.code}): {self.text}"


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What the runtime needs to know of a kernel to check and pack its launches; zero where it is unknown."""

    parameters: tuple[Variable, ...]
    registers: int = 0
    static_shared_bytes: int = 0
    local_bytes: int = 0
    max_threads: int = 0
    """From `__launch_bounds__`."""
    cluster: tuple[int, int, int] = (0, 0, 0)
    """From `__cluster_dims__`."""


class Machine(Protocol):
    """What runs the kernels. Methods may raise: the exception comes out of the call that led to it."""

    def add_module(self, ptx: str) -> None:
        """Take a module that the library registers."""

    def facts(self, kernel: str) -> KernelFacts | None:
        """What is known of the kernel with this mangled name; None where there is no such kernel."""

    def launch(self, request: LaunchRequest) -> int:
        """Run a checked launch; the CUDA error code it ends with, 0 for success."""

    def symbol(self, name: str) -> tuple[int, int] | None:
        """Host address and bytes of a module variable; None where there is none."""

    def memory_operation(self, name: str, moved_bytes: int) -> None:
        """Hear of one of `OPERATIONS`; of fills and copies within device memory, bytes read and written."""


class DistantMemory(Protocol):
    """Device memory that lives in another process. Each answers with a CUDA error code, 0 for success."""

    def allocate(self, nbytes: int, kind: int) -> int | None:
        """The address of new memory of a kind of `cudart_abi.h`; None where there is none."""

    def release(self, address: int) -> int:
        """Free what `allocate` gave."""

    def carry(self, device: int, host: int, nbytes: int, *, to_device: bool) -> int:
        """Copy between device memory and this process's."""

    def copy(self, work: abi.CopyLayout) -> int:
        """Copy within device memory."""

    def fill(self, work: abi.FillLayout) -> int:
        """Fill device memory."""


@dataclass(slots=True, eq=False)
class CudaRuntime:
    """The process's CUDA runtime, answered by one machine."""

    native: ctypes.CDLL
    machine: Machine
    memory: DistantMemory | None = None
    """Where device memory is, if not in this process."""
    failure: BaseException | None = None
    """What a callback raised: it cannot pass through C, so it is raised again by `raise_failure`."""
    leave: Callable[[], NoReturn] | None = None
    """Ends the host code's thread where a launch failed for good; None lets it go on with the error code."""
    _callbacks: abi.HostLayout = field(init=False)

    def __post_init__(self) -> None:
        self._callbacks = abi.HostLayout(
            abi.ModuleCallback(self._guarded(self._module, _INVALID_KERNEL_IMAGE)),
            abi.DescribeCallback(self._guarded(self._describe, _UNKNOWN)),
            abi.LaunchCallback(self._guarded(self._launch, _UNKNOWN)),
            abi.SymbolCallback(self._guarded(self._symbol, _INVALID_SYMBOL)),
            abi.MemoryCallback(self._guarded(self._memory, _UNKNOWN)),
            abi.UnsupportedCallback(self._guarded(self._unsupported, _NOT_SUPPORTED)),
            *(self._distant(self.memory) if self.memory else ()),
        )
        self.native.vgrt_connect(ctypes.byref(self._callbacks))
        self.native.vgrt_begin_call()
        for name in ("cudaGetErrorName", "cudaGetErrorString"):
            getattr(self.native, name).restype = c_char_p
        for name in ("vgrt_violation", "vgrt_refused_launch"):
            getattr(self.native, name).restype = c_char_p
        for name in ("vg_live_bytes", "vgrt_host_bytes", "vgrt_refused_bytes"):
            getattr(self.native, name).restype = c_int64

    def set_device(self, spec: DeviceSpec, allocation_limit_bytes: int) -> None:
        """Let the runtime's queries answer for `spec`."""
        digits = re.sub(r"\D", "", spec.architecture)
        bus_bits = 6144
        layout = abi.DeviceLayout(
            spec.title.encode()[:255],
            int(digits[:-1]),
            int(digits[-1]),
            spec.sm_count,
            int(spec.clock_hz / 1e3),
            int(spec.dram_bytes_per_s * 8 / (2 * bus_bits) / 1e3),
            bus_bits,
            spec.dram_bytes,
            spec.l2_bytes,
            spec.shared_bytes_per_sm,
            spec.shared_bytes_per_block,
            spec.registers_per_sm,
            spec.warps_per_sm,
            spec.blocks_per_sm,
            allocation_limit_bytes,
        )
        self.native.vgrt_set_device(ctypes.byref(layout))

    def load(self, library: Path) -> ctypes.CDLL:
        """Load a candidate; Unsupported names runtime calls we lack, PtxError its unreadable PTX."""
        lacking = unresolved(library, self.native)
        if lacking:
            calls = ", ".join(lacking[:_NAMED_AT_ONCE])
            raise Unsupported(f"runtime call {calls}")
        loaded = ctypes.CDLL(str(library))
        self.raise_failure()
        return loaded

    def raise_failure(self) -> None:
        """Raise what a callback raised, Unsupported for a runtime call that we lack included."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def error(self, code: int) -> CudaError | None:
        """The error with this code; None for success."""
        if code == 0:
            return None
        name, text = self.native.cudaGetErrorName(code), self.native.cudaGetErrorString(code)
        return CudaError(code, name.decode(), text.decode())

    def last_error(self) -> CudaError | None:
        """What cudaGetLastError would return, left in place."""
        return self.error(self.native.cudaPeekAtLastError())

    def refused_launch(self) -> str | None:
        """The first launch since the call began that was refused, in words."""
        text = self.native.vgrt_refused_launch()
        return text.decode() if text else None

    def refused_bytes(self) -> int:
        """Of the first allocation since the call began that was refused; 0 where none was."""
        return int(self.native.vgrt_refused_bytes())

    def violation(self) -> str | None:
        """What the host code did that the harness forbids, in words."""
        text = self.native.vgrt_violation()
        return text.decode() if text else None

    def _guarded(self, answer: Callable[..., int], code: int) -> Callable[..., int]:
        def guarded(*arguments: Any) -> int:
            if self.failure is not None:
                return code
            try:
                return answer(*arguments)
            except BaseException as failure:  # noqa: BLE001 (C cannot pass it on: `raise_failure` does)
                self.failure = failure
            return self._stopped(code)

        return guarded

    def _stopped(self, code: int) -> int:
        """The sticky `code` for the host code, if it goes on at all."""
        if self.leave is not None:
            self.native.vgrt_fatal(code)
            self.leave()
        return code

    def _distant(self, memory: DistantMemory) -> Iterable[Any]:
        """The callbacks of a device in another process."""

        def allocate(out: Any, nbytes: int, kind: int) -> int:
            address = memory.allocate(nbytes, kind)
            out[0] = address
            return 0 if address else _NO_MEMORY

        def carry(device: int, host: int, nbytes: int, to_device: int) -> int:
            return memory.carry(device, host, nbytes, to_device=bool(to_device))

        yield abi.AllocateCallback(self._guarded(allocate, _UNKNOWN))
        yield abi.ReleaseCallback(self._guarded(memory.release, _UNKNOWN))
        yield abi.CarryCallback(self._guarded(carry, _UNKNOWN))
        yield abi.CopyCallback(self._guarded(lambda work: memory.copy(work.contents), _UNKNOWN))
        yield abi.FillCallback(self._guarded(lambda work: memory.fill(work.contents), _UNKNOWN))

    def _module(self, ptx: int, nbytes: int) -> int:
        self.machine.add_module(ctypes.string_at(ptx, nbytes).decode())
        return 0

    def _describe(self, name: bytes, out: Any) -> int:
        facts = self.machine.facts(name.decode())
        if facts is None:
            return _INVALID_DEVICE_FUNCTION
        if len(facts.parameters) > abi.MAX_PARAMETERS:
            raise Unsupported(f"a kernel with {len(facts.parameters)} parameters")
        _write_facts(out.contents, facts)
        return 0

    def _launch(self, call: Any) -> int:
        c = call.contents
        code = self.machine.launch(
            LaunchRequest(
                kernel=c.kernel.decode(),
                grid=(c.grid[0], c.grid[1], c.grid[2]),
                block=(c.block[0], c.block[1], c.block[2]),
                dynamic_shared_bytes=c.dynamic_shared,
                parameters=ctypes.string_at(c.parameters, c.parameter_bytes),
                cooperative=bool(c.cooperative),
                cluster=(c.cluster[0], c.cluster[1], c.cluster[2]),
                overlaps=bool(c.overlaps),
            )
        )
        return self._stopped(code) if code else 0

    def _symbol(self, name: bytes, address: Any, nbytes: Any) -> int:
        found = self.machine.symbol(name.decode())
        if found is None:
            return _INVALID_SYMBOL
        address[0], nbytes[0] = found
        return 0

    def _unsupported(self, call: bytes) -> int:
        raise Unsupported(f"runtime call {call.decode()}")

    def _memory(self, operation: int, moved_bytes: int) -> int:
        self.machine.memory_operation(OPERATIONS[operation], moved_bytes)
        return 0


def _write_facts(out: abi.FactsLayout, facts: KernelFacts) -> None:
    out.registers = facts.registers
    out.static_shared = facts.static_shared_bytes
    out.local_bytes = facts.local_bytes
    out.max_threads = facts.max_threads
    out.cluster[:] = facts.cluster
    out.parameter_count = len(facts.parameters)
    out.parameter_bytes = max((p.offset + p.size for p in facts.parameters), default=0)
    for i, parameter in enumerate(facts.parameters):
        out.offsets[i] = parameter.offset
        out.sizes[i] = parameter.size


def unresolved(library: Path, native: ctypes.CDLL) -> tuple[str, ...]:
    """Calls of CUDA libraries that `library` needs and nothing loaded so far provides, sorted."""
    process = ctypes.CDLL(None)
    wanted = sorted(name for name in undefined_symbols(library) if _RUNTIME_SYMBOL.fullmatch(name))
    return tuple(name for name in wanted if not hasattr(native, name) and not hasattr(process, name))
