// One step of the seven-point stencil: one thread for each cell, neighbouring threads along k.
#include <cuda_runtime.h>

__global__ void stencil_3d_kernel(float* u_new, const float* u_old, float r, int nx, int ny, int nz) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = blockIdx.z;
    if (j >= ny || k >= nz) return;
    size_t here = ((size_t)i * ny + j) * nz + k;
    size_t plane = (size_t)ny * nz;
    float c = u_old[here];
    if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1) {
        u_new[here] = c;
        return;
    }
    float sum = u_old[here - 1] + u_old[here + 1];
    sum += u_old[here - nz] + u_old[here + nz];
    sum += u_old[here - plane] + u_old[here + plane];
    u_new[here] = c + r * (sum - 6.0f * c);
}

extern "C" void stencil_3d(float* u_new, const float* u_old, float r, int nx, int ny, int nz, cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((nz + block.x - 1) / block.x, (ny + block.y - 1) / block.y, nx);
    stencil_3d_kernel<<<grid, block, 0, stream>>>(u_new, u_old, r, nx, ny, nz);
}
