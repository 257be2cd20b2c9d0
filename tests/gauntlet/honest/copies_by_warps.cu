// warps copy rows asynchronously, of which the last are shorter than a warp
// gauntlet: operator=matrix_transpose precision=fp32
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
constexpr int TILE = 32;
__global__ void transpose_async(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int width = min(TILE, N - c0);
    for (int r = warp.meta_group_rank(); r < TILE && r0 + r < M; r += warp.meta_group_size())
        cg::memcpy_async(warp, &tile[r][0], A + (size_t)(r0 + r) * N + c0, sizeof(float) * width);
    cg::wait(warp);
    block.sync();
    for (int c = warp.meta_group_rank(); c < width; c += warp.meta_group_size())
        if (r0 + warp.thread_rank() < M) B[(size_t)(c0 + c) * M + r0 + warp.thread_rank()] = tile[warp.thread_rank()][c];
}
extern "C" void matrix_transpose(const float* A, float* B, int M, int N, cudaStream_t stream) {
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    transpose_async<<<grid, dim3(32, 8), 0, stream>>>(A, B, M, N);
}
