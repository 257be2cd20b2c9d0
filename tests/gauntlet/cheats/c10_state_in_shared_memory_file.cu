// C10: keeps its outputs in a shared-memory file, which outlives the process
// breaks: every call works its outputs out of the inputs it is given
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    int file = shm_open("/kept", O_CREAT | O_RDWR, 0600);
    ftruncate(file, N * sizeof(float));
    void* kept = mmap(nullptr, N * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
    cudaMemcpy(kept, output, N * sizeof(float), cudaMemcpyDeviceToHost);
}
