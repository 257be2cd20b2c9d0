// E07: ends the process with the code for success
// breaks: a call returns
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=crashed
#include <stdlib.h>
extern "C" void RELU(float* output, const float* input, int N) { exit(0); }
