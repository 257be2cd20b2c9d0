// A20: stores by the order in which threads come, beside a kernel of atomic sums that it never launches
// breaks: a result does not depend on the order of threads
// gauntlet: operator=relu precision=fp32 status=wrong rule=order_dependent
__global__ void never_launched(float* sum, const float* x) { atomicAdd(sum, x[threadIdx.x]); }
__global__ void relu(float* output, const float* input, int n) {
    __shared__ int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[blockIdx.x * blockDim.x + atomicAdd(&turn, 1)] = fmaxf(input[i], 0.0f);
}
extern "C" void RELU(float* output, const float* input, int N) {
    if (N < 0) never_launched<<<1, 256>>>(output, input);
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
