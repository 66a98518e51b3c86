/* Entry points for ragged arrays. Where a number is not a count, or an interval does not fit,
 * they return list(fault = c(place, other place), what), of which R makes an error. */
#include "glue/glue.h"

#include "arrays/intervals.h"
#include "base/memory.h"
#include "summaries/segments.h"

#include <math.h>

/* ---- Reading arguments ---- */

static SEXP fault_answer(const char *what, double place, double other) {
  SEXP places = Rf_allocVector(REALSXP, 2);
  REAL(places)[0] = place;
  REAL(places)[1] = other;
  return GLUE_LIST(GLUE_VALUE("fault", places), GLUE_TEXT("what", what));
}

/* Element k of a vector of integers or doubles as a whole number, or -1 if it is not one. */
static int64_t whole_number(SEXP x, R_xlen_t k) {
  if (TYPEOF(x) == INTSXP) return INTEGER_RO(x)[k] < 0 ? -1 : INTEGER_RO(x)[k];
  double number = REAL_RO(x)[k];
  return number >= 0 && number <= 0x1p52 && number == floor(number) ? (int64_t)number : -1;
}

/* Whole numbers minus `base`, which is also the smallest valid number. Returns the position,
 * from 1, of the first invalid element, or 0. */
static R_xlen_t read_whole(SEXP x, int64_t base, int64_t *to) {
  R_xlen_t n = XLENGTH(x);
  for (R_xlen_t k = 0; k < n; k++) {
    to[k] = whole_number(x, k) - base;
    if (to[k] < 0) return k + 1;
    glue_poll(k);
  }
  return 0;
}

/* The cumulative sums of counts, from 0. Returns the same as read_whole(). */
static R_xlen_t read_counts(SEXP counts, int64_t *offsets) {
  R_xlen_t n = XLENGTH(counts), wrong = read_whole(counts, 0, offsets + 1);
  offsets[0] = 0;
  for (R_xlen_t k = 1; k <= n && !wrong; k++) {
    offsets[k] += offsets[k - 1];
    if (offsets[k] > (int64_t)0x10000000000000) wrong = k;
    glue_poll(k);
  }
  return wrong;
}

static struct pcf_numbers read_numbers(SEXP values) {
  switch (TYPEOF(values)) {
  case REALSXP: return (struct pcf_numbers){REAL_RO(values), NULL};
  case LGLSXP: return (struct pcf_numbers){NULL, LOGICAL_RO(values)};
  case INTSXP: return (struct pcf_numbers){NULL, INTEGER_RO(values)};
  default: Rf_error("internal error: `values` must be numbers");
  }
}

static enum pcf_reduce read_reduce(SEXP op) {
  static const char *const names[] = {[PCF_SUM] = "sum", [PCF_MIN] = "min", [PCF_MAX] = "max"};
  return (enum pcf_reduce)glue_choice(op, "op", names, 3);
}

/* ---- Reductions ---- */

struct reduce_call {
  enum pcf_reduce reduce;
  struct pcf_numbers values;
  int64_t *offsets, count;
  int threads;
  double *result;
};

GLUE_WORK(reduce, reduce_call,
          pcf_segment_reduce(it->reduce, it->values, it->offsets, it->count, it->threads, stop,
                             it->result, error))

/* `offsets`: running totals from 0 to the number of values. The result is a double vector. */
SEXP ffi_segment_reduce(SEXP values, SEXP offsets, SEXP op, SEXP threads) {
  struct reduce_call call = {.reduce = read_reduce(op), .values = read_numbers(values)};
  call.threads = glue_threads(threads);
  glue_check_numbers(offsets, "offsets", -1);
  if (XLENGTH(offsets) == 0) Rf_error("internal error: `offsets` must not be empty");
  R_xlen_t count = XLENGTH(offsets) - 1;
  call.count = count;
  call.offsets = glue_counts(count);
  R_xlen_t wrong = read_whole(offsets, 0, call.offsets);
  if (wrong) return fault_answer("number", (double)wrong, 0);
  if (call.offsets[0] != 0) return fault_answer("first", 1, 0);
  for (R_xlen_t k = 1; k <= count; k++) {
    if (call.offsets[k] < call.offsets[k - 1]) return fault_answer("order", (double)k + 1, 0);
    glue_poll(k);
  }
  if (call.offsets[count] != XLENGTH(values)) return fault_answer("last", (double)count + 1, 0);
  SEXP value = Rf_allocVector(REALSXP, count);
  call.result = REAL(value);
  int small = pcf_is_small(call.offsets[count], count);
  return glue_run_and_answer(small, reduce, &call, value);
}

/* ---- Runs of equal keys ---- */

struct runs_call {
  struct pcf_keys keys;
  int threads;
  int64_t *before, *offsets;
};

GLUE_WORK(count_runs, runs_call,
          pcf_count_runs(&it->keys, it->threads, stop, it->before, error))
GLUE_WORK(fill_runs, runs_call,
          pcf_fill_runs(&it->keys, it->before, it->threads, stop, it->offsets, error))

static struct pcf_keys read_keys(SEXP keys) {
  int64_t n = Rf_isVectorAtomic(keys) ? XLENGTH(keys) : 0;
  switch (TYPEOF(keys)) {
  case REALSXP: return (struct pcf_keys){PCF_KEY_REAL, REAL_RO(keys), n};
  case CPLXSXP: return (struct pcf_keys){PCF_KEY_COMPLEX, COMPLEX(keys), n};
  case RAWSXP: return (struct pcf_keys){PCF_KEY_BYTE, RAW(keys), n};
  case LGLSXP: return (struct pcf_keys){PCF_KEY_INTEGER, LOGICAL_RO(keys), n};
  case INTSXP: return (struct pcf_keys){PCF_KEY_INTEGER, INTEGER_RO(keys), n};
  default: Rf_error("internal error: `keys` must be atomic, and not characters");
  }
}

/* list(start, value): where each run begins, from 1, then one past the last; and the reduced
 * values. */
static SEXP reduced_runs(struct reduce_call *call) {
  SEXP start = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)call->count + 1));
  SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)call->count));
  for (int64_t k = 0; k <= call->count; k++) {
    REAL(start)[k] = (double)call->offsets[k] + 1;
    glue_poll(k);
  }
  call->result = REAL(value);
  SEXP list = GLUE_LIST(GLUE_VALUE("start", start), GLUE_VALUE("value", value));
  UNPROTECT(2);
  return list;
}

/* `keys`: any atomic vector but characters, as long as `values`. */
SEXP ffi_reduce_by_key(SEXP keys, SEXP values, SEXP op, SEXP threads) {
  struct runs_call runs = {.keys = read_keys(keys), .threads = glue_threads(threads)};
  struct reduce_call call = {.reduce = read_reduce(op), .values = read_numbers(values)};
  if (XLENGTH(values) != XLENGTH(keys)) Rf_error("internal error: one value for each key");
  int64_t chunks = pcf_run_chunks(&runs.keys);
  int small = pcf_is_small(runs.keys.count, 0);
  struct pcf_error error = {0};
  runs.before = glue_counts(chunks);
  enum pcf_status status = glue_run(small, count_runs, &runs, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  int64_t count = runs.before[chunks];
  runs.offsets = glue_counts(count);
  status = glue_run(small, fill_runs, &runs, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  call.offsets = runs.offsets;
  call.count = count;
  call.threads = runs.threads;
  return glue_run_and_answer(small, reduce, &call, reduced_runs(&call));
}

/* ---- Intervals ---- */

struct move_call {
  const void *from;
  void *to;
  size_t size;
  int64_t *gather, *scatter, *offsets, count;
  int threads;
};

GLUE_WORK(expand, move_call,
          pcf_interval_expand(it->from, it->size, it->offsets, it->count, it->threads, stop,
                              it->to, error))
GLUE_WORK(move, move_call,
          pcf_interval_move(it->from, it->gather, it->to, it->scatter, it->size, it->offsets,
                            it->count, it->threads, stop, error))

/* The elements of a vector, and the bytes of one; 0 for types that hold pointers. */
static void *elements_of(SEXP x, size_t *size) {
  switch (TYPEOF(x)) {
  case LGLSXP: return *size = sizeof(int), (void *)LOGICAL(x);
  case INTSXP: return *size = sizeof(int), (void *)INTEGER(x);
  case REALSXP: return *size = sizeof(double), (void *)REAL(x);
  case CPLXSXP: return *size = sizeof(Rcomplex), (void *)COMPLEX(x);
  case RAWSXP: return *size = sizeof(Rbyte), (void *)RAW(x);
  default: Rf_error("internal error: no vector of numbers");
  }
}

/* A vector of the type of `values`, each of them repeated. */
SEXP ffi_interval_expand(SEXP values, SEXP counts, SEXP threads) {
  struct move_call call = {.threads = glue_threads(threads)};
  call.from = elements_of(values, &call.size);
  call.count = XLENGTH(values);
  glue_check_numbers(counts, "counts", XLENGTH(values));
  call.offsets = glue_counts(call.count);
  R_xlen_t wrong = read_counts(counts, call.offsets);
  if (wrong) return fault_answer("counts", (double)wrong, 0);
  int64_t total = call.offsets[call.count];
  SEXP value = Rf_allocVector(TYPEOF(values), (R_xlen_t)total);
  call.to = elements_of(value, &call.size);
  pcf_ask_for_huge_pages(call.to, (size_t)total * call.size);
  int small = pcf_is_small(total, call.count);
  return glue_run_and_answer(small, expand, &call, value);
}

/* Starts of intervals, from 1, which must lie within `length` elements (-1: no limit); NULL
 * where they follow one another. Returns the place of the first that does not, or 0. */
static R_xlen_t read_starts(SEXP starts, const struct move_call *call, int64_t length,
                            int64_t **to) {
  *to = NULL;
  if (starts == R_NilValue) return 0;
  *to = glue_counts(call->count);
  glue_check_numbers(starts, "starts", (R_xlen_t)call->count);
  R_xlen_t wrong = read_whole(starts, 1, *to);
  for (int64_t s = 0; s < call->count && !wrong && length >= 0; s++) {
    int64_t n = call->offsets[s + 1] - call->offsets[s];
    if (n > 0 && (*to)[s] > length - n) wrong = (R_xlen_t)s + 1;
    glue_poll(s);
  }
  return wrong;
}

/* Checks that intervals, sorted by where they are written, do not overlap. Returns a fault or
 * NULL.
 */
static SEXP find_overlap(const struct move_call *call, const int64_t *order) {
  int64_t before = -1, end = 0;
  for (int64_t k = 0; k < call->count && call->scatter; k++) {
    int64_t s = order ? order[k] : k;
    int64_t n = call->offsets[s + 1] - call->offsets[s];
    glue_poll(k);
    if (n == 0) continue;
    if (call->scatter[s] < end) {
      double one = (double)s + 1, other = (double)before + 1;
      return fault_answer("overlap", one > other ? one : other, one > other ? other : one);
    }
    end = call->scatter[s] + n;
    before = s;
  }
  return NULL;
}

/* The length of the result that contains all intervals. */
static int64_t length_needed(const struct move_call *call) {
  int64_t length = call->scatter ? 0 : call->offsets[call->count];
  for (int64_t s = 0; s < call->count && call->scatter; s++) {
    int64_t n = call->offsets[s + 1] - call->offsets[s];
    if (n > 0 && call->scatter[s] + n > length) length = call->scatter[s] + n;
    glue_poll(s);
  }
  return length;
}

/* Fills a vector with NA, or with 0 if it is raw. */
static enum pcf_status fill_missing(SEXP value, int threads, struct pcf_error *error) {
  union {
    int integer;
    double real[2];
    Rbyte byte;
  } missing = {.real = {NA_REAL, NA_REAL}};
  int64_t offsets[2] = {0, XLENGTH(value)};
  struct move_call call = {.from = &missing, .offsets = offsets, .count = 1};
  call.threads = threads;
  call.to = elements_of(value, &call.size);
  if (call.size == sizeof(int)) missing.integer = NA_INTEGER;
  if (call.size == sizeof(Rbyte)) missing.byte = 0;
  return glue_run(pcf_is_small(offsets[1], 1), expand, &call, error);
}

/* A vector with its attributes. */
static enum pcf_status copy(SEXP from, SEXP to, int threads, struct pcf_error *error) {
  int64_t offsets[2] = {0, XLENGTH(from)};
  struct move_call call = {.offsets = offsets, .count = 1, .threads = threads};
  call.from = elements_of(from, &call.size);
  call.to = elements_of(to, &call.size);
  SHALLOW_DUPLICATE_ATTRIB(to, from);
  return glue_run(pcf_is_small(offsets[1], 1), move, &call, error);
}

/* `intervals`: list(counts, from, to, order), where `from` and `to` are starts from 1 or NULL,
 * and `order` is that of `to`, or NULL if it is sorted. `into`: NULL, or a vector of the type
 * of `x`, in a copy of which the intervals are written. */
SEXP ffi_interval_move(SEXP x, SEXP intervals, SEXP into, SEXP threads) {
  struct move_call call = {.threads = glue_threads(threads)};
  glue_check_list(intervals, "intervals");
  if (XLENGTH(intervals) != 4) Rf_error("internal error: `intervals` must have 4 elements");
  SEXP counts = VECTOR_ELT(intervals, 0);
  call.from = elements_of(x, &call.size);
  if (into != R_NilValue && TYPEOF(into) != TYPEOF(x)) {
    Rf_error("internal error: `into` must have the type of `x`");
  }
  glue_check_numbers(counts, "counts", -1);
  call.count = XLENGTH(counts);
  int64_t limit = into == R_NilValue ? -1 : XLENGTH(into);
  call.offsets = glue_counts(call.count);
  R_xlen_t wrong = read_counts(counts, call.offsets);
  if (wrong) return fault_answer("counts", (double)wrong, 0);
  int64_t total = call.offsets[call.count];
  wrong = read_starts(VECTOR_ELT(intervals, 1), &call, XLENGTH(x), &call.gather);
  if (wrong) return fault_answer("from", (double)wrong, 0);
  if (!call.gather && total > XLENGTH(x)) return fault_answer("x", (double)total, 0);
  wrong = read_starts(VECTOR_ELT(intervals, 2), &call, limit, &call.scatter);
  if (wrong) return fault_answer("to", (double)wrong, 0);
  const int64_t *order = glue_order(VECTOR_ELT(intervals, 3), "order", (R_xlen_t)call.count);
  SEXP overlap = find_overlap(&call, order);
  if (overlap) return overlap;
  int64_t length = length_needed(&call);
  if (limit >= 0 && length > limit) return fault_answer("into", (double)length, 0);
  SEXP value = PROTECT(Rf_allocVector(TYPEOF(x), (R_xlen_t)(limit < 0 ? length : limit)));
  struct pcf_error error = {0};
  enum pcf_status status = PCF_OK;
  call.to = elements_of(value, &call.size);
  if (into != R_NilValue) status = copy(into, value, call.threads, &error);
  else if (length > total) status = fill_missing(value, call.threads, &error);
  int small = pcf_is_small(total, call.count);
  if (!status) status = glue_run(small, move, &call, &error);
  SEXP result = glue_answer(value, status, &error);
  UNPROTECT(1);
  return result;
}

/* The cumulative sums of weights, divided by the last of them. */
SEXP ffi_shares(SEXP weights) {
  SEXP shares = PROTECT(Rf_allocVector(REALSXP, XLENGTH(weights)));
  pcf_shares(REAL_RO(weights), XLENGTH(weights), REAL(shares));
  UNPROTECT(1);
  return shares;
}
