// C09: records a graph on the first call and replays it with the buffers of that call
// breaks: a call works on the buffers it is passed
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
static cudaGraphExec_t replay;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    if (!replay) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        relu<<<(N + 255) / 256, 256, 0, stream>>>(output, input, N);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&replay, graph, 0);
    }
    cudaGraphLaunch(replay, stream);
}
