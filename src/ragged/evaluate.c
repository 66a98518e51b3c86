#include "ragged/evaluate.h"

#include "core/memory.h"
#include "core/search.h"
#include "engine/threads.h"
#include "ragged/norms.h"
#include "ragged/partition.h"

/* An item of work is a tile: some functions at a stretch of times. Its values are found row by
 * row in a buffer, and then written column by column, so that every line of the result is
 * written at once. The stride of the buffer keeps the rows apart in the cache. */
enum { TILE_FUNCTIONS = 16, TILE_TIMES = 1024, STRIDE = TILE_TIMES + 8, WALKERS = 4 };

#define INLINE static inline __attribute__((always_inline))

struct evaluation {
  const struct pcf_collection *x;
  const struct pcf_times_at *at;
  int64_t bands; /* of functions */
  double *result;
  double *buffer; /* one per thread */
};

static enum pcf_status check_functions(const struct pcf_collection *x, int threads,
                                       const atomic_int *stop, struct pcf_fault *fault,
                                       struct pcf_error *error);
static enum pcf_status evaluate_tile(void *evaluation, int thread, int64_t index,
                                     struct pcf_error *error);

enum pcf_status pcf_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                             int threads, const atomic_int *stop, double *result,
                             struct pcf_fault *fault, struct pcf_error *error) {
  enum pcf_status status = check_functions(x, threads, stop, fault, error);
  if (status || x->count == 0 || at->count == 0) return status;
  struct evaluation evaluation = {.x = x, .at = at, .result = result};
  evaluation.bands = (x->count - 1) / TILE_FUNCTIONS + 1;
  int64_t blocks = (at->count - 1) / TILE_TIMES + 1;
  if (pcf_is_small(x->count * at->count, x->count)) threads = 1;
  size_t size = (size_t)TILE_FUNCTIONS * STRIDE;
  evaluation.buffer = pcf_allocate((size_t)threads * size, sizeof(double), error);
  if (!evaluation.buffer) return PCF_ERROR_MEMORY;
  status = pcf_parallel_for(threads, evaluation.bands * blocks, stop, evaluate_tile,
                            &evaluation, error);
  pcf_free(evaluation.buffer);
  return status;
}

/* Norms check on the way, as fast as the functions come from memory. */
static enum pcf_status check_functions(const struct pcf_collection *x, int threads,
                                       const atomic_int *stop, struct pcf_fault *fault,
                                       struct pcf_error *error) {
  static const struct pcf_measuring supremum = {PCF_NORM_LINF, 1, -INFINITY, INFINITY};
  double *unused = pcf_allocate((size_t)x->count, sizeof *unused, error);
  if (!unused) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_measure(x, &supremum, threads, stop, unused, fault, error);
  pcf_free(unused);
  return status;
}

/* ---- Tiles ---- */

static void evaluate_row(const double *time, const double *value, int64_t breakpoints,
                         const double *at, int64_t n, double *row);

static enum pcf_status evaluate_tile(void *evaluation_, int thread, int64_t index,
                                     struct pcf_error *error) {
  const struct evaluation *evaluation = evaluation_;
  const struct pcf_collection *x = evaluation->x;
  const struct pcf_times_at *at = evaluation->at;
  double *buffer = evaluation->buffer + (int64_t)thread * TILE_FUNCTIONS * STRIDE;
  int64_t first = index % evaluation->bands * TILE_FUNCTIONS, rows = x->count - first;
  int64_t begin = index / evaluation->bands * TILE_TIMES, n = at->count - begin;
  (void)error;
  if (rows > TILE_FUNCTIONS) rows = TILE_FUNCTIONS;
  if (n > TILE_TIMES) n = TILE_TIMES;
  for (int64_t r = 0; r < rows; r++) {
    evaluate_row(pcf_times(x, first + r), pcf_values(x, first + r),
                 pcf_breakpoints(x, first + r), at->time + begin, n, buffer + r * STRIDE);
  }
  for (int64_t j = 0; j < n; j++) {
    int64_t column = at->column ? at->column[begin + j] : begin + j;
    double *to = evaluation->result + first + x->count * column;
    for (int64_t r = 0; r < rows; r++) to[r] = buffer[r * STRIDE + j];
  }
  return PCF_OK;
}

/* ---- One function at a stretch of times ---- */

/* How many of n increasing numbers are less than `limit`, or (`equal`) at most `limit`. */
INLINE int64_t count_below(const double *number, int64_t n, double limit, int equal) {
  const double *low = number;
  if (n == 0) return 0;
  while (n > 1) {
    int64_t half = n / 2;
    double x = low[half - 1];
    low = (equal ? x <= limit : x < limit) ? low + half : low;
    n -= half;
  }
  return low - number + (equal ? *low <= limit : *low < limit);
}

static void fill_runs(const double *time, const double *value, int64_t breakpoints,
                      const double *at, int64_t n, double *row);
static void search_each(const double *time, const double *value, int64_t breakpoints,
                        const double *at, int64_t n, double *row);
static void merge(const double *time, const double *value, int64_t breakpoints,
                  const double *at, int64_t n, double *row);

static double binary_digits(int64_t n) {
  double digits = 0;
  for (; n > 0; n >>= 1) digits++;
  return digits;
}

/* row[j] = the value at at[j]. Of the breakpoints only those between the first and the last of
 * the times matter; value[k] is that after k of them. Whichever way is cheaper by the numbers
 * of both finds the values, and all find the same. The weights are steps of the merge. */
static void evaluate_row(const double *time, const double *value, int64_t breakpoints,
                         const double *at, int64_t n, double *row) {
  static const double fill_weight = 8, search_weight = 0.4;
  int64_t zeros = count_below(at, n, time[0], 0);
  for (int64_t j = 0; j < zeros; j++) row[j] = 0;
  if (zeros == n) return;
  at += zeros, row += zeros, n -= zeros;
  int64_t before = count_below(time, breakpoints, at[0], 1);
  time += before, value += before - 1, breakpoints -= before;
  breakpoints = count_below(time, breakpoints, at[n - 1], 1);
  double steps = (double)(n + breakpoints);
  if (fill_weight * (double)breakpoints < (double)n) {
    fill_runs(time, value, breakpoints, at, n, row);
  } else if (search_weight * (double)n * binary_digits(breakpoints) < steps) {
    search_each(time, value, breakpoints, at, n, row);
  } else {
    merge(time, value, breakpoints, at, n, row);
  }
}

/* Few breakpoints: each looks for its place among the times. */
static void fill_runs(const double *time, const double *value, int64_t breakpoints,
                      const double *at, int64_t n, double *row) {
  int64_t j = 0;
  for (int64_t k = 0; k < breakpoints; k++) {
    int64_t end = j + count_below(at + j, n - j, time[k], 0);
    for (; j < end; j++) row[j] = value[k];
  }
  for (; j < n; j++) row[j] = value[breakpoints];
}

/* Few times: each looks for its place among the breakpoints. */
static void search_each(const double *time, const double *value, int64_t breakpoints,
                        const double *at, int64_t n, double *row) {
  for (int64_t j = 0; j < n; j++) row[j] = value[count_below(time, breakpoints, at[j], 1)];
}

/* One event: a breakpoint is taken, or a time gets its value. Neither is a branch, since none
 * could be predicted; what a breakpoint writes goes to row[n], which nobody reads. */
INLINE void step(const double *time, const double *value, int64_t breakpoints, const double *at,
                 int64_t n, double *row, int64_t event, int64_t *taken) {
  int64_t k = *taken, j = event - k;
  int64_t take = (k < breakpoints) & (time[k] <= at[j]);
  row[take ? n : j] = value[k];
  *taken = k + take;
}

/* Several walks through equal shares of the events side by side: the next step of one has to
 * wait for its comparison, the others fill the gaps. */
static void merge(const double *time, const double *value, int64_t breakpoints,
                  const double *at, int64_t n, double *row) {
  int64_t taken[WALKERS], begin[WALKERS], events = breakpoints + n, share = events / WALKERS;
  for (int w = 0; w < WALKERS; w++) {
    begin[w] = w * share;
    taken[w] = pcf_merge_path(time, breakpoints, at, n, begin[w]);
  }
  for (int64_t done = 0; done < share; done++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
    for (int w = 0; w < WALKERS; w++) {
      step(time, value, breakpoints, at, n, row, begin[w] + done, &taken[w]);
    }
  }
  for (int64_t event = WALKERS * share; event < events; event++) {
    step(time, value, breakpoints, at, n, row, event, &taken[WALKERS - 1]);
  }
}
