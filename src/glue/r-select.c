/* ffi_select(): some pairs of every function, without the matrix; and the minimum spanning
 * trees that R makes of them, ffi_tree_grow() and ffi_tree_hierarchy(). */
#include "glue/r-pairs.h"

#include "pruning/pruning.h"
#include "sinks/neighbors.h"
#include "sinks/tree.h"
#include "sinks/within.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The kinds of selections, in the order of their names in R. */
enum kind { NEAREST, FARTHEST, WITHIN, COUNT, KINDS };

struct selecting {
  struct glue_pairs of;
  enum kind kind;
  struct pcf_neighbors neighbors;
  struct pcf_within within;
  struct pcf_selection *selection; /* that of the kind */
  struct pcf_pruning pruning;
  struct pcf_kept kept;
  int done; /* is all of it kept? */
};

static enum pcf_status start_selection(struct selecting *selecting, SEXP selection);
static void start_pruning(struct selecting *selecting, SEXP settings);
static void read_kept(struct selecting *selecting, SEXP kept);
static SEXP select_and_answer(void *selecting);
static void free_selection(void *selecting);

/* `selection` is a list as run_selection() in R describes it, counted from 1; nothing is
 * computed where it is only `planned`. Returns list(value, report), or list(argument, problem),
 * or list(status, message). */
SEXP ffi_select(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP selection) {
  static const char *const kinds[KINDS] = {"nearest", "farthest", "within", "count"};
  struct selecting selecting = {0};
  int planned = glue_flag_of(selection, "planned");
  selecting.kind = (enum kind)glue_choice_of(selection, "kind", kinds, KINDS);
  GLUE_TRY(glue_pairs_read(&selecting.of, x, y, request, settings, !planned));
  enum pcf_mode mode = selecting.of.pairs.request.mode;
  if (mode != PCF_LOWER_WITHOUT_DIAGONAL && mode != PCF_FULL) {
    Rf_error("internal error: `mode` is of other pairs");
  }
  selecting.of.status = start_selection(&selecting, selection);
  start_pruning(&selecting, settings);
  read_kept(&selecting, glue_element(selection, "kept"));
  if (planned) selecting.of.job.sink = NULL;
  return R_ExecWithCleanup(select_and_answer, &selecting, free_selection, &selecting);
}

/* ---- The selection ---- */

static enum pcf_status start_selection(struct selecting *selecting, SEXP list) {
  struct glue_pairs *of = &selecting->of;
  SEXP label_ = glue_element(list, "label"), least_ = glue_element(list, "least");
  SEXP farthest_ = glue_element(list, "farthest");
  int64_t rows = of->x.count, others = pcf_columns_of(&of->pairs.request)->count;
  if (rows > INT_MAX || others > INT_MAX) Rf_error("internal error: too many functions");
  const int *label =
    label_ == R_NilValue ? NULL : glue_integers(label_, "label", (R_xlen_t)rows);
  const double *least =
    least_ == R_NilValue ? NULL : glue_doubles(least_, "least", (R_xlen_t)rows);
  int far = selecting->kind == FARTHEST, full = of->pairs.request.mode == PCF_FULL;
  if ((label || least) && (full || far)) {
    Rf_error("internal error: `label` and `least` are for one collection and near pairs");
  }
  struct pcf_selection *selection = &selecting->neighbors.selection;
  enum pcf_status status;
  if (selecting->kind <= FARTHEST) {
    int64_t k = glue_count_of(list, "k", 1, others > 0 ? others : 1);
    status = pcf_neighbors_start(&selecting->neighbors, rows, k, far ? -1 : 1, &of->error);
  } else {
    double radius = glue_number_of(list, "radius");
    if (isnan(radius)) Rf_error("internal error: `radius` must be a number");
    selection = &selecting->within.selection;
    status =
      pcf_within_start(&selecting->within, rows, radius, selecting->kind == COUNT, &of->error);
  }
  selection->label = label;
  selection->least = least;
  selection->guess = glue_flag_of(list, "guess");
  if (farthest_ != R_NilValue) {
    selection->farthest = glue_doubles(farthest_, "farthest", (R_xlen_t)rows);
  }
  selecting->selection = selection;
  of->job.sink = &selection->sink;
  return status;
}

static void start_pruning(struct selecting *selecting, SEXP settings) {
  static const char *const choices[] = {"auto", "on", "off"};
  struct glue_pairs *of = &selecting->of;
  enum pcf_prune prune = (enum pcf_prune)glue_choice_of(settings, "prune", choices, 3);
  pcf_pruning_start(&selecting->pruning, prune, selecting->selection, selecting->within.radius);
  of->pairs.pruner = &selecting->pruning.pruner;
}

/* ---- What is kept ---- */

/* NULL, or list(path, new, text, numbers, seconds, begun, done). */
static void read_kept(struct selecting *selecting, SEXP kept) {
  if (kept == R_NilValue) return;
  if (selecting->kind == COUNT) Rf_error("internal error: counts are not kept");
  SEXP numbers = glue_element(kept, "numbers");
  selecting->kept = (struct pcf_kept){.path = glue_text_of(kept, "path"),
                                      .new_path = glue_text_of(kept, "new"),
                                      .text = glue_text_of(kept, "text"),
                                      .numbers = XLENGTH(numbers),
                                      .seconds = glue_number_of(kept, "seconds"),
                                      .begun = glue_flag_of(kept, "begun")};
  selecting->kept.number = glue_doubles(numbers, "numbers", XLENGTH(numbers));
  selecting->done = glue_flag_of(kept, "done");
  if (!selecting->of.status) selecting->selection->kept = &selecting->kept;
}

static enum pcf_status start_kept(void *selecting_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct selecting *selecting = selecting_;
  const struct pcf_request *request = &selecting->of.pairs.request;
  const struct pcf_scale as_it_is = {.factor = 1};
  struct pcf_sink *sink = &selecting->selection->sink;
  enum pcf_status status =
    pcf_kept_start(&selecting->kept, request->mode, selecting->selection->rows,
                   pcf_columns_of(request)->count, stop, error);
  if (status || !selecting->done) return status;
  status = pcf_sink_begin(sink, request->mode, &as_it_is, 1, error);
  return status ? status : pcf_sink_finish(sink, error);
}

/* ---- The answer ---- */

/* Matrices with a row for each item of those who asked, and what stands where there are fewer
 * neighbours. place[row]: the item of the selection that it is. */
struct answering {
  const struct pcf_neighbors *neighbors;
  int threads;
  int32_t *place;
  double *distance, missing;
  int *id, no_id;
};

static void find_places(void *answering_, int64_t first, int64_t end) {
  const struct answering *to = answering_;
  for (int64_t i = first; i < end; i++) {
    to->place[pcf_item_of(&to->neighbors->selection, i)] = (int32_t)i;
  }
}

/* Row by row, so that what is written lies together, in each of the columns. */
static void answer_some(void *answering_, int64_t first, int64_t end) {
  const struct answering *to = answering_;
  const struct pcf_neighbors *neighbors = to->neighbors;
  int64_t rows = neighbors->selection.rows, k = neighbors->k;
  for (int64_t row = first; row < end; row++) {
    int64_t i = to->place[row], held = neighbors->held[i];
    for (int64_t c = 0; c < k; c++) {
      double key = c < held ? neighbors->selection.sign * neighbors->key[i * k + c] : 0;
      to->distance[row + rows * c] = c < held ? key : to->missing;
      to->id[row + rows * c] = c < held ? neighbors->id[i * k + c] + 1 : to->no_id;
    }
  }
}

enum { ANSWERED_AT_ONCE = 1024 };

static enum pcf_status answer(struct answering *to, const atomic_int *stop,
                              struct pcf_error *error) {
  int64_t rows = to->neighbors->selection.rows;
  enum pcf_status status =
    pcf_for_ranges(to->threads, rows, ANSWERED_AT_ONCE, stop, find_places, to, error);
  if (status) return status;
  return pcf_for_ranges(to->threads, rows, ANSWERED_AT_ONCE, stop, answer_some, to, error);
}

GLUE_WORK(answer_work, answering, answer(it, stop, error))

/* The limits that items began with, where these may be guesses, or NULL. */
static SEXP farthest_of(const struct pcf_selection *selection) {
  if (!selection->farthest) return R_NilValue;
  SEXP farthest = Rf_allocVector(REALSXP, (R_xlen_t)selection->rows);
  for (int64_t i = 0; i < selection->rows; i++) {
    REAL(farthest)[pcf_item_of(selection, i)] = selection->farthest[i];
  }
  return farthest;
}

static SEXP answer_neighbors(struct selecting *selecting) {
  const struct pcf_neighbors *neighbors = &selecting->neighbors;
  struct glue_pairs *of = &selecting->of;
  int rows = (int)neighbors->selection.rows, k = (int)neighbors->k;
  SEXP distance = PROTECT(Rf_allocMatrix(REALSXP, rows, k));
  SEXP id = PROTECT(Rf_allocMatrix(INTSXP, rows, k));
  struct answering answering = {.neighbors = neighbors,
                                .threads = of->job.settings.threads,
                                .place = (int32_t *)R_alloc((size_t)rows, sizeof(int32_t)),
                                .distance = REAL(distance),
                                .missing = NA_REAL,
                                .id = INTEGER(id),
                                .no_id = NA_INTEGER};
  of->status = glue_run(rows < ANSWERED_AT_ONCE, answer_work, &answering, &of->error);
  SEXP farthest = PROTECT(farthest_of(&neighbors->selection));
  SEXP list = neighbors->selection.guess
                ? GLUE_LIST(GLUE_VALUE("distance", distance), GLUE_VALUE("id", id),
                            GLUE_VALUE("farthest", farthest))
                : GLUE_LIST(GLUE_VALUE("distance", distance), GLUE_VALUE("id", id));
  UNPROTECT(3);
  return list;
}

static SEXP answer_lists(const struct selecting *selecting) {
  const struct pcf_within *within = &selecting->within;
  int64_t rows = within->selection.rows;
  SEXP distance = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
  SEXP id = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
  for (int64_t i = 0; i < rows; i++) {
    R_xlen_t count = (R_xlen_t)within->count[i];
    R_xlen_t row = (R_xlen_t)pcf_item_of(&within->selection, i);
    SEXP distances = Rf_allocVector(REALSXP, count);
    SET_VECTOR_ELT(distance, row, distances);
    SEXP ids = Rf_allocVector(INTSXP, count);
    SET_VECTOR_ELT(id, row, ids);
    for (R_xlen_t c = 0; c < count; c++) {
      REAL(distances)[c] = within->distance[within->start[i] + c];
      INTEGER(ids)[c] = within->id[within->start[i] + c] + 1;
    }
    glue_poll(i);
  }
  SEXP list = GLUE_LIST(GLUE_VALUE("distance", distance), GLUE_VALUE("id", id));
  UNPROTECT(2);
  return list;
}

static SEXP answer_counts(const struct selecting *selecting) {
  const struct pcf_within *within = &selecting->within;
  SEXP counts = Rf_allocVector(REALSXP, (R_xlen_t)within->selection.rows);
  for (int64_t i = 0; i < within->selection.rows; i++) {
    REAL(counts)[pcf_item_of(&within->selection, i)] = (double)within->count[i];
  }
  return counts;
}

static SEXP answer_of(struct selecting *selecting) {
  if (selecting->kind <= FARTHEST) return answer_neighbors(selecting);
  return selecting->kind == COUNT ? answer_counts(selecting) : answer_lists(selecting);
}

/* list(pairs, tiles, expected, seconds): the numbers of pairs that were skipped, and of tiles
 * that were skipped as a whole, the share of the work that was expected to remain, and the
 * seconds for it, NaN if nothing was to be skipped; NULL if nothing can be skipped. */
static SEXP what_was_pruned(const struct pcf_pruning *pruning) {
  if (isnan(pruning->expected)) return R_NilValue;
  return GLUE_LIST(GLUE_NUMBER("pairs", atomic_load(&pruning->left_out.pairs)),
                   GLUE_NUMBER("tiles", atomic_load(&pruning->left_out.rectangles)),
                   GLUE_NUMBER("expected", pruning->expected),
                   GLUE_NUMBER("seconds", pruning->seconds));
}

static SEXP select_and_answer(void *selecting_) {
  struct selecting *selecting = selecting_;
  struct glue_pairs *of = &selecting->of;
  if (!of->status && selecting->kept.path) {
    of->status = glue_run(0, start_kept, selecting, &of->error);
  }
  if (!of->status && !selecting->done) glue_pairs_run(of, NULL);
  int planned = of->job.sink == NULL;
  SEXP value = PROTECT(of->status || planned ? R_NilValue : answer_of(selecting));
  of->pruned = PROTECT(what_was_pruned(&selecting->pruning));
  SEXP answer = glue_pairs_answer(of, value);
  UNPROTECT(2);
  return answer;
}

static void free_selection(void *selecting_) {
  struct selecting *selecting = selecting_;
  glue_pairs_free(&selecting->of);
  pcf_neighbors_free(&selecting->neighbors);
  pcf_within_free(&selecting->within);
  pcf_pruning_free(&selecting->pruning);
  pcf_kept_end(&selecting->kept);
}

GLUE_WORK(look_work, pcf_kept, pcf_kept_look(it, stop, error))

/* The text and the numbers of a file of pairs that are kept: list(value = list(text, numbers)),
 * or list(status, message). */
static SEXP look(void *kept_) {
  struct pcf_kept *kept = kept_;
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(0, look_work, kept, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP line = PROTECT(Rf_mkCharLenCE(kept->text, (int)kept->bytes, CE_UTF8));
  SEXP text = PROTECT(Rf_ScalarString(line));
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)kept->numbers));
  memcpy(REAL(numbers), kept->number, (size_t)kept->numbers * sizeof(double));
  SEXP value = GLUE_LIST(GLUE_VALUE("text", text), GLUE_VALUE("numbers", numbers));
  UNPROTECT(3);
  return glue_answer(value, PCF_OK, NULL);
}

static void end_look(void *kept) {
  pcf_kept_end(kept);
}

SEXP ffi_read_kept(SEXP path) {
  struct pcf_kept kept = {.path = glue_text(path, "path")};
  return R_ExecWithCleanup(look, &kept, end_look, &kept);
}

/* ---- Spanning trees ---- */

/* If fewer items are listed, the work is done on the calling thread. */
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

GLUE_WORK(hierarchy_work, tree_work,
          pcf_tree_hierarchy(it->forest.edge, it->forest.items, it->merge, it->order, error))

/* Whole numbers from 1 to `most`, or NA, which is -1 in C. */
static int32_t read_item(int item, R_xlen_t most) {
  if (item == NA_INTEGER) return -1;
  if (item < 1 || item > most) Rf_error("internal error: there is no function %d", item);
  return item - 1;
}

/* Reads a forest: the label of a component is its first function. */
static struct pcf_forest read_forest(SEXP label) {
  R_xlen_t n = Rf_xlength(label);
  const int *component = glue_integers(label, "label", n);
  if (n < 2 || n > INT_MAX) Rf_error("internal error: a tree of %.0f functions", (double)n);
  struct pcf_forest forest = {
    .items = n,
    .label = (int32_t *)R_alloc((size_t)n, sizeof(int32_t)),
    .edge = (struct pcf_edge *)R_alloc((size_t)n, sizeof(struct pcf_edge)),
  };
  for (R_xlen_t i = 0; i < n; i++) forest.label[i] = read_item(component[i], n);
  for (R_xlen_t i = 0; i < n; i++) {
    int32_t root = forest.label[i];
    if (root < 0 || root > i || forest.label[root] != root) {
      Rf_error("internal error: `label` must name components by their least functions");
    }
  }
  return forest;
}

/* The k-th other function of function i, which must not be in the same component. */
static struct pcf_listed read_listed(SEXP distance, SEXP id, R_xlen_t i, R_xlen_t k,
                                     const struct pcf_forest *forest) {
  R_xlen_t n = (R_xlen_t)forest->items;
  struct pcf_listed listed = {REAL_RO(distance)[i + k * n],
                              read_item(INTEGER_RO(id)[i + k * n], n)};
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
  glue_integers(id, "id", n * each);
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

static SEXP edge_columns(const struct pcf_forest *forest) {
  SEXP from = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)forest->edges));
  SEXP to = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)forest->edges));
  SEXP weight = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)forest->edges));
  for (int64_t k = 0; k < forest->edges; k++) {
    INTEGER(from)[k] = forest->edge[k].low + 1;
    INTEGER(to)[k] = forest->edge[k].high + 1;
    REAL(weight)[k] = forest->edge[k].weight;
  }
  SEXP columns =
    GLUE_LIST(GLUE_VALUE("from", from), GLUE_VALUE("to", to), GLUE_VALUE("weight", weight));
  UNPROTECT(3);
  return columns;
}

/* The edges of the tree that follow from lists of the nearest functions of other components,
 * and the components then: list(label, edges). `label` has the components before. `distance`
 * and `id` are matrices with a row for each function, as run_selection() gives them for this
 * label, as is `farthest`, which may be NULL. `least` is NULL or, for lists of the nearest by
 * distance alone, a number for each function: an edge weighs at least those of both its ends.
 */
SEXP ffi_tree_grow(SEXP label_, SEXP distance, SEXP id, SEXP farthest, SEXP least) {
  struct tree_work work = {.forest = read_forest(label_)};
  R_xlen_t n = (R_xlen_t)work.forest.items;
  struct pcf_error error = {0};
  work.lists = read_lists(distance, id, &work.forest);
  if (!Rf_isNull(least)) {
    work.least = glue_doubles(least, "least", n);
    work.limit = (double *)R_alloc((size_t)n, sizeof *work.limit);
  }
  if (!Rf_isNull(farthest)) work.lists.farthest = glue_doubles(farthest, "farthest", n);
  int small = n * (R_xlen_t)work.lists.each < FEW_LISTED;
  enum pcf_status status = glue_run(small, grow_work, &work, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP label = PROTECT(Rf_allocVector(INTSXP, n));
  for (R_xlen_t i = 0; i < n; i++) INTEGER(label)[i] = work.forest.label[i] + 1;
  SEXP edges = PROTECT(edge_columns(&work.forest));
  SEXP value = GLUE_LIST(GLUE_VALUE("label", label), GLUE_VALUE("edges", edges));
  UNPROTECT(2);
  return glue_answer(value, PCF_OK, NULL);
}

/* ---- Hierarchies ---- */

static void read_edges(SEXP edges, struct pcf_forest *forest) {
  R_xlen_t count = Rf_xlength(glue_element(edges, "weight")), n = count + 1;
  const double *weight = glue_doubles(glue_element(edges, "weight"), "weight", count);
  const int *from = glue_integers(glue_element(edges, "from"), "from", count);
  const int *to = glue_integers(glue_element(edges, "to"), "to", count);
  if (count < 1 || n > INT_MAX) Rf_error("internal error: %.0f edges", (double)count);
  forest->items = n;
  forest->edges = count;
  forest->edge = (struct pcf_edge *)R_alloc((size_t)count, sizeof *forest->edge);
  for (R_xlen_t k = 0; k < count; k++) {
    forest->edge[k] = (struct pcf_edge){weight[k], read_item(from[k], n), read_item(to[k], n)};
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
  SEXP merge = PROTECT(Rf_allocMatrix(INTSXP, (int)work.forest.edges, 2));
  SEXP order = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)work.forest.items));
  work.merge = INTEGER(merge);
  work.order = INTEGER(order);
  int small = work.forest.items < FEW_LISTED;
  enum pcf_status status = glue_run(small, hierarchy_work, &work, &error);
  SEXP sorted = PROTECT(status ? R_NilValue : edge_columns(&work.forest));
  SEXP value = GLUE_LIST(GLUE_VALUE("merge", merge), GLUE_VALUE("order", order),
                         GLUE_VALUE("edges", sorted));
  UNPROTECT(3);
  return glue_answer(value, status, &error);
}
