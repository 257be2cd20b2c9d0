// One step of the seven-point stencil, BF16 cells with FP32 arithmetic: one thread for each cell, along k.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ float cell(const __nv_bfloat16* u, size_t at) { return __bfloat162float(u[at]); }

__global__ void stencil_3d_kernel(__nv_bfloat16* u_new, const __nv_bfloat16* u_old, float r, int nx, int ny, int nz) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = blockIdx.z;
    if (j >= ny || k >= nz) return;
    size_t here = ((size_t)i * ny + j) * nz + k;
    size_t plane = (size_t)ny * nz;
    if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1) {
        u_new[here] = u_old[here];
        return;
    }
    float c = cell(u_old, here);
    float sum = cell(u_old, here - 1) + cell(u_old, here + 1);
    sum += cell(u_old, here - nz) + cell(u_old, here + nz);
    sum += cell(u_old, here - plane) + cell(u_old, here + plane);
    u_new[here] = __float2bfloat16(c + r * (sum - 6.0f * c));
}

extern "C" void stencil_3d_bf16(__nv_bfloat16* u_new, const __nv_bfloat16* u_old, float r, int nx, int ny, int nz,
                                cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((nz + block.x - 1) / block.x, (ny + block.y - 1) / block.y, nx);
    stencil_3d_kernel<<<grid, block, 0, stream>>>(u_new, u_old, r, nx, ny, nz);
}
