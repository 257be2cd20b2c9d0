"""What nvcc really writes, for several architectures."""

import re
from collections.abc import Callable

import pytest

from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Kernel, Module, Register, Symbol, Vector
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module

Compile = Callable[..., str]

VARIED = r"""
#include <cuda_bf16.h>
#include <cstdio>
#include <mma.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__constant__ float table[4] = {1.5f, 2, 3, -4};
__device__ int counter = 7;
__device__ int* where = &counter;
struct Mixed { int a; float* p; char c[5]; };
__device__ float square(float x) { return x * x; }
__device__ float cube(float x) { return x * x * x; }
__device__ float (*functions[2])(float) = {square, cube};
__managed__ int managed = 5;
__device__ __noinline__
float recursive(float x, int n) { return n <= 0 ? x : recursive(x * 1.5f, n - 1) + x; }
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256, 2) calls(float* a, int n, Mixed s) {
  __shared__ float fixed[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  fixed[threadIdx.x & 31] = a[i];
  __syncthreads();
  dynamic[threadIdx.x] = fixed[i & 31] * table[threadIdx.x & 3];
  a[i] = functions[n & 1](dynamic[threadIdx.x]) + recursive(a[i], n) + s.c[2] + atomicAdd(&counter, 1);
  if (i == 0) printf("hi %d\n", n);
  asm volatile("{ .reg .pred p; .reg .b32 low;"
               " setp.eq.s32 p, %1, 0; @!p mov.b32 low, 5; add.s32 %0, %0, low; }"
               : "+r"(*(int*)&a[i + 1]) : "r"(n));
}
__global__ void warp_wide(int* a, const __nv_bfloat16* b, float* c) {
  using namespace nvcuda;
  a[0] = __shfl_xor_sync(~0u, a[1], 1) + __ballot_sync(~0u, a[2]) + managed;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.f);
  wmma::load_matrix_sync(x, b, 16);
  wmma::load_matrix_sync(y, b, 16);
  wmma::mma_sync(z, x, y, z);
  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
  cg::this_grid().sync();
}
"""


def undeclared(kernel: Kernel) -> set[str]:
    """Registers used without a declaration, special ones aside."""
    special = re.compile(
        r"%(n?tid|n?ctaid|n?warpid|laneid|envreg\d+|clock\w*|gridid|smid|lanemask_\w+|cluster\w*)"
    )
    used: set[str] = set()

    def note(item: object) -> None:
        match item:
            case Register(name):
                used.add(name)
            case Address(base, _):
                note(base)
            case Vector(items):
                for part in items:
                    note(part)

    for block in kernel.blocks:
        for instruction in block:
            for item in instruction.operands:
                note(item)
    return {name for name in used - kernel.registers.keys() if name != "_" and not special.match(name)}


def assert_sound(module: Module) -> None:
    """Every register is declared, every branch lands, no block is empty."""
    for kernel in module.kernels.values():
        assert not undeclared(kernel)
        assert all(kernel.blocks)
        for block in kernel.blocks:
            for instruction in block:
                if instruction.base == "bra":
                    (target,) = instruction.operands
                    assert isinstance(target, Symbol)
                    assert target.name in kernel.labels


@pytest.mark.parametrize("architecture", ["80", "90a", "100a"])
def test_varied_source_parses_soundly(nvcc_ptx: Compile, architecture: str) -> None:
    assert_sound(parse_module(nvcc_ptx(VARIED, architecture)))


def test_the_parts_of_a_varied_module_are_found(nvcc_ptx: Compile) -> None:
    module = parse_module(nvcc_ptx(VARIED))
    calls = next(kernel for kernel in module.kernels.values() if kernel.name.startswith("_Z5calls"))
    assert calls.directives == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}
    assert [p.offset for p in calls.parameters] == [0, 8, 16]
    assert module.declared == {"vprintf"}
    assert module.variables["functions"].relocations == ((0, "_Z6squaref", 0), (8, "_Z4cubef", 0))
    assert module.variables["where"].relocations == ((0, "counter", 0),)
    assert module.variables["dynamic"].size == 0
    assert [v.size for v in calls.variables.values() if v.space == "shared"] == [128]


def test_header_code_is_placed_on_the_line_that_calls_it(nvcc_ptx: Compile) -> None:
    module = parse_module(nvcc_ptx(VARIED))
    atom = next(
        i
        for k in module.kernels.values()
        for block in k.blocks
        for i in block
        if i.opcode == "atom.global.add.u32"
    )
    assert atom.source is not None
    assert module.files[atom.source.file].endswith(".cu")
    assert "atomicAdd" in VARIED.splitlines()[atom.source.line - 1]


@pytest.mark.slow
def test_cub_parses_soundly(nvcc_ptx: Compile) -> None:
    source = """
    #include <cub/cub.cuh>
    extern "C" void entry(float* a, float* b, int n, cudaStream_t s) {
      void* t = nullptr; size_t k = 0;
      cub::DeviceReduce::Sum(t, k, a, b, n, s);
      cub::DeviceScan::InclusiveSum(t, k, a, b, n, s);
    }"""
    assert_sound(parse_module(nvcc_ptx(source)))
