/* The approximate functions of the special-function unit, within the errors that the PTX ISA documents:
 * polynomials on reduced arguments, written so that loops over lanes vectorise. */
#include "vectorise.h"

#include "lanes.h"

static const float INFINITE = __builtin_inff(), NOT_A_NUMBER = __builtin_nanf("");

ALWAYS_INLINE float flush(float x) { return (bits_of(x) & 0x7f800000) ? x : float_of(bits_of(x) & 0x80000000); }

/* 2^n for -126 <= n <= 127. */
ALWAYS_INLINE float power_of_two(int n) { return float_of((uint32_t)(n + 127) << 23); }

/* 2^f, |f| <= 1/2: Taylor series of exp(f ln 2) to degree 7, relative error below 2^-26. */
ALWAYS_INLINE float exp2_fraction(float f)
{
    float sum = 1.5252734e-5f;
    sum = sum * f + 1.5403530e-4f;
    sum = sum * f + 1.3333558e-3f;
    sum = sum * f + 9.6181291e-3f;
    sum = sum * f + 5.5504109e-2f;
    sum = sum * f + 2.4022651e-1f;
    sum = sum * f + 6.9314718e-1f;
    return sum * f + 1.0f;
}

/* Scaled in two steps, so that results down to the smallest subnormal come out. */
ALWAYS_INLINE float exp2_approximate(float x)
{
    float limited = x < -160.0f ? -160.0f : x > 160.0f ? 160.0f : x;
    float whole = __builtin_rintf(limited);
    int n = (int)(limited == limited ? whole : 0.0f);
    return exp2_fraction(limited - whole) * power_of_two(n / 2) * power_of_two(n - n / 2);
}

/* log2 m = (2 / ln 2) artanh((m - 1) / (m + 1)) for sqrt(1/2) <= m < sqrt(2), series to s^11. */
ALWAYS_INLINE float log2_mantissa(float m)
{
    float s = (m - 1.0f) / (m + 1.0f), square = s * s;
    float sum = 0.26230687f;
    sum = sum * square + 0.32059779f;
    sum = sum * square + 0.41219716f;
    sum = sum * square + 0.57707802f;
    sum = sum * square + 0.96179669f;
    return s * (sum * square + 2.8853901f);
}

ALWAYS_INLINE float log2_approximate(float x)
{
    float scaled = x < 0x1p-126f ? x * 0x1p32f : x;
    float offset = x < 0x1p-126f ? -32.0f : 0.0f;
    uint32_t bits = bits_of(scaled), shifted = bits - 0x3f3504f3; /* sqrt(1/2) */
    float exponent = (float)((int32_t)shifted >> 23);
    float result = log2_mantissa(float_of((shifted & 0x7fffff) + 0x3f3504f3)) + exponent + offset;
    result = x == 0.0f ? -INFINITE : x == INFINITE ? INFINITE : result;
    return x < 0.0f || x != x ? NOT_A_NUMBER : result;
}

/* sin(a), |a| <= pi / 4, Taylor series to degree 9. */
ALWAYS_INLINE float sine_octant(float a)
{
    float square = a * a;
    float sum = 2.7557319e-6f;
    sum = sum * square - 1.9841270e-4f;
    sum = sum * square + 8.3333333e-3f;
    sum = sum * square - 1.6666667e-1f;
    return a + a * square * sum;
}

/* cos(a), |a| <= pi / 4, Taylor series to degree 10. */
ALWAYS_INLINE float cosine_octant(float a)
{
    float square = a * a;
    float sum = -2.7557319e-7f;
    sum = sum * square + 2.4801587e-5f;
    sum = sum * square - 1.3888889e-3f;
    sum = sum * square + 4.1666667e-2f;
    sum = sum * square - 0.5f;
    return 1.0f + square * sum;
}

/* sin(2 pi (turns + quarters / 4)). */
ALWAYS_INLINE float sine_of_turns(float turns, int quarters)
{
    float part = turns - __builtin_rintf(turns);
    float nearest = __builtin_rintf(4.0f * part);
    float a = (part - 0.25f * nearest) * 6.2831853f;
    int quadrant = (int)(part == part ? nearest : 0.0f) + quarters;
    float value = quadrant & 1 ? cosine_octant(a) : sine_octant(a);
    return quadrant & 2 ? -value : value;
}

/* The unit takes turns, so the argument is first multiplied by 1 / (2 pi) in float32: the error grows with |x|. */
ALWAYS_INLINE float sine_approximate(float x)
{
    return __builtin_fabsf(x) < 0x1p-10f ? x : sine_of_turns(x * 0.15915494f, 0);
}

ALWAYS_INLINE float cosine_approximate(float x) { return sine_of_turns(x * 0.15915494f, 1); }

/* Eleven bits of fraction, as coarse as the unit's (maximum relative error 2^-11). */
ALWAYS_INLINE float tanh_approximate(float x)
{
    float size = __builtin_fabsf(x), square = x * x;
    float e = exp2_approximate(size * -2.8853901f);
    float far = (1.0f - e) / (1.0f + e);
    float near = size * (1.0f + square * (-0.33333333f + square * (0.13333333f - square * 0.053968254f)));
    float value = size < 0.25f ? near : far;
    uint32_t coarse = (bits_of(value) + 0x800) & 0xfffff000;
    float result = float_of(coarse | (bits_of(x) & 0x80000000));
    result = size < 0x1p-12f ? x : result;
    return x != x ? NOT_A_NUMBER : result;
}

LANEWISE_1(ex2_f32, float, float, exp2_approximate(x))
LANEWISE_1(ex2_ftz_f32, float, float, flush(exp2_approximate(flush(x))))
LANEWISE_1(lg2_f32, float, float, log2_approximate(x))
LANEWISE_1(lg2_ftz_f32, float, float, log2_approximate(flush(x)))
LANEWISE_1(sin_f32, float, float, sine_approximate(x))
LANEWISE_1(sin_ftz_f32, float, float, sine_approximate(flush(x)))
LANEWISE_1(cos_f32, float, float, cosine_approximate(x))
LANEWISE_1(cos_ftz_f32, float, float, cosine_approximate(flush(x)))
LANEWISE_1(tanh_f32, float, float, tanh_approximate(x))
