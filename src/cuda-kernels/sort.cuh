/* Sorts the numbers 0 … count - 1 by keys of 64 bits, with CUB's radix sort. */
#pragma once

#include "cuda-kernels/search.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <stdint.h>
#include <type_traits>

/* The keys of numbers, in the order in which they are; at first that is their own. */
template <typename Key>
static __global__ void keys_kernel(Key key_of, int64_t count, bool first, uint64_t *key,
                                   uint32_t *number) {
  int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= count) return;
  if (first) number[k] = uint32_t(k);
  key[k] = key_of(number[k]);
}

/* How many bits numbers up to `most` have. */
static inline int bits_of(int64_t most) {
  int bits = 0;
  while (bits < 63 && most >> bits) bits++;
  return bits;
}

/* Sorts by so many bits of `first`, and then, unless `then_bits` is 0, by those of `then`;
 * equal keys keep the order that there was. *sorted lies in the scratch memory. That, and its
 * size, come from a call with scratch NULL. */
template <typename First, typename Then>
static cudaError_t sort_numbers(int64_t count, const First &first, int first_bits,
                                const Then &then, int then_bits, void *scratch,
                                size_t *scratch_bytes, const uint32_t **sorted,
                                cudaStream_t stream) {
  constexpr int EACH = 256;
  size_t keys = (size_t(count) * sizeof(uint64_t) + 255) / 256 * 256;
  size_t numbers = (size_t(count) * sizeof(uint32_t) + 255) / 256 * 256, sorting = 0;
  cub::DoubleBuffer<uint64_t> key;
  cub::DoubleBuffer<uint32_t> number;
  cudaError_t error =
    cub::DeviceRadixSort::SortPairs(nullptr, sorting, key, number, count, 0, 64, stream);
  if (error != cudaSuccess || !scratch) {
    *scratch_bytes = 2 * keys + 2 * numbers + sorting;
    return error;
  }
  char *memory = static_cast<char *>(scratch);
  key = {reinterpret_cast<uint64_t *>(memory), reinterpret_cast<uint64_t *>(memory + keys)};
  memory += 2 * keys;
  number = {reinterpret_cast<uint32_t *>(memory),
            reinterpret_cast<uint32_t *>(memory + numbers)};
  memory += 2 * numbers;
  auto sort = [&](const auto &key_of, bool is_first, int bits) {
    auto kernel = keys_kernel<std::decay_t<decltype(key_of)>>;
    kernel<<<grid_for(count, EACH), EACH, 0, stream>>>(key_of, count, is_first, key.Current(),
                                                       number.Current());
    cudaError_t failed = cudaGetLastError();
    if (failed != cudaSuccess) return failed;
    return cub::DeviceRadixSort::SortPairs(memory, sorting, key, number, count, 0, bits,
                                           stream);
  };
  error = sort(first, true, first_bits);
  if (error == cudaSuccess && then_bits > 0) error = sort(then, false, then_bits);
  *sorted = number.Current();
  return error;
}
