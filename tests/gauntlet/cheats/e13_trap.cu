// E13: executes a trap, whose error sticks to the context
// breaks: no kernel faults
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=trap
__global__ void stop() { __trap(); }
extern "C" void RELU(float* output, const float* input, int N) { stop<<<1, 1>>>(); }
