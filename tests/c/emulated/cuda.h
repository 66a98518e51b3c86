/* CUDA's C++ for a processor: what the kernels in src/cuda use of it, so that g++ compiles them
 * and they run over the fake of CUDA's runtime (fake-cuda.h). The threads of a block take
 * turns, from one point where they meet to the next, in an order that changes; emulator.cc has
 * the turns. Every file that is compiled for this includes this one first.
 *
 * Threads that wait for others that never come, lanes that meet in different places, and
 * reading from a lane that does not take part end the program. */
#ifndef PCFDIST_TESTS_EMULATED_CUDA_H
#define PCFDIST_TESTS_EMULATED_CUDA_H

#include "fake-stream.h"

#include <functional>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

#define __CUDACC__ 1
#define __CUDA_ARCH_LIST__ 800, 900
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) alignas(bytes)
#define __shared__ static thread_local /* a block is run by one thread of the host */

/* ---- Blocks and threads ---- */

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

namespace emulator {

struct launch {
  dim3 grid, block;
  size_t memory;
  cudaStream_t stream;
};

/* Where the thread whose turn it is stands. */
struct place {
  dim3 grid, block, block_index, thread_index;
};
const place &here();

/* The memory of a block that a launch asks for; it holds rubbish at first. */
char *shared_memory();

/* Puts work on a stream, and all threads of a launch. Faults are kept for last_error(). */
cudaError_t put(cudaStream_t stream, std::function<void()> work);
void put_threads(const launch &launch, std::function<void()> thread);
cudaError_t last_error();

/* Writes down which kernel is launched, as its distance from put_threads(), into the file that
 * the environment variable PCFDIST_LAUNCHES names: for tools/check-kernels.sh. */
void note_launch(const void *kernel);

/* The launch of a kernel: kernel<<<grid, block, memory, stream>>>(...) is written in this way.
 */
template <typename... P>
auto with(void (*kernel)(P...), dim3 grid, dim3 block, size_t memory, cudaStream_t stream) {
  note_launch(reinterpret_cast<const void *>(kernel));
  return [=](P... parameters) {
    put_threads({grid, block, memory, stream}, [=] { kernel(parameters...); });
  };
}

/* ---- Where the lanes of a warp meet ---- */

enum meeting { SHUFFLE, BALLOT, ANY, OR, SYNCHRONIZE };

/* Each lane of the mask brings a value; all get what comes of them, and a shuffle that of lane
 * `source`. */
uint64_t meet(meeting meeting, unsigned mask, uint64_t value, int source);
void meet_block();

template <typename T> T shuffle(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable<T>::value, "");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = meet(SHUFFLE, mask, bits, source);
  memcpy(&value, &bits, sizeof value);
  return value;
}

inline int lane() {
  return here().thread_index.x % 32;
}

} // namespace emulator

#define gridDim (emulator::here().grid)
#define blockDim (emulator::here().block)
#define blockIdx (emulator::here().block_index)
#define threadIdx (emulator::here().thread_index)

inline void __syncthreads() {
  emulator::meet_block();
}
inline void __syncwarp(unsigned mask = ~0u) {
  emulator::meet(emulator::SYNCHRONIZE, mask, 0, 0);
}
inline unsigned __ballot_sync(unsigned mask, int condition) {
  return unsigned(emulator::meet(emulator::BALLOT, mask, condition != 0, 0));
}
inline int __any_sync(unsigned mask, int condition) {
  return emulator::meet(emulator::ANY, mask, condition != 0, 0) != 0;
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return unsigned(emulator::meet(emulator::OR, mask, value, 0));
}

/* Lanes shuffle within groups of `width`. */
template <typename T> T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  int group = emulator::lane() / width * width;
  return emulator::shuffle(mask, value, group + (from & (width - 1)));
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  int from = emulator::lane() ^ bits;
  return emulator::shuffle(mask, value,
                           from / width == emulator::lane() / width ? from : emulator::lane());
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  bool inside = emulator::lane() % width >= int(by);
  return emulator::shuffle(mask, value, emulator::lane() - (inside ? int(by) : 0));
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  bool inside = emulator::lane() % width + int(by) < width;
  return emulator::shuffle(mask, value, emulator::lane() + (inside ? int(by) : 0));
}

/* ---- Functions of the device ---- */

template <typename T> T atomicAdd(T *address, std::common_type_t<T> value) {
  T before = *address;
  *address += value;
  return before;
}
template <typename T> T atomicMax(T *address, std::common_type_t<T> value) {
  T before = *address;
  if (value > before) *address = value;
  return before;
}
template <typename T> T __ldcg(const T *address) {
  return *address;
}
template <typename A, typename B> constexpr std::common_type_t<A, B> min(A a, B b) {
  using both = std::common_type_t<A, B>;
  return both(b) < both(a) ? both(b) : both(a);
}
template <typename A, typename B> constexpr std::common_type_t<A, B> max(A a, B b) {
  using both = std::common_type_t<A, B>;
  return both(a) < both(b) ? both(b) : both(a);
}
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
/* Four bytes at once. */
template <typename F> inline unsigned of_bytes(unsigned a, unsigned b, const F &of) {
  unsigned result = 0;
  for (int k = 0; k < 32; k += 8) result |= unsigned(of(a >> k & 255, b >> k & 255)) << k;
  return result;
}
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return of_bytes(a, b, [](unsigned a, unsigned b) { return a > b ? a - b : b - a; });
}
inline unsigned __vsubus4(unsigned a, unsigned b) {
  return of_bytes(a, b, [](unsigned a, unsigned b) { return a > b ? a - b : 0; });
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int k = 0; k < 32; k += 8) sum += (a >> k & 255) * (b >> k & 255);
  return sum;
}
inline unsigned __vsadu4(unsigned a, unsigned b) {
  return __dp4a(__vabsdiffu4(a, b), 0x01010101, 0);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return unsigned((uint64_t(high) << 32 | low) >> (by & 31));
}
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline long long __double_as_longlong(double x) {
  long long bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* ---- The runtime, for kernels ---- */

struct cudaFuncAttributes {
  int binaryVersion;
};
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };

template <typename K> cudaError_t cudaFuncSetAttribute(K *, int, int bytes) {
  return bytes <= 227 * 1024 ? cudaSuccess : cudaErrorInvalidValue;
}
template <typename K> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, K *) {
  return fake_cuda_step();
}
#define cudaGetLastError emulator::last_error

#endif
