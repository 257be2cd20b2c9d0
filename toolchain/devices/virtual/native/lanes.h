/* The shape every warp-wide function shares: 32 lanes, one array element a lane, and the bits of floats. */
#ifndef VGPU_LANES_H
#define VGPU_LANES_H

#include <stdint.h>
#include <string.h>

enum { LANES = 32 };

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

#endif
