/* ffi_content_order(); ffi_sort_events() and ffi_sweep_centers(): clusters about means;
 * ffi_store_floats() and ffi_swap_medoids(): clusters about medoids. */
#include "glue/glue.h"

#include "base/hash.h"
#include "clusters/centers.h"
#include "clusters/swaps.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Order ---- */

struct hashed {
  uint64_t hash;
  int64_t function;
};

static int by_hash(const void *a_, const void *b_) {
  const struct hashed *a = a_, *b = b_;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->function > b->function) - (a->function < b->function);
}

/* An order of the functions, from 1, that depends only on what they are, but for those that are
 * equal. It is like a random one. */
SEXP ffi_content_order(SEXP x) {
  struct pcf_collection collection;
  GLUE_TRY(glue_view(x, "x", GLUE_EITHER, &collection));
  struct hashed *hashed =
    (struct hashed *)R_alloc((size_t)collection.count + 1, sizeof *hashed);
  SEXP order = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)collection.count));
  for (int64_t i = 0; i < collection.count; i++) {
    size_t numbers =
      (size_t)pcf_matrix_columns(collection.linear) * (size_t)pcf_breakpoints(&collection, i);
    hashed[i] = (struct hashed){pcf_hash_numbers(collection.functions[i], numbers), i};
    glue_poll(i);
  }
  qsort(hashed, (size_t)collection.count, sizeof *hashed, by_hash);
  for (int64_t i = 0; i < collection.count; i++) {
    INTEGER(order)[i] = (int)hashed[i].function + 1;
  }
  SEXP answer = GLUE_LIST(GLUE_VALUE("value", order));
  UNPROTECT(1);
  return answer;
}

/* ---- Events ---- */

struct sorting {
  struct pcf_collection x, weight;
  struct pcf_range range;
  const double *window;
  int weighted, threads;
  struct pcf_sorted_events events;
  struct pcf_event_sorting sorting;
};

GLUE_WORK(begin_sorting, sorting,
          pcf_event_sorting_begin(&it->sorting, &it->x, it->weighted ? &it->weight : NULL,
                                  it->window[0], it->window[1], &it->range, it->threads,
                                  &it->events, stop, error))
GLUE_WORK(fill_events, sorting, pcf_event_sorting_fill(&it->sorting, stop, error))

/* The elements of the list in R, in the order of the names below. */
enum { FUNCTION, TIME, VALUE, LEFT, SLOPE, BEGIN, BEGIN_SLOPE, NORM, INTEGRAL, OBSERVED };
enum { FIRST = OBSERVED + 1, BOUND, HEIGHT, LINEAR, PARTIAL, EXPONENT, ELEMENTS };

static SEXP numbers_of(const double *from, int64_t count) {
  SEXP numbers = Rf_allocVector(REALSXP, (R_xlen_t)count);
  if (count > 0) memcpy(REAL(numbers), from, (size_t)count * sizeof(double));
  return numbers;
}

/* A list with room for all arrays, which the events then have. */
static SEXP room_for(struct pcf_sorted_events *events) {
  static const char *const names[ELEMENTS] = {
    "function", "time",   "value", "left",  "slope",  "begin",  "begin_slope", "norm",
    "integral", "length", "first", "bound", "height", "linear", "missing",     "exponent"};
  int64_t n = events->functions, all = events->events, starts = n * events->slabs;
  int64_t lines = events->linear ? all : 0, slopes = events->linear ? starts : 0;
  int64_t length[ELEMENTS] = {all, all, all, lines, lines, starts, slopes, n, n, n};
  double **array[ELEMENTS] = {
    NULL,           &events->time,        &events->value, &events->left,     &events->slope,
    &events->begin, &events->begin_slope, &events->norm,  &events->integral, &events->length};
  SEXP list = PROTECT(Rf_allocVector(VECSXP, ELEMENTS));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, ELEMENTS));
  for (int k = 0; k < ELEMENTS; k++) SET_STRING_ELT(labels, k, Rf_mkChar(names[k]));
  Rf_setAttrib(list, R_NamesSymbol, labels);
  SET_VECTOR_ELT(list, FUNCTION, Rf_allocVector(INTSXP, (R_xlen_t)all));
  events->function = INTEGER(VECTOR_ELT(list, FUNCTION));
  for (int k = TIME; k <= OBSERVED; k++) {
    SET_VECTOR_ELT(list, k, Rf_allocVector(REALSXP, (R_xlen_t)length[k]));
    *array[k] = REAL(VECTOR_ELT(list, k));
  }
  SET_VECTOR_ELT(list, FIRST, numbers_of(events->first, events->slabs + 1));
  SET_VECTOR_ELT(list, BOUND, numbers_of(events->bound, events->slabs ? events->slabs + 1 : 0));
  SET_VECTOR_ELT(list, HEIGHT, numbers_of(events->height, events->slabs));
  SET_VECTOR_ELT(list, LINEAR, Rf_ScalarLogical(events->linear));
  SET_VECTOR_ELT(list, PARTIAL, Rf_ScalarLogical(events->missing));
  SET_VECTOR_ELT(list, EXPONENT, Rf_ScalarInteger(events->exponent));
  UNPROTECT(2);
  return list;
}

static SEXP sort_events(void *sorting_) {
  struct sorting *sorting = sorting_;
  struct pcf_error error = {0};
  int small = glue_is_short(&sorting->x, 0);
  enum pcf_status status = glue_run(small, begin_sorting, sorting, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP list = PROTECT(room_for(&sorting->events));
  SEXP answer = glue_run_and_answer(small, fill_events, sorting, list);
  UNPROTECT(1);
  return answer;
}

static void free_sorting(void *sorting) {
  pcf_event_sorting_free(&((struct sorting *)sorting)->sorting);
}

/* The events of functions in a window, with a weight or NULL: see struct pcf_sorted_events,
 * whose members the elements of the list are. */
SEXP ffi_sort_events(SEXP x, SEXP window, SEXP weight, SEXP threads) {
  struct sorting sorting = {.range = PCF_EMPTY_RANGE,
                            .window = glue_window(window),
                            .weighted = weight != R_NilValue,
                            .threads = glue_threads(threads)};
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, sorting.threads, &sorting.x, &sorting.range));
  if (sorting.weighted) GLUE_TRY(glue_check_weight(weight, &sorting.weight));
  return R_ExecWithCleanup(sort_events, &sorting, free_sorting, &sorting);
}

/* ---- Centers ---- */

/* An array of the list, which is only read. */
static double *array_of(SEXP list, const char *name, int64_t length) {
  return (double *)glue_doubles(glue_element(list, name), name, (R_xlen_t)length);
}

static struct pcf_sorted_events read_events(SEXP list) {
  SEXP function = glue_element(list, "function");
  struct pcf_sorted_events events = {.functions = XLENGTH(glue_element(list, "norm")),
                                     .slabs = XLENGTH(glue_element(list, "height")),
                                     .events = XLENGTH(function),
                                     .linear = glue_flag_of(list, "linear"),
                                     .missing = glue_flag_of(list, "missing"),
                                     .exponent = (int)glue_number_of(list, "exponent")};
  int64_t starts = events.functions * events.slabs, all = events.events;
  events.function = (int *)glue_places(function, "function", all, events.functions);
  events.time = array_of(list, "time", all);
  events.value = array_of(list, "value", all);
  events.left = array_of(list, "left", events.linear ? all : 0);
  events.slope = array_of(list, "slope", events.linear ? all : 0);
  events.begin = array_of(list, "begin", starts);
  events.begin_slope = array_of(list, "begin_slope", events.linear ? starts : 0);
  events.norm = array_of(list, "norm", events.functions);
  events.first = array_of(list, "first", events.slabs + 1);
  events.bound = array_of(list, "bound", events.slabs ? events.slabs + 1 : 0);
  events.height = array_of(list, "height", events.slabs);
  for (int64_t s = 0; s <= events.slabs; s++) {
    double least = s ? events.first[s - 1] : 0, most = s ? (double)all : 0;
    if (!(events.first[s] >= least && events.first[s] <= most)) {
      Rf_error("internal error: `first` must begin the slabs");
    }
  }
  return events;
}

GLUE_WORK(sweep_centers, pcf_center_sweep, pcf_sweep_centers(it, stop, error))

/* `cluster`: that of each function, from 0; `weights`: positive numbers, or NULL; `stays`:
 * 1 or 0, or NULL. Returns list(nearest, own, best, second), see struct pcf_center_sweep. */
SEXP ffi_sweep_centers(SEXP events_, SEXP cluster, SEXP clusters, SEXP weights, SEXP stays,
                       SEXP threads) {
  struct pcf_sorted_events events = read_events(events_);
  R_xlen_t n = (R_xlen_t)events.functions;
  struct pcf_center_sweep sweep = {.events = &events,
                                   .clusters = glue_count(clusters, "clusters", 1, n),
                                   .threads = glue_threads(threads)};
  sweep.cluster = glue_places(cluster, "cluster", n, sweep.clusters);
  if (weights != R_NilValue) sweep.weight = glue_finite(weights, "weights", n);
  if (stays != R_NilValue) sweep.stays = glue_integers(stays, "stays", n);
  SEXP nearest = PROTECT(Rf_allocVector(INTSXP, n)), own = PROTECT(glue_rows(n, 1));
  SEXP best = PROTECT(glue_rows(n, 1)), second = PROTECT(glue_rows(n, 1));
  sweep.nearest = INTEGER(nearest);
  sweep.own = REAL(own);
  sweep.best = REAL(best);
  sweep.second = REAL(second);
  SEXP list = PROTECT(GLUE_LIST(GLUE_VALUE("nearest", nearest), GLUE_VALUE("own", own),
                                GLUE_VALUE("best", best), GLUE_VALUE("second", second)));
  int small = events.events + events.functions < GLUE_FEW_BREAKPOINTS;
  SEXP answer = glue_run_and_answer(small, sweep_centers, &sweep, list);
  UNPROTECT(5);
  return answer;
}

/* ---- Medoids ---- */

/* Writes a matrix of distances, a column for each candidate, as floats into the vector of
 * integers `into`, which nothing else refers to, from a place on. Returns the first row with
 * the least distance of each column, from 1. */
SEXP ffi_store_floats(SEXP distances, SEXP rows_, SEXP into, SEXP place) {
  R_xlen_t count = XLENGTH(distances);
  const double *from = glue_doubles(distances, "distances", count);
  int64_t at = glue_count(place, "place", 0, XLENGTH(into) - count);
  int64_t rows = glue_count(rows_, "rows", 1, INT_MAX);
  if (TYPEOF(into) != INTSXP) Rf_error("internal error: `into` must be integers");
  float *to = (float *)INTEGER(into) + at;
  SEXP least = PROTECT(Rf_allocVector(INTSXP, count / (R_xlen_t)rows));
  for (R_xlen_t c = 0; c < XLENGTH(least); c++, from += rows, to += rows) {
    int64_t first = 0;
    for (int64_t j = 0; j < rows; j++) {
      to[j] = (float)from[j];
      if (from[j] < from[first]) first = j;
    }
    INTEGER(least)[c] = (int)first + 1;
  }
  UNPROTECT(1);
  return least;
}

GLUE_WORK(swap_medoids, pcf_swaps, pcf_swap_medoids(it, stop, error))

/* `distances`: the numbers of a dist, or floats as of ffi_store_floats(); `size`: c(rows,
 * columns). `medoids`: distinct candidates, from 0. `limits`: c(largest, least, most), see
 * struct pcf_swaps. Returns list(medoids, loss, settled, gain). */
SEXP ffi_swap_medoids(SEXP distances, SEXP size, SEXP medoids, SEXP weights, SEXP limits,
                      SEXP threads) {
  const double *sides = glue_finite(size, "size", 2), *limit = glue_finite(limits, "limits", 3);
  int is_dist = TYPEOF(distances) == REALSXP;
  double needed = is_dist ? sides[1] * (sides[1] - 1) / 2 : sides[0] * sides[1];
  int fits = sides[0] >= 1 && sides[1] >= 1 && fmax(sides[0], sides[1]) <= INT_MAX &&
             needed <= (double)XLENGTH(distances) && (!is_dist || sides[0] == sides[1]);
  if (!fits || XLENGTH(medoids) < 1 || !(limit[2] >= 1 && limit[2] <= INT_MAX)) {
    Rf_error(
      "internal error: `distances` must have that size, and `medoids` and passes be some");
  }
  int64_t rows = (int64_t)sides[0], n = (int64_t)sides[1];
  struct pcf_swaps swaps = {.from = {.rows = rows, .columns = n},
                            .largest = limit[0],
                            .least = limit[1],
                            .most = (int64_t)limit[2],
                            .clusters = XLENGTH(medoids),
                            .threads = glue_threads(threads)};
  if (is_dist) swaps.from.dist = glue_doubles(distances, "distances", -1);
  else swaps.from.number = (const float *)glue_integers(distances, "distances", -1);
  if (weights != R_NilValue) swaps.weight = glue_finite(weights, "weights", swaps.from.rows);
  glue_places(medoids, "medoids", XLENGTH(medoids), n);
  SEXP chosen = PROTECT(Rf_duplicate(medoids));
  swaps.medoid = INTEGER(chosen);
  SEXP gain = PROTECT(glue_rows((R_xlen_t)n, 1));
  swaps.gain = REAL(gain);
  struct pcf_error error = {0};
  enum pcf_status status = glue_run((double)n * (double)swaps.from.rows < GLUE_FEW_BREAKPOINTS,
                                    swap_medoids, &swaps, &error);
  SEXP list = PROTECT(GLUE_LIST(GLUE_VALUE("medoids", chosen), GLUE_NUMBER("loss", swaps.loss),
                                GLUE_FLAG("settled", swaps.settled), GLUE_VALUE("gain", gain)));
  SEXP answer = glue_answer(list, status, &error);
  UNPROTECT(3);
  return answer;
}
