// T03: launches a graph into a stream of its own
// breaks: work is on the stream that is passed
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    cudaStream_t side;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal);
    relu<<<(N + 255) / 256, 256, 0, side>>>(output, input, N);
    cudaStreamEndCapture(side, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, side);
}
