// E02: opens a connection
// breaks: a kernel talks to nobody
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <sys/socket.h>
extern "C" void RELU(float* output, const float* input, int N) { socket(AF_INET, SOCK_STREAM, 0); }
