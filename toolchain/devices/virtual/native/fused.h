/* Include first: lets the compiler fuse a * b + c in this file, where only speed and accuracy can change. */
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif
