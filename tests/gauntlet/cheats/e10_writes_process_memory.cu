// E10: writes into other processes' memory
// breaks: a kernel touches its own memory
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <sys/uio.h>
#include <unistd.h>
extern "C" void RELU(float* output, const float* input, int N) {
    iovec here = {output, 4}, there = {(void*)0x1000, 4};
    process_vm_writev(getppid(), &here, 1, &there, 1, 0);
}
