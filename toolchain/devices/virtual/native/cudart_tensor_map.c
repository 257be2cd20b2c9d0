/* Tensor maps, and the way to the driver's functions that make them. Tiles and im2col: no interleaved or packed
 * layouts, no swizzles of other atoms than 16 bytes. */
#include <string.h>

#include "cudart.h"
#include "tensor_map.h"

enum { DRIVER_SUCCESS = 0, DRIVER_INVALID_VALUE = 1, DRIVER_NOT_SUPPORTED = 801 };
enum { UNIT = 16, MOST_BOX = 256, MOST_PIXELS = 1024, MOST_STEP = 8, PLAIN_SWIZZLES = 4 };

_Static_assert(sizeof(VgTensorMap) <= TENSOR_MAP_BYTES, "a CUtensorMap's room");

static const uint8_t element_bytes[ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4};
static const uint8_t swizzled_bytes[PLAIN_SWIZZLES] = {0, 32, 64, 128};

static int is_float(int element)
{
    return element == ELEMENT_F16 || element == ELEMENT_F32 || element == ELEMENT_F64 || element == ELEMENT_BF16
           || element == ELEMENT_F32_FTZ;
}

static int refuse(const char *what)
{
    vgrt_refuse(what);
    return DRIVER_NOT_SUPPORTED;
}

/* What both kinds of maps are told; arrays begin with the innermost dimension. */
typedef struct {
    int element;
    uint32_t rank;
    void *address;
    const uint64_t *sizes, *strides;
    const uint32_t *steps;
    int interleave, swizzle, fill;
} Tensor;

static int is_bad_dimension(const VgTensorMap *map, int axis, uint64_t size, uint32_t step)
{
    uint64_t stride = map->strides[axis];
    int bad_stride = axis && (stride % UNIT || stride >= UINT64_C(1) << 40);
    return !size || size > UINT64_C(1) << 32 || !step || step > MOST_STEP || bad_stride;
}

static int begin_map(VgTensorMap *map, const void *out, const Tensor *tensor)
{
    if (!out || (uintptr_t)out % TENSOR_MAP_ALIGNMENT || !tensor->address || (uintptr_t)tensor->address % UNIT)
        return DRIVER_INVALID_VALUE;
    if (tensor->rank > TENSOR_RANKS || tensor->element < 0 || (tensor->fill && !is_float(tensor->element)))
        return DRIVER_INVALID_VALUE;
    if (tensor->element >= ELEMENTS)
        return refuse("a tensor map of TF32 or packed elements");
    if (tensor->interleave)
        return refuse("a tensor map with an interleaved layout");
    *map = (VgTensorMap){.address = (uint64_t)(uintptr_t)tensor->address, .rank = (uint8_t)tensor->rank,
                         .element = (uint8_t)tensor->element, .element_bytes = element_bytes[tensor->element],
                         .fills_nan = tensor->fill != 0, .mark = TENSOR_MAP_MARK};
    for (int axis = 0; axis < map->rank; axis++) {
        uint32_t step = axis ? tensor->steps[axis] : 1;
        map->strides[axis] = axis ? tensor->strides[axis - 1] : map->element_bytes;
        if (is_bad_dimension(map, axis, tensor->sizes[axis], step))
            return DRIVER_INVALID_VALUE;
        map->last[axis] = (uint32_t)(tensor->sizes[axis] - 1);
        map->steps[axis] = (uint8_t)step;
    }
    return DRIVER_SUCCESS;
}

static int set_extent(VgTensorMap *map, int axis, uint32_t extent)
{
    map->extent[axis] = (uint16_t)extent;
    vg_settle_box(map, axis);
    return extent && extent <= MOST_BOX ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

static int set_swizzle(VgTensorMap *map, int swizzle)
{
    uint32_t row_bytes = (uint32_t)map->box[0] * map->element_bytes;
    if (swizzle < 0 || swizzle > 6 || row_bytes % UNIT)
        return DRIVER_INVALID_VALUE;
    if (swizzle >= PLAIN_SWIZZLES)
        return refuse("a tensor map with a swizzle of atoms larger than 16 bytes");
    if (!swizzle)
        return DRIVER_SUCCESS;
    if (row_bytes > swizzled_bytes[swizzle])
        return DRIVER_INVALID_VALUE;
    if (row_bytes < swizzled_bytes[swizzle])
        return refuse("a tensor map with a box narrower than its swizzle");
    map->swizzle_mask = (uint8_t)(swizzled_bytes[swizzle] - UNIT);
    return DRIVER_SUCCESS;
}

static int hand_out(void *out, VgTensorMap *map, int swizzle)
{
    int error = set_swizzle(map, swizzle);
    if (error)
        return error;
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, map, sizeof *map);
    return DRIVER_SUCCESS;
}

int cuTensorMapEncodeTiled(void *out, int element, uint32_t rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *boxes, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    (void)promotion;
    VgTensorMap map;
    Tensor tensor = {element, rank, address, sizes, strides, steps, interleave, swizzle, fill};
    int error = rank ? begin_map(&map, out, &tensor) : DRIVER_INVALID_VALUE;
    for (uint32_t axis = 0; !error && axis < rank; axis++)
        error = set_extent(&map, (int)axis, boxes[axis]);
    return error ? error : hand_out(out, &map, swizzle);
}

/* Corners have 16 bits, shared by the axes of pixels: five each for three of them. */
static int set_corners(VgTensorMap *map, int axis, int lower, int upper)
{
    int most = 1 << (16 / (map->rank - 2) - 1);
    if (lower < -most || lower >= most || upper < -most || upper >= most)
        return DRIVER_INVALID_VALUE;
    map->lower[axis] = (int16_t)lower;
    map->upper[axis] = (int16_t)upper;
    return (int64_t)map->last[axis + 1] + upper >= lower ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

/* `lower` and `upper`: W first, as in the instruction's coordinates. */
int cuTensorMapEncodeIm2col(void *out, int element, uint32_t rank, void *address, const uint64_t *sizes,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int promotion,
                            int fill)
{
    (void)promotion;
    VgTensorMap map;
    Tensor tensor = {element, rank, address, sizes, strides, steps, interleave, swizzle, fill};
    int is_shaped = rank > 2 && pixels && pixels <= MOST_PIXELS;
    int error = is_shaped ? begin_map(&map, out, &tensor) : DRIVER_INVALID_VALUE;
    if (error)
        return error;
    if (map.steps[rank - 1] != 1)
        return refuse("cuTensorMapEncodeIm2col with steps from image to image");
    map.pixels = (uint16_t)pixels;
    for (uint32_t axis = 0; !error && axis < rank; axis++)
        error = set_extent(&map, (int)axis, axis ? map.steps[axis] : channels);
    for (uint32_t axis = 0; !error && axis < rank - 2; axis++)
        error = set_corners(&map, (int)axis, lower[axis], upper[axis]);
    return error ? error : hand_out(out, &map, swizzle);
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
    {"cuTensorMapEncodeIm2col", (void *)cuTensorMapEncodeIm2col},
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
