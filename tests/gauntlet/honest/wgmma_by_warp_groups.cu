// one warp group brings tiles by tensor maps, two multiply them by wgmma; mbarriers between them, in a ring
// gauntlet: operator=matrix_mul precision=bf16
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>
using bf16 = __nv_bfloat16;
constexpr int BM = 128, BN = 128, BK = 64, STAGES = 4;
__device__ __forceinline__ uint32_t smem_u32(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void mbar_init(uint64_t* b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(b)), "r"(n)); }
__device__ __forceinline__ void mbar_expect(uint64_t* b, uint32_t bytes) { asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(b)), "r"(bytes)); }
__device__ __forceinline__ void mbar_arrive(uint64_t* b) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(smem_u32(b))); }
__device__ __forceinline__ void mbar_wait(uint64_t* b, int phase) {
    asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(smem_u32(b)), "r"(phase));
}
__device__ __forceinline__ void tma_load(void* dst, const CUtensorMap* map, int x, int y, uint64_t* bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(smem_u32(dst)), "l"(reinterpret_cast<uint64_t>(map)), "r"(smem_u32(bar)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ uint64_t enc(uint64_t x) { return (x & 0x3FFFF) >> 4; }
__device__ __forceinline__ uint64_t desc_k(const bf16* p) { return enc(smem_u32(p)) | (enc(16) << 16) | (enc(1024) << 32) | (1ull << 62); }
// B is N-contiguous ("MN-major"): panels of 64 columns, 64 rows of 128 bytes each
__device__ __forceinline__ uint64_t desc_mn(const bf16* p) { return enc(smem_u32(p)) | (enc(BK * 128) << 16) | (enc(1024) << 32) | (1ull << 62); }
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void wgmma64x128(float (&d)[64], uint64_t a, uint64_t b) {
    asm volatile("{\nwgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
        " %64, %65, 1, 1, 1, 0, 1;\n}"
        : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),
          "+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31]),
          "+f"(d[32]),"+f"(d[33]),"+f"(d[34]),"+f"(d[35]),"+f"(d[36]),"+f"(d[37]),"+f"(d[38]),"+f"(d[39]),"+f"(d[40]),"+f"(d[41]),"+f"(d[42]),"+f"(d[43]),"+f"(d[44]),"+f"(d[45]),"+f"(d[46]),"+f"(d[47]),
          "+f"(d[48]),"+f"(d[49]),"+f"(d[50]),"+f"(d[51]),"+f"(d[52]),"+f"(d[53]),"+f"(d[54]),"+f"(d[55]),"+f"(d[56]),"+f"(d[57]),"+f"(d[58]),"+f"(d[59]),"+f"(d[60]),"+f"(d[61]),"+f"(d[62]),"+f"(d[63])
        : "l"(a), "l"(b));
}
struct Smem { alignas(1024) bf16 a[STAGES][BM * BK]; alignas(1024) bf16 b[STAGES][BK * BN]; };
template <int REGS> __device__ __forceinline__ void reg_alloc() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGS)); }
template <int REGS> __device__ __forceinline__ void reg_dealloc() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGS)); }
__global__ void __launch_bounds__(384) gemm_ws(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, bf16* C, int M, int N, int K) {
    extern __shared__ __align__(1024) uint8_t raw[];
    Smem& s = *reinterpret_cast<Smem*>(raw);
    __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
    int wg = threadIdx.x / 128, tiles = (K + BK - 1) / BK;
    int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) { mbar_init(&full[i], 1); mbar_init(&empty[i], 2); }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<uint64_t>(&ma)) : "memory");
    }
    __syncthreads();
    if (wg == 0) {
        reg_dealloc<40>();
        if (threadIdx.x == 0)
            for (int t = 0; t < tiles; ++t) {
                int st = t % STAGES;
                mbar_wait(&empty[st], ((t / STAGES) & 1) ^ 1);
                mbar_expect(&full[st], (BM * BK + BK * BN) * sizeof(bf16));
                tma_load(s.a[st], &ma, t * BK, bm, &full[st]);
                tma_load(s.b[st], &mb, bn, t * BK, &full[st]);
                tma_load(s.b[st] + 64 * BK, &mb, bn + 64, t * BK, &full[st]);
            }
    } else {
        reg_alloc<232>();
        int half = wg - 1;
        float d[64] = {};
        for (int t = 0; t < tiles; ++t) {
            int st = t % STAGES;
            mbar_wait(&full[st], (t / STAGES) & 1);
            wgmma_fence();
#pragma unroll
            for (int k = 0; k < BK / 16; ++k)
                wgmma64x128(d, desc_k(s.a[st] + half * 64 * BK + k * 16), desc_mn(s.b[st] + k * 16 * 64));
            wgmma_commit();
            wgmma_wait<0>();
            if (threadIdx.x % 128 == 0) mbar_arrive(&empty[st]);
        }
        int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
        int row = bm + half * 64 + warp * 16 + lane / 4;
        for (int n = 0; n < BN / 8; ++n)
            for (int h = 0; h < 2; ++h) {
                int r = row + 8 * h, c = bn + n * 8 + lane % 4 * 2;
                if (r < M && c < N) C[(size_t)r * N + c] = __float2bfloat16(d[n * 4 + 2 * h]);
                if (r < M && c + 1 < N) C[(size_t)r * N + c + 1] = __float2bfloat16(d[n * 4 + 2 * h + 1]);
            }
    }
}
__global__ void gemm_any(const bf16* A, const bf16* B, bf16* C, int M, int N, int K) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= M || c >= N) return;
    float s = 0.f;
    for (int k = 0; k < K; ++k) s += __bfloat162float(A[(size_t)r * K + k]) * __bfloat162float(B[(size_t)k * N + c]);
    C[(size_t)r * N + c] = __float2bfloat16(s);
}
static bool make(CUtensorMap* m, const bf16* p, int rows, int cols, int box_r, int box_c) {
    cuuint64_t dims[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)cols * sizeof(bf16)};
    cuuint32_t box[2] = {(cuuint32_t)box_c, (cuuint32_t)box_r}, es[2] = {1, 1};
    return cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void*)p, dims, strides, box, es, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
extern "C" void matrix_mul_bf16(const bf16* A, const bf16* B, bf16* C, int M, int N, int K, cudaStream_t stream) {
    CUtensorMap ma, mb;
    if (K % 8 == 0 && N % 8 == 0 && make(&ma, A, M, K, BM, BK) && make(&mb, B, K, N, BK, 64)) {
        cudaFuncSetAttribute(gemm_ws, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Smem));
        gemm_ws<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM), 384, sizeof(Smem), stream>>>(ma, mb, C, M, N, K);
    } else gemm_any<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8), 0, stream>>>(A, B, C, M, N, K);
}
