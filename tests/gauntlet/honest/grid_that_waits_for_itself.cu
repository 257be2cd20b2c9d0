// a cooperative grid of as many blocks as are resident at once, which waits for itself
// gauntlet: operator=dot_product precision=fp32
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ float partials[1024];
__global__ void dot_coop(float* result, const float* x, const float* y, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ float sums[32];
    float s = 0.f;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) s = fmaf(x[i], y[i], s);
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = s;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        s = warp.thread_rank() < warp.meta_group_size() ? sums[warp.thread_rank()] : 0.f;
        s = cg::inclusive_scan(warp, s);
        if (warp.thread_rank() == 31) partials[blockIdx.x] = s;
    }
    grid.sync();
    if (grid.block_rank() == 0) {
        s = 0.f;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) s += *(volatile float*)&partials[i];
        s = cg::reduce(warp, s, cg::plus<float>());
        if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = s;
        block.sync();
        if (threadIdx.x == 0) { float t = 0.f; for (int i = 0; i < blockDim.x / 32; i++) t += sums[i]; *result = t; }
    }
}
extern "C" void dot_product(float* result, const float* X, const float* Y, const int N, cudaStream_t stream) {
    int dev, per_sm, coop;
    cudaGetDevice(&dev);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, dev);
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, dot_coop, 256, 0);
    int blocks = min(min(1024, per_sm * prop.multiProcessorCount), (N + 255) / 256);
    int n = N;
    void* args[] = {&result, &X, &Y, &n};
    if (coop) cudaLaunchCooperativeKernel((void*)dot_coop, dim3(blocks), dim3(256), args, 0, stream);
}
