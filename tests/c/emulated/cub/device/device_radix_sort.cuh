/* A stand-in for CUB's sort: stable, into the other buffer. */
#ifndef PCFDIST_TESTS_EMULATED_RADIX_SORT
#define PCFDIST_TESTS_EMULATED_RADIX_SORT

#include <algorithm>
#include <numeric>
#include <vector>

namespace cub {

template <typename T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  DoubleBuffer(T *current = nullptr, T *other = nullptr)
      : d_buffers{current, other}, selector(0) {}
  T *Current() const { return d_buffers[selector]; }
  T *Alternate() const { return d_buffers[1 - selector]; }
};

struct DeviceRadixSort {
  template <typename K, typename V>
  static cudaError_t SortPairs(void *scratch, size_t &bytes, DoubleBuffer<K> &key,
                               DoubleBuffer<V> &value, int64_t count, int first_bit,
                               int end_bit, cudaStream_t stream) {
    if (!scratch) {
      bytes = 1;
      return cudaSuccess;
    }
    K *from = key.Current(), *to = key.Alternate();
    V *value_from = value.Current(), *value_to = value.Alternate();
    K mask =
      end_bit - first_bit == 8 * sizeof(K) ? ~K(0) : ((K(1) << (end_bit - first_bit)) - 1);
    key.selector = 1 - key.selector;
    value.selector = 1 - value.selector;
    return emulator::put(stream, [=] {
      std::vector<int64_t> order(size_t(count), 0);
      std::iota(order.begin(), order.end(), int64_t(0));
      auto bits = [&](int64_t k) { return from[k] >> first_bit & mask; };
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return bits(a) < bits(b); });
      for (int64_t k = 0; k < count; k++) {
        to[k] = from[order[size_t(k)]];
        value_to[k] = value_from[order[size_t(k)]];
      }
      /* What was sorted is used up. */
      memset(from, 0xAB, size_t(count) * sizeof(K));
      memset(value_from, 0xAB, size_t(count) * sizeof(V));
    });
  }
};

} // namespace cub

#endif
