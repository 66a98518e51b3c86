/* ffi_measure() and ffi_evaluate(): one number, or a row of numbers, for every function.
 * ffi_permuted_sums() and ffi_permuted_means(): statistics of groups, for many permutations.
 * ffi_unobserved_end() and ffi_observed_difference(): functions that are not observed as a
 * window requires. */
#include "glue/glue.h"

#include "collections/observed.h"
#include "summaries/permutations.h"

#include <math.h>

/* The answer of a run that may have found an invalid function. */
static SEXP answer_or_fault(SEXP value, enum pcf_status status, const struct pcf_fault *fault,
                            const struct pcf_error *error) {
  if (status != PCF_ERROR_ARGUMENT || !fault->problem) return glue_answer(value, status, error);
  return glue_fault("x", fault);
}

/* ---- Norms and integrals ---- */

static struct pcf_measuring read_measuring(SEXP measure_, SEXP p_, SEXP window_) {
  static const char *const names[] = {"l1", "l2", "lp", "linf", "integral"};
  int which = glue_choice(measure_, "measure", names, 5);
  double p = glue_number(p_, "p");
  const double *window = glue_window(window_);
  if (!(p >= 1)) Rf_error("internal error: `p` must be at least 1");
  return (struct pcf_measuring){(enum pcf_measure)which, p, window[0], window[1]};
}

/* `window`: c(from, to); of piecewise linear functions `measure` is not "lp". `settings`: NULL,
 * or those of a run on a GPU. `shape`: a list of attributes for the value, a double vector.
 * Missing values are ignored; `missing` tells whether there are any. Returns list(value,
 * missing), or an error for answer_value(). */
SEXP ffi_measure(SEXP x_, SEXP measure_, SEXP p, SEXP window, SEXP threads, SEXP shape,
                 SEXP settings) {
  struct pcf_collection x;
  struct pcf_norms_call call = {.x = &x, .measuring = read_measuring(measure_, p, window)};
  int powers = call.measuring.measure == PCF_NORM_LP;
  struct pcf_single single =
    glue_single(powers ? PCF_POWER_NORMS : PCF_NORMS, &call, threads, settings);
  GLUE_TRY(glue_view(x_, "x", GLUE_EITHER, &x));
  if (x.linear && powers) Rf_error("internal error: powers of lines are not measured here");
  int64_t breakpoints = pcf_total_breakpoints(&x);
  pcf_single_choose(&single, &x, (double)breakpoints);
  SEXP value = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x_)));
  call.result = REAL(value);
  struct pcf_error error = {0};
  int small = glue_is_small(&single, breakpoints, x.count);
  enum pcf_status status = glue_run(small, pcf_single_run, &single, &error);
  glue_set_attributes(value, shape);
  SEXP result = status
                  ? answer_or_fault(value, status, &call.fault, &error)
                  : GLUE_LIST(GLUE_VALUE("value", value), GLUE_FLAG("missing", call.missing));
  UNPROTECT(1);
  return result;
}

/* ---- Values at times ---- */

/* `times`: doubles in increasing order; `columns`: which column of the result belongs to each,
 * from 1, or NULL. `shape`: attributes of the result, which has one row for each function.
 * `left`: limits from the left? `settings`: NULL, or those of a run on a GPU. */
SEXP ffi_evaluate(SEXP x_, SEXP times, SEXP columns, SEXP left, SEXP threads, SEXP shape,
                  SEXP settings) {
  struct pcf_collection x;
  R_xlen_t count = XLENGTH(times);
  struct pcf_values_call call = {.x = &x,
                                 .at = {count, glue_increasing(times, "times"),
                                        glue_order(columns, "columns", count),
                                        glue_flag(left, "left")}};
  struct pcf_single single = glue_single(PCF_FUNCTION_VALUES, &call, threads, settings);
  GLUE_TRY(glue_view(x_, "x", GLUE_EITHER, &x));
  struct glue_filling filling = {
    .length = glue_length(XLENGTH(x_), count),
    .numbers = &call.result,
    .work = pcf_single_run,
    .context = &single,
  };
  pcf_single_choose(&single, &x, (double)filling.length);
  filling.small = glue_is_small(&single, pcf_total_breakpoints(&x) + filling.length, x.count);
  SEXP value = PROTECT(glue_fill(&filling));
  if (!filling.status) glue_set_attributes(value, shape);
  SEXP result = answer_or_fault(value, filling.status, &call.fault, &filling.error);
  UNPROTECT(1);
  return result;
}

/* ---- Permutations ---- */

struct permuting {
  struct pcf_labels labels;
  const double *distance;
  int squared;
  struct pcf_moves moves;
  double p;
  int threads;
  double *result;
};

GLUE_WORK(sum_work, permuting,
          pcf_permuted_sums(&it->labels, it->distance, it->squared, it->threads, stop,
                            it->result, error))
GLUE_WORK(mean_work, permuting,
          pcf_permuted_means(&it->labels, &it->moves, it->p, it->threads, stop, it->result,
                             error))

/* Every permutation must have as many members of each group as the first one, and one of each
 * at least. */
static void check_sizes(const struct pcf_labels *labels) {
  int64_t *size = glue_counts(labels->groups), *now = glue_counts(labels->groups);
  for (int64_t k = 0; k < labels->permutations; k++) {
    const int *label = labels->label + k * labels->count;
    for (int g = 0; g < labels->groups; g++) now[g] = 0;
    for (int64_t i = 0; i < labels->count; i++) now[label[i]]++;
    for (int g = 0; g < labels->groups; g++) {
      if (k == 0) size[g] = now[g];
      if (now[g] == 0 || now[g] != size[g]) Rf_error("internal error: groups of other sizes");
    }
    if (k % 1000 == 0) R_CheckUserInterrupt();
  }
}

/* An integer matrix with a column for each permutation, and labels from 0. */
static struct pcf_labels read_labels(SEXP labels_, SEXP groups_) {
  int count, permutations, groups = (int)glue_count(groups_, "groups", 2, 1 << 15);
  if (TYPEOF(labels_) != INTSXP || !glue_is_matrix(labels_, &count, &permutations)) {
    Rf_error("internal error: `labels` must be a matrix of integers");
  }
  struct pcf_labels labels = {.count = count,
                              .permutations = permutations,
                              .groups = groups,
                              .label =
                                glue_places(labels_, "labels", XLENGTH(labels_), groups)};
  check_sizes(&labels);
  return labels;
}

static SEXP answer(struct permuting *permuting, int64_t rows, glue_work *work) {
  SEXP value = glue_matrix((R_xlen_t)rows, (R_xlen_t)permuting->labels.permutations);
  permuting->result = REAL(value);
  return glue_run_and_answer(0, work, permuting, value);
}

/* The sums of distances, or of their squares, within and between groups: groups * groups
 * numbers in a column for each permutation. `distances` are those of a `dist`. */
SEXP ffi_permuted_sums(SEXP distances, SEXP labels, SEXP groups, SEXP squared, SEXP threads) {
  struct permuting permuting = {.labels = read_labels(labels, groups),
                                .squared = glue_flag(squared, "squared"),
                                .threads = glue_threads(threads)};
  int64_t n = permuting.labels.count, sides = permuting.labels.groups;
  permuting.distance = glue_doubles(distances, "distances", (R_xlen_t)(n * (n - 1) / 2));
  return answer(&permuting, sides * sides, sum_work);
}

/* The distances between the mean functions of all pairs of groups, a column for each
 * permutation. `moves` is list(function, to, width, observed, mean, least), all but the last
 * two in the order of time: the functions that change, from 0, and `observed`, NULL or where
 * they begin and end to be observed. */
SEXP ffi_permuted_means(SEXP moves, SEXP labels, SEXP groups, SEXP p, SEXP threads) {
  struct permuting permuting = {.labels = read_labels(labels, groups),
                                .p = glue_number(p, "p"),
                                .threads = glue_threads(threads)};
  SEXP function = glue_element(moves, "function"), observed = glue_element(moves, "observed");
  R_xlen_t n = Rf_xlength(function);
  int64_t sides = permuting.labels.groups;
  if (!(permuting.p >= 1)) Rf_error("internal error: `p` must be at least 1");
  permuting.moves = (struct pcf_moves){
    .count = n,
    .function = glue_places(function, "function", n, permuting.labels.count),
    .to = glue_finite(glue_element(moves, "to"), "to", n),
    .width = glue_finite(glue_element(moves, "width"), "width", n),
    .observed = observed == R_NilValue ? NULL : glue_integers(observed, "observed", n),
    .mean = glue_flag_of(moves, "mean"),
    .least = glue_number_of(moves, "least"),
  };
  return answer(&permuting, sides * (sides - 1) / 2, mean_work);
}

/* ---- Where functions are not observed ---- */

static SEXP describe_end(int64_t function, int at_end, double time) {
  return GLUE_LIST(GLUE_NUMBER("function", function + 1), GLUE_FLAG("at_end", at_end),
                   GLUE_NUMBER("time", time));
}

/* Finds a function that is not observed at an end of the window: of those not observed right
 * after its start the one whose observation begins last, otherwise of those not observed right
 * before its end the one whose observation ends first; NULL if there is none. Infinite ends
 * need not be observed. Invalid functions are ignored. */
SEXP ffi_unobserved_end(SEXP x_, SEXP window_) {
  const double *window = glue_window(window_);
  struct pcf_collection x;
  if (glue_view(x_, "x", GLUE_EITHER, &x) != R_NilValue) return R_NilValue;
  for (int at_end = 0; at_end < 2; at_end++) {
    int64_t found = -1;
    double last = 0;
    if (!isfinite(window[at_end])) continue;
    for (int64_t i = 0; i < x.count; i++) {
      glue_poll(i);
      double time =
        at_end ? pcf_observed_until(&x, i, window[1]) : pcf_observed_from(&x, i, window[0]);
      if (isnan(time) || (found >= 0 && !(at_end ? time < last : time > last))) continue;
      found = i;
      last = time;
    }
    if (found >= 0) return describe_end(found, at_end, last);
  }
  return R_NilValue;
}

/* The first finite time of each function, -Inf where it has none, its last time, and the values
 * before and after all its breakpoints. */
SEXP ffi_ends(SEXP x_) {
  struct pcf_collection x;
  double *end[4];
  GLUE_TRY(glue_view(x_, "x", GLUE_EITHER, &x));
  SEXP list = PROTECT(Rf_allocVector(VECSXP, 4));
  for (int k = 0; k < 4; k++) {
    SET_VECTOR_ELT(list, k, Rf_allocVector(REALSXP, (R_xlen_t)x.count));
    end[k] = REAL(VECTOR_ELT(list, k));
  }
  for (int64_t i = 0; i < x.count; i++) {
    const double *time = pcf_times(&x, i), *value = pcf_values(&x, i);
    int64_t m = pcf_breakpoints(&x, i);
    end[0][i] = time[time[0] == -INFINITY && m > 1];
    end[1][i] = time[m - 1];
    end[2][i] = pcf_initial(&x, i);
    end[3][i] = value[m - 1];
    glue_poll(i);
  }
  SEXP answer = glue_answer(list, PCF_OK, NULL);
  UNPROTECT(1);
  return answer;
}

SEXP ffi_next_times(SEXP x) {
  const double *time = glue_doubles(x, "x", -1);
  R_xlen_t n = XLENGTH(x);
  SEXP next = Rf_allocVector(REALSXP, n);
  for (R_xlen_t k = 0; k < n; k++) REAL(next)[k] = pcf_next_time(time[k]);
  return next;
}

struct comparing {
  struct pcf_collection x;
  double from, to;
  int threads;
  struct pcf_observed_difference difference;
};

GLUE_WORK(compare_work, comparing,
          pcf_find_observed_difference(&it->x, &it->x, it->from, it->to, it->threads, stop,
                                       &it->difference, error))

/* The first function that is not observed on the same stretches of the window as the first of
 * all, or NULL. */
SEXP ffi_observed_difference(SEXP x, SEXP window_, SEXP threads_) {
  const double *window = glue_window(window_);
  struct comparing comparing = {{0}, window[0], window[1], glue_threads(threads_), {0}};
  GLUE_TRY(glue_check(x, "x", GLUE_EITHER, comparing.threads, &comparing.x, NULL));
  struct pcf_error error = {0};
  enum pcf_status status =
    glue_run(glue_is_short(&comparing.x, 0), compare_work, &comparing, &error);
  const struct pcf_observed_difference *found = &comparing.difference;
  SEXP value = R_NilValue;
  if (!status && found->function >= 0)
    value =
      GLUE_LIST(GLUE_NUMBER("function", found->function + 1), GLUE_NUMBER("from", found->from),
                GLUE_NUMBER("to", found->to), GLUE_FLAG("observed", found->observed));
  return glue_answer(value, status, &error);
}
