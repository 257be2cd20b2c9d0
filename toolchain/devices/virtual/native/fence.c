/* On hardware a device pointer means nothing to the host. Here no memory is behind one in the process that runs host
 * code, and this says so where it is used all the same. */
#include "vgpu.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *first;
static size_t extent;

static void explain(int number, siginfo_t *info, void *context)
{
    (void)context;
    char text[160];
    if ((size_t)((char *)info->si_addr - first) < extent) {
        int length = snprintf(text, sizeof text, "host code reads or writes device memory at %p\n", info->si_addr);
        if (write(STDERR_FILENO, text, (size_t)length) < 0)
            _exit(1);
    }
    signal(number, SIG_DFL); /* the access is tried again and ends the process */
}

/* Says which call the system's filter has stopped, and ends the process as it would have ended anyway. */
static void name_call(int number, siginfo_t *info, void *context)
{
    (void)context;
    char text[80];
    int length = snprintf(text, sizeof text, "\nsystem call %d is denied\n", info->si_syscall);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

/* Explains, before they end the process, what touches these addresses of the device, and calls that are denied. */
void vg_fence(void *base, size_t bytes)
{
    first = base;
    extent = bytes;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    action.sa_sigaction = name_call;
    sigaction(SIGSYS, &action, NULL);
}
