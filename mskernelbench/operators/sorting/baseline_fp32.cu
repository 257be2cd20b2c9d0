// Bitonic sort for any N, in ascending order: one launch for each step, one thread for each pair of a step.
#include <cuda_runtime.h>

// Orders every pair of one step: in runs of 2·width values, each of the first half with the one opposite in the second
// (mirrored) or `width` further on. Smaller values always go first, so that values missing beyond the end never move.
__global__ void order_pairs(float* data, int N, unsigned width, bool mirrored) {
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = pair / width * 2 * width, offset = pair % width;
    unsigned low = start + offset;
    unsigned high = mirrored ? start + 2 * width - 1 - offset : low + width;
    if (high >= N) return;
    float a = data[low], b = data[high];
    if (b < a) {
        data[low] = b;
        data[high] = a;
    }
}

static void step(float* data, int N, unsigned width, bool mirrored, cudaStream_t stream) {
    unsigned pairs = N / (2 * width) * width + min(N % (2 * width), width);
    int block = 256;
    order_pairs<<<(pairs + block - 1) / block, block, 0, stream>>>(data, N, width, mirrored);
}

extern "C" void sorting(float* data, int N, cudaStream_t stream) {
    for (unsigned run = 1; run < N; run *= 2) {
        step(data, N, run, true, stream);
        for (unsigned width = run / 2; width > 0; width /= 2) step(data, N, width, false, stream);
    }
}
