// the last block to finish adds up; its counter in a variable of the device goes back to 0
// gauntlet: operator=dot_product precision=fp32 sets=check,real
__device__ unsigned finished;
__device__ float parts[2048];
__global__ void dot(float* result, const float* x, const float* y, int n) {
    __shared__ float kept[256];
    __shared__ bool last;
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i] * y[i];
    kept[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = kept[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    __threadfence();
    sum = 0.0f;
    for (int i = 0; i < gridDim.x; i++) sum += ((volatile float*)parts)[i];
    *result = sum;
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    dot<<<min((N + 255) / 256, 512), 256>>>(result, X, Y, N);
}
