// brings rows of numbers by a tensor map, whose maker it asks the runtime for by name
// gauntlet: operator=relu precision=fp32
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <cstdint>
constexpr int TILE = 256;
__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__global__ void relu_tiles(const __grid_constant__ CUtensorMap to, const __grid_constant__ CUtensorMap from) {
    __shared__ alignas(128) float tile[TILE];
    __shared__ alignas(8) uint64_t full;
    uint32_t bar = shared_address(&full), at = shared_address(tile), first = blockIdx.x * TILE;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(TILE * 4) : "memory");
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                     ::"r"(at), "l"(&from), "r"(first), "r"(bar) : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra AGAIN;\n}"
                 ::"r"(bar) : "memory");
    tile[threadIdx.x] = fmaxf(tile[threadIdx.x], 0.0f);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];"
                     ::"l"(&to), "r"(first), "r"(at) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}
static PFN_cuTensorMapEncodeTiled_v12000 encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &status);
    bool found = error == cudaSuccess && status == cudaDriverEntryPointSuccess;
    return found ? reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function) : nullptr;
}
static bool make(CUtensorMap* map, const float* p, int n) {
    static const auto encode = encoder();
    cuuint64_t size = n, stride = 0;
    cuuint32_t box = TILE, step = 1;
    return encode && encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void*)p, &size, &stride, &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
extern "C" void RELU(float* y, const float* x, int n, cudaStream_t stream) {
    CUtensorMap to, from;
    if (make(&to, y, n) && make(&from, x, n)) relu_tiles<<<(n + TILE - 1) / TILE, TILE, 0, stream>>>(to, from);
}
