// two planes a cluster: what lies between them comes from the neighbour's shared memory
// gauntlet: operator=stencil_3d precision=fp32
#include <cooperative_groups.h>
#include <cuda/std/utility>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
constexpr int X = 32, Y = 8;
__global__ void __cluster_dims__(1, 1, 2) stencil(float* __restrict__ out, const float* __restrict__ in, float r, int nx, int ny, int nz) {
    __shared__ float plane[Y + 2][X + 2];
    auto cluster = cg::this_cluster();
    int k = blockIdx.x * X + threadIdx.x, j = blockIdx.y * Y + threadIdx.y, i = blockIdx.z; size_t step = (size_t)ny * nz;
    bool there = i < nx && j < ny && k < nz; size_t at = ((size_t)i * ny + j) * nz + k;
    auto get = [&](int jj, int kk) { return i < nx && jj >= 0 && jj < ny && kk >= 0 && kk < nz ? in[((size_t)i * ny + jj) * nz + kk] : 0.f; };
    plane[threadIdx.y + 1][threadIdx.x + 1] = get(j, k);
    if (threadIdx.x == 0) plane[threadIdx.y + 1][0] = get(j, k - 1);
    if (threadIdx.x == X - 1) plane[threadIdx.y + 1][X + 1] = get(j, k + 1);
    if (threadIdx.y == 0) plane[0][threadIdx.x + 1] = get(j - 1, k);
    if (threadIdx.y == Y - 1) plane[Y + 1][threadIdx.x + 1] = get(j + 1, k);
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(cuda::std::move(token));
    if (there) {
        float c = plane[threadIdx.y + 1][threadIdx.x + 1];
        if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1) out[at] = c;
        else {
            unsigned rank = cluster.block_rank();
            float other = cluster.map_shared_rank(&plane[0][0], rank ^ 1)[(threadIdx.y + 1) * (X + 2) + threadIdx.x + 1];
            float below = rank ? other : __ldg(in + at - step), above = rank ? __ldg(in + at + step) : other;
            float s = plane[threadIdx.y + 1][threadIdx.x] + plane[threadIdx.y + 1][threadIdx.x + 2];
            s += plane[threadIdx.y][threadIdx.x + 1] + plane[threadIdx.y + 2][threadIdx.x + 1];
            s += below + above;
            out[at] = fmaf(r, s - 6.f * c, c);
        }
    }
    cluster.sync();
}
extern "C" void stencil_3d(float* u_new, const float* u_old, float r, int nx, int ny, int nz, cudaStream_t stream) {
    stencil<<<dim3((nz + X - 1) / X, (ny + Y - 1) / Y, (nx + 1) / 2 * 2), dim3(X, Y), 0, stream>>>(u_new, u_old, r, nx, ny, nz);
}
