"""A machine that records what the runtime asks of it, and a library loaded before it."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cudamaster.toolchain.devices.virtual.host import CudaRuntime, KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.machine import kernel_facts
from cudamaster.toolchain.devices.virtual.ptx.nouns import Module
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module

Build = Callable[[Path], Path]


@dataclass
class RecordingMachine:
    """Knows kernels and variables from the PTX and runs nothing; `answer` is what each launch ends with."""

    modules: list[Module] = field(default_factory=list)
    launches: list[LaunchRequest] = field(default_factory=list)
    memory_operations: list[tuple[str, int]] = field(default_factory=list)
    answer: int = 0
    registers: int = 0
    _memory: dict[str, ctypes.Array[ctypes.c_char]] = field(default_factory=dict)

    def add_module(self, ptx: str) -> None:
        self.modules.append(parse_module(ptx))

    def facts(self, kernel: str) -> KernelFacts | None:
        found = next((m.kernels[kernel] for m in self.modules if kernel in m.kernels), None)
        if found is None:
            return None
        facts = kernel_facts(found, None)
        return KernelFacts(
            facts.parameters, self.registers, facts.static_shared_bytes, 0, facts.max_threads, facts.cluster
        )

    def launch(self, request: LaunchRequest) -> int:
        self.launches.append(request)
        return self.answer

    def symbol(self, name: str) -> tuple[int, int] | None:
        variable = next((m.variables[name] for m in self.modules if name in m.variables), None)
        if variable is None:
            return None
        initial = variable.initial or bytes(variable.size)
        memory = self._memory.setdefault(name, ctypes.create_string_buffer(initial, variable.size))
        return ctypes.addressof(memory), variable.size

    def memory_operation(self, name: str, moved_bytes: int) -> None:
        self.memory_operations.append((name, moved_bytes))


@dataclass
class Loaded:
    """A library with the runtime and machine behind it."""

    library: ctypes.CDLL
    runtime: CudaRuntime
    machine: RecordingMachine
    stream: ctypes.c_void_p

    def call(self, entry: str, count: int = 16) -> tuple[int, list[int]]:
        """`int entry(int* out, cudaStream_t)`: its result and `out`."""
        out = (ctypes.c_int * count)()
        self.runtime.native.vgrt_begin_call()
        code = getattr(self.library, entry)(out, self.stream)
        self.runtime.raise_failure()
        return code, list(out)
