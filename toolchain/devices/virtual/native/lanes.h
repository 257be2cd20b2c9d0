/* The shape every warp-wide function shares: 32 lanes, one array element a lane, and the bits of floats. */
#ifndef VGPU_LANES_H
#define VGPU_LANES_H

#include <string.h>

#include "vgpu.h"

enum { LANES = VG_LANES };

#define EACH_LANE(lane) for (int lane = 0; lane < LANES; lane++)

/* Visits the set bits of `mask`, lowest first. */
#define EACH_ACTIVE(lane, mask) \
    for (uint32_t left_ = (mask), lane = 0; left_ && (lane = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

ALWAYS_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

ALWAYS_INLINE double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

ALWAYS_INLINE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A helper whose result depends on the values only, all lanes computed: `expression` of x (and y, z). */
#define LANEWISE_1(name, result, type, expression)                                                        \
    void vg_##name(VgWarp *warp, uint32_t active, result *out, const type *xs)                            \
    {                                                                                                     \
        (void)warp, (void)active;                                                                         \
        EACH_LANE(lane) { type x = xs[lane]; out[lane] = (expression); }                                  \
    }

#define LANEWISE_2(name, result, type, expression)                                                        \
    void vg_##name(VgWarp *warp, uint32_t active, result *out, const type *xs, const type *ys)            \
    {                                                                                                     \
        (void)warp, (void)active;                                                                         \
        EACH_LANE(lane) { type x = xs[lane], y = ys[lane]; out[lane] = (expression); }                    \
    }

#define LANEWISE_3(name, result, type, expression)                                                        \
    void vg_##name(VgWarp *warp, uint32_t active, result *out, const type *xs, const type *ys, const type *zs) \
    {                                                                                                     \
        (void)warp, (void)active;                                                                         \
        EACH_LANE(lane) { type x = xs[lane], y = ys[lane], z = zs[lane]; out[lane] = (expression); }      \
    }

#endif
