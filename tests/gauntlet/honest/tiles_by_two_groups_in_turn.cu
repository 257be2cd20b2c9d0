// blocks that stay: one warp group brings tiles, two take turns at products and send theirs out by tensor map
// gauntlet: operator=matrix_mul precision=bf16
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdint>
using bf16 = __nv_bfloat16;
constexpr int BM = 64, BN = 64, BK = 64, STAGES = 4;
__device__ __forceinline__ uint32_t smem(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
struct Barrier {
    uint64_t bits;
    __device__ void init(int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(this)), "r"(n)); }
    __device__ void expect(int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(this)), "r"(bytes) : "memory"); }
    __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(this)) : "memory"); }
    __device__ void wait(int phase) { asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra W;\n}" ::"r"(smem(this)), "r"(phase) : "memory"); }
};
template <int STAGES_> struct Pipe { int stage = 0, phase = 0; __device__ void advance(int n = 1) { stage += n; if (stage >= STAGES_) { stage -= STAGES_; phase ^= 1; } } };
struct Scheduler { int tile, tiles, tiles_n, step; __device__ bool valid() const { return tile < tiles; } __device__ void next() { tile += step; } __device__ int m() const { return tile / tiles_n * BM; } __device__ int n() const { return tile % tiles_n * BN; } };
__device__ __forceinline__ void tma_load(void* to, const CUtensorMap* map, Barrier& on, int x, int y) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(smem(to)), "l"(map), "r"(smem(&on)), "r"(x), "r"(y) : "memory"); }
__device__ __forceinline__ uint64_t descriptor(const void* p, int leading) { return ((smem(p) & 0x3ffffull) >> 4) | ((uint64_t)(leading >> 4) << 16) | (64ull << 32) | (1ull << 62); }
struct Shared {
    alignas(1024) bf16 a[STAGES][BM * BK]; alignas(1024) bf16 b[STAGES][BK * BN]; alignas(1024) bf16 c[2][BM * BN];
    alignas(8) Barrier full[STAGES], empty[STAGES], order[2];
};
__global__ void __launch_bounds__(384, 1) gemm(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, const __grid_constant__ CUtensorMap mc, int tiles, int tiles_n, int K) {
    extern __shared__ unsigned char raw[];
    Shared& s = *reinterpret_cast<Shared*>(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    int group = __shfl_sync(~0u, threadIdx.x / 128, 0), steps = (K + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) s.full[i].init(1), s.empty[i].init(1);
        s.order[0].init(128), s.order[1].init(128);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    Pipe<STAGES> pipe;
    Scheduler work{(int)blockIdx.x, tiles, tiles_n, (int)gridDim.x};
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            for (; work.valid(); work.next())
                for (int k = 0; k < steps; ++k, pipe.advance()) {
                    s.empty[pipe.stage].wait(pipe.phase ^ 1);
                    s.full[pipe.stage].expect((BM * BK + BK * BN) * 2);
                    tma_load(s.a[pipe.stage], &ma, s.full[pipe.stage], k * BK, work.m());
                    tma_load(s.b[pipe.stage], &mb, s.full[pipe.stage], work.n(), k * BK);
                }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    int me = group - 1, lane = threadIdx.x & 31, warp = threadIdx.x / 32 % 4, turn = 0;
    for (int mine = 0; work.valid(); work.next(), mine ^= 1) {
        if (mine != me) { for (int k = 0; k < steps; ++k) pipe.advance(); continue; }
        float d[32]; 
#pragma unroll
        for (int i = 0; i < 32; ++i) d[i] = 0.f;
        if (me || turn) s.order[me].wait((me ? turn : turn - 1) & 1);  // the other group has done its products
        for (int k = 0; k < steps; ++k, pipe.advance()) {
            s.full[pipe.stage].wait(pipe.phase);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int i = 0; i < BK; i += 16)
                asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 1;\n"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                      "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                    : "l"(descriptor(s.a[pipe.stage] + i, 16)), "l"(descriptor(s.b[pipe.stage] + i * BN, 8192)));
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
            asm volatile("bar.sync %0, 128;" ::"r"(me + 1) : "memory");
            if (threadIdx.x % 128 == 0) s.empty[pipe.stage].arrive();
        }
        s.order[me ^ 1].arrive();
        if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(me + 1) : "memory");
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            uint32_t r[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) { __nv_bfloat162 v = __floats2bfloat162_rn(d[(j + q / 2) * 4 + q % 2 * 2], d[(j + q / 2) * 4 + q % 2 * 2 + 1]); r[q] = *reinterpret_cast<uint32_t*>(&v); }
            int row = warp * 16 + lane % 16, chunk = j + lane / 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(smem(s.c[me] + row * BN + ((chunk ^ (row & 7)) << 3))), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(me + 1) : "memory");
        if (threadIdx.x % 128 == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&mc), "r"(smem(s.c[me])), "r"(work.n()), "r"(work.m()) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        ++turn;
    }
    if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void gemm_any(const bf16* A, const bf16* B, bf16* C, int M, int N, int K) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y; float s = 0;
    if (r >= M || c >= N) return;
    for (int k = 0; k < K; ++k) s = fmaf(__bfloat162float(A[(size_t)r * K + k]), __bfloat162float(B[(size_t)k * N + c]), s);
    C[(size_t)r * N + c] = __float2bfloat16(s);
}
static bool encode(CUtensorMap* map, const bf16* p, int rows, int cols) {
    void* f = nullptr; cudaDriverEntryPointQueryResult q;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &q) != cudaSuccess || q != cudaDriverEntryPointSuccess) return false;
    cuuint64_t size[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, pitch[1] = {(cuuint64_t)cols * 2}; cuuint32_t box[2] = {64, 64}, step[2] = {1, 1};
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(f)(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void*)p, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
extern "C" void matrix_mul_bf16(const bf16* A, const bf16* B, bf16* C, int M, int N, int K, cudaStream_t stream) {
    CUtensorMap ma, mb, mc;
    if (K % 8 == 0 && N % 8 == 0 && encode(&ma, A, M, K) && encode(&mb, B, K, N) && encode(&mc, C, M, N)) {
        int tn = (N + BN - 1) / BN, tiles = tn * ((M + BM - 1) / BM), device, sms; cudaGetDevice(&device); cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
        cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared) + 1024);
        gemm<<<min(tiles, sms), 384, sizeof(Shared) + 1024, stream>>>(ma, mb, mc, tiles, tn, K);
    } else gemm_any<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8), 0, stream>>>(A, B, C, M, N, K);
}
