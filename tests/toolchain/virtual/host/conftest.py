"""A candidate library built by nvcc, and a machine that records what the runtime asks of it."""

import ctypes
import itertools
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual.host import CudaRuntime, KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.machine import kernel_facts
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.ptx.nouns import Module
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.specs import load_gpu

Build = Callable[[Path], Path]
FLAGS = "-std=c++17 -O1 -lineinfo --cudart none --no-compress -shared -Xcompiler -fPIC"
ALLOCATION_LIMIT = 1 << 20


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """`built(source)` is the library that nvcc makes of a `.cu`: compiled once, a new copy each time.

    A copy is loaded, and so registered with the runtime, like a library of its own.
    """
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    folder = tmp_path_factory.mktemp("libraries")
    copies = itertools.count()

    def build(source: Path) -> Path:
        library = folder / f"{source.stem}.so"
        if not library.exists():
            command = ["nvcc", *FLAGS.split(), "-gencode", "arch=compute_90a,code=compute_90a"]
            subprocess.run(
                [*command, str(source), "-o", str(library)], check=True, capture_output=True, timeout=110
            )
        return Path(shutil.copy(library, folder / f"{source.stem}_{next(copies)}.so"))

    return build


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


@pytest.fixture
def loaded(built: Build) -> Loaded:
    """calls.cu before a recording machine."""
    machine = RecordingMachine()
    runtime = CudaRuntime(load_native(), machine)
    runtime.set_device(load_gpu("h200").device, ALLOCATION_LIMIT)
    library = runtime.load(built(Path(__file__).with_name("calls.cu")))
    stream = ctypes.c_void_p()
    runtime.native.cudaStreamCreate(ctypes.byref(stream))
    return Loaded(library, runtime, machine, stream)
