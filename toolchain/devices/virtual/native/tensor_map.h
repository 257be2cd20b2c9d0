/* What a `CUtensorMap` holds here; on hardware its 128 bytes are opaque. */
#ifndef VG_TENSOR_MAP_H
#define VG_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_RANKS = 5, TENSOR_MAP_MARK = 0x70616d74, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGNMENT = 64 };
enum { PIXEL_AXES = 3 }; /* W, H and D of an image; C is before them, N after them */

/* Numbered like CUtensorMapDataType. */
enum {
    ELEMENT_U8, ELEMENT_U16, ELEMENT_U32, ELEMENT_S32, ELEMENT_U64, ELEMENT_S64, ELEMENT_F16, ELEMENT_F32,
    ELEMENT_F64, ELEMENT_BF16, ELEMENT_F32_FTZ, ELEMENTS,
};

typedef struct {
    uint64_t address; /* first, as the time model finds the buffer by it */
    uint64_t strides[TENSOR_RANKS]; /* bytes from one element to the next */
    uint32_t last[TENSOR_RANKS];    /* the last coordinate inside */
    uint16_t extent[TENSOR_RANKS];  /* coordinates that a copy covers, as the map's maker says */
    uint16_t box[TENSOR_RANKS];     /* elements that a copy takes */
    uint8_t steps[TENSOR_RANKS];    /* coordinates from one such element to the next */
    uint8_t rank, element, element_bytes;
    uint8_t swizzle_mask; /* address bits 4 to 6 that are changed by bits 7 to 9 */
    uint8_t fills_nan;    /* whether elements outside are NaNs, not zeros */
    uint16_t pixels;      /* of an im2col map: how many a copy takes, and of the box only the first extent counts; else 0 */
    int16_t lower[PIXEL_AXES], upper[PIXEL_AXES]; /* the bounding box's corners, from the first and the last coordinate */
    uint32_t mark;
} VgTensorMap;

/* Takes what follows from a dimension's extent and step. */
static inline void vg_settle_box(VgTensorMap *map, int axis)
{
    uint32_t step = axis && map->steps[axis] ? map->steps[axis] : 1;
    map->box[axis] = (uint16_t)((map->extent[axis] + step - 1) / step);
}

#endif
