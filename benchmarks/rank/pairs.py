"""Pairs of kernels for one job whose order on hardware is known: `kernels/<name>.cu` holds `slow` and `fast`.

Each says where the knowledge comes from: a publication, or the arithmetic of bytes and operations on a
data-centre card. None was measured by us.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.rank import inputs
from benchmarks.rank.inputs import MILLION, Make
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.kernel import KernelSource

KERNELS = Path(__file__).parent / "kernels"
SAME = 1.0
"""`least` of a pair that takes the same time."""
CLEAR = 1.5
"""Pairs that differ by more are those we promise to rank."""
GUIDE = "CUDA C++ Best Practices Guide"
HARRIS = "M. Harris, Optimizing Parallel Reduction in CUDA (2007)"
BOEHM = "S. Boehm, How to Optimize a CUDA Matmul Kernel (2022)"
BELL = "N. Bell, M. Garland, Implementing SpMV on Throughput-Oriented Processors (SC 2009)"


@dataclass(frozen=True)
class Pair:
    """Two entries with the same arguments."""

    name: str
    operator: str
    least: float
    """How many times faster `fast` is at least; SAME where neither is."""
    make: Make
    known: str
    """Why, and from where."""

    def source(self, entry: str) -> KernelSource:
        """The source with `slow` or `fast` as its entry."""
        return KernelSource((KERNELS / f"{self.name}.cu").read_text(), entry, f"{self.name}.cu")

    @cached_property
    def arguments(self) -> Arguments:
        """Seeded, the same for both entries."""
        return Arguments(self.make(np.random.default_rng(0)), self.name)


_STREAM = inputs.elementwise(32 * MILLION)
_HALF_STREAM = inputs.elementwise(16 * MILLION)
_SUMS = inputs.reduction(16 * MILLION, 16 * MILLION // 256)

DIFFERENT = (
    Pair("copy_strided", "copy", 3.0, inputs.grid(4096, 4096),
         f"32 sectors a request for 4; {GUIDE}, coalesced access"),
    Pair("stride_two", "copy", 1.2, inputs.elementwise(16 * MILLION, 2),
         f"3 bytes moved for 2; {GUIDE}, strided accesses"),
    Pair("structures", "copy", 1.5, inputs.elementwise(4 * MILLION, 8),
         f"1 of 8 words used; {GUIDE}, coalesced access"),
    Pair("few_blocks", "copy", 5.0, _HALF_STREAM, "8 of 132 SMs work"),
    Pair("long_block", "copy", 5.0, inputs.elementwise(4 * MILLION),
         "1 of 132 SMs works, however large the grid"),
    Pair("chunked_stream", "copy", 1.05, inputs.elementwise(64 * MILLION),
         "the same bytes, and 15 times the gap between two launches"),
    Pair("long_division", "permute", 1.5, inputs.volume(64, 512, 512),
         f"about 250 instructions an element for 10; {GUIDE}, division and modulo"),
    Pair("transpose_padded", "transpose", 1.05, inputs.square(4096),
         "G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA (2009): padding against "
         "32-way conflicts"),
    Pair("transpose_tiled", "transpose", 1.5, inputs.square(4096),
         "G. Ruetsch, P. Micikevicius (2009): tiles make both sides coalesced"),
    Pair("shared_stride", "column sums", 5.0, inputs.elementwise(4 * MILLION),
         f"32-way bank conflicts for none, in a loop that does little else; {GUIDE}, shared memory and "
         "memory banks"),
    Pair("gemm_tiled", "matrix product", 1.2, inputs.product(2048),
         f"{BOEHM}: step 3 against 2, 2980 to 1987"),
    Pair("gemm_registers", "matrix product", 3.0, inputs.product(2048), f"{BOEHM}: step 6 against 3"),
    Pair("gemm_vector", "matrix product", 1.05, inputs.product(2048),
         f"{BOEHM}: step 6 against 5, 18237 to 15972"),
    Pair("gemm_tensor", "matrix product", 4.0, inputs.product(2048, inputs.halves),
         "tensor peak 15 times that of CUDA cores; NVIDIA, Programming Tensor Cores in CUDA 9"),
    Pair("gemm_async", "matrix product", 1.1, inputs.product(2048, inputs.halves),
         "NVIDIA, CUTLASS: Efficient GEMM, pipelining; CUDA C++ Programming Guide, asynchronous copies"),
    Pair("matvec_warp", "matrix-vector product", 3.0, inputs.matrix_vector(4096, 4096),
         "a lane a row reads 32 lines a request"),
    Pair("scale_vector", "scaling", 1.1, inputs.half_stream(32 * MILLION),
         "J. Luitjens, Increase Performance with Vectorized Memory Access (2013)"),
    Pair("double_literals", "polynomial", 1.1, _HALF_STREAM,
         f"FP64 at half rate and conversions; {GUIDE}, type conversions"),
    Pair("bf16_packed", "polynomial", CLEAR, inputs.half_stream(16 * MILLION),
         "HFMA2 does two at the cost of one; CUDA C++ Programming Guide, arithmetic throughput"),
    Pair("register_spills", "polynomial", CLEAR, inputs.elementwise(48 * 256 * 1024),
         "96 values in 32 registers go through L1 in every round"),
    Pair("independent_sums", "polynomial", CLEAR, inputs.elementwise(132 * 128),
         "V. Volkov, Better Performance at Lower Occupancy (GTC 2010): four chains fill the FMA latency"),
    Pair("long_warp", "polynomial", 2.0, inputs.elementwise(132 * 256),
         "one of eight warps works: an eighth of the schedulers' warps hide its latency"),
    Pair("warp_turns", "polynomial", 2.0, inputs.elementwise(132 * 256),
         "eight warps, one at a time between two barriers: as long as all their work, not as one's"),
    Pair("constant_lookup", "table look-up", 2.0, _HALF_STREAM,
         f"as many requests as lanes have addresses; {GUIDE}, constant memory"),
    Pair("shared_window", "window sums", 1.2, _HALF_STREAM,
         "32 words by 8 loads of 16 bytes for 32 of 4"),
    Pair("divergent_branches", "polynomial", CLEAR, _HALF_STREAM,
         f"both paths are run; {GUIDE}, branching and divergence"),
    Pair("wave_tail", "polynomial", CLEAR, inputs.elementwise(MILLION),
         f"two waves for one; {GUIDE}, thread and block heuristics"),
    Pair("fast_math", "sine", 1.2, _HALF_STREAM,
         f"range reduction and a polynomial for one MUFU; {GUIDE}, math libraries"),
    Pair("stream_occupancy", "addition", 1.5, _STREAM,
         f"64 threads an SM cannot cover DRAM's latency; {GUIDE}, occupancy"),
    Pair("fused", "addition", 1.3, _STREAM, "a third fewer bytes"),
    Pair("many_launches", "addition", 3.0, inputs.in_place(64 * 1024),
         "each launch takes longer than its work"),
    Pair("loads_in_flight", "sum", CLEAR, _STREAM,
         "Little's law: 256 loads an SM under way for 2048; V. Volkov, thesis (2016)"),
    Pair("sum_atomics", "sum", 10.0, inputs.reduction(16 * MILLION, 1), "16 million updates of one word"),
    Pair("count_aggregated", "count", CLEAR, inputs.count(16 * MILLION),
         "A. Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics (2014), for blocks"),
    Pair("reduce_divergent", "sums of blocks", 1.1, _SUMS, f"{HARRIS}: step 3 against 1"),
    Pair("reduce_shuffle", "sums of blocks", 1.1, _SUMS,
         "J. Luitjens, Faster Parallel Reductions on Kepler (2014)"),
    Pair("reduce_grain", "sums of blocks", 1.2, _SUMS, f"{HARRIS}: step 7 against 3"),
    Pair("histogram_shared", "histogram", 1.5, inputs.histogram(16 * MILLION),
         "N. Sakharnykh, GPU Pro Tip: Fast Histograms Using Shared Atomics on Maxwell (2015)"),
    Pair("scan_shuffle", "prefix sum", 1.2, _HALF_STREAM,
         "10 barriers and 40 passes over shared memory for 2; S. Sengupta et al., Efficient Parallel "
         "Scan (2008)"),
    Pair("scan_passes", "prefix sum", 1.1, _STREAM,
         "3 n bytes moved for 4 n; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan (2016), "
         "section 2"),
    Pair("softmax_block", "softmax", 2.0, inputs.grid(2048, 4096),
         "coalesced, and read once for three times"),
    Pair("softmax_online", "softmax", 1.1, inputs.grid(1024, 128 * 1024),
         "M. Milakov, N. Gimelshein, Online Normalizer Calculation for Softmax (2018): 3 n for 4 n"),
    Pair("layer_norm_warp", "layer norm", 3.0, inputs.grid(32768, 1024),
         "32 lines a request for 4 and one sweep for three"),
    Pair("layer_norm_split", "layer norm", CLEAR, inputs.grid(65536, 1024), "4 n bytes moved for 2 n"),
    Pair("stencil_mapping", "stencil", 1.5, inputs.square(4096),
         f"threads along rows or across; {GUIDE}, coalesced access"),
    Pair("stencil_fused", "stencil", 1.2, inputs.square(4096),
         "2 n bytes moved for 8 n; P. Micikevicius (2009) and A. Nguyen et al., 3.5-D Blocking (SC 2010)"),
    Pair("conv_separable", "convolution", 2.0, inputs.square(2048),
         "30 products an output for 225; V. Podlozhnyuk, Image Convolution with CUDA (2007)"),
    Pair("conv_shared", "convolution", 1.2, inputs.square(4096),
         "98 shared loads for 8 outputs against 49 global ones each; V. Podlozhnyuk (2007)"),
    Pair("gather_resident", "gather", CLEAR, inputs.table(64 * MILLION, 16 * MILLION),
         "L2 answers in half the time and by single sectors; Z. Jia et al., Dissecting Volta (2018)"),
    Pair("spmv_warp", "sparse product", 1.5, inputs.sparse(200_000, 100),
         f"{BELL}: vector kernel, long rows"),
    Pair("spmv_short", "sparse product", CLEAR, inputs.sparse(2_000_000, 4),
         f"{BELL}: scalar kernel, short rows"),
    Pair("spmv_ell", "sparse product", 1.2, inputs.ellpack(400_000, 32), f"{BELL}: ELL, column-major"),
)  # fmt: skip
"""`fast` is faster."""

EQUAL = (
    Pair("block_size", "addition", SAME, _STREAM, "full occupancy and the same bytes in both"),
    Pair("hidden_arithmetic", "polynomial", SAME, _STREAM,
         "DRAM takes several times as long as either's arithmetic"),
    Pair("branch_by_warp", "polynomial", SAME, _HALF_STREAM,
         f"no lane of a warp differs; {GUIDE}, branching and divergence"),
    Pair("transpose_swizzled", "transpose", SAME, inputs.square(4096), "no bank conflict in either"),
    Pair("copies_unused", "matrix product", SAME, inputs.product(1024),
         "the tiles come by plain loads in both"),
    Pair("copy_runtime", "copy", SAME, _STREAM, "both move every byte once by 16-byte accesses"),
    Pair("shuffle_kinds", "sums of warps", SAME, inputs.reduction(16 * MILLION, 16 * MILLION // 32),
         "one instruction with another mode"),
)  # fmt: skip
"""Neither is faster."""

PAIRS = DIFFERENT + EQUAL
