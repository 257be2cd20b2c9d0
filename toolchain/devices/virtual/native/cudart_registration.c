/* What nvcc's start-up code calls: modules, kernels and variables are registered before `main` or at dlopen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

VgHost vgrt_host;


typedef struct Symbol {
    struct Symbol *next;
    const void *shadow;  /* the host variable that stands for the device's */
    void **managed;      /* where the host keeps a managed variable's address */
    char *name;
    size_t bytes;
} Symbol;

static Function *functions;
static Symbol *symbols;

int vgrt_tell(int operation, uint64_t moved_bytes, int error)
{
    if (!error && vgrt_host.memory)
        vgrt_host.memory(operation, moved_bytes);
    return error;
}

void vgrt_connect(const VgHost *host)
{
    vgrt_host = *host;
    for (Function *function = functions; function; function = function->next) {
        free(function->facts);
        function->facts = NULL;
        function->max_dynamic_shared = 0;
    }
}

/* --- fat binaries: a wrapper points to a container of entries, one for each architecture --- */

enum { CONTAINER_MAGIC = 0xBA55ED50, ENTRY_PTX = 1, ENTRY_COMPRESSED = 0xA000 };

typedef struct {
    uint32_t magic, version;
    const uint8_t *container;
    void *unused;
} FatWrapper;

typedef struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
} FatContainer;

typedef struct {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, unused1;
    uint16_t minor, major;
    uint32_t architecture, name_offset, name_bytes;
    uint64_t flags;
} FatEntry;

/* The PTX of the newest architecture, not zero-terminated; NULL where there is none. */
static const char *find_ptx(const uint8_t *container, uint64_t *bytes)
{
    FatContainer header;
    memcpy(&header, container, sizeof header);
    if (header.magic != CONTAINER_MAGIC)
        return NULL;
    const uint8_t *at = container + header.header_bytes, *end = at + header.bytes;
    const char *best = NULL;
    uint32_t newest = 0;
    while (at + sizeof(FatEntry) <= end) {
        FatEntry entry;
        memcpy(&entry, at, sizeof entry);
        if (entry.kind == ENTRY_PTX && entry.flags & ENTRY_COMPRESSED)
            vgrt_note_violation("the library's PTX is compressed: build it with nvcc --no-compress");
        else if (entry.kind == ENTRY_PTX && entry.architecture >= newest) {
            newest = entry.architecture;
            best = (const char *)at + entry.header_bytes;
            *bytes = strnlen(best, entry.bytes);
        }
        at += entry.header_bytes + entry.bytes;
    }
    return best;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    static void *handle;
    uint64_t bytes = 0;
    const char *ptx = find_ptx(((FatWrapper *)wrapper)->container, &bytes);
    if (ptx && vgrt_host.module)
        vgrt_host.module(ptx, bytes);
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

/* --- kernels --- */

void __cudaRegisterFunction(void **handle, const void *stub, char *device_name, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size)
{
    (void)handle, (void)device_name, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    Function *function = calloc(1, sizeof *function);
    function->stub = stub;
    function->name = strdup(name);
    function->next = functions;
    functions = function;
}

static cudaError_t learn(Function *function)
{
    if (function->facts)
        return cudaSuccess;
    VgKernelFacts *facts = calloc(1, sizeof *facts);
    cudaError_t error = vgrt_host.describe ? (cudaError_t)vgrt_host.describe(function->name, facts) : cudaErrorNoDevice;
    if (error) {
        free(facts);
        return error;
    }
    function->facts = facts;
    memcpy(function->cluster, facts->cluster, sizeof function->cluster);
    return cudaSuccess;
}

Function *vgrt_function(const void *stub_or_handle, cudaError_t *error)
{
    for (Function *function = functions; function; function = function->next)
        if (function->stub == stub_or_handle || function == stub_or_handle) {
            *error = learn(function);
            return *error ? NULL : function;
        }
    *error = cudaErrorInvalidDeviceFunction;
    return NULL;
}

cudaError_t __cudaGetKernel(void **kernel, const void *stub)
{
    cudaError_t error;
    *kernel = vgrt_function(stub, &error);
    return vgrt_done(error);
}

cudaError_t cudaGetKernel(void **kernel, const void *stub) { return __cudaGetKernel(kernel, stub); }
cudaError_t cudaGetFuncBySymbol(void **function, const void *stub) { return __cudaGetKernel(function, stub); }

cudaError_t cudaFuncGetName(const char **name, const void *stub)
{
    cudaError_t error;
    Function *function = vgrt_function(stub, &error);
    if (function)
        *name = function->name;
    return vgrt_done(error);
}

/* --- variables --- */

static Symbol *add_symbol(const void *shadow, const char *name, size_t bytes)
{
    Symbol *symbol = calloc(1, sizeof *symbol);
    symbol->shadow = shadow;
    symbol->name = strdup(name);
    symbol->bytes = bytes;
    symbol->next = symbols;
    symbols = symbol;
    return symbol;
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name, int external, size_t bytes,
                       int constant, int global)
{
    (void)handle, (void)device_address, (void)external, (void)constant, (void)global;
    add_symbol(shadow, name, bytes);
}

void __cudaRegisterManagedVar(void **handle, void **shadow, char *device_address, const char *name, int external,
                              size_t bytes, int constant, int global)
{
    (void)handle, (void)device_address, (void)external, (void)constant, (void)global;
    add_symbol(shadow, name, bytes)->managed = shadow;
}

static cudaError_t locate(const Symbol *symbol, void **address, size_t *bytes)
{
    uint64_t found = 0;
    if (!vgrt_host.symbol || vgrt_host.symbol(symbol->name, address, &found))
        return cudaErrorInvalidSymbol;
    *bytes = found ? found : symbol->bytes;
    return cudaSuccess;
}

/* Managed variables are read by host code through a pointer that is set before their first use. */
char __cudaInitModule(void **handle)
{
    (void)handle;
    size_t bytes;
    for (Symbol *symbol = symbols; symbol; symbol = symbol->next)
        if (symbol->managed)
            locate(symbol, symbol->managed, &bytes);
    return 0;
}

static cudaError_t find_symbol(const void *shadow, void **address, size_t *bytes)
{
    for (const Symbol *symbol = symbols; symbol; symbol = symbol->next)
        if (symbol->shadow == shadow || (symbol->managed && *symbol->managed == shadow))
            return locate(symbol, address, bytes);
    return cudaErrorInvalidSymbol;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    size_t bytes;
    return vgrt_done(find_symbol(symbol, address, &bytes));
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    void *address;
    return vgrt_done(find_symbol(symbol, &address, bytes));
}

static cudaError_t copy_symbol(const void *symbol, void *other, size_t bytes, size_t offset, void *stream, int to_symbol)
{
    void *address;
    size_t room;
    cudaError_t error = find_symbol(symbol, &address, &room);
    if (error)
        return error;
    if (offset > room || bytes > room - offset || !other)
        return cudaErrorInvalidValue;
    char *place = (char *)address + offset;
    Work work = {.kind = WORK_COPY, .copy = {.width = bytes, .height = 1, .depth = 1}};
    work.copy.dst = to_symbol ? place : other;
    work.copy.src = to_symbol ? other : place;
    return vgrt_submit(stream, &work);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset, int kind, void *stream)
{
    (void)kind;
    return vgrt_done(copy_symbol(symbol, (void *)src, bytes, offset, stream, 1));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    return cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, NULL);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset, int kind, void *stream)
{
    (void)kind;
    return vgrt_done(copy_symbol(symbol, dst, bytes, offset, stream, 0));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, NULL);
}

PER_THREAD(cudaMemcpyToSymbolAsync);
PER_THREAD(cudaMemcpyFromSymbolAsync);
PER_THREAD_DEFAULT(cudaMemcpyToSymbol);
PER_THREAD_DEFAULT(cudaMemcpyFromSymbol);
