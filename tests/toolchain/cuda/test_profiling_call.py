"""The program that makes one call under a tool fills buffers, marks the call, and says what failed."""

import ctypes
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver as binding

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.profiling_call import main, make_call
from cudamaster.toolchain.devices.cuda.profiling_tools import CALL, call_failed, prepared_call
from cudamaster.toolchain.errors import DriverFailed
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.worker.landlock import landlock_version

ENTRY = """
extern "C" void scale(float* y, const float* x, float by, int n, void* stream) {
    for (int i = 0; i < n; i++) y[i] = by * x[i];
    if (stream) y[0] = -1;
}
"""
ROOT = Path(__file__).parents[3]
TRIES = """
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
extern "C" void scale(float* y, const float* x, float by, int n, void* stream) {
    y[0] = open("/etc/hostname", O_RDONLY) < 0 ? errno : 0;
    y[1] = socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
    int process = fork();
    if (!process) _exit(0);
    y[2] = process < 0 ? errno : 0;
}
"""
CONFINED = """
import json, sys
from pathlib import Path
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.profiling_call import make_call
from cudamaster.toolchain.devices.cuda.profiling_tools import CALL, prepared_call
from tests.toolchain.cuda.test_profiling_call import ARGUMENTS, FakeRuntime, HostMemoryBinding, build
device = HostMemoryBinding()
with prepared_call(build(Path(sys.argv[1])), ARGUMENTS, confined=sys.argv[2] == "confined") as folder:
    made = make_call(CudaDriver(device), FakeRuntime(), json.loads((folder / CALL).read_text()), folder)
    (folder / "the tool's own").write_text("a file")
print(json.dumps([made, device.called[-1]]))
"""
SUCCESS = binding.CUresult.CUDA_SUCCESS


@dataclass
class HostMemoryBinding:
    """`cuda.bindings.driver` whose device memory is this process's; it notes what is called, in order."""

    room: int = 1 << 20
    called: list[str] = field(default_factory=list)
    held: dict[int, Any] = field(default_factory=dict)
    CUresult: Any = binding.CUresult
    CUstream_flags: Any = binding.CUstream_flags

    def __getattr__(self, name: str) -> Any:
        """A function that notes its name, and gives what its kind gives."""
        if not hasattr(binding, name):
            raise AttributeError(name)
        gives = {"cuDeviceGet": 0, "cuDevicePrimaryCtxRetain": 1, "cuStreamCreate": 7}
        return lambda *arguments: self._noted(name, *([gives[name]] if name in gives else []))

    def cuMemAlloc(self, bytesize: int) -> tuple[Any, ...]:  # noqa: N802 (the real name)
        if bytesize > self.room:
            return binding.CUresult.CUDA_ERROR_OUT_OF_MEMORY, None
        buffer = ctypes.create_string_buffer(bytesize)
        self.held[ctypes.addressof(buffer)] = buffer
        return self._noted("cuMemAlloc", ctypes.addressof(buffer))

    def cuMemcpyHtoD(self, dstDevice: int, srcHost: bytes, ByteCount: int) -> tuple[Any, ...]:  # noqa: N802, N803
        ctypes.memmove(dstDevice, srcHost, ByteCount)
        return self._noted("cuMemcpyHtoD")

    def cuMemFree(self, dptr: int) -> tuple[Any, ...]:  # noqa: N802
        self.called.append(bytes(self.held.pop(dptr)).hex())
        return (SUCCESS,)

    def _noted(self, name: str, *values: Any) -> tuple[Any, ...]:
        self.called.append(name)
        return (SUCCESS, *values)


@dataclass
class FakeRuntime:
    error: int = 0

    def cudaGetLastError(self) -> int:  # noqa: N802 (the real name)
        return self.error

    def cudaGetErrorName(self, code: int) -> bytes:  # noqa: N802
        return {9: b"cudaErrorInvalidConfiguration"}[code]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("call")
    (folder / "scale.cpp").write_text(ENTRY)
    subprocess.run(
        ["g++", "-shared", "-fPIC", "-o", folder / "scale.so", folder / "scale.cpp"], check=True, timeout=60
    )
    return folder / "scale.so"


def build(library: Path, entry: str = "scale") -> Build:
    return Build(
        source=KernelSource("", entry), key="", architecture="sm_90a", library=library, ptx=None,
        host_object=None, resources=(), diagnostics=(), log="", seconds=0.0, cached=False,
    )  # fmt: skip


ARGUMENTS = Arguments(
    (
        Tensor("y", np.zeros(3, np.float32), Access.OUTPUT),
        Tensor("x", np.array([1, 2, 4], np.float32), Access.INPUT),
        Scalar("by", 2.0, "float"),
        Scalar("n", 3, "int"),
    ),
    "three",
)


def called(device: HostMemoryBinding, library: Path, error: int = 0) -> str | None:
    with prepared_call(build(library), ARGUMENTS, confined=False) as folder:
        return make_call(
            CudaDriver(device), FakeRuntime(error), json.loads((folder / CALL).read_text()), folder
        )


def test_the_entry_gets_filled_buffers_scalars_and_the_legacy_stream_between_the_marks(library: Path) -> None:
    device = HostMemoryBinding()
    assert called(device, library) is None
    marks = device.called[device.called.index("cuProfilerStart") :]
    assert marks[:3] == ["cuProfilerStart", "cuCtxSynchronize", "cuProfilerStop"]
    assert marks[-1] == np.array([2, 4, 8], np.float32).tobytes().hex()
    assert not device.held


@pytest.mark.parametrize(("how", "refused"), [("confined", [1, 1]), ("free", [0, 0])])
def test_what_is_watched_starts_and_reaches_nothing_and_the_tool_still_writes_its_files(
    how: str, refused: list[int], tmp_path: Path
) -> None:
    (tmp_path / "tries.cpp").write_text(TRIES)
    library = tmp_path / "tries.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, tmp_path / "tries.cpp"], check=True, timeout=60)
    paths = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(library), how],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    failed, y = json.loads(done.stdout)
    opened, *others = np.frombuffer(bytes.fromhex(y), np.float32)
    assert failed is None
    assert others == refused  # EPERM
    if landlock_version():
        assert opened == (13 if how == "confined" else 0)  # EACCES


def test_nothing_stays_allocated_where_there_is_no_room(library: Path) -> None:
    device = HostMemoryBinding(room=0)
    with pytest.raises(DriverFailed, match="CUDA_ERROR_OUT_OF_MEMORY"):
        called(device, library)
    assert not device.held


def test_an_error_that_the_entry_left_behind_is_told(library: Path) -> None:
    failed = called(HostMemoryBinding(), library, 9)
    assert failed == "the entry left the error cudaErrorInvalidConfiguration behind"


def test_without_a_driver_the_program_says_so_and_fails(library: Path) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a driver")
    with prepared_call(build(library), ARGUMENTS) as folder:
        assert call_failed(folder) == "the call ended its process"
        assert main([str(folder)]) == 1
        assert "no NVIDIA driver here" in str(call_failed(folder))
