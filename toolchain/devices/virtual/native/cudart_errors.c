/* Errors of the CUDA runtime subset: the last one, the sticky one, their names, and calls that are not supported. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cudart.h"

static cudaError_t last_error, sticky_error;
static char violation[256];

cudaError_t vgrt_done(cudaError_t code)
{
    if (sticky_error)
        code = sticky_error;
    if (code)
        last_error = code;
    return code;
}

cudaError_t vgrt_fatal(cudaError_t code)
{
    if (!sticky_error)
        sticky_error = code;
    return vgrt_done(code);
}

int vgrt_is_broken(void) { return sticky_error != cudaSuccess; }

cudaError_t vgrt_refuse(const char *call)
{
    if (vgrt_host.unsupported)
        vgrt_host.unsupported(call);
    return vgrt_fatal(cudaErrorNotSupported);
}

void vgrt_note_violation(const char *format, ...)
{
    va_list arguments;
    if (violation[0])
        return;
    va_start(arguments, format);
    vsnprintf(violation, sizeof violation, format, arguments);
    va_end(arguments);
}

const char *vgrt_violation(void) { return violation[0] ? violation : NULL; }

void vgrt_begin_call(void)
{
    last_error = sticky_error = cudaSuccess;
    violation[0] = 0;
    vgrt_forget_refused_launch();
    vgrt_forget_refused_bytes();
    vgrt_end_all_captures();
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = last_error;
    last_error = sticky_error;
    return code;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

typedef struct {
    cudaError_t code;
    const char *name, *text;
} ErrorWords;

#define ERROR_WORDS(name, number, text) {number, "cuda" #name, text},
static const ErrorWords words[] = {CUDA_ERRORS(ERROR_WORDS)};

static const ErrorWords *find_words(cudaError_t code)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].code == code)
            return &words[i];
    return NULL;
}

const char *cudaGetErrorString(cudaError_t code)
{
    const ErrorWords *found = find_words(code);
    return found ? found->text : "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t code)
{
    const ErrorWords *found = find_words(code);
    return found ? found->name : "unrecognized error code";
}
