// E19: leaves a process behind
// breaks: a kernel starts no processes
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <unistd.h>
extern "C" void RELU(float* output, const float* input, int N) {
    if (fork() == 0) setsid(), pause();
}
