/* Bands on the device: all events sorted by (band, time) with one radix sort, two for double.
 */
#include "cuda/sweep.cuh"

#include <cub/device/device_radix_sort.cuh>

constexpr int THREADS = 256;

/* Unsigned integers in the order of the numbers; -0 counts as 0. */
static __device__ uint32_t ordered(float x) {
  uint32_t bits = __float_as_uint(x + 0.0f);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
static __device__ uint64_t ordered(double x) {
  uint64_t bits = __double_as_longlong(x + 0.0);
  return bits ^ (bits >> 63 ? ~uint64_t(0) : uint64_t(1) << 63);
}

/* The function that a breakpoint belongs to: the last that starts at or before it. */
static __device__ int64_t function_of(const int64_t *start, int64_t count, int64_t breakpoint) {
  int64_t low = 0, high = count;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (start[middle] <= breakpoint) low = middle;
    else high = middle;
  }
  return low;
}

/* Sort keys: for float the band above the time, for double the time alone. */
template <typename T>
static __global__ void make_keys(const T *time, const int64_t *start, int64_t count, int side,
                                 int64_t breakpoints, uint64_t *key, uint32_t *index) {
  int64_t e = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (e >= breakpoints) return;
  uint64_t order = ordered(time[e]);
  if (sizeof(T) == sizeof(float)) {
    order |= uint64_t(function_of(start, count, e) / side) << 32;
  }
  key[e] = order;
  index[e] = uint32_t(e);
}

/* The second sort of doubles: the events are in the order of time, the band is the key. */
static __global__ void make_band_keys(const uint32_t *index, const int64_t *start,
                                      int64_t count, int side, int64_t breakpoints,
                                      uint64_t *key) {
  int64_t e = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (e < breakpoints) key[e] = uint64_t(function_of(start, count, index[e]) / side);
}

template <typename T>
static __global__ void write_events(const uint32_t *index, const T *time, const T *value,
                                    const int64_t *start, int64_t breakpoints, T first,
                                    pcf_cuda_bands bands) {
  int64_t e = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (e >= breakpoints) return;
  int64_t from = index[e], function = function_of(start, bands.count, from);
  bool begins = from == start[function];
  Event<T> event;
  event.time = time[from];
  event.after = value[from];
  event.last = begins ? first : time[from - 1];
  event.before = begins ? static_cast<const T *>(bands.initial)[function] : value[from - 1];
  static_cast<Event<T> *>(bands.events)[e] = event;
  bands.lane[e] = static_cast<unsigned char>(function % bands.side);
}

static __global__ void write_starts(const int64_t *start, pcf_cuda_bands bands, int64_t count) {
  int64_t b = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (b > count) return;
  int64_t function = b * bands.side;
  bands.start[b] = start[function < bands.count ? function : bands.count];
}

static unsigned grid_for(int64_t items) {
  return unsigned((items + THREADS - 1) / THREADS);
}

static int bits_for(int64_t count) {
  int bits = 1;
  while (count >> bits) bits++;
  return bits;
}

template <typename T>
static cudaError_t build(pcf_cuda_bands *bands, const T *time, const T *value,
                         const int64_t *start, int64_t breakpoints, T first, void *scratch,
                         size_t *scratch_bytes, cudaStream_t stream) {
  int64_t count = (bands->count + bands->side - 1) / bands->side;
  int band_bits = bits_for(count);
  bool is_float = sizeof(T) == sizeof(float);
  size_t keys = size_t(breakpoints) * sizeof(uint64_t), sorting = 0;
  size_t indices = (size_t(breakpoints) * sizeof(uint32_t) + 255) / 256 * 256;
  keys = (keys + 255) / 256 * 256;
  cub::DoubleBuffer<uint64_t> key;
  cub::DoubleBuffer<uint32_t> index;
  cudaError_t error =
    cub::DeviceRadixSort::SortPairs(nullptr, sorting, key, index, breakpoints, 0, 64, stream);
  if (error != cudaSuccess || !scratch) {
    *scratch_bytes = 2 * keys + 2 * indices + sorting;
    return error;
  }
  char *memory = static_cast<char *>(scratch);
  key = {reinterpret_cast<uint64_t *>(memory), reinterpret_cast<uint64_t *>(memory + keys)};
  memory += 2 * keys;
  index = {reinterpret_cast<uint32_t *>(memory),
           reinterpret_cast<uint32_t *>(memory + indices)};
  memory += 2 * indices;
  if (breakpoints > 0) {
    make_keys<T><<<grid_for(breakpoints), THREADS, 0, stream>>>(
      time, start, bands->count, bands->side, breakpoints, key.Current(), index.Current());
    error = cub::DeviceRadixSort::SortPairs(memory, sorting, key, index, breakpoints, 0,
                                            is_float ? 32 + band_bits : 64, stream);
    if (error == cudaSuccess && !is_float) {
      make_band_keys<<<grid_for(breakpoints), THREADS, 0, stream>>>(
        index.Current(), start, bands->count, bands->side, breakpoints, key.Current());
      error = cub::DeviceRadixSort::SortPairs(memory, sorting, key, index, breakpoints, 0,
                                              band_bits, stream);
    }
    if (error != cudaSuccess) return error;
    write_events<T><<<grid_for(breakpoints), THREADS, 0, stream>>>(
      index.Current(), time, value, start, breakpoints, first, *bands);
  }
  write_starts<<<grid_for(count + 1), THREADS, 0, stream>>>(start, *bands, count);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_build_bands(pcf_cuda_bands *bands,
                                            const struct pcf_integral *integral,
                                            const void *time, const void *value,
                                            const int64_t *start, int64_t breakpoints,
                                            double first, void *scratch, size_t *scratch_bytes,
                                            cudaStream_t stream) {
  if (integral->precision == PCF_DOUBLE) {
    return build(bands, static_cast<const double *>(time), static_cast<const double *>(value),
                 start, breakpoints, first, scratch, scratch_bytes, stream);
  }
  return build(bands, static_cast<const float *>(time), static_cast<const float *>(value),
               start, breakpoints, float(first), scratch, scratch_bytes, stream);
}
