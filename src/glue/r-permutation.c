/* ffi_permuted_sums() and ffi_permuted_means(): statistics of groups, for many permutations. */
#include "glue/glue.h"

#include "summaries/permutations.h"

#include <limits.h>

struct permuting {
  struct pcf_labels labels;
  const double *distance;
  int squared;
  struct pcf_moves moves;
  double p;
  int threads;
  double *result;
};

static enum pcf_status sum_work(void *permuting_, const atomic_int *stop,
                                struct pcf_error *error) {
  struct permuting *x = permuting_;
  return pcf_permuted_sums(&x->labels, x->distance, x->squared, x->threads, stop, x->result,
                           error);
}

static enum pcf_status mean_work(void *permuting_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct permuting *x = permuting_;
  return pcf_permuted_means(&x->labels, &x->moves, x->p, x->threads, stop, x->result, error);
}

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

/* An integer matrix with a column for each permutation, and labels from 1. */
static struct pcf_labels read_labels(SEXP labels_, SEXP groups_) {
  SEXP dim = Rf_getAttrib(labels_, R_DimSymbol);
  int groups = (int)glue_count(groups_, "groups", 2, 1 << 15);
  if (TYPEOF(labels_) != INTSXP || TYPEOF(dim) != INTSXP || XLENGTH(dim) != 2) {
    Rf_error("internal error: `labels` must be a matrix of integers");
  }
  struct pcf_labels labels = {.count = INTEGER(dim)[0], .permutations = INTEGER(dim)[1]};
  int *label = (int *)R_alloc((size_t)XLENGTH(labels_) + 1, sizeof *label);
  for (R_xlen_t k = 0; k < XLENGTH(labels_); k++) {
    label[k] = INTEGER(labels_)[k] - 1;
    if (label[k] < 0 || label[k] >= groups) Rf_error("internal error: no such group");
    glue_poll(k);
  }
  labels.label = label;
  labels.groups = groups;
  check_sizes(&labels);
  return labels;
}

static SEXP answer(struct permuting *permuting, int64_t rows, glue_work *work) {
  struct pcf_error error = {0};
  SEXP value = PROTECT(glue_matrix((R_xlen_t)rows, (R_xlen_t)permuting->labels.permutations));
  permuting->result = REAL(value);
  enum pcf_status status = glue_run(work, permuting, &error);
  SEXP result = glue_answer(value, status, &error);
  UNPROTECT(1);
  return result;
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

/* The functions that change, from 1. */
static const int *read_functions(SEXP x, R_xlen_t n, int64_t count) {
  if (TYPEOF(x) != INTSXP || XLENGTH(x) != n) Rf_error("internal error: `function` is wrong");
  int *function = (int *)R_alloc((size_t)n + 1, sizeof *function);
  for (R_xlen_t k = 0; k < n; k++) {
    function[k] = INTEGER(x)[k] - 1;
    if (function[k] < 0 || function[k] >= count) Rf_error("internal error: no such function");
    glue_poll(k);
  }
  return function;
}

static const double *read_finite(SEXP list, const char *name, R_xlen_t n) {
  const double *number = glue_doubles(glue_element(list, name), name, n);
  for (R_xlen_t k = 0; k < n; k++) {
    if (!R_FINITE(number[k])) Rf_error("internal error: `%s` must be finite", name);
    glue_poll(k);
  }
  return number;
}

/* NULL, or where functions begin and end to be observed. */
static const int *read_observed(SEXP x, R_xlen_t n) {
  if (x == R_NilValue) return NULL;
  if (TYPEOF(x) != INTSXP || XLENGTH(x) != n) Rf_error("internal error: `observed` is wrong");
  return INTEGER(x);
}

/* The distances between the mean functions of all pairs of groups, a column for each
 * permutation. `moves` is list(function, from, to, width, observed, mean), all but the last in
 * the order of time. */
SEXP ffi_permuted_means(SEXP moves, SEXP labels, SEXP groups, SEXP p, SEXP threads) {
  struct permuting permuting = {.labels = read_labels(labels, groups),
                                .p = glue_number(p, "p"),
                                .threads = glue_threads(threads)};
  SEXP function = glue_element(moves, "function");
  R_xlen_t n = XLENGTH(function);
  int64_t sides = permuting.labels.groups;
  if (!(permuting.p >= 1)) Rf_error("internal error: `p` must be at least 1");
  permuting.moves = (struct pcf_moves){
    .count = n,
    .function = read_functions(function, n, permuting.labels.count),
    .from = read_finite(moves, "from", n),
    .to = read_finite(moves, "to", n),
    .width = read_finite(moves, "width", n),
    .observed = read_observed(glue_element(moves, "observed"), n),
    .mean = glue_flag(glue_element(moves, "mean"), "mean"),
  };
  return answer(&permuting, sides * (sides - 1) / 2, mean_work);
}
