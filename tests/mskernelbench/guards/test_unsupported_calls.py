"""Honest CUDA calls that the harness cannot follow are refused without being called a cheat."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.elf import Symbols, read_symbols
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.objects import imports, unsupported_calls

OPERATOR = load_operator("spmv_csr")
HONEST = """
cudaCreateTextureObject cudaDestroyTextureObject cudaStreamCreate cudaStreamDestroy cudaEventCreateWithFlags
cudaEventRecord cudaStreamWaitEvent cudaStreamBeginCapture cudaGraphInstantiate cudaGraphLaunch cudaMallocHost
cudaHostAlloc cudaMallocManaged cudaMallocPitch cudaMallocArray cudaSetDevice cudaMemGetInfo
cudaGetDriverEntryPointByVersion __cudaRegisterManagedVar cudaStreamGetId cudaStreamCopyAttributes
cudaMemPoolSetAccess cudaMemPoolCreate cudaThreadExchangeStreamCaptureMode cudaInitDevice
cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaChooseDevice cudaDeviceGetPCIBusId
cudaDeviceGetByPCIBusId cudaDeviceCanAccessPeer cudaProfilerStart cudaProfilerStop
"""


def judged(*names: str, source: str = "") -> Refusal | None:
    return first_refusal("objects", ObjectEvidence(Symbols(frozenset(names), frozenset()), source, OPERATOR))


@pytest.mark.parametrize("name", HONEST.split())
def test_an_honest_call_is_named_with_what_to_do_instead(name: str) -> None:
    refusal = judged("cudaLaunchKernel", name)
    assert refusal is not None
    assert (refusal.status, refusal.guard) == (Status.UNSUPPORTED, None)
    assert f"calls {name}, which the harness does not support: " in refusal.reason


LOCKS = """
#include <mutex>
#include <shared_mutex>
static std::mutex lock;
static std::shared_mutex shared;
static std::once_flag once;
__global__ void k(float* y) { *y = 1; }
extern "C" void spmv_csr(float* y, cudaStream_t s) {
    std::scoped_lock held(lock);
    std::shared_lock read(shared);
    std::call_once(once, [] { cudaGetLastError(); });
    k<<<1, 1, 0, s>>>(y);
}
"""


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
def test_locks_of_the_host_are_no_cheat_and_said_to_be_needless(tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text(LOCKS)
    command = ["nvcc", "-arch=sm_90a", "-std=c++17", "-O1", "-c", "kernel.cu", "-o", "kernel.o"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=100)
    refusal = first_refusal("objects", ObjectEvidence(read_symbols(tmp_path / "kernel.o"), LOCKS, OPERATOR))
    assert refusal is not None
    assert refusal.status is Status.UNSUPPORTED
    assert "pthread_mutex_lock" in refusal.reason
    assert refusal.reason.endswith("can stand in the initialiser of a static variable")


def test_beside_a_dangerous_import_it_is_not_an_excuse() -> None:
    refusal = judged("cudaStreamCreate", "fork")
    assert refusal is not None
    assert (refusal.status, refusal.guard) == (Status.CHEATED, "imports")
    assert "cudaStreamCreate" not in refusal.reason


def test_no_call_is_both_allowed_and_unsupported() -> None:
    allowed = (
        "cudaMalloc cudaFree cudaMemcpyAsync cudaMemset2DAsync cudaFuncSetAttribute cudaFuncSetCacheConfig"
    )
    for name in [
        *allowed.split(),
        "cuTensorMapEncodeTiled",
        "cuTensorMapEncodeIm2col",
        "cuTensorMapReplaceAddress",
        "cudaMemcpyToSymbol",
        "cudaDeviceGetDefaultMemPool",
        "cudaDeviceGetMemPool",
        "cudaDeviceSetMemPool",
        "cudaMemPoolSetAttribute",
        "cudaMemPoolGetAttribute",
        "cudaDeviceSynchronize",
        "cudaStreamSynchronize",
    ]:
        assert imports.ALLOWED.fullmatch(name)
        assert unsupported_calls.advice(name) is None


def test_what_cubs_headers_call_is_theirs_unless_the_source_spells_it() -> None:
    """`DeviceScan` and `DeviceRadixSort` switch to the device that is current."""
    calls, cub = ("cudaGetDeviceCount", "cudaSetDevice", "dlsym"), "#include <cub/cub.cuh>\n"
    assert judged(*calls, source=cub) is None
    refusal = judged(*calls, source=cub + "void f() { cudaSetDevice(1); }")
    assert refusal is not None
    assert refusal.status is Status.UNSUPPORTED
    assert "cudaSetDevice, which" in refusal.reason


ASKS = 'void f(void** p) { cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", p, 12000, 0, 0); }'


def test_who_spells_the_question_for_the_drivers_functions_is_answered() -> None:
    assert judged("cudaGetDriverEntryPointByVersion", "cudaGetDriverEntryPoint", source=ASKS) is None


@pytest.mark.parametrize(
    "name",
    [
        "dlsym",
        "cuGetProcAddress_v2",
        "cudaGetDriverEntryPoint_ptsz",
        "cudaGetDriverEntryPoint@libcudart.so.13",
    ],
)
def test_no_other_way_to_the_drivers_functions_is_open_to_who_spells_it(name: str) -> None:
    refusal = judged("cudaGetDriverEntryPoint", name, source=ASKS)
    assert refusal is not None
    assert (refusal.status, refusal.guard) == (Status.CHEATED, "imports")
    assert f"the object imports {name}, " in refusal.reason
