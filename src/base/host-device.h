/* Specifiers for what both the C and the CUDA compiler read. */
#pragma once

#if defined(__CUDACC__)
#define PCF_HOST_DEVICE static __host__ __device__ __forceinline__
#define PCF_CONSTANT static constexpr __host__ __device__ __forceinline__
#else
#define PCF_HOST_DEVICE static inline __attribute__((always_inline))
#define PCF_CONSTANT PCF_HOST_DEVICE
#endif

/* A loop that is to be unrolled. */
#if defined(__CUDACC__)
#define PCF_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__)
#define PCF_UNROLL _Pragma("GCC unroll 8")
#else
#define PCF_UNROLL
#endif
