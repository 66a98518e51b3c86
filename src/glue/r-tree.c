/* ffi_tree_grow() and ffi_tree_hierarchy(): minimum spanning trees. */
#include "glue/glue.h"

#include "sinks/tree.h"

#include <limits.h>
#include <string.h>

/* Below so many listed items a thread is not worth while. */
enum { FEW_LISTED = 100000 };

struct tree_work {
  struct pcf_forest forest;
  struct pcf_lists lists;
  const double *least; /* or NULL */
  double *limit;
  int *merge, *order;
};

static enum pcf_status grow_work(void *work_, const atomic_int *stop, struct pcf_error *error) {
  struct tree_work *work = work_;
  enum pcf_status status = PCF_OK;
  if (work->least) status = pcf_tree_raise(&work->lists, work->least, work->limit, stop, error);
  return status ? status : pcf_tree_grow(&work->forest, &work->lists, stop, error);
}

static enum pcf_status hierarchy_work(void *work_, const atomic_int *stop,
                                      struct pcf_error *error) {
  struct tree_work *work = work_;
  (void)stop;
  return pcf_tree_hierarchy(work->forest.edge, work->forest.items, work->merge, work->order,
                            error);
}

/* ---- Arguments ---- */

/* Whole numbers from 1 to `most`, or NA, which is -1 in C. */
static int32_t read_item(int item, R_xlen_t most) {
  if (item == NA_INTEGER) return -1;
  if (item < 1 || item > most) Rf_error("internal error: there is no function %d", item);
  return item - 1;
}

static void check_integers(SEXP x, const char *name, R_xlen_t length) {
  if (TYPEOF(x) != INTSXP || XLENGTH(x) != length) {
    Rf_error("internal error: `%s` must be %.0f integers", name, (double)length);
  }
}

/* A component is named by its least function: labels lead there at once. */
static struct pcf_forest read_forest(SEXP label) {
  R_xlen_t n = Rf_xlength(label);
  check_integers(label, "label", n);
  if (n < 2 || n > INT_MAX) Rf_error("internal error: a tree of %.0f functions", (double)n);
  struct pcf_forest forest = {
    .items = n,
    .label = (int32_t *)R_alloc((size_t)n, sizeof(int32_t)),
    .edge = (struct pcf_edge *)R_alloc((size_t)n, sizeof(struct pcf_edge)),
  };
  for (R_xlen_t i = 0; i < n; i++) forest.label[i] = read_item(INTEGER(label)[i], n);
  for (R_xlen_t i = 0; i < n; i++) {
    int32_t root = forest.label[i];
    if (root < 0 || root > i || forest.label[root] != root) {
      Rf_error("internal error: `label` must name components by their least functions");
    }
  }
  return forest;
}

/* The k-th other of function i. One of its own component would let the tree grow no further. */
static struct pcf_listed read_listed(SEXP distance, SEXP id, R_xlen_t i, R_xlen_t k,
                                     const struct pcf_forest *forest) {
  R_xlen_t n = (R_xlen_t)forest->items;
  struct pcf_listed listed = {REAL(distance)[i + k * n], read_item(INTEGER(id)[i + k * n], n)};
  if (listed.item < 0) return listed;
  if (ISNAN(listed.weight)) Rf_error("internal error: a distance is missing");
  if (forest->label[listed.item] == forest->label[i]) {
    Rf_error("internal error: another function is of the same component");
  }
  return listed;
}

/* Matrices with a row for each function become lists. */
static struct pcf_lists read_lists(SEXP distance, SEXP id, const struct pcf_forest *forest) {
  R_xlen_t n = (R_xlen_t)forest->items, each = Rf_xlength(id) / n;
  glue_doubles(distance, "distance", n * each);
  check_integers(id, "id", n * each);
  if (each < 1 || each >= n) Rf_error("internal error: lists of %.0f others", (double)each);
  struct pcf_listed *listed =
    (struct pcf_listed *)R_alloc((size_t)(n * each), sizeof(struct pcf_listed));
  for (R_xlen_t k = 0; k < each; k++) {
    for (R_xlen_t i = 0; i < n; i++) {
      listed[i * each + k] = read_listed(distance, id, i, k, forest);
      glue_poll(i + k * n);
    }
  }
  return (struct pcf_lists){.items = n, .each = each, .listed = listed};
}

/* ---- Growing ---- */

static SEXP edge_columns(const struct pcf_forest *forest) {
  SEXP columns = PROTECT(glue_list(3));
  SEXP from = Rf_allocVector(INTSXP, (R_xlen_t)forest->edges);
  glue_set(columns, 0, "from", from);
  SEXP to = Rf_allocVector(INTSXP, (R_xlen_t)forest->edges);
  glue_set(columns, 1, "to", to);
  SEXP weight = Rf_allocVector(REALSXP, (R_xlen_t)forest->edges);
  glue_set(columns, 2, "weight", weight);
  for (int64_t k = 0; k < forest->edges; k++) {
    INTEGER(from)[k] = forest->edge[k].low + 1;
    INTEGER(to)[k] = forest->edge[k].high + 1;
    REAL(weight)[k] = forest->edge[k].weight;
  }
  UNPROTECT(1);
  return columns;
}

/* The edges of the tree that follow from lists of the nearest functions of other components,
 * and the components then: list(label, edges). `label` has the components before. `distance`
 * and `id` are matrices with a row for each function, as run_selection() gives them for this
 * label. `least` is NULL or, for lists of the nearest by distance alone, a number for each
 * function: an edge weighs at least those of both its ends. */
SEXP ffi_tree_grow(SEXP label_, SEXP distance, SEXP id, SEXP least) {
  struct tree_work work = {.forest = read_forest(label_)};
  R_xlen_t n = (R_xlen_t)work.forest.items;
  struct pcf_error error = {0};
  work.lists = read_lists(distance, id, &work.forest);
  if (!Rf_isNull(least)) {
    work.least = glue_doubles(least, "least", n);
    work.limit = (double *)R_alloc((size_t)n, sizeof *work.limit);
  }
  int small = n * (R_xlen_t)work.lists.each < FEW_LISTED;
  enum pcf_status status = glue_run_sized(small, grow_work, &work, &error);
  SEXP value = PROTECT(glue_list(2));
  SEXP label = Rf_allocVector(INTSXP, n);
  glue_set(value, 0, "label", label);
  for (R_xlen_t i = 0; i < n; i++) INTEGER(label)[i] = work.forest.label[i] + 1;
  glue_set(value, 1, "edges", edge_columns(&work.forest));
  SEXP result = glue_answer(value, status, &error);
  UNPROTECT(1);
  return result;
}

/* ---- Hierarchies ---- */

static void read_edges(SEXP edges, struct pcf_forest *forest) {
  R_xlen_t count = Rf_xlength(glue_element(edges, "weight")), n = count + 1;
  SEXP from = glue_element(edges, "from"), to = glue_element(edges, "to");
  const double *weight = glue_doubles(glue_element(edges, "weight"), "weight", count);
  check_integers(from, "from", count);
  check_integers(to, "to", count);
  if (count < 1 || n > INT_MAX) Rf_error("internal error: %.0f edges", (double)count);
  forest->items = n;
  forest->edges = count;
  forest->edge = (struct pcf_edge *)R_alloc((size_t)count, sizeof *forest->edge);
  for (R_xlen_t k = 0; k < count; k++) {
    forest->edge[k] = (struct pcf_edge){weight[k], read_item(INTEGER(from)[k], n),
                                        read_item(INTEGER(to)[k], n)};
    if (forest->edge[k].low < 0 || forest->edge[k].high <= forest->edge[k].low) {
      Rf_error("internal error: an edge must lead from a lesser to a greater function");
    }
  }
}

/* Of all edges of a tree, the columns `from`, `to` and `weight`: list(merge, order, edges), the
 * hierarchy as in `hclust`, and the edges in their order. */
SEXP ffi_tree_hierarchy(SEXP edges) {
  struct tree_work work = {0};
  struct pcf_error error = {0};
  glue_check_list(edges, "edges");
  read_edges(edges, &work.forest);
  SEXP value = PROTECT(glue_list(3));
  SEXP merge = Rf_allocMatrix(INTSXP, (int)work.forest.edges, 2);
  glue_set(value, 0, "merge", merge);
  SEXP order = Rf_allocVector(INTSXP, (R_xlen_t)work.forest.items);
  glue_set(value, 1, "order", order);
  work.merge = INTEGER(merge);
  work.order = INTEGER(order);
  int small = work.forest.items < FEW_LISTED;
  enum pcf_status status = glue_run_sized(small, hierarchy_work, &work, &error);
  if (status == PCF_OK) glue_set(value, 2, "edges", edge_columns(&work.forest));
  SEXP result = glue_answer(value, status, &error);
  UNPROTECT(1);
  return result;
}
