/* How functions begin that both the C and the CUDA compiler read. */
#ifndef PCF_EVERYWHERE_H
#define PCF_EVERYWHERE_H

#if defined(__CUDACC__)
#define PCF_EVERYWHERE static __host__ __device__ __forceinline__
#define PCF_CONSTANT static constexpr __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define PCF_EVERYWHERE static inline __attribute__((always_inline))
#define PCF_CONSTANT PCF_EVERYWHERE
#else
#define PCF_EVERYWHERE static inline
#define PCF_CONSTANT PCF_EVERYWHERE
#endif

#endif
