/* What LLVM's code calls to convert f16 where the processor has no instruction for it (x86-64 without F16C). */
#if defined(__x86_64__)
#include "narrow.h"

/* An f16 is passed and returned in the low bits of a vector register, as a float is; not every C compiler knows the
 * type. */
float __extendhfsf2(float f16);
float __truncsfhf2(float value);

float __extendhfsf2(float f16) { return float_from_f16(bits_of(f16) & 0xffff); }

float __truncsfhf2(float value) { return float_of(f16_from_float(value)); }
#endif
