/* Bands on the device: all events sorted by (band, time) with one radix sort, two for double.
 */
#include "cuda-kernels/search.cuh"
#include "cuda-kernels/sort.cuh"
#include "cuda-kernels/sweep.cuh"

constexpr int THREADS = 256;

/* A segment has at most INT32_MAX breakpoints, so that their numbers fit 32 bits. Their sort
 * keys: for float the band above the time, for double the time alone; -0 counts as 0. */
struct BandKey {
  const int64_t *start;
  int64_t count;
  int side;
  __device__ uint64_t operator()(int64_t e) const {
    return uint64_t(segment_with(start, 0, count, e) / side);
  }
};
template <typename T> struct TimeKey {
  const T *time;
  BandKey band;
  __device__ uint64_t operator()(int64_t e) const {
    if (sizeof(T) == sizeof(double)) return pcf_key_of(time[e]);
    uint32_t bits = pcf_bits_of_single(float(time[e]) + 0.0f);
    return band(e) << 32 | (bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u));
  }
};

/* Does a piece of the weight, if there is one, end at that time? */
template <typename T> static __device__ bool ends_piece(const pcf_cuda_weight &weight, T time) {
  if (weight.pieces == 0) return false;
  return static_cast<const T *>(weight.end)[piece_until(weight, time)] == time;
}

/* A function as an event of it ends its piece: the time with which that began, and the piece as
 * it was then; `from` is the breakpoint of the event, or that after a slice begins. */
template <typename P>
static __device__ State<P> state_before(const pcf_cuda_functions &functions, int64_t function,
                                        int64_t from, typename P::Scalar start) {
  using T = typename P::Scalar;
  if (from == functions.start[function]) {
    return {start, static_cast<const P *>(functions.initial)[function]};
  }
  return {static_cast<const T *>(functions.time)[from - 1],
          static_cast<const P *>(functions.piece)[from - 1]};
}

/* Pieces begin anew with slices, so that all that is computed in one begins there. */
template <typename P>
static __global__ void write_events(const uint32_t *index, pcf_cuda_functions functions,
                                    const typename P::Scalar *slice_time,
                                    pcf_cuda_bands bands) {
  using T = typename P::Scalar;
  int64_t e = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (e >= functions.breakpoints) return;
  int64_t from = index[e], function = segment_with(functions.start, 0, functions.count, from);
  Event<P> event;
  event.time = static_cast<const T *>(functions.time)[from];
  event.after = static_cast<const P *>(functions.piece)[from];
  State<P> state = state_before<P>(functions, function, from, slice_time[0]);
  T begin = slice_time[segment_with(slice_time, 0, bands.slices, event.time)];
  if (begin > state.last) state = {begin, moved(state.piece, begin - state.last)};
  event.last = state.last;
  event.before = moved(state.piece, event.time - state.last);
  static_cast<Event<P> *>(bands.events)[e] = event;
  bool flushes = pcf_cuda_flushes(from - functions.start[function], bands.flush) ||
                 ends_piece(bands.weight, event.time);
  int mark = flushes ? PCF_CUDA_MARK : 0;
  bands.lane[e] = static_cast<unsigned char>(function % bands.side | mark);
}

/* Writes where the slices of the bands begin, and, as the last entry, where the events end. */
template <typename P>
static __global__ void write_starts(pcf_cuda_functions functions,
                                    const typename P::Scalar *slice_time, pcf_cuda_bands bands,
                                    int64_t count) {
  int64_t entry = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (entry > count * bands.slices) return;
  int64_t band = entry / bands.slices, slice = entry % bands.slices;
  int64_t begin = functions.start[min(band * bands.side, functions.count)];
  int64_t end = functions.start[min((band + 1) * bands.side, functions.count)];
  const Event<P> *event = static_cast<const Event<P> *>(bands.events) + begin;
  auto time_at = [&](int64_t k) { return event[k].time; };
  int64_t before = slice ? first_from(end - begin, slice_time[slice], time_at) : 0;
  bands.start[entry] = begin + before;
}

/* Writes the pieces of the functions at the start of each slice. */
template <typename P>
static __global__ void write_initial(pcf_cuda_functions functions,
                                     const typename P::Scalar *slice_time, pcf_cuda_bands bands,
                                     int64_t padded) {
  using T = typename P::Scalar;
  int64_t entry = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (entry >= padded * bands.slices) return;
  int64_t i = entry % padded, slice = entry / padded;
  P piece = {};
  if (i < functions.count) {
    int64_t begin = functions.start[i], count = functions.start[i + 1] - begin;
    const T *time = static_cast<const T *>(functions.time) + begin;
    auto time_at = [&](int64_t k) { return time[k]; };
    int64_t before = slice ? first_from(count, slice_time[slice], time_at) : 0;
    State<P> state = state_before<P>(functions, i, begin + before, slice_time[0]);
    piece = moved(state.piece, slice_time[slice] - state.last);
  }
  static_cast<P *>(bands.initial)[entry] = piece;
}

template <typename P>
static cudaError_t build(pcf_cuda_bands *bands, const pcf_cuda_functions &functions,
                         const void *slices, void *scratch, size_t *scratch_bytes,
                         cudaStream_t stream) {
  using T = typename P::Scalar;
  const T *slice_time = static_cast<const T *>(slices);
  int64_t count = (functions.count + bands->side - 1) / bands->side;
  int64_t padded = count * bands->side;
  const uint32_t *sorted = nullptr;
  if (!scratch || functions.breakpoints > 0) {
    bool is_float = sizeof(T) == sizeof(float);
    int time_bits = is_float ? 32 + bits_of(count) : 64,
        band_bits = is_float ? 0 : bits_of(count);
    BandKey band = {functions.start, functions.count, bands->side};
    TimeKey<T> time = {static_cast<const T *>(functions.time), band};
    cudaError_t error = sort_numbers(functions.breakpoints, time, time_bits, band, band_bits,
                                     scratch, scratch_bytes, &sorted, stream);
    if (error != cudaSuccess || !scratch) return error;
    write_events<P><<<grid_for(functions.breakpoints, THREADS), THREADS, 0, stream>>>(
      sorted, functions, slice_time, *bands);
  }
  write_starts<P><<<grid_for(count * bands->slices + 1, THREADS), THREADS, 0, stream>>>(
    functions, slice_time, *bands, count);
  write_initial<P><<<grid_for(padded * bands->slices, THREADS), THREADS, 0, stream>>>(
    functions, slice_time, *bands, padded);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_build_bands(pcf_cuda_bands *bands,
                                            const struct pcf_integral *integral,
                                            const struct pcf_cuda_functions *functions,
                                            const void *slice_time, void *scratch,
                                            size_t *scratch_bytes, cudaStream_t stream) {
#define BUILD(P) return build<P>(bands, *functions, slice_time, scratch, scratch_bytes, stream)
  PCF_WITH_PIECE(integral->precision, functions->linear, BUILD);
#undef BUILD
}
