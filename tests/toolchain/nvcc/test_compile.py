"""Real compiles: each source becomes a `Build`, and equal ones only once."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.cache import cache_folder
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import LIMITS, compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain, find_toolchain
from cudamaster.toolchain.process import ProcessLimits
from cudamaster.toolchain.worker.landlock import landlock_version

SCALE = """\
// nvcc: --maxrregcount=32
__global__ void scale(int n, float* x) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) x[i] = 2.0f * tile[255 - threadIdx.x];
}
extern "C" void run(int n, float* x, cudaStream_t s) { scale<<<(n + 255) / 256, 256, 0, s>>>(n, x); }
"""


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return find_toolchain()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDAMASTER_CACHE_DIR", str(tmp_path / "cache"))


def compiled(text: str, toolchain: Toolchain, limits: ProcessLimits = LIMITS) -> Build:
    return compile_kernel(KernelSource(text, "run"), "sm_90a", toolchain, limits)


def test_threads_that_build_the_same_source_compile_it_once(toolchain: Toolchain) -> None:
    builds: list[Build] = []
    threads = [threading.Thread(target=lambda: builds.append(compiled(SCALE, toolchain))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(build.cached for build in builds) == [False, True, True]
    build = builds[0]
    assert build.ok, build.log
    assert build.library is not None
    assert build.ptx is not None
    assert build.host_object is not None
    assert {path.name for path in build.library.parent.iterdir()} == {
        "kernel.so",
        "kernel.ptx",
        "kernel.o",
        "build.json",
    }
    assert '.file\t1 "kernel.cu"' in build.ptx.read_text()
    (resources,) = build.resources
    assert resources.registers <= 32
    assert resources.shared_bytes == 1024
    assert list((cache_folder() / "unpublished").iterdir()) == []


def test_an_error_has_the_line_of_the_source_and_is_remembered(toolchain: Toolchain) -> None:
    text = "#include <cuda_bf16.h>\n\n__global__ void k(float* x) { x[0] = y; }\n"
    build = compiled(text, toolchain)
    assert not build.ok
    assert build.first_error == 'kernel.cu:3: error: identifier "y" is undefined'
    again = compiled(text, toolchain)
    assert again.cached
    assert again.diagnostics == build.diagnostics


def test_an_error_in_inline_ptx_has_the_line_of_the_source(toolchain: Toolchain) -> None:
    text = '__global__ void k(float* x) {\n  x[1] = 2.0f;\n  asm volatile("bogus.u32 %r1, %r2;");\n}\n'
    errors = [d for d in compiled(text, toolchain).diagnostics if d.severity == "error"]
    assert errors[0].line == 3


def test_a_missing_entry_fails_the_build(toolchain: Toolchain) -> None:
    build = compiled("void run(int n) {}\n", toolchain)
    assert not build.ok
    assert 'no extern "C" function' in build.first_error


def test_a_compile_out_of_time_is_a_failed_build_that_is_tried_again(toolchain: Toolchain) -> None:
    build = compiled(SCALE, toolchain, ProcessLimits(seconds=0.2, memory_bytes=4 << 30))
    assert not build.ok
    assert build.first_error == "kernel.cu: error: the compile took longer than 0.2 s and was stopped"
    assert not list((cache_folder() / "builds").glob("*/*"))


def test_a_compile_out_of_memory_says_so(toolchain: Toolchain) -> None:
    build = compiled(SCALE, toolchain, ProcessLimits(seconds=30.0, memory_bytes=30 << 20))
    assert not build.ok
    assert "30 MiB" in build.first_error


def test_a_compile_out_of_processor_time_says_so_whatever_the_clock_does(toolchain: Toolchain) -> None:
    limits = ProcessLimits(seconds=60.0, memory_bytes=4 << 30, processor_seconds=0.5)
    build = compiled(MANY_TEMPLATES, toolchain, limits)
    assert build.first_error == (
        "kernel.cu: error: the compile took more than 0.5 s of a processor and was stopped"
    )
    assert build.seconds < 30


LONG = "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(x))))))\nB(int q;)\n"


def test_a_compile_that_writes_too_large_a_file_says_so(toolchain: Toolchain) -> None:
    limits = ProcessLimits(seconds=60.0, memory_bytes=4 << 30, file_bytes=1 << 20)
    build = compiled(LONG + SCALE, toolchain, limits)
    assert "the compile wrote a file of more than 1 MiB and was stopped" in build.first_error


MANY_TEMPLATES = """
template <int N, int M> struct Tree {
    static __device__ float sum(float x) {
        return Tree<N - 1, 2 * M>::sum(x) + Tree<N - 1, 2 * M + 1>::sum(x);
    }
};
template <int M> struct Tree<0, M> { static __device__ float sum(float x) { return x * M; } };
__global__ void kernel(float* x) { x[0] = Tree<20, 0>::sum(x[0]); }
extern "C" void run(float* x) { kernel<<<1, 1>>>(x); }
"""


def test_our_limit_comes_before_what_the_compiler_says_when_it_meets_it(toolchain: Toolchain) -> None:
    build = compiled(MANY_TEMPLATES, toolchain, ProcessLimits(seconds=60.0, memory_bytes=400 << 20))
    assert any("out of memory" in d.message for d in build.diagnostics), "the compiler placed it"
    assert build.first_error == (
        "kernel.cu: error: the compile needed more than 400 MiB of memory and was stopped"
    )


def test_refused_sources_are_failed_builds(toolchain: Toolchain) -> None:
    assert "--use_fast_math" in compiled("// nvcc: --use_fast_math\n", toolchain).first_error
    assert "not paths" in compiled('#include "/etc/passwd"\n', toolchain).first_error
    assert "no C name" in compile_kernel(KernelSource("", "a b"), "sm_90a", toolchain).first_error
    assert "plain file" in compile_kernel(KernelSource("", "run", "../x.cu"), "sm_90a", toolchain).first_error


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel confines no files")
@pytest.mark.parametrize(
    "reading",
    [
        '#/**/include "FILE"\n',
        '#if __has_include(/**/"FILE")\n#define FOUND\n#endif\n',
        '#pragma GCC dependency "FILE"\n',
        'asm(".section .rodata\\n .in" "cbin \\"FILE\\"\\n.previous");\n',
        '#define TEXT(x) #x\nasm(".section .rodata\\n ." TEXT(inc) TEXT(bin) " \\"FILE\\"\\n.previous");\n',
    ],
)
def test_what_passes_the_gate_still_reads_no_file_of_this_machine(
    reading: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("// a password\n")
    build = compiled(reading.replace("FILE", str(secret)) + SCALE, toolchain)
    assert not build.ok
    assert "password" not in build.log


@pytest.mark.parametrize(
    ("bomb", "limits"),
    [
        (
            "template <int D, int N> struct Bomb { static const int v = Bomb<D - 1, 2 * N>::v"
            " + Bomb<D - 1, 2 * N + 1>::v; };\n"
            "template <int N> struct Bomb<0, N> { static const int v = N; };\n"
            "int exploded = Bomb<30, 0>::v;\n",
            ProcessLimits(seconds=2.0, memory_bytes=1 << 30),
        ),
        ("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\nint a = 0 B(B(B(+1)));\n",
         ProcessLimits(seconds=2.0, memory_bytes=1 << 30)),
    ],
)  # fmt: skip
def test_a_source_that_explodes_is_stopped(bomb: str, limits: ProcessLimits, toolchain: Toolchain) -> None:
    begun = time.monotonic()
    build = compiled(bomb + SCALE, toolchain, limits)
    assert not build.ok
    assert time.monotonic() - begun < 10 * limits.seconds


def test_headers_of_the_toolkit_and_of_the_host_compiler_are_read(toolchain: Toolchain) -> None:
    headers = ("cuda_bf16.h", "cub/version.cuh", "mma.h", "cmath", "algorithm")
    build = compiled("".join(f"#include <{header}>\n" for header in headers) + SCALE, toolchain)
    assert build.ok, build.log


def test_a_source_that_speaks_of_a_full_disk_is_a_failed_build(toolchain: Toolchain) -> None:
    assert "No space left" in compiled("#error No space left on device\n", toolchain).first_error


def test_a_damaged_cache_entry_is_built_again(toolchain: Toolchain) -> None:
    build = compiled(SCALE, toolchain)
    assert build.library is not None
    build.library.unlink()
    again = compiled(SCALE, toolchain)
    assert again.ok
    assert not again.cached


def test_an_nvcc_that_makes_nothing_is_no_fault_of_the_source(toolchain: Toolchain) -> None:
    with pytest.raises(EnvironmentLacks, match="made no library"):
        compiled(SCALE, replace(toolchain, nvcc=Path("/bin/true")))
