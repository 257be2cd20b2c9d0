/* The reductions of bulk copies: the updates of native/atomics.c, 32 elements at a time. */
#include "reductions.h"

#include "tensor_map.h"

typedef void (*Reduce)(VgWarp *warp, uint32_t active, const uint64_t *places, const void *values);

#define REDUCTION(name, type)                                                                                        \
    void vg_atom_##name(VgWarp *warp, uint32_t active, type *out, const uint64_t *addresses, const type *values);    \
    static void name(VgWarp *warp, uint32_t active, const uint64_t *places, const void *values)                      \
    {                                                                                                                \
        type old[LANES];                                                                                             \
        vg_atom_##name(warp, active, old, places, values);                                                           \
    }

REDUCTION(add_u32, uint32_t)
REDUCTION(add_u64, uint64_t)
REDUCTION(add_f32, float)
REDUCTION(add_f64, double)
REDUCTION(add_f16, uint16_t)
REDUCTION(add_bf16, uint16_t)
REDUCTION(min_u32, uint32_t)
REDUCTION(min_s32, int32_t)
REDUCTION(min_u64, uint64_t)
REDUCTION(min_s64, int64_t)
REDUCTION(min_f16, uint16_t)
REDUCTION(min_bf16, uint16_t)
REDUCTION(max_u32, uint32_t)
REDUCTION(max_s32, int32_t)
REDUCTION(max_u64, uint64_t)
REDUCTION(max_s64, int64_t)
REDUCTION(max_f16, uint16_t)
REDUCTION(max_bf16, uint16_t)
REDUCTION(inc_u32, uint32_t)
REDUCTION(dec_u32, uint32_t)
REDUCTION(and_b32, uint32_t)
REDUCTION(and_b64, uint64_t)
REDUCTION(or_b32, uint32_t)
REDUCTION(or_b64, uint64_t)
REDUCTION(xor_b32, uint32_t)
REDUCTION(xor_b64, uint64_t)

/* By operation, numbered like `REDUCTIONS` of isa/bulk.py, and element. */
static const Reduce table[][ELEMENTS] = {
    {[ELEMENT_U32] = add_u32, [ELEMENT_S32] = add_u32, [ELEMENT_U64] = add_u64, [ELEMENT_S64] = add_u64,
     [ELEMENT_F16] = add_f16, [ELEMENT_BF16] = add_bf16, [ELEMENT_F32] = add_f32, [ELEMENT_F64] = add_f64},
    {[ELEMENT_U32] = min_u32, [ELEMENT_S32] = min_s32, [ELEMENT_U64] = min_u64, [ELEMENT_S64] = min_s64,
     [ELEMENT_F16] = min_f16, [ELEMENT_BF16] = min_bf16},
    {[ELEMENT_U32] = max_u32, [ELEMENT_S32] = max_s32, [ELEMENT_U64] = max_u64, [ELEMENT_S64] = max_s64,
     [ELEMENT_F16] = max_f16, [ELEMENT_BF16] = max_bf16},
    {[ELEMENT_U32] = inc_u32},
    {[ELEMENT_U32] = dec_u32},
    {[ELEMENT_U32] = and_b32, [ELEMENT_S32] = and_b32, [ELEMENT_U64] = and_b64, [ELEMENT_S64] = and_b64},
    {[ELEMENT_U32] = or_b32, [ELEMENT_S32] = or_b32, [ELEMENT_U64] = or_b64, [ELEMENT_S64] = or_b64},
    {[ELEMENT_U32] = xor_b32, [ELEMENT_S32] = xor_b32, [ELEMENT_U64] = xor_b64, [ELEMENT_S64] = xor_b64},
};

static const uint8_t widths[ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4};

int vg_reduce(VgWarp *warp, uint32_t reduction, uint64_t to, const uint8_t *from, uint32_t bytes)
{
    uint32_t element = reduction & ((1 << ELEMENT_BITS) - 1), width = widths[element];
    Reduce reduce = table[reduction >> ELEMENT_BITS][element];
    uint64_t places[LANES], values[LANES];
    if (!reduce)
        return 0;
    for (uint32_t done = 0; done < bytes; done += LANES * width) {
        uint32_t count = (bytes - done) / width < LANES ? (bytes - done) / width : LANES;
        EACH_LANE(lane) places[lane] = to + done + (uint64_t)lane * width;
        memcpy(values, from + done, (size_t)count * width);
        reduce(warp, count == LANES ? UINT32_MAX : (1u << count) - 1, places, values);
    }
    return 1;
}
