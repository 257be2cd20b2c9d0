// A03: walks device addresses beside its output in search of the expected one
// breaks: a kernel reads the buffers that it is passed and no others
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) {
    for (long step = -64; step < 64; step++) {
        float* place = output + step * 65536;
        cudaPointerAttributes about;
        if (place == output || cudaPointerGetAttributes(&about, place) != cudaSuccess) continue;
        if (about.devicePointer) cudaMemcpy(output, place, N * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
