// E16: resets the device under the harness
// breaks: a kernel leaves the device as it is
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) { cudaDeviceReset(); }
