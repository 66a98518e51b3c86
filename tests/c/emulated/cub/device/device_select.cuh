/* A stand-in for CUB's selection. */
#ifndef PCFDIST_TESTS_EMULATED_SELECT
#define PCFDIST_TESTS_EMULATED_SELECT

namespace cub {

struct DeviceSelect {
  template <typename I, typename T, typename C, typename P>
  static cudaError_t If(void *scratch, size_t &bytes, I from, T *to, C *selected, int64_t count,
                        P wanted, cudaStream_t stream) {
    if (!scratch) {
      bytes = 1;
      return cudaSuccess;
    }
    return emulator::put(stream, [=] {
      C found = 0;
      for (int64_t k = 0; k < count; k++) {
        if (wanted(from[k])) to[found++] = from[k];
      }
      *selected = found;
    });
  }
};

} // namespace cub

#endif
