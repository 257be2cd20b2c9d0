/* Rounding modes of PTX, numbered as in isa/floating.py. */
#ifndef VGPU_ROUNDING_H
#define VGPU_ROUNDING_H

#include <fenv.h>
#include <stdint.h>

/* Rounds by `mode` from here on; returns what `fesetround` is given afterwards. */
static inline int begin_rounding(int32_t mode)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    int before = fegetround();
    fesetround(modes[mode]);
    return before;
}

#endif
