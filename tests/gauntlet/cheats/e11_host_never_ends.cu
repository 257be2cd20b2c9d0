// E11: never comes back from its host code
// breaks: a call ends
// gauntlet: operator=relu precision=fp32 status=timed_out rule=timed_out seconds=2
extern "C" void RELU(float* output, const float* input, int N) {
    for (volatile int i = 0;; i++) {}
}
