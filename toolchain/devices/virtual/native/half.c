/* Arithmetic and conversions of narrow floats that LLVM does not give rounded once: fused multiply-add,
 * directed rounding, conversions from wide types, fp8. Values of 16-bit types are passed as their bits. */
#include "vectorise.h"

#include "narrow.h"

/* --- fused multiply-add, one rounding ------------------------------------------------------------------------ */

/* The float64 sum of an exact product of two f16 may be inexact only far from any f16 midpoint. */
ALWAYS_INLINE uint32_t fma_f16(uint32_t x, uint32_t y, uint32_t z)
{
    double product = (double)float_from_f16(x & 0xffff) * float_from_f16(y & 0xffff);
    return f16_from_float(odd_float_from_double(product + float_from_f16(z & 0xffff)));
}

/* `nearest` moved one place towards the exact x y + z, if it is not exact. */
ALWAYS_INLINE float off_the_midpoint(float x, float y, float z, float nearest)
{
    double product = (double)x * y, addend = z;
    double sum = product + addend, shadow = sum - product;
    double error = (product - (sum - shadow)) + (addend - shadow);
    double excess = (sum - nearest) + error;
    uint32_t bits = bits_of(nearest), outward = (excess > 0) == (nearest > 0);
    return float_of(bits + (excess > 0 || excess < 0 ? 2 * outward - 1 : 0));
}

ALWAYS_INLINE float fma_of_bf16(uint16_t x, uint16_t y, uint16_t z)
{
    return __builtin_fmaf(float_from_bf16(x), float_from_bf16(y), float_from_bf16(z));
}

ALWAYS_INLINE int is_midpoint(float value) { return (bits_of(value) & 0xffff) == 0x8000; }

/* Where the float32 result falls on a bf16 midpoint without being exact, it would be rounded twice. */
static void fix_midpoints(uint16_t *out, const uint16_t *xs, const uint16_t *ys, const uint16_t *zs, int count)
{
    for (int i = 0; i < count; i++) {
        float x = float_from_bf16(xs[i]), y = float_from_bf16(ys[i]), z = float_from_bf16(zs[i]);
        float nearest = __builtin_fmaf(x, y, z), moved = off_the_midpoint(x, y, z, nearest);
        out[i] = (uint16_t)bf16_from_float(is_midpoint(nearest) ? moved : nearest);
    }
}

static void fma_bf16_lanes(uint16_t *out, const uint16_t *xs, const uint16_t *ys, const uint16_t *zs, int count)
{
    int midpoints = 0;
    for (int i = 0; i < count; i++) {
        float nearest = fma_of_bf16(xs[i], ys[i], zs[i]);
        out[i] = (uint16_t)bf16_from_float(nearest);
        midpoints |= is_midpoint(nearest);
    }
    if (midpoints)
        fix_midpoints(out, xs, ys, zs, count);
}

void vg_fma_bf16(VgWarp *warp, uint32_t active, uint16_t *out, const uint16_t *xs, const uint16_t *ys,
                 const uint16_t *zs)
{
    (void)warp, (void)active;
    fma_bf16_lanes(out, xs, ys, zs, LANES);
}

void vg_fma_bf16x2(VgWarp *warp, uint32_t active, uint16_t *out, const uint16_t *xs, const uint16_t *ys,
                   const uint16_t *zs)
{
    (void)warp, (void)active;
    fma_bf16_lanes(out, xs, ys, zs, 2 * LANES);
}

LANEWISE_3(fma_f16, uint16_t, uint16_t, (uint16_t)fma_f16(x, y, z))
LANEWISE_3(fma_f16x2, uint32_t, uint32_t, fma_f16(x, y, z) | fma_f16(x >> 16, y >> 16, z >> 16) << 16)

/* --- float32 to 16 bits, directed: the truncated value, or the next one away from zero ------------------------ */

ALWAYS_INLINE uint32_t f16_outward(float value, uint32_t negative)
{
    uint32_t bits = f16_toward_zero(value);
    int inexact = float_from_f16(bits) != value && value == value;
    return bits + (inexact && bits_of(value) >> 31 == negative);
}

ALWAYS_INLINE uint32_t bf16_outward(float value, uint32_t negative)
{
    uint32_t bits = bf16_toward_zero(value);
    int inexact = float_from_bf16(bits) != value && value == value;
    return bits + (inexact && bits_of(value) >> 31 == negative);
}

LANEWISE_1(f16_rz, uint16_t, float, (uint16_t)f16_toward_zero(x))
LANEWISE_1(f16_rm, uint16_t, float, (uint16_t)f16_outward(x, 1))
LANEWISE_1(f16_rp, uint16_t, float, (uint16_t)f16_outward(x, 0))
LANEWISE_1(bf16_rz, uint16_t, float, (uint16_t)bf16_toward_zero(x))
LANEWISE_1(bf16_rm, uint16_t, float, (uint16_t)bf16_outward(x, 1))
LANEWISE_1(bf16_rp, uint16_t, float, (uint16_t)bf16_outward(x, 0))

/* --- wide sources: first to a float32 that rounds on as the exact value would ---------------------------------- */

/* Above 2^53 the low bits only matter as "not exact": they are gathered in the lowest bit kept. */
static double sticky_double(uint64_t magnitude)
{
    return magnitude >> 53 ? (double)(magnitude >> 11 | (uint64_t)((magnitude & 0x7ff) != 0)) * 0x1p11
                           : (double)magnitude;
}

static float odd_float_from_signed(int64_t value)
{
    double magnitude = sticky_double(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    return odd_float_from_double(value < 0 ? -magnitude : magnitude);
}

LANEWISE_1(sticky_f64_from_u64, double, uint64_t, sticky_double(x))
LANEWISE_1(sticky_f64_from_s64, double, int64_t, x < 0 ? -sticky_double(0 - (uint64_t)x) : sticky_double((uint64_t)x))
LANEWISE_1(odd_f32_from_f64, float, double, odd_float_from_double(x))
LANEWISE_1(odd_f32_from_s64, float, int64_t, odd_float_from_signed(x))
LANEWISE_1(odd_f32_from_u64, float, uint64_t, odd_float_from_double(sticky_double(x)))

/* --- fp8, one element in the low byte --------------------------------------------------------------------------- */

LANEWISE_1(e4m3_from_f32, uint16_t, float, (uint16_t)e4m3_from_float(x))
LANEWISE_1(e5m2_from_f32, uint16_t, float, (uint16_t)e5m2_from_float(x))
LANEWISE_1(f32_from_e4m3, float, uint16_t, float_from_e4m3(x & 0xff))
LANEWISE_1(f32_from_e5m2, float, uint16_t, float_from_e5m2(x & 0xff))
