"""What is noted of objects that nvcc compiled: state, and what their PTX shows."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from cudamaster.toolchain.elf import Symbols, read_symbols
from mskernelbench.catalog import load_operator
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.findings import findings, keeps_state, tells_blocks
from mskernelbench.operator import Precision

OPERATOR = load_operator("relu")
SOURCE = """
#ifdef CENSUS
#include <cuda_bf16.h>
#endif
__constant__ float table[4];
__device__ const float halves[4] = {0.5f, 1.5f, 2.5f, 3.5f};
#ifdef STATE
__device__ float bank[64];
__device__ unsigned ticket;
volatile int zero;
static int seen = zero + 1;
thread_local int calls;
#endif
namespace {
template <int N> __global__ void k(const float* x, float* y) {
    float v = x[0] * N + table[threadIdx.x & 3];
#ifdef STATE
    bank[threadIdx.x] = v;
    v += atomicInc(&ticket, 5);
#endif
#ifdef CENSUS
    v = __bfloat162float(__float2bfloat16(v));
    asm volatile("prefetch.global." "L2::evict_last [%0];" :: "l"(x));
    v += clock();
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    v += t;
#endif
    y[0] = v + halves[0];
}
}
extern "C" void relu(const float* x, float* y, cudaStream_t s) {
#ifdef ONCE
    static bool once = false;
    if (!once) cudaFuncSetAttribute(k<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
    once = true;
#endif
#ifdef STATE
    calls++;
    seen += calls;
#endif
    k<3><<<1, 32, 0, s>>>(x, y);
    k<4><<<1, 32, 0, s>>>(x, y);
}
"""

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("findings")


def compiled(folder: Path, *defines: str, precision: Precision = Precision.FP32) -> ObjectEvidence:
    (folder / "kernel.cu").write_text("".join(f"#define {name}\n" for name in defines) + SOURCE)
    target = ["-gencode", "arch=compute_90a,code=compute_90a", "-std=c++17", "-O1"]
    command = ["nvcc", *target, "-c", "--keep", "kernel.cu", "-o", "kernel.o"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=100)
    ptx = next(folder.glob("kernel*.ptx")).read_text()
    return ObjectEvidence(read_symbols(folder / "kernel.o"), SOURCE, OPERATOR, precision, ptx)


def test_templates_tables_and_headers_leave_nothing_of_note(folder: Path) -> None:
    evidence = compiled(folder)
    assert findings(evidence) == ()
    assert not keeps_state(evidence)


def test_a_flag_is_state(folder: Path) -> None:
    evidence = compiled(folder, "ONCE")
    assert [f.evidence for f in findings(evidence)] == ["host variables that outlive a call: _ZZ4reluE4once"]
    assert keeps_state(evidence)


def test_maps_banks_tickets_and_thread_locals_are_state(folder: Path) -> None:
    found = {f.name: f.evidence for f in findings(compiled(folder, "STATE"))}
    assert {"host_state", "device_state", "constructors", "atomics"} <= found.keys()
    assert "calls" in found["host_state"]
    assert "seen" in found["host_state"]
    assert found["device_state"] == "variables of the device that kernels use: bank, ticket"


@pytest.mark.parametrize(
    ("ptx", "told"),
    [
        ("    atom.global.inc.u32 %r1, [%rd1], 5;\n", True),
        ("    red.relaxed.gpu.global.add.u32 [%rd1], 1;\n", True),
        ("    atom.add.u32 %r1, [%rd1], 1;\n", True),
        ("    atom.shared.add.u32 %r1, [%r2], 1;\n    redux.sync.add.s32 %r1, %r2, -1;\n", False),
        (".global .align 4 .u32 ticket;\n    ld.global.u32 %r1, [ticket];\n", True),
    ],
)
def test_by_atomics_on_device_memory_and_variables_of_the_device_a_block_can_tell_others(
    ptx: str, told: bool
) -> None:
    symbols = Symbols(frozenset(), frozenset())
    assert tells_blocks(ObjectEvidence(symbols, "", OPERATOR, Precision.FP32, ptx)) is told


def test_the_census_sees_through_macros_and_split_strings_in_milliseconds(folder: Path) -> None:
    evidence = compiled(folder, "CENSUS")
    begun = time.process_time()
    found = {f.name: f.evidence for f in findings(evidence)}
    seconds = time.process_time() - begun
    assert found.keys() == {"reduced_precision", "cache_policy", "clocks"}
    assert "cvt.rn.bf16.f32" in found["reduced_precision"]
    assert "prefetch.global.L2::evict_last" in found["cache_policy"]
    assert "%globaltimer" in found["clocks"]
    assert "%clock" in found["clocks"]
    assert seconds < 0.05


def test_bf16_is_of_no_note_in_a_bf16_operator() -> None:
    symbols = Symbols(frozenset(), frozenset())
    ptx = "    cvt.rn.bf16.f32 %rs1, %f1;\n    atom.global.add.f32 %f1, [%rd1], %f2;\n"
    precisions = (Precision.FP32, Precision.BF16)
    found = [findings(ObjectEvidence(symbols, "", OPERATOR, precision, ptx)) for precision in precisions]
    assert [[f.name for f in some] for some in found] == [["reduced_precision", "atomics"], ["atomics"]]
