// weights in constant memory, written on each call
// gauntlet: operator=stencil_2d precision=fp32
#include <cuda_runtime.h>
__constant__ float weights[2];
__global__ void step(float* out, const float* in, int nx, int ny) {
    int i = blockIdx.x, j = blockIdx.y * blockDim.x + threadIdx.x;
    if (j >= ny) return;
    size_t at = (size_t)i * ny + j;
    float u = in[at];
    if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1)
        u += weights[0] * (in[at - ny] + in[at + ny] + in[at - 1] + in[at + 1] - weights[1] * u);
    out[at] = u;
}
extern "C" void stencil_2d(float* u_new, const float* u_old, float r, int nx, int ny, cudaStream_t stream) {
    float values[2] = {r, 4.0f};
    cudaMemcpyToSymbolAsync(weights, values, sizeof(values), 0, cudaMemcpyHostToDevice, stream);
    step<<<dim3(nx, (ny + 127) / 128), 128, 0, stream>>>(u_new, u_old, nx, ny);
}
