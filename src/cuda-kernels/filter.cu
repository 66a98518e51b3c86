/* The filter: of the numbers of a block, those that its sink may want. It reads each number
 * once, mostly still from the cache, and few pass, so that it takes a small part of the time
 * that the numbers took to compute. What passes becomes entries that are copied back, or stays
 * in lists, which are kept over all blocks: there it waits until a warp for each item puts it
 * into the item's list. Where too much waits, or an item has no limit yet, the warp looks
 * through the whole row or column instead. */
#include "cuda-kernels/kernels.h"
#include "cuda-kernels/search.cuh"

static constexpr unsigned ALL_LANES = 0xffffffff;
static constexpr int LANES = 32, LAST = 0x7fffffff; /* of all items */

/* ---- What passes ---- */

/* A thread has a row, and reads so many columns of it, some at once. */
static constexpr int THREADS = 128, COLUMNS = 32, AT_ONCE = 8;
static_assert(COLUMNS % AT_ONCE == 0 && PCF_CUDA_MOST_SIDE / COLUMNS <= 65535, "");
static_assert(COLUMNS == PCF_CUDA_CHOSEN_SIDE && LANES == PCF_CUDA_CHOSEN_SIDE, "");

/* Appends the numbers of a warp whose bit is set in `passing`, with one atomic addition.
 * Returns whether there was room for all. */
template <typename T>
static __device__ bool append(const pcf_cuda_filter &filter, int row, int column,
                              unsigned passing, const T (&number)[AT_ONCE]) {
  int lane = threadIdx.x % LANES, own = __popc(passing), through = own;
#pragma unroll
  for (int step = 1; step < LANES; step *= 2) {
    int before = __shfl_up_sync(ALL_LANES, through, step);
    if (lane >= step) through += before;
  }
  unsigned long long first = 0;
  if (lane == LANES - 1) first = atomicAdd(filter.count, (unsigned long long)through);
  first = __shfl_sync(ALL_LANES, first, LANES - 1);
  unsigned long long at = first + through - own;
#pragma unroll
  for (int k = 0; k < AT_ONCE; k++) {
    if (!(passing >> k & 1)) continue;
    if (at < filter.room) filter.entry[at] = {row, column + k, double(number[k])};
    at++;
  }
  return __shfl_sync(ALL_LANES, at, LANES - 1) <= filter.room;
}

/* What an other item goes by in lists, where ties are broken. */
static __device__ int32_t name_of(const pcf_cuda_lists &lists, int32_t other) {
  return lists.name ? lists.name[other] : other;
}

static __device__ void wait_for(const pcf_cuda_waiting &waiting, int index, pcf_entry entry) {
  int place = atomicAdd(&waiting.count[index], 1);
  if (place >= PCF_CUDA_WAITING) return;
  waiting.entry[int64_t(index) * PCF_CUDA_WAITING + place] = entry;
}

/* Counts all numbers of an item without a limit as new. Otherwise nothing would count them,
 * since a limit of NaN lets nothing pass. */
template <typename T>
static __device__ void note_without_limit(const pcf_cuda_waiting &waiting, int index,
                                          const T *limit) {
  if (isnan(limit[index])) waiting.count[index] = PCF_CUDA_WAITING + 1;
}

/* The numbers of a thread whose bit is set in `passing` wait for the lists of their items. */
template <typename T>
static __device__ void put_aside(const pcf_cuda_filter &filter, int row, int column,
                                 unsigned passing, const T (&number)[AT_ONCE], T row_limit,
                                 const T *column_limit) {
  const pcf_cuda_lists &lists = filter.lists;
#pragma unroll
  for (int k = 0; k < AT_ONCE; k++) {
    int32_t item = filter.row + row, other = filter.column + column + k;
    if (!(passing >> k & 1)) continue;
    if (lists.label && lists.label[item] == lists.label[other]) continue;
    T signed_number = T(filter.sign) * number[k];
    if (signed_number <= row_limit) {
      wait_for(lists.rows, row, {item, name_of(lists, other), double(number[k])});
    }
    if (column_limit && signed_number <= column_limit[column + k]) {
      wait_for(lists.columns, column + k, {other, name_of(lists, item), double(number[k])});
    }
  }
}

/* The columns of a row that a thread reads, from `first` on, whose numbers are `step` apart. */
template <typename T> struct strip {
  const T *number;
  int64_t step;
  int row, first;
  bool notes_row, notes_column; /* if a limit is missing: of the row; of the column of a lane */
};

template <typename T, bool CHOSEN>
static __device__ strip<T> strip_of(const pcf_cuda_filter &filter) {
  const T *numbers = static_cast<const T *>(filter.numbers);
  const pcf_cuda_chosen &chosen = filter.chosen;
  int thread = int(blockIdx.x) * THREADS + int(threadIdx.x), first = int(blockIdx.y) * COLUMNS;
  if (!CHOSEN) {
    return {
      numbers + thread + filter.stride * first, filter.stride, thread, first, blockIdx.y == 0,
      blockIdx.x == 0 && threadIdx.x < LANES};
  }
  int lane = thread % LANES, tile = thread / LANES;
  if (tile >= chosen.count) return {numbers, 0, filter.rows, filter.columns, false, false};
  return {numbers + int64_t(tile) * LANES * COLUMNS + lane,
          LANES,
          chosen.tile[tile] / chosen.column_bands * LANES + lane,
          chosen.tile[tile] % chosen.column_bands * COLUMNS,
          true,
          true};
}

/* Raises the numbers of a block to the least ones of both items. What is missing stays so. */
template <typename T, bool CHOSEN>
static __global__ void __launch_bounds__(THREADS)
  raise_kernel(const __grid_constant__ pcf_cuda_filter filter) {
  strip<T> strip = strip_of<T, CHOSEN>(filter);
  int row = strip.row, first = strip.first, last = min(first + COLUMNS, filter.columns);
  if (row >= filter.rows) return;
  const T *least = static_cast<const T *>(filter.lists.least);
  T *number = const_cast<T *>(strip.number), of_row = least[filter.row + row];
  int end = int(min(int64_t(last), row + filter.reach));
  for (int column = first; column < end; column++, number += strip.step) {
    T of_pair = max(of_row, least[filter.column + column]);
    if (*number < of_pair) *number = of_pair;
  }
}

/* A warp that finds no room for entries stops; the count shows that some are missing. */
template <typename T, bool LISTS, bool CHOSEN>
static __global__ void __launch_bounds__(THREADS)
  filter_kernel(const __grid_constant__ pcf_cuda_filter filter) {
  strip<T> strip = strip_of<T, CHOSEN>(filter);
  int row = strip.row, first = strip.first, last = min(first + COLUMNS, filter.columns);
  bool inside = row < filter.rows;
  const T *row_limits = static_cast<const T *>(filter.row_limit);
  const T *column_limit = static_cast<const T *>(filter.column_limit);
  if (LISTS && inside && strip.notes_row) {
    note_without_limit(filter.lists.rows, row, row_limits);
  }
  int own = first + int(threadIdx.x) % LANES;
  if (LISTS && column_limit && strip.notes_column && own < last) {
    note_without_limit(filter.lists.columns, own, column_limit);
  }
  T row_limit = inside ? row_limits[row] : T(0), sign = T(filter.sign);
  int end = inside ? int(min(int64_t(last), row + filter.reach)) : first;
  bool room = true;
  for (int column = first; column < last && room; column += AT_ONCE) {
    T number[AT_ONCE];
    unsigned passing = 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (column + k < end) number[k] = strip.number[strip.step * (column + k - first)];
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (column + k >= end) continue;
      T signed_number = sign * number[k];
      bool passes = signed_number <= row_limit ||
                    (column_limit && signed_number <= column_limit[column + k]);
      passing |= unsigned(passes) << k;
    }
    if (LISTS) {
      if (passing) put_aside(filter, row, column, passing, number, row_limit, column_limit);
    } else if (__any_sync(ALL_LANES, passing)) {
      room = append(filter, row, column, passing, number);
    }
  }
}

/* ---- Lists in the registers of a warp ---- */

template <typename T> struct pair {
  T number;
  int32_t other;
};

/* A pair that comes after all others. */
template <typename T> static __device__ pair<T> no_pair() {
  return {T(INFINITY), LAST};
}

/* The pair of an entry, where there is one. */
template <typename T> static __device__ pair<T> pair_of(const pcf_entry &entry, T sign) {
  if (isnan(entry.number)) return no_pair<T>();
  return {sign * T(entry.number), entry.column};
}

template <typename T> static __device__ bool before(const pair<T> &a, const pair<T> &b) {
  return a.number < b.number || (a.number == b.number && a.other < b.other);
}

template <typename T> static __device__ pair<T> of_lane(const pair<T> &own, int lane) {
  return {__shfl_sync(ALL_LANES, own.number, lane), __shfl_sync(ALL_LANES, own.other, lane)};
}

/* The first or the last of a lane's pair and that of the lane `apart` from it. */
template <typename T>
static __device__ pair<T> exchanged(const pair<T> &own, int apart, bool first) {
  pair<T> other = {__shfl_xor_sync(ALL_LANES, own.number, apart),
                   __shfl_xor_sync(ALL_LANES, own.other, apart)};
  return before(other, own) == first ? other : own;
}

/* Sorts the pairs of a warp, one in each lane. */
template <typename T> static __device__ pair<T> sorted(pair<T> own, int lane) {
#pragma unroll
  for (int size = 2; size <= LANES; size *= 2) {
#pragma unroll
    for (int apart = size / 2; apart > 0; apart /= 2) {
      own = exchanged(own, apart, ((lane & apart) == 0) == ((lane & size) == 0));
    }
  }
  return own;
}

/* Pair k of a sorted list is list[k / 32] of lane k % 32. Puts the first of the list and of one
 * more pair in each lane into the list. The list and those pairs backwards, with what comes
 * last before them, first rise and then fall; so do the lesser ones of the two halves, and they
 * are merged. */
template <typename T, int M>
static __device__ void merge(pair<T> (&list)[M], pair<T> more, int lane) {
  pair<T> backwards = of_lane(sorted(more, lane), LANES - 1 - lane);
  if (before(backwards, list[M - 1])) list[M - 1] = backwards;
#pragma unroll
  for (int apart = M / 2; apart > 0; apart /= 2) {
#pragma unroll
    for (int m = 0; m < M; m++) {
      if (m & apart || !before(list[m + apart], list[m])) continue;
      pair<T> swapped = list[m];
      list[m] = list[m + apart];
      list[m + apart] = swapped;
    }
  }
#pragma unroll
  for (int m = 0; m < M; m++) {
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
      list[m] = exchanged(list[m], apart, (lane & apart) == 0);
    }
  }
}

template <typename T, int M>
static __device__ pair<T> last_of(const pair<T> (&list)[M], int each) {
  pair<T> last = no_pair<T>();
#pragma unroll
  for (int m = 0; m < M; m++) {
    if ((each - 1) / LANES == m) last = of_lane(list[m], (each - 1) % LANES);
  }
  return last;
}

/* ---- Putting what is new into the lists ---- */

/* A row or column of a block: numbers `step` apart, of pairs with the items from `other` on. */
template <typename T> struct line {
  const T *number;
  int64_t step, count;
  int32_t item, other;
};

template <typename T>
static __device__ line<T> line_of(const pcf_cuda_filter &block, bool is_row, int index) {
  const T *number = static_cast<const T *>(block.numbers);
  if (is_row) {
    int64_t end = min(int64_t(block.columns), index + block.reach);
    return {number + index, block.stride, end, block.row + index, block.column};
  }
  int64_t first = max(int64_t(0), index + 1 - block.reach);
  return {number + first + block.stride * index, 1, block.rows - first, block.column + index,
          int32_t(block.row + first)};
}

/* The part of it that is in a chosen tile. */
template <typename T>
static __device__ line<T> line_in(const pcf_cuda_filter &block, bool is_row, int index,
                                  int tile) {
  const pcf_cuda_chosen &chosen = block.chosen;
  const T *number = static_cast<const T *>(block.numbers) + int64_t(tile) * LANES * COLUMNS;
  int row = chosen.tile[tile] / chosen.column_bands * LANES;
  int column = chosen.tile[tile] % chosen.column_bands * COLUMNS;
  if (is_row) {
    int64_t end = min(int64_t(min(column + COLUMNS, block.columns)), index + block.reach);
    return {number + index - row, LANES, end - column, block.row + index,
            block.column + column};
  }
  int64_t first = max(int64_t(row), index + 1 - block.reach);
  return {number + LANES * (index - column) + (first - row), 1,
          min(row + LANES, block.rows) - first, block.column + index,
          int32_t(block.row + first)};
}

template <typename T, int M>
static __device__ void look_through(const pcf_cuda_filter &block, const line<T> &line,
                                    pair<T> (&list)[M], int lane) {
  enum { CHUNKS = 4 };
  const pcf_cuda_lists &lists = block.lists;
  T sign = T(block.sign);
  pair<T> last = last_of(list, lists.each);
  for (int64_t first = 0; first < line.count; first += CHUNKS * LANES) {
    pair<T> found[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      int64_t k = first + c * LANES + lane;
      found[c] = no_pair<T>();
      if (k >= line.count) continue;
      found[c] = {sign * line.number[line.step * k], name_of(lists, int32_t(line.other + k))};
    }
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      bool is_new = before(found[c], last);
      int64_t k = first + c * LANES + lane;
      if (is_new && lists.label) is_new = lists.label[line.item] != lists.label[line.other + k];
      if (!__any_sync(ALL_LANES, is_new)) continue;
      merge(list, is_new ? found[c] : no_pair<T>(), lane);
      last = last_of(list, lists.each);
    }
  }
}

/* Which of the chosen tiles `first` … have a row or column: a bit for each. */
static __device__ unsigned tiles_with(const pcf_cuda_chosen &chosen, bool is_row, int index,
                                      int first, int lane) {
  int band = -1;
  if (first + lane < chosen.count) {
    int tile = chosen.tile[first + lane];
    band = is_row ? tile / chosen.column_bands : tile % chosen.column_bands;
  }
  return __ballot_sync(ALL_LANES, band == index / LANES);
}

/* What all chosen tiles have of a row or column. */
template <typename T, int M>
static __device__ void look_through_chosen(const pcf_cuda_filter &block, bool is_row, int index,
                                           pair<T> (&list)[M], int lane) {
  for (int first = 0; first < block.chosen.count; first += LANES) {
    unsigned found = tiles_with(block.chosen, is_row, index, first, lane);
    for (; found; found &= found - 1) {
      int tile = first + __ffs(int(found)) - 1;
      look_through(block, line_in<T>(block, is_row, index, tile), list, lane);
    }
  }
}

template <typename T, int M>
static __device__ void take_waiting(const pcf_entry *waiting, int count, T sign,
                                    pair<T> (&list)[M], int lane) {
  for (int first = 0; first < count; first += LANES) {
    int k = first + lane;
    merge(list, k < count ? pair_of(waiting[k], sign) : no_pair<T>(), lane);
  }
}

/* A warp for each row, or for each column: one may be the same item as the other. */
template <typename T, int M, bool CHOSEN>
static __global__ void __launch_bounds__(THREADS)
  put_kernel(const __grid_constant__ pcf_cuda_filter block, bool is_row) {
  const pcf_cuda_lists &lists = block.lists;
  const pcf_cuda_waiting &waiting = is_row ? lists.rows : lists.columns;
  int index = (int(blockIdx.x) * THREADS + int(threadIdx.x)) / LANES,
      lane = threadIdx.x % LANES;
  if (index >= (is_row ? block.rows : block.columns)) return;
  int count = waiting.count[index];
  if (count == 0) return;
  int32_t item = is_row ? block.row + index : block.column + index;
  pcf_entry *entry = lists.entry + int64_t(item) * lists.each;
  T sign = T(block.sign);
  pair<T> list[M];
#pragma unroll
  for (int m = 0; m < M; m++) {
    int k = m * LANES + lane;
    list[m] = k < lists.each ? pair_of(entry[k], sign) : no_pair<T>();
  }
  if (count <= PCF_CUDA_WAITING) {
    take_waiting(waiting.entry + int64_t(index) * PCF_CUDA_WAITING, count, sign, list, lane);
  } else if (CHOSEN) {
    look_through_chosen(block, is_row, index, list, lane);
  } else {
    look_through(block, line_of<T>(block, is_row, index), list, lane);
  }
  pair<T> last = last_of(list, lists.each);
#pragma unroll
  for (int m = 0; m < M; m++) {
    int k = m * LANES + lane;
    if (k >= lists.each || list[m].other == LAST) continue;
    entry[k] = {item, list[m].other, double(sign * list[m].number)};
  }
  __syncwarp();
  if (lane > 0) return;
  T *limit = static_cast<T *>(lists.limit) + item;
  if (last.other != LAST && !(last.number >= *limit)) *limit = last.number;
  waiting.count[index] = 0;
}

/* ---- Launching ---- */

template <typename T, int M, bool CHOSEN>
static void launch_put(const pcf_cuda_filter &block, cudaStream_t stream) {
  constexpr int WARPS = THREADS / LANES;
  auto kernel = put_kernel<T, M, CHOSEN>;
  kernel<<<grid_for(block.rows, WARPS), THREADS, 0, stream>>>(block, true);
  if (!block.column_limit) return;
  kernel<<<grid_for(block.columns, WARPS), THREADS, 0, stream>>>(block, false);
}

template <typename T, bool CHOSEN>
static cudaError_t launch(const pcf_cuda_filter &block, cudaStream_t stream) {
  dim3 grid(grid_for(block.rows, THREADS), grid_for(block.columns, COLUMNS));
  if (CHOSEN) grid = dim3(grid_for(block.chosen.count, THREADS / LANES));
  if (block.lists.each == 0) {
    filter_kernel<T, false, CHOSEN><<<grid, THREADS, 0, stream>>>(block);
    return cudaGetLastError();
  }
  if (block.lists.least) raise_kernel<T, CHOSEN><<<grid, THREADS, 0, stream>>>(block);
  filter_kernel<T, true, CHOSEN><<<grid, THREADS, 0, stream>>>(block);
  if (block.lists.each <= LANES) launch_put<T, 1, CHOSEN>(block, stream);
  else if (block.lists.each <= 2 * LANES) launch_put<T, 2, CHOSEN>(block, stream);
  else launch_put<T, 4, CHOSEN>(block, stream);
  return cudaGetLastError();
}
static_assert(PCF_CUDA_MOST_LISTED == 4 * LANES, "");

extern "C" cudaError_t pcf_cuda_pick(enum pcf_precision precision,
                                     const struct pcf_cuda_filter *filter,
                                     cudaStream_t stream) {
  int chosen = filter->chosen.tile != nullptr;
  if (precision == PCF_DOUBLE) {
    return chosen ? launch<double, true>(*filter, stream)
                  : launch<double, false>(*filter, stream);
  }
  return chosen ? launch<float, true>(*filter, stream) : launch<float, false>(*filter, stream);
}

/* ---- Names ---- */

static __global__ void invert_kernel(const int32_t *name, int64_t count, int32_t *place) {
  int64_t k = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (k < count) place[name[k]] = int32_t(k);
}

static __global__ void rename_kernel(pcf_entry *entry, int64_t count, const int32_t *place) {
  int64_t k = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (k < count && !isnan(entry[k].number)) entry[k].column = place[entry[k].column];
}

extern "C" cudaError_t pcf_cuda_invert(const int32_t *name, int64_t count, int32_t *place,
                                       cudaStream_t stream) {
  invert_kernel<<<grid_for(count, THREADS), THREADS, 0, stream>>>(name, count, place);
  return cudaGetLastError();
}

extern "C" cudaError_t pcf_cuda_rename(struct pcf_entry *entry, int64_t count,
                                       const int32_t *place, cudaStream_t stream) {
  rename_kernel<<<grid_for(count, THREADS), THREADS, 0, stream>>>(entry, count, place);
  return cudaGetLastError();
}
