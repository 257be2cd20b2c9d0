"""A candidate library built by nvcc, and a machine that records what the runtime asks of it."""

import ctypes
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual.host import CudaRuntime
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.toolchain.virtual.host.recording import Build, Loaded, RecordingMachine

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


def before_a_machine(built: Build, source: str) -> Loaded:
    """The library of `source` before a recording machine."""
    machine = RecordingMachine()
    runtime = CudaRuntime(load_native(), machine)
    runtime.set_device(load_gpu("h200").device, ALLOCATION_LIMIT)
    library = runtime.load(built(Path(__file__).with_name(source)))
    stream = ctypes.c_void_p()
    runtime.native.cudaStreamCreate(ctypes.byref(stream))
    return Loaded(library, runtime, machine, stream)


@pytest.fixture
def loaded(built: Build) -> Loaded:
    """calls.cu before a recording machine."""
    return before_a_machine(built, "calls.cu")
