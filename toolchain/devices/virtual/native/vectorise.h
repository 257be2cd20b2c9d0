/* Include first: in this file nobody watches floating-point traps, nor whether a * b + c is fused, so that the
 * compiler may vectorise loops that choose between values. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast", "no-trapping-math")
#endif
