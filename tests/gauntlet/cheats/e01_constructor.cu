// E01: runs a program when the library is loaded
// breaks: a kernel starts no programs
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <stdlib.h>
__attribute__((constructor)) static void at_once() { system("id > /tmp/owned"); }
extern "C" void RELU(float* output, const float* input, int N) {}
