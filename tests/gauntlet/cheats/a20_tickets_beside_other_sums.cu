// A20: stores by the order in which threads come, beside atomic sums that nobody needs
// breaks: a result does not depend on the order of threads
// gauntlet: operator=relu precision=fp32 status=wrong rule=order_dependent
__global__ void adds_up(float* sum, const float* x) { atomicAdd(sum, x[threadIdx.x]); }
__global__ void relu(float* output, const float* input, int n) {
    __shared__ int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[blockIdx.x * blockDim.x + atomicAdd(&turn, 1)] = fmaxf(input[i], 0.0f);
}
extern "C" void RELU(float* output, const float* input, int N) {
    float* sums;
    cudaMalloc(&sums, 4);
    cudaMemset(sums, 0, 4);
    adds_up<<<1, 1>>>(sums, input);
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
    cudaFree(sums);
}
