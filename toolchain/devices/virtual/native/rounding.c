/* Arithmetic that vectors of the host lack: directed rounding, and 64-bit integer division. */
#include "rounding.h"

#include <math.h>

#include "vgpu.h"

#define EACH(lane, mask) \
    for (uint32_t left = mask, lane; left && (lane = (uint32_t)__builtin_ctz(left), 1); left &= left - 1)

/* The volatile copies keep the compiler from moving arithmetic out of the rounding mode. */
#define DIRECTED(NAME, TYPE, EXPRESSION) \
    void NAME(VgWarp *warp, uint32_t mask, TYPE *out, const TYPE *first, const TYPE *second, \
              const TYPE *third, int32_t mode) \
    { \
        (void)warp; \
        int before = begin_rounding(mode); \
        EACH(lane, mask) \
        { \
            volatile TYPE x = first[lane], y = second[lane], z = third[lane]; \
            TYPE a = x, b = y, c = z; \
            (void)b, (void)c; \
            volatile TYPE result = EXPRESSION; \
            out[lane] = result; \
        } \
        fesetround(before); \
    }

DIRECTED(vg_add_f32, float, a + b)
DIRECTED(vg_mul_f32, float, a *b)
DIRECTED(vg_fma_f32, float, fmaf(a, b, c))
DIRECTED(vg_div_f32, float, a / b)
DIRECTED(vg_sqrt_f32, float, sqrtf(a))
DIRECTED(vg_add_f64, double, a + b)
DIRECTED(vg_mul_f64, double, a *b)
DIRECTED(vg_fma_f64, double, fma(a, b, c))
DIRECTED(vg_div_f64, double, a / b)
DIRECTED(vg_sqrt_f64, double, sqrt(a))

#define FROM_INTEGER(NAME, TYPE)                                                                     \
    void NAME(VgWarp *warp, uint32_t mask, double *out, const TYPE *values, int32_t mode)            \
    {                                                                                                \
        (void)warp;                                                                                  \
        int before = begin_rounding(mode);                                                           \
        EACH(lane, mask)                                                                             \
        {                                                                                            \
            volatile TYPE x = values[lane];                                                          \
            volatile double result = (double)x;                                                      \
            out[lane] = result;                                                                      \
        }                                                                                            \
        fesetround(before);                                                                          \
    }

FROM_INTEGER(vg_f64_from_s64, int64_t)
FROM_INTEGER(vg_f64_from_u64, uint64_t)

void vg_divide_s64(VgWarp *warp, uint32_t mask, int64_t *out, const int64_t *a, const int64_t *b)
{
    (void)warp;
    EACH(lane, mask)
        out[lane] = b[lane] == 0 ? -1 : b[lane] == -1 ? (int64_t)(0 - (uint64_t)a[lane]) : a[lane] / b[lane];
}

void vg_divide_u64(VgWarp *warp, uint32_t mask, uint64_t *out, const uint64_t *a, const uint64_t *b)
{
    (void)warp;
    EACH(lane, mask)
        out[lane] = b[lane] ? a[lane] / b[lane] : UINT64_MAX;
}
