/* Device memory is closed to host code: on hardware a device pointer means nothing to the host, and here it must
 * not either. The caller's buffers are closed while host code of a candidate runs and open while the device works. */
#include "vgpu.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8 };
/* Beyond this much time spent on it in one call, the memory stays open: a call of many thousand launches. */
#define MOST_SECONDS 0.5

static struct {
    char *base;
    size_t bytes;
    int protection;
} fences[MOST];
static int count;
static int is_closed;
static char *never;
static size_t never_bytes; /* closed to this process for good */
static double spent;

static int is_device(const void *address)
{
    for (int i = 0; is_closed && i < count; i++)
        if ((size_t)((const char *)address - fences[i].base) < fences[i].bytes)
            return 1;
    return (size_t)((const char *)address - never) < never_bytes;
}

static void explain(int number, siginfo_t *info, void *context)
{
    (void)context;
    char text[160];
    if (is_device(info->si_addr)) {
        int length = snprintf(text, sizeof text, "host code reads or writes device memory at %p\n", info->si_addr);
        if (write(STDERR_FILENO, text, (size_t)length) < 0)
            _exit(1);
    }
    signal(number, SIG_DFL); /* the access is tried again and ends the process */
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void set(int closed)
{
    if (is_closed == closed)
        return;
    double begun = now();
    for (int i = 0; i < count; i++)
        mprotect(fences[i].base, fences[i].bytes, closed ? PROT_NONE : fences[i].protection);
    is_closed = closed;
    spent += now() - begun;
}

void vg_fence_open(void)
{
    set(0);
}

void vg_fence_close(void)
{
    if (spent < MOST_SECONDS)
        set(1);
}

static void explain_faults(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
}

/* Explains what touches these addresses, at which this process has no memory. */
void vg_fence_for_good(void *base, size_t bytes)
{
    never = base;
    never_bytes = bytes;
    explain_faults();
}

/* Whole pages that vg_fence_close closes to host code until vg_unfence; -1 where there are too many of them. */
int vg_fence(void *base, size_t bytes, int writable)
{
    if (count == MOST)
        return -1;
    explain_faults();
    vg_fence_open();
    fences[count].base = base;
    fences[count].bytes = bytes;
    fences[count++].protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    spent = 0;
    return 0;
}

/* Opens everything and forgets it. */
void vg_unfence(void)
{
    vg_fence_open();
    count = 0;
}
