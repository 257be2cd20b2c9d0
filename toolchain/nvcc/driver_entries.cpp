// Answers in the CUDA runtime's place where a candidate asks for functions of the driver by name: it is given those
// that make tensor maps, and no others.
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace {

constexpr unsigned SINCE = 12000; // the version of CUDA that brought all of them

struct Entry {
    const char *name;
    void *function;
};

const Entry entries[] = {
    {"cuTensorMapEncodeTiled", reinterpret_cast<void *>(&cuTensorMapEncodeTiled)},
    {"cuTensorMapEncodeIm2col", reinterpret_cast<void *>(&cuTensorMapEncodeIm2col)},
    {"cuTensorMapReplaceAddress", reinterpret_cast<void *>(&cuTensorMapReplaceAddress)},
};

void *function_of(const char *name)
{
    for (const Entry &entry : entries)
        if (!std::strcmp(name, entry.name))
            return entry.function;
    return nullptr;
}

} // namespace

extern "C" cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                                  unsigned long long,
                                                                  cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function)
        return cudaErrorInvalidValue;
    void *known = function_of(symbol);
    *function = version < SINCE ? nullptr : known;
    if (status)
        *status = !known       ? cudaDriverEntryPointSymbolNotFound
                  : !*function ? cudaDriverEntryPointVersionNotSufficent
                               : cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

extern "C" cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                                         cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
