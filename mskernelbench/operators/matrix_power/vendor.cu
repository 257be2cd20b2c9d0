// vendor: cuBLAS
// links: cublas
// Repeated squaring, bits of P from the highest: at most 2·log2(P) products. Powers in between are values, as
// tensor cores take them.
#include "blas.cuh"

__global__ void identity(Value* B, int N) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < (size_t)N * N) B[at] = rounded(at / N == at % N ? 1.0f : 0.0f);
}

extern "C" void ENTRY(matrix_power)(const Value* A, Value* B, int N, int P, cudaStream_t stream) {
    size_t elements = (size_t)N * N, bytes = elements * sizeof(Value);
    if (P == 0) {
        identity<<<(unsigned)((elements + 255) / 256), 256, 0, stream>>>(B, N);
        return;
    }
    Scratch other(bytes, stream);
    const Value* power = A;
    Value* next = B;
    auto times = [&](const Value* factor) {
        row_major_product(stream, power, VALUE_TYPE, factor, next, VALUE_TYPE, N, N, N);
        power = next;
        next = next == B ? other.as<Value>() : B;
    };
    int bit = 31 - __builtin_clz(P);
    while (bit-- > 0) {
        times(power);
        if (P >> bit & 1) times(A);
    }
    if (power != B) MUST(cudaMemcpyAsync(B, power, bytes, cudaMemcpyDeviceToDevice, stream));
}
