// E08: kills the process that waits for it
// breaks: a kernel sends no signals
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <signal.h>
#include <unistd.h>
extern "C" void RELU(float* output, const float* input, int N) { kill(getppid(), SIGKILL); }
