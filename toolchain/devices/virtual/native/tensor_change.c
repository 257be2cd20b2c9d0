/* `tensormap.replace` and `tensormap.cp_fenceproxy`: maps that a kernel changes, field by field, and publishes. A map
 * may also begin as 128 bytes of zeros. What its fields are worth together is looked at by the copy that uses it. */
#include "bulk.h"

enum { MOST_BOX = 256, MOST_STEP = 8 };

/* Numbered like `FIELDS` in isa/tensormap.py. */
enum {
    GLOBAL_ADDRESS, RANK, BOX_DIM, GLOBAL_DIM, GLOBAL_STRIDE, ELEMENT_STRIDE, ELEMENT, SWIZZLE_MASK, FILLS_NAN,
    WITHOUT_EFFECT,
};

static const uint8_t bytes_of_element[ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4};

static int is_begun(const void *map)
{
    static const uint8_t zeros[TENSOR_MAP_BYTES];
    return !memcmp(map, zeros, sizeof zeros);
}

/* 0 where hardware refuses the value. */
static int is_replaced(VgTensorMap *map, int field, int axis, uint64_t value)
{
    switch (field) {
    case GLOBAL_ADDRESS:
        map->address = value;
        return value && !(value % UNIT);
    case RANK: /* less one */
        map->rank = (uint8_t)(value + 1);
        return value < TENSOR_RANKS;
    case BOX_DIM:
        map->extent[axis] = (uint16_t)value;
        vg_settle_box(map, axis);
        return value && value <= MOST_BOX;
    case GLOBAL_DIM:
        map->last[axis] = (uint32_t)value - 1;
        return 1;
    case GLOBAL_STRIDE: /* of the dimension after */
        map->strides[axis + 1] = value;
        return !(value % UNIT) && !(value >> 40);
    case ELEMENT_STRIDE:
        map->steps[axis] = (uint8_t)value;
        vg_settle_box(map, axis);
        return value && value <= MOST_STEP;
    case ELEMENT:
        map->element = (uint8_t)value;
        map->strides[0] = map->element_bytes = bytes_of_element[value];
        return 1;
    case SWIZZLE_MASK:
        map->swizzle_mask = (uint8_t)value;
        return 1;
    case FILLS_NAN:
        map->fills_nan = (uint8_t)value;
        return 1;
    default:
        return 1;
    }
}

/* `values`: of all lanes. The whole map is taken as read and written. */
void vg_tensor_map_replace(VgWarp *warp, uint32_t active, const uint64_t *places, const uint64_t *values, int32_t field,
                           int32_t axis, int32_t site)
{
    int32_t line = warp->block->launch->sites[site].line;
    EACH_ACTIVE(lane, active) {
        VgTensorMap map;
        vg_row_begin(warp, lane, places[lane], TENSOR_MAP_BYTES, site);
        void *held = (void *)(uintptr_t)places[lane];
        memcpy(&map, held, sizeof map);
        if ((map.mark != TENSOR_MAP_MARK && !is_begun(held)) || places[lane] % TENSOR_MAP_ALIGNMENT)
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_NO_MAP);
        if (map.pixels)
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_OTHER_MODE);
        if (!is_replaced(&map, field, axis, values[lane]))
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_BAD_MAP);
        map.mark = TENSOR_MAP_MARK;
        memcpy(held, &map, sizeof map);
        vg_note_written(held, TENSOR_MAP_BYTES);
    }
}

/* The warp copies one map; its lanes name the same places. */
void vg_tensor_map_publish(VgWarp *warp, uint32_t active, const uint64_t *targets, const uint64_t *sources,
                           int32_t from_site, int32_t to_site)
{
    uint32_t lane = (uint32_t)__builtin_ctz(active);
    vg_row_begin(warp, lane, sources[lane], TENSOR_MAP_BYTES, from_site);
    vg_row_begin(warp, lane, targets[lane], TENSOR_MAP_BYTES, to_site);
    memcpy((void *)(uintptr_t)targets[lane], (const void *)(uintptr_t)sources[lane], TENSOR_MAP_BYTES);
    vg_note_written((const void *)(uintptr_t)targets[lane], TENSOR_MAP_BYTES);
}
