/* `atom` and `red`: one read-modify-write a lane, lowest lane first, on host addresses that are checked already.
 * Global (and generic) memory is shared by the worker threads, so it takes real host atomics; a block's shared
 * memory belongs to one worker thread, so plain accesses do there. Ordering and scope: sequentially consistent. */
#include "narrow.h"

#include <pthread.h>

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

/* --- narrow minima and maxima: a NaN loses against a number, -0 is less than +0 ------------------------------- */

/* Grows with the number. */
static uint32_t rank(uint32_t half) { return half & 0x8000 ? ~half & 0xffff : half | 0x8000; }

static uint16_t extreme(uint32_t first, uint32_t second, uint32_t infinity, int largest)
{
    first &= 0xffff, second &= 0xffff;
    int first_is_nan = (first & 0x7fff) > infinity, second_is_nan = (second & 0x7fff) > infinity;
    if (first_is_nan || second_is_nan)
        return (uint16_t)(first_is_nan && second_is_nan ? 0x7fff : first_is_nan ? second : first);
    return (uint16_t)((rank(first) < rank(second)) == largest ? second : first);
}

static uint32_t extremes(uint32_t first, uint32_t second, uint32_t infinity, int largest)
{
    uint32_t high = extreme(first >> 16, second >> 16, infinity, largest);
    return extreme(first, second, infinity, largest) | high << 16;
}

ATOMIC(min_f16, uint16_t, extreme(x, y, 0x7c00, 0))
ATOMIC(max_f16, uint16_t, extreme(x, y, 0x7c00, 1))
ATOMIC(min_bf16, uint16_t, extreme(x, y, 0x7f80, 0))
ATOMIC(max_bf16, uint16_t, extreme(x, y, 0x7f80, 1))
ATOMIC(min_f16x2, uint32_t, extremes(x, y, 0x7c00, 0))
ATOMIC(max_f16x2, uint32_t, extremes(x, y, 0x7c00, 1))
ATOMIC(min_bf16x2, uint32_t, extremes(x, y, 0x7f80, 0))
ATOMIC(max_bf16x2, uint32_t, extremes(x, y, 0x7f80, 1))

/* --- 128 bits: few hosts have such an instruction, so a lock stands for it -------------------------------------- */

typedef unsigned __int128 Wide;

static pthread_mutex_t wide_lock = PTHREAD_MUTEX_INITIALIZER;

#define WIDE_ATOMIC(name, expression, ...)                                                                          \
    void vg_atom_##name(VgWarp *warp, uint32_t active, Wide *out, const uint64_t *addresses, __VA_ARGS__)          \
    {                                                                                                               \
        (void)warp;                                                                                                 \
        pthread_mutex_lock(&wide_lock);                                                                             \
        EACH_ACTIVE(lane, active) {                                                                                 \
            Wide *place = (Wide *)(uintptr_t)addresses[lane], x = *place;                                           \
            *place = (expression);                                                                                  \
            out[lane] = x;                                                                                          \
        }                                                                                                           \
        pthread_mutex_unlock(&wide_lock);                                                                           \
    }

WIDE_ATOMIC(exch_b128, y, const Wide *ys)
WIDE_ATOMIC(shared_exch_b128, y, const Wide *ys)
WIDE_ATOMIC(cas_b128, x == y ? replacements[lane] : x, const Wide *ys, const Wide *replacements)
WIDE_ATOMIC(shared_cas_b128, x == y ? replacements[lane] : x, const Wide *ys, const Wide *replacements)
