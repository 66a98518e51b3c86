/* Specifiers for functions that both the C and the CUDA compiler read. */
#pragma once

#if defined(__CUDACC__)
#define PCF_HOST_DEVICE static __host__ __device__ __forceinline__
#define PCF_CONSTANT static constexpr __host__ __device__ __forceinline__
#else
#define PCF_HOST_DEVICE static inline __attribute__((always_inline))
#define PCF_CONSTANT PCF_HOST_DEVICE
#endif
