// Tiles in shared memory, pointers without const as published.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define TILE 16

__global__ void tiled(__nv_bfloat16* A, __nv_bfloat16* B, __nv_bfloat16* C, int M) {
    __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.f;
    for (int t = 0; t < M; t += TILE) {
        int k = t + threadIdx.x, l = t + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < M && k < M ? __bfloat162float(A[row * M + k]) : 0.f;
        b[threadIdx.y][threadIdx.x] = l < M && col < M ? __bfloat162float(B[l * M + col]) : 0.f;
        __syncthreads();
        for (int i = 0; i < TILE && t + i < M; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < M) C[row * M + col] = __float2bfloat16(sum);
}

extern "C" void square_matrix_mul_bf16_optimized(__nv_bfloat16* A, __nv_bfloat16* B, __nv_bfloat16* C, int M) {
    dim3 block(TILE, TILE);
    dim3 grid((M + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    tiled<<<grid, block>>>(A, B, C, M);
    cudaDeviceSynchronize();
}
