// E13: writes through a pointer from nowhere
// breaks: no kernel faults
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=out_of_bounds
__global__ void wild() { *(float*)0xdeadbeef000 = 1.0f; }
extern "C" void RELU(float* output, const float* input, int N) { wild<<<1, 1>>>(); }
