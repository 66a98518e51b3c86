/* Hints to compilers and processors about loops. */
#pragma once

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

#if defined(__GNUC__) && !defined(__clang__)
#define UNROLL _Pragma("GCC unroll 8")
#else
#define UNROLL
#endif

/* A loop over a few numbers, which is to be unrolled. */
#define EACH_OF(k, count) UNROLL for (int k = 0; k < (count); k++)

/* Asks for memory that may be read soon, into the second level of the caches, where more can be
 * on its way at a time; any address will do. */
#define FETCH(address) __builtin_prefetch(address, 0, 2)
