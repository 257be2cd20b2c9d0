"""What the import list lets through and what it refuses, on objects that nvcc compiled."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.elf import Symbols, read_symbols
from mskernelbench.catalog import load_operator
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.objects.imports import refuse

OPERATOR = load_operator("spmv_csr")
KERNEL = "__global__ void k(float* y) { *y = 1; }\n"
ENTRY = 'extern "C" void spmv_csr(float* y, cudaStream_t s) { BODY k<<<1, 1, 0, s>>>(y); }\n'

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")


def judged(folder: Path, head: str, body: str) -> str | None:
    source = head + KERNEL + ENTRY.replace("BODY", body)
    (folder / "kernel.cu").write_text(source)
    command = ["nvcc", "-arch=sm_90a", "-std=c++17", "-O1", "-c", "kernel.cu", "-o", "kernel.o"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=100)
    return refuse(ObjectEvidence(read_symbols(folder / "kernel.o"), source, OPERATOR))


HONEST = """
static bool once = false;
if (!once) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16); once = true; }
void* args[] = {&y};
cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(1), args, 0, s);
float* d;
if (cudaMalloc(&d, 64)) { fprintf(stderr, "%s", cudaGetErrorString(cudaGetLastError())); exit(1); }
cudaMemsetAsync(d, 0, 64, s); cudaFree(d); cudaDeviceSynchronize();
std::vector<int> sizes(3); int blocks = (int)sqrtf((float)sizes.size());
cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 32, 0);
"""


@needs_nvcc
def test_an_honest_host_function_passes(tmp_path: Path) -> None:
    assert judged(tmp_path, "#include <cstdio>\n#include <cmath>\n#include <vector>\n", HONEST) is None


TABLES = """
static std::map<std::string, std::vector<int>> blocks;
static std::unordered_map<int, long> rows;
static std::list<int> order;
blocks["small"].push_back(64);
rows[3] = lroundf(2.5f);
order.push_back(blocks.at("small")[0]);
std::set<int> sizes(order.begin(), order.end());
std::stable_sort(blocks["small"].begin(), blocks["small"].end());
"""


@needs_nvcc
def test_a_host_function_may_keep_tables(tmp_path: Path) -> None:
    names = ("algorithm", "cmath", "list", "map", "set", "string", "unordered_map", "vector")
    assert judged(tmp_path, "".join(f"#include <{name}>\n" for name in names), TABLES) is None


@needs_nvcc
def test_dishonest_ones_are_refused_by_name_however_they_are_spelt(tmp_path: Path) -> None:
    head = "#include <cstdlib>\n#include <dlfcn.h>\n#define PASTE(a, b) a##b\n"
    body = 'PASTE(cudaDeviceRe, set)(); system("true"); dlopen("libcusparse.so", 1);'
    reason = judged(tmp_path, head, body)
    assert reason == "the object imports cudaDeviceReset, dlopen, system, which no kernel may use"


@needs_nvcc
@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("cudaDeviceSetLimit(cudaLimitStackSize, 4096);", "leave them as they are"),
        ("cudaLaunchHostFunc(0, 0, 0);", "do it on the device"),
    ],
)
def test_what_honest_programs_use_is_refused_with_a_reason_and_what_to_do(
    tmp_path: Path, call: str, why: str
) -> None:
    reason = judged(tmp_path, "", call)
    assert reason is not None
    assert "which no kernel may use: " in reason
    assert reason.endswith(why)


@needs_nvcc
def test_who_asks_for_the_runtimes_own_version_of_a_function_is_seen(tmp_path: Path) -> None:
    """It would get the runtime's where its library has one of that name itself."""
    asks = 'extern "C" int question();\nasm(".symver question, cudaGetDriverEntryPoint@libcudart.so.13");\n'
    reason = judged(tmp_path, asks, "question();")
    assert reason is not None
    assert reason.startswith("the object imports cudaGetDriverEntryPoint@libcudart.so.13, ")


UNNEEDED = """
pthread_create fork socket fopen open mmap mprotect getenv clock_gettime ptrace syscall sigaction
cudaDeviceSetLimit cudaDeviceReset cudaLaunchHostFunc
cudaStreamAddCallback cudaGraphAddHostNode cudaGraphDebugDotPrint cudaCtxResetPersistingL2Cache
cudaEventRecord_ptsz cudaIpcOpenMemHandle cuGetProcAddress_v2 cublasSgemm_v2 cusparseSpMV
_ZNSt6thread15_M_start_threadEv _ZNSt14basic_ifstreamIcE
system setsid kill getppid signal process_vm_writev write _exit shm_open setenv dlopen dlsym __tls_get_addr
nvmlInit_v2 nvmlDeviceSetGpuLockedClocks cuModuleLoadData cublasCreate_v2 cusparseCreate cudaSetDeviceFlags
"""


@pytest.mark.parametrize("name", UNNEEDED.split())
def test_what_no_kernel_needs_is_not_on_the_list(name: str) -> None:
    reason = refuse(ObjectEvidence(Symbols(frozenset({name}), frozenset()), "", OPERATOR))
    assert reason is not None
    assert name in reason


def test_what_cubs_headers_import_passes_only_with_cub_and_without_spelling_it() -> None:
    symbols = Symbols(frozenset({"dlopen", "dlsym", "getenv", "_ZNKSt13runtime_error4whatEv"}), frozenset())
    cub = "#include <cub/cub.cuh>\n"
    assert refuse(ObjectEvidence(symbols, cub, OPERATOR)) is None
    assert refuse(ObjectEvidence(symbols, "", OPERATOR)) is not None
    assert refuse(ObjectEvidence(symbols, cub + 'void f() { dlopen("x", 1); }', OPERATOR)) is not None
    assert refuse(ObjectEvidence(symbols, cub + "#define P(a, b) a##b\n", OPERATOR)) is not None


def test_what_thrusts_errors_import_passes() -> None:
    names = {"strerror", "_ZNKSt9bad_alloc4whatEv", "_ZNSt9bad_allocD1Ev", "_ZSt9terminatev"}
    assert refuse(ObjectEvidence(Symbols(frozenset(names), frozenset()), KERNEL, OPERATOR)) is None


def test_what_an_arm_compiler_calls_for_atomics_long_double_and_stack_protection_passes() -> None:
    names = {"__aarch64_ldadd4_acq_rel", "__multf3", "__floatsitf", "__fixtfsi", "__stack_chk_guard"}
    assert refuse(ObjectEvidence(Symbols(frozenset(names), frozenset()), KERNEL, OPERATOR)) is None
    strange = refuse(ObjectEvidence(Symbols(frozenset({"__aarch64_run"}), frozenset()), KERNEL, OPERATOR))
    assert strange is not None
    assert "__aarch64_run" in strange
