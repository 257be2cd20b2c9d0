/* `atom` and `red`: one read-modify-write a lane, lowest lane first, on host addresses that are checked already.
 * Global (and generic) memory is shared by the worker threads, so it takes real host atomics; a block's shared
 * memory belongs to one worker thread, so plain accesses do there. Ordering and scope: sequentially consistent. */
#include "narrow.h"

#define GLOBAL_ATOMIC(name, type, expression, ...)                                                             \
    void vg_atom_##name(VgWarp *warp, uint32_t active, type *out, const uint64_t *addresses, __VA_ARGS__)     \
    {                                                                                                          \
        (void)warp;                                                                                            \
        EACH_ACTIVE(lane, active) {                                                                            \
            type *place = (type *)(uintptr_t)addresses[lane], x, changed;                                      \
            __atomic_load(place, &x, __ATOMIC_SEQ_CST);                                                        \
            do                                                                                                 \
                changed = (expression);                                                                        \
            while (!__atomic_compare_exchange(place, &x, &changed, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));    \
            out[lane] = x;                                                                                     \
        }                                                                                                      \
    }

#define SHARED_ATOMIC(name, type, expression, ...)                                                                \
    void vg_atom_shared_##name(VgWarp *warp, uint32_t active, type *out, const uint64_t *addresses, __VA_ARGS__) \
    {                                                                                                             \
        (void)warp;                                                                                               \
        EACH_ACTIVE(lane, active) {                                                                               \
            type *place = (type *)(uintptr_t)addresses[lane], x = *place;                                         \
            *place = (expression);                                                                                \
            out[lane] = x;                                                                                        \
        }                                                                                                         \
    }

/* `expression` is the new value from the old one, x, and the lane's operand, y. */
#define ATOMIC(name, type, expression) ATOMIC_OF(name, type, expression, const type *ys)
#define ATOMIC_OF(name, type, expression, ...)         \
    GLOBAL_ATOMIC(name, type, expression, __VA_ARGS__) \
    SHARED_ATOMIC(name, type, expression, __VA_ARGS__)
#define y ys[lane]

ATOMIC(add_u32, uint32_t, x + y)
ATOMIC(add_u64, uint64_t, x + y)
ATOMIC(min_u32, uint32_t, x < y ? x : y)
ATOMIC(max_u32, uint32_t, x > y ? x : y)
ATOMIC(min_s32, int32_t, x < y ? x : y)
ATOMIC(max_s32, int32_t, x > y ? x : y)
ATOMIC(min_u64, uint64_t, x < y ? x : y)
ATOMIC(max_u64, uint64_t, x > y ? x : y)
ATOMIC(min_s64, int64_t, x < y ? x : y)
ATOMIC(max_s64, int64_t, x > y ? x : y)
ATOMIC(and_b32, uint32_t, x & y)
ATOMIC(or_b32, uint32_t, x | y)
ATOMIC(xor_b32, uint32_t, x ^ y)
ATOMIC(and_b64, uint64_t, x & y)
ATOMIC(or_b64, uint64_t, x | y)
ATOMIC(xor_b64, uint64_t, x ^ y)
ATOMIC(exch_b16, uint16_t, y)
ATOMIC(exch_b32, uint32_t, y)
ATOMIC(exch_b64, uint64_t, y)
ATOMIC(inc_u32, uint32_t, x >= y ? 0 : x + 1)
ATOMIC(dec_u32, uint32_t, x == 0 || x > y ? y : x - 1)

/* --- floating point ------------------------------------------------------------------------------------------ */

static uint16_t add_f16(uint32_t x_bits, uint32_t y_bits)
{
    return (uint16_t)f16_from_float(float_from_f16(x_bits & 0xffff) + float_from_f16(y_bits & 0xffff));
}

static uint16_t add_bf16(uint32_t x_bits, uint32_t y_bits)
{
    return (uint16_t)bf16_from_float(float_from_bf16(x_bits & 0xffff) + float_from_bf16(y_bits & 0xffff));
}

static uint32_t add_f16x2(uint32_t x_bits, uint32_t y_bits)
{
    return add_f16(x_bits, y_bits) | (uint32_t)add_f16(x_bits >> 16, y_bits >> 16) << 16;
}

static uint32_t add_bf16x2(uint32_t x_bits, uint32_t y_bits)
{
    return add_bf16(x_bits, y_bits) | (uint32_t)add_bf16(x_bits >> 16, y_bits >> 16) << 16;
}

ATOMIC(add_f32, float, x + y)
ATOMIC(add_f64, double, x + y)
ATOMIC(add_f16, uint16_t, add_f16(x, y))
ATOMIC(add_bf16, uint16_t, add_bf16(x, y))
ATOMIC(add_f16x2, uint32_t, add_f16x2(x, y))
ATOMIC(add_bf16x2, uint32_t, add_bf16x2(x, y))

/* --- compare and swap: y is what must be found, then what replaces it ------------------------------------------ */

#define COMPARE_AND_SWAP(name, type) \
    ATOMIC_OF(name, type, x == y ? replacements[lane] : x, const type *ys, const type *replacements)

COMPARE_AND_SWAP(cas_b16, uint16_t)
COMPARE_AND_SWAP(cas_b32, uint32_t)
COMPARE_AND_SWAP(cas_b64, uint64_t)
