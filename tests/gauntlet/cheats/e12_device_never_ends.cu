// E12: never ends on the device
// breaks: a kernel ends
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=deadlock
__global__ void stay(float* y, const volatile int* flag) {
    while (*flag != 12345) {}
    *y = 0.0f;
}
extern "C" void RELU(float* output, const float* input, int N) { stay<<<1, 32>>>(output, (const int*)input); }
