/* Narrow floating formats to and from float32, without branches so that loops over lanes vectorise:
 * bf16 and f16 (IEEE binary16), tf32, and fp8 e4m3 / e5m2 (OCP OFP8, saturating as PTX `satfinite`). */
#ifndef VGPU_NARROW_H
#define VGPU_NARROW_H

#include "lanes.h"

ALWAYS_INLINE float float_from_bf16(uint32_t half) { return float_of(half << 16); }

/* Nearest even; any NaN becomes the canonical 0x7fff. */
ALWAYS_INLINE uint32_t bf16_from_float(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded;
}

ALWAYS_INLINE uint32_t bf16_toward_zero(float value)
{
    uint32_t bits = bits_of(value);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : bits >> 16;
}

/* Exponent moved by 112 through an exact multiplication, which also normalises subnormals. */
ALWAYS_INLINE float float_from_f16(uint32_t half)
{
    uint32_t magnitude = (half & 0x7fff) << 13;
    uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f);
    uint32_t special = magnitude | 0x7f800000;
    return float_of((magnitude >= 0x0f800000 ? special : finite) | (half & 0x8000) << 16);
}

/* Nearest even. Below 2^-14 the addition of 0.5 aligns the significand to the subnormal grid of 2^-24. */
ALWAYS_INLINE uint32_t f16_from_float(float value)
{
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x477ff000 ? 0x7c00 : result;
    result |= bits >> 16 & 0x8000;
    return magnitude > 0x7f800000 ? 0x7fff : result;
}

ALWAYS_INLINE uint32_t f16_toward_zero(float value)
{
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23)) >> 13;
    uint32_t subnormal = (uint32_t)(float_of(magnitude) * 0x1p24f);
    uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x47800000 ? 0x7bff : result;
    result = magnitude == 0x7f800000 ? 0x7c00 : result;
    result |= bits >> 16 & 0x8000;
    return magnitude > 0x7f800000 ? 0x7fff : result;
}

/* The tensor cores ignore the 13 low bits of a tf32 operand. */
ALWAYS_INLINE float float_from_tf32(uint32_t bits) { return float_of(bits & 0xffffe000); }

/* A float32 that lies strictly on the same side of every narrower midpoint as `exact` (round to odd). */
ALWAYS_INLINE float odd_float_from_double(double exact)
{
    float nearest = (float)exact;
    double back = nearest;
    double excess = exact < 0 ? exact - back : back - exact;
    uint32_t bits = bits_of(nearest);
    uint32_t odd = (bits - (excess > 0)) | 1;
    return float_of(excess != 0 && exact - exact == 0 ? odd : bits);
}

ALWAYS_INLINE float float_from_e5m2(uint32_t byte) { return float_from_f16(byte << 8); }

/* Bias 7, no infinity, 0x7f is NaN: an f16 with the exponent moved by 8, renormalised exactly. */
ALWAYS_INLINE float float_from_e4m3(uint32_t byte)
{
    uint32_t magnitude = byte & 0x7f;
    float finite = float_of(magnitude << 20) * 0x1p120f;
    uint32_t bits = magnitude == 0x7f ? 0x7fffffff : bits_of(finite) | (byte & 0x80) << 24;
    return float_of(bits);
}

/* Nearest even onto a grid of `fraction_bits`, whose smallest normal number is 2^`least_exponent`. */
ALWAYS_INLINE float on_coarse_grid(float magnitude, int fraction_bits, int least_exponent)
{
    int exponent = (int)(bits_of(magnitude) >> 23) - 127;
    exponent = exponent < least_exponent ? least_exponent : exponent;
    float shifter = float_of((uint32_t)(exponent + 23 - fraction_bits + 127) << 23) * 1.5f;
    float aligned = magnitude + shifter;
    return aligned - shifter;
}

/* Nearest even, out of range to the largest finite value, NaN to 0x7f. */
ALWAYS_INLINE uint32_t e4m3_from_float(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 24 & 0x80;
    float magnitude = float_of(bits & 0x7fffffff);
    if (magnitude != magnitude)
        return 0x7f;
    float limited = magnitude > 448.0f ? 448.0f : magnitude;
    return sign | bits_of(on_coarse_grid(limited, 3, -6) * 0x1p-120f) >> 20;
}

ALWAYS_INLINE uint32_t e5m2_from_float(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 24 & 0x80;
    float magnitude = float_of(bits & 0x7fffffff);
    if (magnitude != magnitude)
        return 0x7f;
    float limited = magnitude > 57344.0f ? 57344.0f : magnitude;
    return sign | f16_from_float(on_coarse_grid(limited, 2, -14)) >> 8;
}

#endif
