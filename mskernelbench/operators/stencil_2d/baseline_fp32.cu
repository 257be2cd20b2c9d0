// One step of the five-point stencil: one thread for each cell, neighbouring threads along a row.
#include <cuda_runtime.h>

__global__ void stencil_2d_kernel(float* u_new, const float* u_old, float r, int nx, int ny) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    size_t here = (size_t)i * ny + j;
    float c = u_old[here];
    if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1) {
        u_new[here] = c;
        return;
    }
    float sum = u_old[here - 1] + u_old[here + 1] + u_old[here - ny] + u_old[here + ny];
    u_new[here] = c + r * (sum - 4.0f * c);
}

extern "C" void stencil_2d(float* u_new, const float* u_old, float r, int nx, int ny, cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((ny + block.x - 1) / block.x, (nx + block.y - 1) / block.y);
    stencil_2d_kernel<<<grid, block, 0, stream>>>(u_new, u_old, r, nx, ny);
}
