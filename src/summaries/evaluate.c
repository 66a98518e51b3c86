#include "summaries/evaluate.h"

#include "arithmetic/lanes.h"
#include "arrays/partition.h"
#include "base/memory.h"
#include "base/scalar.h"
#include "base/search.h"
#include "base/stream.h"
#include "base/threads.h"

#include <stdbool.h>
#include <string.h>

/* A band of functions is evaluated at one stretch of times after the other: row by row into a
 * buffer, which is then written column by column, so that every line of the result is written
 * at once. The stride of the buffer keeps the rows apart in the cache. */
enum { BAND = 32, STRETCH = 1024, STRIDE = STRETCH + 8, BANDS_PER_THREAD = 4, WALKERS = 4 };

/* Results of more numbers than caches hold are written around them. */
static const int64_t most_in_cache = 1 << 22;

struct evaluation {
  const struct pcf_collection *x;
  const struct pcf_times_at *at;
  int64_t bands, stretches;
  double *result;
  bool around_caches;
  double *numbers;       /* 1, 2, …, as many as a function has breakpoints; or NULL */
  double (*row)[STRIDE]; /* BAND for each thread: the values of a tile, row by row */
  struct pcf_fault *fault;
  const atomic_int *stop;
};

static enum pcf_status evaluate_all(struct evaluation *evaluation, int threads,
                                    const atomic_int *stop, struct pcf_error *error);
static enum pcf_status number_breakpoints(struct evaluation *evaluation,
                                          struct pcf_error *error);

enum pcf_status pcf_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                             int threads, const atomic_int *stop, double *result,
                             struct pcf_fault *fault, struct pcf_error *error) {
  struct evaluation evaluation = {.x = x, .at = at, .result = result, .fault = fault};
  evaluation.bands = (x->count + BAND - 1) / BAND;
  evaluation.stretches = (at->count + STRETCH - 1) / STRETCH;
  evaluation.around_caches = x->count > 0 && at->count > most_in_cache / x->count;
  int64_t numbers = pcf_total_breakpoints(x) + x->count * at->count;
  if (pcf_is_small(numbers, x->count)) threads = 1;
  *fault = (struct pcf_fault){0};
  size_t bytes = (size_t)(x->count * at->count) * sizeof *result;
  enum pcf_status status = pcf_touch_memory(result, bytes, threads, stop, error);
  if (status) return status;
  evaluation.row = pcf_allocate((size_t)threads * BAND, sizeof *evaluation.row, error);
  if (!evaluation.row) return PCF_ERROR_MEMORY;
  status = number_breakpoints(&evaluation, error);
  if (!status) status = evaluate_all(&evaluation, threads, stop, error);
  pcf_free(evaluation.numbers);
  pcf_free(evaluation.row);
  return status;
}

/* ---- Bands ---- */

static enum pcf_status evaluate_band(void *evaluation, int thread, int64_t index,
                                     struct pcf_error *error);
static enum pcf_status evaluate_tile(void *evaluation, int thread, int64_t index,
                                     struct pcf_error *error);

static int64_t stretch_length(const struct pcf_times_at *at, int64_t stretch) {
  return pcf_smaller(at->count - stretch * STRETCH, STRETCH);
}

/* Where there are enough bands, each thread checks a band and evaluates it at all times while
 * it is in the cache. */
static enum pcf_status evaluate_all(struct evaluation *evaluation, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  int64_t bands = evaluation->bands, stretches = evaluation->stretches;
  struct pcf_range range = PCF_EMPTY_RANGE;
  enum pcf_status status;
  evaluation->stop = stop;
  if (bands >= BANDS_PER_THREAD * threads) {
    status = pcf_parallel_for(threads, bands, stop, evaluate_band, evaluation, error);
    if (!status) status = pcf_fault_status(evaluation->fault, error);
    return status;
  }
  status = pcf_check_collection(evaluation->x, threads, stop, &range, evaluation->fault, error);
  if (status) return status;
  return pcf_parallel_for(threads, bands * stretches, stop, evaluate_tile, evaluation, error);
}

/* A fault does not end the loop: all bands are checked, so that the first fault is found. */
static enum pcf_status evaluate_band(void *evaluation_, int thread, int64_t band,
                                     struct pcf_error *error) {
  struct evaluation *evaluation = evaluation_;
  const struct pcf_collection *x = evaluation->x;
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t first = band * BAND, last = first + BAND < x->count ? first + BAND : x->count;
  if (pcf_note_functions(evaluation->fault, x, first, last, &range)) return PCF_OK;
  for (int64_t s = 0; s < evaluation->stretches; s++) {
    if (evaluation->stop && atomic_load(evaluation->stop)) break;
    evaluate_tile(evaluation, thread, s * evaluation->bands + band, error);
  }
  return PCF_OK;
}

static void evaluate_row(const double *time, const double *value, int64_t breakpoints,
                         const double *at, int64_t n, double *result);
static void look_up_row(const struct pcf_collection *x, int64_t i, int left, const double *at,
                        int64_t n, double *row);
static void write_columns(const struct evaluation *evaluation, double (*row)[STRIDE],
                          int64_t first, int64_t rows, int64_t stretch);

static enum pcf_status evaluate_tile(void *evaluation_, int thread, int64_t index,
                                     struct pcf_error *error) {
  const struct evaluation *evaluation = evaluation_;
  const struct pcf_collection *x = evaluation->x;
  double(*row)[STRIDE] = evaluation->row + (size_t)thread * BAND;
  int64_t band = index % evaluation->bands, stretch = index / evaluation->bands;
  int64_t first = band * BAND, rows = x->count - first < BAND ? x->count - first : BAND;
  int64_t n = stretch_length(evaluation->at, stretch);
  const double *at = evaluation->at->time + stretch * STRETCH;
  const double *numbers = evaluation->numbers;
  for (int64_t r = 0; r < rows; r++) {
    int64_t i = first + r;
    evaluate_row(pcf_times(x, i), numbers ? numbers : pcf_values(x, i), pcf_breakpoints(x, i),
                 at, n, row[r]);
    if (numbers) look_up_row(x, i, evaluation->at->left, at, n, row[r]);
  }
  write_columns(evaluation, row, first, rows, stretch);
  return PCF_OK;
}

static void write_columns(const struct evaluation *evaluation, double (*row)[STRIDE],
                          int64_t first, int64_t rows, int64_t stretch) {
  enum { TOGETHER = 4 };
  const int64_t *columns = evaluation->at->column;
  int64_t begin = stretch * STRETCH, n = stretch_length(evaluation->at, stretch);
  if (evaluation->x->count == 1 && !columns) {
    memcpy(evaluation->result + begin, row[0], (size_t)n * sizeof *row[0]);
    return;
  }
  for (int64_t j = 0; j < n; j += TOGETHER) {
    double line[TOGETHER][BAND];
    for (int64_t r = 0; r < rows; r++) {
      for (int k = 0; k < TOGETHER; k++) line[k][r] = row[r][j + k];
    }
    for (int64_t k = 0; k < TOGETHER && j + k < n; k++) {
      int64_t column = columns ? columns[begin + j + k] : begin + j + k;
      double *to = evaluation->result + first + evaluation->x->count * column;
      if (evaluation->around_caches) pcf_stream_doubles(to, line[k], 1, rows);
      else memcpy(to, line[k], (size_t)rows * sizeof *to);
    }
  }
  if (evaluation->around_caches) pcf_stream_end();
}

/* ---- One function at a stretch of times ---- */

/* What of a function matters at a stretch of times: value[k] is that after k of the
 * breakpoints. All of those are after the first of n times, and the last of the times is before
 * the last of the breakpoints. */
struct piece {
  const double *time, *value;
  int64_t breakpoints;
  const double *at;
  int64_t n;
  double *result;
};

/* How many of n increasing numbers are less than `limit`, or (`equal`) at most `limit`. */
INLINE int64_t count_below(const double *number, int64_t n, double limit, int equal) {
  const double *low = number;
  if (n == 0) return 0;
  while (n > 1) {
    int64_t half = n / 2;
    double x = low[half - 1];
    low += half & -(int64_t)(equal ? x <= limit : x < limit); /* no branch */
    n -= half;
  }
  return low - number + (equal ? *low <= limit : *low < limit);
}

static void fill_runs(const struct piece *f);
static void search_each(const struct piece *f);
static void merge(const struct piece *f);

/* Finds the values in the way that is cheapest for these numbers of breakpoints and times; the
 * result is the same for all. The costs are measured, in steps of the merge; a long search
 * leaves the caches. */
static void find_values(const struct piece *f) {
  double m = (double)f->breakpoints, n = (double)f->n;
  int digits;
  frexp(m, &digits); /* binary ones */
  double filling = 0.2 * n + 35 * m, merging = n + m;
  double searching = (2 + 0.01 * digits * digits * digits) * n;
  if (filling <= fmin(searching, merging)) fill_runs(f);
  else if (searching <= merging) search_each(f);
  else merge(f);
}

/* result[j] = the value at at[j]. */
static void evaluate_row(const double *time, const double *value, int64_t breakpoints,
                         const double *at, int64_t n, double *result) {
  int64_t zeros = count_below(at, n, time[0], 0);
  memset(result, 0, (size_t)zeros * sizeof *result);
  if (zeros == n) return;
  struct piece f = {.at = at + zeros, .result = result + zeros};
  int64_t before = count_below(time, breakpoints, at[zeros], 1);
  f.time = time + before;
  f.value = value + before - 1;
  f.breakpoints = count_below(f.time, breakpoints - before, at[n - 1], 1);
  if (f.breakpoints) f.n = count_below(f.at, n - zeros, f.time[f.breakpoints - 1], 0);
  find_values(&f);
  for (int64_t j = zeros + f.n; j < n; j++) result[j] = f.value[f.breakpoints];
}

/* Few breakpoints: each looks for its place among the times. */
static void fill_runs(const struct piece *f) {
  int64_t j = 0;
  for (int64_t k = 0; k < f->breakpoints; k++) {
    int64_t end = j + count_below(f->at + j, f->n - j, f->time[k], 0);
    for (; j < end; j++) f->result[j] = f->value[k];
  }
  for (; j < f->n; j++) f->result[j] = f->value[f->breakpoints];
}

/* Few times: each looks for its place among the breakpoints. */
static void search_each(const struct piece *f) {
  for (int64_t j = 0; j < f->n; j++) {
    f->result[j] = f->value[count_below(f->time, f->breakpoints, f->at[j], 1)];
  }
}

/* One event: a breakpoint is passed, or a time gets its value. Without a branch, which could
 * not be predicted: a breakpoint writes to result[n], which is overwritten or not read. */
INLINE void step(const struct piece *f, int64_t event, int64_t *taken) {
  int64_t k = *taken, j = event - k;
  int64_t take = (k < f->breakpoints) & (f->time[k] <= f->at[j]);
  f->result[take ? f->n : j] = f->value[k];
  *taken = k + take;
}

/* Several walks go through equal shares of the events in turns: while the next step of one
 * waits for its comparison, the others go on. */
static void merge(const struct piece *piece) {
  struct piece f = *piece; /* so that writing results cannot change it */
  int64_t taken[WALKERS], begin[WALKERS], events = f.breakpoints + f.n;
  int64_t share = events / WALKERS;
  for (int w = 0; w < WALKERS; w++) {
    begin[w] = w * share;
    taken[w] = pcf_merge_path(f.time, f.breakpoints, f.at, f.n, begin[w]);
  }
  for (int64_t done = 0; done < share; done++) {
    UNROLL
    for (int w = 0; w < WALKERS; w++) step(&f, begin[w] + done, &taken[w]);
  }
  for (int64_t event = WALKERS * share; event < events; event++) {
    step(&f, event, &taken[WALKERS - 1]);
  }
}

/* ---- Lines and limits from the left ----
 *
 * In place of values a row first gets how many breakpoints are not after each time, as if these
 * numbers were the values of a step function. */

static enum pcf_status number_breakpoints(struct evaluation *evaluation,
                                          struct pcf_error *error) {
  const struct pcf_collection *x = evaluation->x;
  int64_t most = 0;
  if (!x->linear && !evaluation->at->left) return PCF_OK;
  for (int64_t i = 0; i < x->count; i++) {
    if (pcf_breakpoints(x, i) > most) most = pcf_breakpoints(x, i);
  }
  double *number = evaluation->numbers = pcf_allocate((size_t)most, sizeof *number, error);
  if (!number) return PCF_ERROR_MEMORY;
  for (int64_t k = 0; k < most; k++) number[k] = (double)(k + 1);
  return PCF_OK;
}

static void look_up_row(const struct pcf_collection *x, int64_t i, int left, const double *at,
                        int64_t n, double *row) {
  struct pcf_section f = pcf_section_of(x, i);
  for (int64_t j = 0; j < n; j++) row[j] = pcf_value_at(&f, (int64_t)row[j], left, at[j]);
}
