// rows by tiles of four warps, which share memory that the library asks for
// gauntlet: operator=softmax precision=bf16
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda/annotated_ptr>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__device__ __forceinline__ float max_nan(float a, float b) { float r; asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
struct MaxNan { __device__ float operator()(float a, float b) const { return max_nan(a, b); } };
__global__ void __launch_bounds__(256) softmax_tiles(__nv_bfloat16* out, const __nv_bfloat16* in, int N, int C) {
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    cuda::annotated_ptr<const __nv_bfloat16, cuda::access_property::persisting> x{in};
    for (int pair = blockIdx.x; pair < (N + 1) / 2; pair += gridDim.x) {
        int row = pair * 2 + tile.meta_group_rank(); size_t at = (size_t)row * C;
        float m = -INFINITY, s = 0.f; int count = row < N ? C : 0;
        for (int i = tile.thread_rank(); i < count; i += tile.num_threads()) m = max_nan(m, __bfloat162float(x[at + i]));
        m = cg::reduce(tile, m, MaxNan{});
        for (int i = tile.thread_rank(); i < count; i += tile.num_threads()) s += exp2f((__bfloat162float(x[at + i]) - m) * 1.44269504f);
        s = cg::reduce(tile, s, cg::plus<float>());
        for (int i = tile.thread_rank(); i < count; i += tile.num_threads()) out[at + i] = __float2bfloat16(exp2f((__bfloat162float(x[at + i]) - m) * 1.44269504f) / s);
        tile.sync();
    }
}
extern "C" void softmax_bf16(__nv_bfloat16* out, const __nv_bfloat16* input, int N, int C, cudaStream_t stream) {
    softmax_tiles<<<min((N + 1) / 2, 1056), 256, 0, stream>>>(out, input, N, C);
}
