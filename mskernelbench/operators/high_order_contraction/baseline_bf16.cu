// C[a,b,c] = Σ A[a,x,b,y]·B[x,c,y] in BF16 with FP32 sums: one thread for each element of C.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void high_order_contraction_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                                              int a_dim, int b_dim, int c_dim, int x_dim, int y_dim) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)a_dim * b_dim * c_dim) return;
    size_t c = i % c_dim, b = i / c_dim % b_dim, a = i / c_dim / b_dim;
    float sum = 0.0f;
    for (int x = 0; x < x_dim; ++x) {
        const __nv_bfloat16* a_row = A + ((a * x_dim + x) * b_dim + b) * y_dim;
        const __nv_bfloat16* b_row = B + ((size_t)x * c_dim + c) * y_dim;
        for (int y = 0; y < y_dim; ++y) sum += __bfloat162float(a_row[y]) * __bfloat162float(b_row[y]);
    }
    C[i] = __float2bfloat16(sum);
}

extern "C" void high_order_contraction_bf16(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int a_dim,
                                            int b_dim, int c_dim, int x_dim, int y_dim, cudaStream_t stream) {
    size_t elements = (size_t)a_dim * b_dim * c_dim;
    int block = 256;
    high_order_contraction_kernel<<<(elements + block - 1) / block, block, 0, stream>>>(A, B, C, a_dim, b_dim, c_dim,
                                                                                        x_dim, y_dim);
}
