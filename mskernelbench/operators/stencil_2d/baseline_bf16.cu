// One step of the five-point stencil, BF16 cells with FP32 arithmetic: one thread for each cell, along a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float cell(const __nv_bfloat16* u, size_t at) { return __bfloat162float(u[at]); }

__global__ void stencil_2d_kernel(__nv_bfloat16* u_new, const __nv_bfloat16* u_old, float r, int nx, int ny) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    size_t here = (size_t)i * ny + j;
    if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1) {
        u_new[here] = u_old[here];
        return;
    }
    float c = cell(u_old, here);
    float sum = cell(u_old, here - 1) + cell(u_old, here + 1) + cell(u_old, here - ny) + cell(u_old, here + ny);
    u_new[here] = __float2bfloat16(c + r * (sum - 4.0f * c));
}

extern "C" void stencil_2d_bf16(__nv_bfloat16* u_new, const __nv_bfloat16* u_old, float r, int nx, int ny,
                                cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((ny + block.x - 1) / block.x, (nx + block.y - 1) / block.y);
    stencil_2d_kernel<<<grid, block, 0, stream>>>(u_new, u_old, r, nx, ny);
}
