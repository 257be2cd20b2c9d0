/* What the CUDA runtime offers to device code: `printf`, `malloc`, `free`; and the check of the lanes' stacks.
 * `printf` writes to the process's standard output, at most as much a launch as the device's buffer holds. */
#include "runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lanes.h"

#define PRINT_BYTES (1 << 20)  /* CUDA's default cudaLimitPrintfFifoSize */
#define HEAP_BYTES (8u << 20)  /* CUDA's default cudaLimitMallocHeapSize */
#define LINE_BYTES 4096
#define SPECIFIER_BYTES 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const VgLaunch *printing;
static int64_t left;
static uint64_t heap_used;

/* --- printf ------------------------------------------------------------------------------------------------- */

typedef struct {
    char text[LINE_BYTES];
    size_t used;
    const uint8_t *arguments;
    size_t offset;
    int32_t converted;
} Line;

static void append(Line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int wrote = vsnprintf(line->text + line->used, LINE_BYTES - line->used, format, values);
    va_end(values);
    if (wrote > 0)
        line->used += (size_t)wrote < LINE_BYTES - line->used ? (size_t)wrote : LINE_BYTES - line->used - 1;
}

static uint64_t next_argument(Line *line, size_t bytes)
{
    uint64_t value = 0;
    line->offset = (line->offset + bytes - 1) / bytes * bytes;
    memcpy(&value, line->arguments + line->offset, bytes);
    line->offset += bytes;
    line->converted++;
    return value;
}

/* Copies `%`, flags, width and precision, with `*` replaced by its argument; returns what follows. */
static const char *read_specifier(Line *line, const char *from, char *specifier)
{
    size_t length = 0;
    specifier[length++] = *from++;
    while (*from && strchr("-+ #0123456789.*", *from) && length < SPECIFIER_BYTES - 16) {
        if (*from == '*')
            length += (size_t)sprintf(specifier + length, "%d", (int32_t)next_argument(line, 4));
        else
            specifier[length++] = *from;
        from++;
    }
    specifier[length] = 0;
    return from;
}

static void append_integer(Line *line, char *specifier, char letter, int wide)
{
    size_t length = strlen(specifier);
    memcpy(specifier + length, "ll", 2);
    specifier[length + 2] = letter;
    specifier[length + 3] = 0;
    uint64_t value = next_argument(line, wide ? 8 : 4);
    if (!wide && (letter == 'd' || letter == 'i'))
        value = (uint64_t)(int64_t)(int32_t)value;
    append(line, specifier, value);
}

static void append_value(Line *line, char *specifier, char letter, int wide)
{
    char *end = specifier + strlen(specifier);
    if (strchr("diuoxX", letter)) {
        append_integer(line, specifier, letter, wide);
        return;
    }
    end[0] = letter;
    end[1] = 0;
    if (strchr("aAeEfFgG", letter))
        append(line, specifier, double_of(next_argument(line, 8)));
    else if (letter == 'c')
        append(line, specifier, (int)next_argument(line, 4));
    else if (letter == 's' || letter == 'p') {
        const char *pointer = (const char *)(uintptr_t)next_argument(line, 8);
        append(line, specifier, letter == 's' && !pointer ? "(null)" : pointer);
    } else
        append(line, "%s", specifier);
}

static void format_line(Line *line, const char *format)
{
    char specifier[SPECIFIER_BYTES];
    while (*format) {
        size_t plain = strcspn(format, "%");
        append(line, "%.*s", (int)plain, format);
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            append(line, "%%");
            format += 2;
            continue;
        }
        format = read_specifier(line, format, specifier);
        int wide = 0;
        for (; *format && strchr("hlLjzt", *format); format++)
            wide |= *format != 'h';
        if (*format)
            append_value(line, specifier, *format++, wide);
    }
}

/* Whether a line still fits into what a launch may print. */
static int may_print(const VgLaunch *launch, size_t bytes)
{
    if (launch != printing) {
        printing = launch;
        left = PRINT_BYTES;
    }
    left -= (int64_t)bytes;
    return left >= 0;
}

void vg_vprintf(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *formats, const uint64_t *arguments)
{
    Line line;
    pthread_mutex_lock(&lock);
    EACH_ACTIVE(lane, active) {
        line.used = line.offset = 0;
        line.converted = 0;
        line.text[0] = 0;
        line.arguments = (const uint8_t *)(uintptr_t)arguments[lane];
        format_line(&line, (const char *)(uintptr_t)formats[lane]);
        if (may_print(warp->block->launch, line.used))
            fwrite(line.text, 1, line.used, stdout);
        out[lane] = (uint32_t)line.converted;
    }
    fflush(stdout);
    pthread_mutex_unlock(&lock);
}

/* --- the device's heap ---------------------------------------------------------------------------------------- */

void vg_name(void *base, const char *name);

static uint64_t take(uint64_t bytes)
{
    if (bytes > HEAP_BYTES - heap_used)
        return 0;
    void *base = vg_alloc(bytes + sizeof bytes, VG_WRITABLE);
    if (!base)
        return 0;
    vg_name(base, "memory from the device's malloc");
    heap_used += bytes;
    return (uint64_t)(uintptr_t)base;
}

void vg_malloc(VgWarp *warp, uint32_t active, uint64_t *out, const uint64_t *sizes)
{
    (void)warp;
    pthread_mutex_lock(&lock);
    EACH_ACTIVE(lane, active) out[lane] = take(sizes[lane]);
    pthread_mutex_unlock(&lock);
}

void vg_free_memory(VgWarp *warp, uint32_t active, const uint64_t *pointers)
{
    pthread_mutex_lock(&lock);
    EACH_ACTIVE(lane, active) {
        const VgAllocation *allocation = pointers[lane] ? vg_nearest(pointers[lane]) : NULL;
        if (!allocation)
            continue;
        uint64_t bytes = allocation->bytes - sizeof bytes;
        int is_heap = allocation->base == pointers[lane] && !strncmp(allocation->name, "memory from the dev", 19);
        if (!is_heap || vg_free((void *)(uintptr_t)pointers[lane])) {
            pthread_mutex_unlock(&lock);
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, 0, 0);
        }
        heap_used -= bytes;
    }
    pthread_mutex_unlock(&lock);
}

/* --- stacks --------------------------------------------------------------------------------------------------- */

void vg_stack_overflow(VgWarp *warp, uint32_t active, int32_t line)
{
    if (active)
        vg_fault(warp, active, VG_FAULT_STACK_OVERFLOW, line, 0);
}
