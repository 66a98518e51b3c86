/* ffi_select(): some pairs of every function, without the matrix. */
#include "glue/r-pairs.h"

#include "pruning/pruning.h"
#include "sinks/neighbors.h"
#include "sinks/within.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* What is asked for, in the order of their names in R. */
enum kind { NEAREST, FARTHEST, WITHIN, COUNT, KINDS };

struct selecting {
  struct glue_pairs of;
  enum kind kind;
  struct pcf_neighbors neighbors;
  struct pcf_within within;
  struct pcf_pruning pruning;
};

static enum pcf_status start_selection(struct selecting *selecting, SEXP selection);
static void start_pruning(struct selecting *selecting, const char *choice);
static SEXP select_and_answer(void *selecting);
static void free_selection(void *selecting);

/* `selection` is a list as run_selection() in R describes it, counted from 1. Returns
 * list(value, report), or list(argument, problem), or list(status, message). */
SEXP ffi_select(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP selection) {
  static const char *const kinds[KINDS] = {"nearest", "farthest", "within", "count"};
  struct selecting selecting = {0};
  selecting.kind =
    (enum kind)glue_choice(glue_element(selection, "kind"), "kind", kinds, KINDS);
  SEXP problem = glue_pairs_read(&selecting.of, x, y, request, settings, 1);
  if (problem != R_NilValue) return problem;
  enum pcf_mode mode = selecting.of.pairs.request.mode;
  if (mode != (y == R_NilValue ? PCF_LOWER_WITHOUT_DIAGONAL : PCF_FULL)) {
    Rf_error("internal error: `mode` and `y` do not go together");
  }
  if (selecting.of.pairs.request.missing == PCF_MISSING_MEAN) {
    Rf_error("internal error: means need all pairs");
  }
  selecting.of.status = start_selection(&selecting, selection);
  start_pruning(&selecting, glue_text(glue_element(settings, "prune"), "prune"));
  return R_ExecWithCleanup(select_and_answer, &selecting, free_selection, &selecting);
}

/* ---- What is asked for ---- */

/* A vector for each function of x, or NULL, of the type. */
static SEXP read_vector(SEXP selection, const char *name, int type, int64_t count) {
  SEXP vector = glue_element(selection, name);
  if (vector == R_NilValue) return NULL;
  if (TYPEOF(vector) != type || XLENGTH(vector) != (R_xlen_t)count) {
    Rf_error("internal error: `%s` must have an element for each function", name);
  }
  return vector;
}

static enum pcf_status start_selection(struct selecting *selecting, SEXP list) {
  struct glue_pairs *of = &selecting->of;
  int64_t rows = of->x.count, others = pcf_columns_of(&of->pairs.request)->count;
  if (rows > INT_MAX || others > INT_MAX) Rf_error("internal error: too many functions");
  SEXP label = read_vector(list, "label", INTSXP, rows);
  SEXP least = read_vector(list, "least", REALSXP, rows);
  int far = selecting->kind == FARTHEST, single = of->pairs.request.y != NULL;
  if ((label || least) && (single || far)) {
    Rf_error("internal error: `label` and `least` are for one collection and near pairs");
  }
  struct pcf_selection *selection = &selecting->neighbors.selection;
  enum pcf_status status;
  if (selecting->kind <= FARTHEST) {
    int64_t k = glue_count(glue_element(list, "k"), "k", 1, others > 0 ? others : 1);
    status = pcf_neighbors_start(&selecting->neighbors, rows, k, far ? -1 : 1, &of->error);
  } else {
    double radius = glue_number(glue_element(list, "radius"), "radius");
    if (isnan(radius)) Rf_error("internal error: `radius` must be a number");
    selection = &selecting->within.selection;
    status =
      pcf_within_start(&selecting->within, rows, radius, selecting->kind == COUNT, &of->error);
  }
  selection->label = label ? INTEGER(label) : NULL;
  selection->least = least ? REAL(least) : NULL;
  of->job.sink = &selection->sink;
  return status;
}

/* Only the CPU knows bounds; blocks of one label are left out everywhere. */
static void start_pruning(struct selecting *selecting, const char *choice) {
  static const char *const choices[] = {"auto", "on", "off"};
  struct glue_pairs *of = &selecting->of;
  struct pcf_selection *selection = selecting->kind <= FARTHEST
                                      ? &selecting->neighbors.selection
                                      : &selecting->within.selection;
  enum pcf_prune prune = (enum pcf_prune)glue_position_of(choice, choices, 3);
  if (of->job.backends != 1 || strcmp(of->job.backend[0]->name, "cuda") == 0) {
    prune = PCF_PRUNE_OFF;
  }
  pcf_pruning_start(&selecting->pruning, prune, selection, selecting->within.radius);
  of->pairs.arranger = &selecting->pruning.arranger;
}

/* ---- The answer ---- */

static SEXP list_of(SEXP distance, SEXP id) {
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "distance", distance);
  glue_set(list, 1, "id", id);
  UNPROTECT(1);
  return list;
}

/* The function that is item i of the selection. */
static int64_t function_of(const struct selecting *selecting, int64_t i) {
  return selecting->pruning.order ? selecting->pruning.order[i] : i;
}

static SEXP answer_neighbors(const struct selecting *selecting) {
  const struct pcf_neighbors *neighbors = &selecting->neighbors;
  int64_t rows = neighbors->selection.rows, k = neighbors->k;
  SEXP distance = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)k));
  SEXP id = PROTECT(Rf_allocMatrix(INTSXP, (int)rows, (int)k));
  for (int64_t i = 0; i < rows; i++) {
    int64_t held = neighbors->held[i], row = function_of(selecting, i);
    for (int64_t c = 0; c < k; c++) {
      double key = c < held ? neighbors->key[i * k + c] : NA_REAL;
      REAL(distance)[row + rows * c] = c < held ? neighbors->selection.sign * key : NA_REAL;
      INTEGER(id)[row + rows * c] = c < held ? neighbors->id[i * k + c] + 1 : NA_INTEGER;
    }
    glue_poll(i * k);
  }
  SEXP list = list_of(distance, id);
  UNPROTECT(2);
  return list;
}

static SEXP answer_lists(const struct selecting *selecting) {
  const struct pcf_within *within = &selecting->within;
  int64_t rows = within->selection.rows;
  SEXP distance = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
  SEXP id = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
  for (int64_t i = 0; i < rows; i++) {
    R_xlen_t count = (R_xlen_t)within->count[i];
    R_xlen_t row = (R_xlen_t)function_of(selecting, i);
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
  SEXP list = list_of(distance, id);
  UNPROTECT(2);
  return list;
}

static SEXP answer_counts(const struct selecting *selecting) {
  const struct pcf_within *within = &selecting->within;
  SEXP counts = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)within->selection.rows));
  for (int64_t i = 0; i < within->selection.rows; i++) {
    REAL(counts)[function_of(selecting, i)] = (double)within->count[i];
  }
  UNPROTECT(1);
  return counts;
}

static SEXP answer_of(const struct selecting *selecting) {
  if (selecting->kind <= FARTHEST) return answer_neighbors(selecting);
  return selecting->kind == COUNT ? answer_counts(selecting) : answer_lists(selecting);
}

/* list(pairs, tiles, expected): the pairs that were left out, the tiles of which none remained,
 * and the share of the work that was expected to remain; NULL where nothing could be left out.
 */
static SEXP what_was_pruned(const struct pcf_pruning *pruning) {
  if (isnan(pruning->expected)) return R_NilValue;
  SEXP list = PROTECT(glue_list(3));
  glue_set(list, 0, "pairs", Rf_ScalarReal((double)atomic_load(&pruning->left_out.pairs)));
  glue_set(list, 1, "tiles", Rf_ScalarReal((double)atomic_load(&pruning->left_out.rectangles)));
  glue_set(list, 2, "expected", Rf_ScalarReal(pruning->expected));
  UNPROTECT(1);
  return list;
}

/* Without functions there is no run, and nothing in any row. */
static void clear(struct selecting *selecting) {
  for (int64_t i = 0; i < selecting->of.x.count; i++) {
    if (selecting->kind <= FARTHEST) selecting->neighbors.held[i] = 0;
    else selecting->within.count[i] = 0;
  }
}

static SEXP select_and_answer(void *selecting_) {
  struct selecting *selecting = selecting_;
  struct glue_pairs *of = &selecting->of;
  if (pcf_request_is_empty(&of->pairs.request)) clear(selecting);
  else if (!of->status) glue_pairs_run(of, NULL);
  SEXP failure = glue_pairs_failure(of);
  if (failure != R_NilValue) return failure;
  SEXP list = PROTECT(glue_list(3));
  glue_set(list, 0, "value", answer_of(selecting));
  glue_set(list, 1, "report", glue_pairs_report(of));
  glue_set(list, 2, "pruned", what_was_pruned(&selecting->pruning));
  UNPROTECT(1);
  return list;
}

static void free_selection(void *selecting_) {
  struct selecting *selecting = selecting_;
  glue_pairs_free(&selecting->of);
  pcf_neighbors_free(&selecting->neighbors);
  pcf_within_free(&selecting->within);
  pcf_pruning_free(&selecting->pruning);
}
