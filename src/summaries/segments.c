#include "summaries/segments.h"

#include "arithmetic/double-double.h"
#include "arithmetic/lanes.h"
#include "arrays/partition.h"
#include "base/scalar.h"
#include "base/threads.h"

#include <math.h>

/* ---- Reductions ---- */

/* What is reduced: numbers, or products of the entries of a matrix and the elements of a
 * vector. */
struct terms {
  struct pcf_numbers values;
  const int32_t *column;
  const double *vector;
};

struct reducing {
  enum pcf_reduce reduce;
  struct terms terms;
  const int64_t *offsets;
  double *result;
};

static void reduce_whole(void *reducing, int64_t first, int64_t last);
static void reduce_parts(void *reducing, int64_t segment, int64_t first, int64_t last,
                         void *slot);
static void combine_parts(void *reducing, int64_t segment, const void *slot);

static const struct pcf_reduction reduction = {sizeof(double), reduce_whole, reduce_parts,
                                               combine_parts};

enum pcf_status pcf_segment_reduce(enum pcf_reduce reduce, struct pcf_numbers values,
                                   const int64_t *offsets, int64_t count, int threads,
                                   const atomic_int *stop, double *result,
                                   struct pcf_error *error) {
  struct reducing reducing = {
    .reduce = reduce, .terms = {.values = values}, .offsets = offsets, .result = result};
  return pcf_reduce_segments(offsets, count, threads, stop, &reduction, &reducing, error);
}

enum pcf_status pcf_sparse_times_vectors(const struct pcf_sparse *matrix, const double *vector,
                                         int64_t count, int threads, const atomic_int *stop,
                                         double *result, struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  if (matrix->rows == 0) return status;
  for (int64_t j = 0; j < count && !status; j++) {
    struct terms terms = {{matrix->value, NULL}, matrix->column, vector + j * matrix->columns};
    struct reducing reducing = {.reduce = PCF_SUM,
                                .terms = terms,
                                .offsets = matrix->offsets,
                                .result = result + j * matrix->rows};
    status = pcf_reduce_segments(matrix->offsets, matrix->rows, threads, stop, &reduction,
                                 &reducing, error);
  }
  return status;
}

/* ---- One part ---- */

static double sum_reals(const double *value, int64_t n) {
  double sum = 0;
  int64_t k = 0;
  if (n >= EIGHT) {
    V lanes[VECTORS];
    UNROLL
    for (int l = 0; l < VECTORS; l++) lanes[l] = v_set1(0);
    for (; k + EIGHT <= n; k += EIGHT) {
      UNROLL
      for (int l = 0; l < VECTORS; l++) {
        lanes[l] = v_add(lanes[l], v_load(value + k + l * LANES));
      }
    }
    sum = sum_of_lanes(lanes);
  }
  for (; k < n; k++) sum += value[k];
  return isnan(sum) ? pcf_which_missing(value, n) : sum;
}

static double extreme_with_care(int most, const double *value, int64_t n) {
  double extreme = most ? -INFINITY : INFINITY;
  for (int64_t k = 0; k < n; k++) {
    if (isnan(value[k])) return pcf_which_missing(value, n);
    extreme = (most ? value[k] > extreme : value[k] < extreme) ? value[k] : extreme;
  }
  return extreme;
}

/* The extremum. Comparisons ignore NaN, so all values times 0 are added up, too: where that sum
 * is NaN, a value is NaN or infinite, and extreme_with_care() looks which. */
INLINE double extreme_real(int most, const double *value, int64_t n) {
  double extreme = most ? -INFINITY : INFINITY, trace = 0;
  int64_t k = 0;
  if (n >= EIGHT) {
    V lanes[VECTORS], traces[VECTORS], zero = v_set1(0);
    UNROLL
    for (int l = 0; l < VECTORS; l++) {
      lanes[l] = v_set1(extreme);
      traces[l] = zero;
    }
    for (; k + EIGHT <= n; k += EIGHT) {
      UNROLL
      for (int l = 0; l < VECTORS; l++) {
        V x = v_load(value + k + l * LANES);
        lanes[l] = most ? v_max(lanes[l], x) : v_min(lanes[l], x);
        traces[l] = v_add(traces[l], v_mul(x, zero));
      }
    }
    extreme = most ? most_of_lanes(lanes) : least_of_lanes(lanes);
    trace = sum_of_lanes(traces);
  }
  for (; k < n; k++) {
    extreme = (most ? value[k] > extreme : value[k] < extreme) ? value[k] : extreme;
    trace += value[k] * 0;
  }
  return isnan(trace) ? extreme_with_care(most, value, n) : extreme;
}

/* A part has at most PCF_PART integers: their sum fits 64 bits, and a double exactly. */
static double sum_integers(const int32_t *value, int64_t n) {
  int64_t sum = 0;
  int missing = 0;
  for (int64_t k = 0; k < n; k++) {
    sum += value[k];
    missing |= value[k] == INT32_MIN;
  }
  return missing ? pcf_missing_number() : (double)sum;
}

static double extreme_integer(int most, const int32_t *value, int64_t n) {
  if (n == 0) return most ? -INFINITY : INFINITY;
  int32_t largest = INT32_MIN, smallest = INT32_MAX;
  for (int64_t k = 0; k < n; k++) {
    largest = value[k] > largest ? value[k] : largest;
    smallest = value[k] < smallest ? value[k] : smallest;
  }
  if (smallest == INT32_MIN) return pcf_missing_number();
  return most ? largest : smallest;
}

static double which_product_missing(const double *value, const int32_t *column,
                                    const double *vector, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    int missing = (value && pcf_is_missing(value[k])) || pcf_is_missing(vector[column[k]]);
    if (missing) return pcf_missing_number();
  }
  return NAN;
}

/* In the order of sum_reals(). */
INLINE double sum_products(const double *value, const int32_t *column, const double *vector,
                           int64_t n) {
  double lanes[EIGHT] = {0};
  int64_t k = 0;
  for (; k + EIGHT <= n; k += EIGHT) {
    UNROLL
    for (int l = 0; l < EIGHT; l++) {
      double x = vector[column[k + l]];
      lanes[l] += value ? value[k + l] * x : x;
    }
  }
  double sum = sum_of_eight(lanes);
  for (; k < n; k++) sum += value ? value[k] * vector[column[k]] : vector[column[k]];
  return isnan(sum) ? which_product_missing(value, column, vector, n) : sum;
}

INLINE double reduce_part(enum pcf_reduce reduce, const struct terms *terms, int64_t begin,
                          int64_t n) {
  if (terms->column) {
    const int32_t *column = terms->column + begin;
    const double *value = terms->values.real;
    return value ? sum_products(value + begin, column, terms->vector, n)
                 : sum_products(NULL, column, terms->vector, n);
  }
  if (terms->values.integer) {
    const int32_t *value = terms->values.integer + begin;
    return reduce == PCF_SUM ? sum_integers(value, n)
                             : extreme_integer(reduce == PCF_MAX, value, n);
  }
  const double *value = terms->values.real + begin;
  if (reduce == PCF_SUM) return sum_reals(value, n);
  return reduce == PCF_MAX ? extreme_real(1, value, n) : extreme_real(0, value, n);
}

/* ---- Segments and their parts ---- */

static double part_of(const struct reducing *reducing, int64_t segment, int64_t part) {
  int64_t begin = reducing->offsets[segment] + part * PCF_PART;
  int64_t n = reducing->offsets[segment + 1] - begin;
  return reduce_part(reducing->reduce, &reducing->terms, begin, pcf_smaller(n, PCF_PART));
}

static void reduce_whole(void *reducing_, int64_t first, int64_t last) {
  enum { MOST_PARTS = PCF_CHUNK / PCF_PART + 2 };
  struct reducing *reducing = reducing_;
  double part[MOST_PARTS];
  for (int64_t s = first; s < last; s++) {
    int64_t count = pcf_parts_of(reducing->offsets[s + 1] - reducing->offsets[s]);
    for (int64_t k = 0; k < count; k++) part[k] = part_of(reducing, s, k);
    reducing->result[s] = pcf_combine_parts(reducing->reduce, part, count);
  }
}

static void reduce_parts(void *reducing, int64_t segment, int64_t first, int64_t last,
                         void *slot_) {
  double *slot = slot_;
  for (int64_t k = first; k < last; k++) slot[k] = part_of(reducing, segment, k);
}

static void combine_parts(void *reducing_, int64_t segment, const void *slot) {
  struct reducing *reducing = reducing_;
  int64_t count = pcf_parts_of(reducing->offsets[segment + 1] - reducing->offsets[segment]);
  reducing->result[segment] = pcf_combine_parts(reducing->reduce, slot, count);
}

/* ---- Runs of equal keys ---- */

struct runs {
  const struct pcf_keys *keys;
  int64_t *before, *offsets; /* offsets: NULL while they are counted */
};

/* Counts the runs that begin among the keys, or stores where. */
INLINE int64_t runs_among(enum pcf_key type, const void *keys, int64_t begin, int64_t end,
                          int64_t *offsets) {
  int64_t count = 0;
  for (int64_t k = begin; k < end; k++) {
    if (!pcf_run_begins(type, keys, k)) continue;
    if (offsets) offsets[count] = k;
    count++;
  }
  return count;
}

static void visit_chunk(void *runs_, int64_t begin, int64_t end) {
  struct runs *runs = runs_;
  const void *keys = runs->keys->key;
  int64_t index = begin / PCF_CHUNK, count = 0;
  int64_t *offsets = runs->offsets ? runs->offsets + runs->before[index] : NULL;
  switch (runs->keys->type) {
  case PCF_KEY_INTEGER: count = runs_among(PCF_KEY_INTEGER, keys, begin, end, offsets); break;
  case PCF_KEY_REAL: count = runs_among(PCF_KEY_REAL, keys, begin, end, offsets); break;
  case PCF_KEY_COMPLEX: count = runs_among(PCF_KEY_COMPLEX, keys, begin, end, offsets); break;
  case PCF_KEY_BYTE: count = runs_among(PCF_KEY_BYTE, keys, begin, end, offsets); break;
  }
  if (!offsets) runs->before[index + 1] = count;
}

int64_t pcf_run_chunks(const struct pcf_keys *keys) {
  return (keys->count + PCF_CHUNK - 1) / PCF_CHUNK;
}

enum pcf_status pcf_count_runs(const struct pcf_keys *keys, int threads, const atomic_int *stop,
                               int64_t *before, struct pcf_error *error) {
  struct runs runs = {keys, before, NULL};
  int64_t chunks = pcf_run_chunks(keys);
  if (pcf_is_small(keys->count, 0)) threads = 1;
  enum pcf_status status =
    pcf_for_ranges(threads, keys->count, PCF_CHUNK, stop, visit_chunk, &runs, error);
  before[0] = 0;
  for (int64_t c = 0; c < chunks && !status; c++) before[c + 1] += before[c];
  return status;
}

enum pcf_status pcf_fill_runs(const struct pcf_keys *keys, const int64_t *before, int threads,
                              const atomic_int *stop, int64_t *offsets,
                              struct pcf_error *error) {
  struct runs runs = {keys, (int64_t *)before, offsets};
  int64_t chunks = pcf_run_chunks(keys);
  if (pcf_is_small(keys->count, 0)) threads = 1;
  offsets[before[chunks]] = keys->count;
  return pcf_for_ranges(threads, keys->count, PCF_CHUNK, stop, visit_chunk, &runs, error);
}

/* ---- Shares ---- */

static struct pcf_double_double add_weight(struct pcf_double_double sum, double weight,
                                           int exponent) {
  return pcf_double_double_sum(sum, (struct pcf_double_double){ldexp(weight, -exponent), 0});
}

/* A first quotient, corrected by its remainder. */
static double quotient(struct pcf_double_double part, struct pcf_double_double all) {
  double first = part.high / all.high;
  struct pcf_double_double product = pcf_exact_product(first, all.high);
  double remainder = (part.high - product.high) - product.low + part.low - first * all.low;
  return first + remainder / all.high;
}

/* The sums are scaled to about 1, and have 104 bits. */
void pcf_shares(const double *weight, int64_t count, double *share) {
  double sum = 0;
  int exponent;
  for (int64_t k = 0; k < count; k++) sum += weight[k];
  frexp(sum, &exponent);
  struct pcf_double_double all = {0, 0}, part = {0, 0};
  for (int64_t k = 0; k < count; k++) all = add_weight(all, weight[k], exponent);
  for (int64_t k = 0; k < count; k++) {
    part = add_weight(part, weight[k], exponent);
    share[k] = quotient(part, all);
  }
}
