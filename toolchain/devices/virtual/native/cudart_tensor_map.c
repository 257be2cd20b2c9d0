/* Tensor maps, and the way to the driver's functions that make them. Tiles only: no im2col, no interleaved or packed
 * layouts, no swizzles of other atoms than 16 bytes. */
#include <string.h>

#include "cudart.h"
#include "tensor_map.h"

enum { DRIVER_SUCCESS = 0, DRIVER_INVALID_VALUE = 1, DRIVER_NOT_SUPPORTED = 801 };
enum { UNIT = 16, MOST_BOX = 256, MOST_STEP = 8, PLAIN_SWIZZLES = 4 };

_Static_assert(sizeof(VgTensorMap) <= TENSOR_MAP_BYTES, "a CUtensorMap's room");

static const uint8_t element_bytes[ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4};
static const uint8_t swizzled_bytes[PLAIN_SWIZZLES] = {0, 32, 64, 128};

static int is_float(int element)
{
    return element == ELEMENT_F16 || element == ELEMENT_F32 || element == ELEMENT_F64 || element == ELEMENT_BF16
           || element == ELEMENT_F32_FTZ;
}

/* What the driver refuses of a dimension; 0 where it takes it. */
static int is_bad_dimension(const VgTensorMap *map, int axis, uint64_t size, uint32_t box, uint32_t step)
{
    uint64_t stride = map->strides[axis];
    int bad_stride = axis && (stride % UNIT || stride >= UINT64_C(1) << 40);
    return !size || size > UINT64_C(1) << 32 || !box || box > MOST_BOX || !step || step > MOST_STEP || bad_stride;
}

static int fill_dimensions(VgTensorMap *map, const uint64_t *sizes, const uint64_t *strides, const uint32_t *boxes,
                           const uint32_t *steps)
{
    for (int axis = 0; axis < map->rank; axis++) {
        uint32_t step = axis ? steps[axis] : 1;
        map->strides[axis] = axis ? strides[axis - 1] : map->element_bytes;
        if (is_bad_dimension(map, axis, sizes[axis], boxes[axis], step))
            return DRIVER_INVALID_VALUE;
        map->last[axis] = (uint32_t)(sizes[axis] - 1);
        map->extent[axis] = (uint16_t)boxes[axis];
        map->steps[axis] = (uint8_t)step;
        vg_settle_box(map, axis);
    }
    return DRIVER_SUCCESS;
}

static int refuse(const char *what)
{
    vgrt_refuse(what);
    return DRIVER_NOT_SUPPORTED;
}

static int fill_swizzle(VgTensorMap *map, int swizzle)
{
    uint32_t row_bytes = (uint32_t)map->box[0] * map->element_bytes;
    if (swizzle < 0 || swizzle > 6 || row_bytes % UNIT)
        return DRIVER_INVALID_VALUE;
    if (swizzle >= PLAIN_SWIZZLES)
        return refuse("cuTensorMapEncodeTiled with a swizzle of atoms larger than 16 bytes");
    if (!swizzle)
        return DRIVER_SUCCESS;
    if (row_bytes > swizzled_bytes[swizzle])
        return DRIVER_INVALID_VALUE;
    if (row_bytes < swizzled_bytes[swizzle])
        return refuse("cuTensorMapEncodeTiled with a box narrower than its swizzle");
    map->swizzle_mask = (uint8_t)(swizzled_bytes[swizzle] - UNIT);
    return DRIVER_SUCCESS;
}

int cuTensorMapEncodeTiled(void *out, int element, uint32_t rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *boxes, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    (void)promotion;
    if (!out || (uintptr_t)out % TENSOR_MAP_ALIGNMENT || !address || (uintptr_t)address % UNIT)
        return DRIVER_INVALID_VALUE;
    if (rank < 1 || rank > TENSOR_RANKS || element < 0 || (fill && !is_float(element)))
        return DRIVER_INVALID_VALUE;
    if (element >= ELEMENTS)
        return refuse("cuTensorMapEncodeTiled of TF32 or packed elements");
    if (interleave)
        return refuse("cuTensorMapEncodeTiled with an interleaved layout");
    VgTensorMap map = {.address = (uint64_t)(uintptr_t)address, .rank = (uint8_t)rank, .element = (uint8_t)element,
                       .element_bytes = element_bytes[element], .fills_nan = fill != 0, .mark = TENSOR_MAP_MARK};
    int error = fill_dimensions(&map, sizes, strides, boxes, steps);
    if (!error)
        error = fill_swizzle(&map, swizzle);
    if (error)
        return error;
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, &map, sizeof map);
    return DRIVER_SUCCESS;
}

int cuTensorMapReplaceAddress(void *map, void *address)
{
    VgTensorMap *held = map;
    if (!map || held->mark != TENSOR_MAP_MARK || !address || (uintptr_t)address % UNIT)
        return DRIVER_INVALID_VALUE;
    held->address = (uint64_t)(uintptr_t)address;
    return DRIVER_SUCCESS;
}

/* --- the driver's functions by name ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void *function;
} known[] = {
    {"cuTensorMapEncodeTiled", (void *)cuTensorMapEncodeTiled},
    {"cuTensorMapReplaceAddress", (void *)cuTensorMapReplaceAddress},
};

enum { SYMBOL_FOUND, SYMBOL_NOT_FOUND };

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *status)
{
    static char call[96];
    (void)flags;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(symbol, known[i].name)) {
            *function = known[i].function;
            if (status)
                *status = SYMBOL_FOUND;
            return vgrt_done(cudaSuccess);
        }
    *function = NULL;
    if (status)
        *status = SYMBOL_NOT_FOUND;
    strncpy(call, symbol, sizeof call - 1);
    return vgrt_refuse(call);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    (void)version;
    return cudaGetDriverEntryPoint(symbol, function, flags, status);
}

PER_THREAD(cudaGetDriverEntryPoint);
PER_THREAD(cudaGetDriverEntryPointByVersion);
