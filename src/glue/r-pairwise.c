/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. ffi_pair_sums(): sums over the pairs
 * of every function, without the matrix. */
#include "glue/r-pairs.h"

#include "base/memory.h"
#include "sinks/matrix.h"
#include "sinks/pair-sums.h"

#include <string.h>

/* The outputs: which part of a matrix each holds, in the order of the modes. "none" only plans,
 * and has no sink. */
enum { NONE = GLUE_MODES, OUTPUTS };
static const char *const outputs[OUTPUTS] = {"dense", "dist", "symmetric", "paired", "none"};

static void check_output(enum pcf_mode mode, int output);
static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request);

/* A run, and its result in R. */
struct pairwise {
  struct glue_pairs of;
  struct pcf_matrix_sink matrix;
  struct glue_reserved *reserved; /* the memory of the result, or NULL */
  SEXP attributes;
  SEXP value; /* a list with room for the result */
};

static void allocate_result(struct pairwise *pairwise);
static SEXP run_and_answer(void *pairwise);
static void free_findings(void *pairwise);

/* Returns list(value, report), or list(argument, problem), or list(status, message). */
SEXP ffi_pairwise(SEXP x, SEXP y, SEXP request, SEXP settings) {
  struct pairwise pairwise = {0};
  int output = glue_choice_of(request, "output", outputs, OUTPUTS), computing = output != NONE;
  GLUE_TRY(glue_pairs_read(&pairwise.of, x, y, request, settings, computing));
  check_output(pairwise.of.pairs.request.mode, output);
  pairwise.value = PROTECT(Rf_allocVector(VECSXP, 1));
  pairwise.matrix = sink_of(output, &pairwise.of.pairs.request);
  if (computing) pairwise.of.job.sink = &pairwise.matrix.sink;
  pairwise.attributes = glue_element(request, "attributes");
  SEXP answer = R_ExecWithCleanup(run_and_answer, &pairwise, free_findings, &pairwise);
  UNPROTECT(1);
  return answer;
}

/* Does the output have exactly the pairs of the mode? */
static void check_output(enum pcf_mode mode, int output) {
  int fits = output == NONE ? mode != PCF_PAIRED : mode == glue_modes[output];
  if (!fits) Rf_error("internal error: `output` and `mode` do not go together");
}

/* ---- The result ---- */

static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request) {
  int64_t rows = request->x->count, columns = pcf_columns_of(request)->count;
  if (request->mode == PCF_PAIRED) {
    rows = request->pairs = rows == 0 || columns == 0 ? 0 : rows > columns ? rows : columns;
  }
  if (output == NONE) return (struct pcf_matrix_sink){0};
  return pcf_matrix_sink(request->mode, rows, columns, NULL);
}

static void allocate_result(struct pairwise *pairwise) {
  SEXP result = glue_rows((R_xlen_t)pcf_layout_length(&pairwise->matrix.layout), 1);
  SET_VECTOR_ELT(pairwise->value, 0, result);
  pairwise->matrix.result = REAL(result);
}

/* ---- Running ---- */

/* R collects garbage before it allocates a large vector, which can take longer than the run
 * takes until it writes results. If the memory of the result can be reserved without R, the run
 * starts and writes to it meanwhile. Otherwise the run starts before R allocates, and waits
 * before it writes, unless the result may be too large for the memory. */
static const int64_t most_meanwhile = (int64_t)1 << 30;

static void provide_result(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  if (pairwise->reserved) {
    SET_VECTOR_ELT(pairwise->value, 0, glue_reserved_vector(pairwise->reserved));
    pairwise->reserved = NULL;
    return;
  }
  allocate_result(pairwise);
  pcf_run_let_write(pairwise->of.run);
}

static void reserve_result(struct pairwise *pairwise) {
  pairwise->reserved = glue_reserve(pcf_layout_length(&pairwise->matrix.layout));
  if (!pairwise->reserved) return;
  pairwise->matrix.result = glue_reserved_numbers(pairwise->reserved);
}

/* Where memory is promised before it is there, a process that writes too much is ended. */
static int is_too_large(double bytes) {
  static const double least_checked = 0x1p28;
  if (bytes < least_checked || bytes <= pcf_available_memory()) return 0;
  R_gc();
  return bytes > pcf_available_memory();
}

static enum pcf_status refuse_result(double bytes, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_MEMORY,
                  "the result takes %s, but only %s of memory are available. `file` writes "
                  "results to disk; nearest_neighbors(), neighbors_within(), spanning_tree(), "
                  "reduce_distances() and distance_product() need no matrix",
                  pcf_size_of(bytes).text, pcf_size_of(pcf_available_memory()).text);
}

static void run_on_r_thread(struct pairwise *pairwise) {
  double bytes = (double)pcf_layout_length(&pairwise->matrix.layout) * sizeof(double);
  if (pairwise->of.job.sink && is_too_large(bytes)) {
    pairwise->of.status = refuse_result(bytes, &pairwise->of.error);
    return;
  }
  int empty = pcf_request_is_empty(&pairwise->of.pairs.request);
  int computing = pairwise->of.job.sink != NULL;
  if (computing && !empty) reserve_result(pairwise);
  int small = pcf_layout_length(&pairwise->matrix.layout) <= most_meanwhile;
  int meanwhile = computing && !empty && (pairwise->reserved || small);
  if (computing && !meanwhile) allocate_result(pairwise);
  pairwise->of.job.sink_comes_later = meanwhile && !pairwise->reserved;
  glue_pairs_run(&pairwise->of, meanwhile ? provide_result : NULL);
}

/* ---- The answer ---- */

static SEXP run_and_answer(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  run_on_r_thread(pairwise);
  SEXP value = VECTOR_ELT(pairwise->value, 0);
  int complete = !pairwise->of.status && value != R_NilValue;
  if (complete) glue_set_attributes(value, pairwise->attributes);
  return glue_pairs_answer(&pairwise->of, value);
}

static void free_findings(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  glue_pairs_free(&pairwise->of);
  glue_unreserve(pairwise->reserved);
}

/* ---- Sums over pairs ---- */

struct summing {
  struct glue_pairs of;
  struct pcf_pair_sums sums;
  struct pcf_sums plain; /* the same, where they are of the plan's kind */
  SEXP value, sizes;
};

static void read_sums(struct pcf_pair_sums *sums, SEXP list);
static int are_plain(const struct summing *summing, SEXP list);
static enum pcf_status begin(struct summing *summing);
static SEXP sum_and_answer(void *summing);
static void free_sums(void *summing);

/* `list` describes the sums as in R/pairs-sums.R. Returns list(value, report), or
 * list(argument, problem), or list(status, message). The value is list(sums, sizes), with NULL
 * for sums that are only planned. Where the report's kernel is "events", sums of distances and
 * of their squares come with the sizes of all functions (products/events.h). */
SEXP ffi_pair_sums(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP list) {
  struct summing summing = {.value = R_NilValue, .sizes = R_NilValue};
  struct glue_pairs *of = &summing.of;
  struct pcf_pair_sums *sums = &summing.sums;
  GLUE_TRY(glue_pairs_read(of, x, y, request, settings, 1));
  if (of->pairs.request.mode == PCF_PAIRED) Rf_error("internal error: `mode` is of all pairs");
  sums->rows = of->x.count;
  sums->others = pcf_columns_of(&of->pairs.request)->count;
  sums->same = y == R_NilValue && of->pairs.request.mode == PCF_FULL;
  read_sums(sums, list);
  summing.plain = (struct pcf_sums){.columns = sums->columns, .b = sums->b};
  if (are_plain(&summing, list)) of->pairs.request.sums = &summing.plain;
  if (!glue_flag_of(list, "plan")) {
    summing.value = glue_matrix((R_xlen_t)sums->rows, (R_xlen_t)sums->columns);
  }
  PROTECT(summing.value);
  if (of->pairs.request.sums && of->pairs.request.operation != PCF_INNER) {
    size_t functions = (size_t)(of->x.count + of->y.count);
    summing.sizes = Rf_allocVector(REALSXP, (R_xlen_t)functions);
    summing.plain.size = REAL(summing.sizes);
    memset(summing.plain.size, 0, functions * sizeof(double));
  }
  PROTECT(summing.sizes);
  if (summing.value != R_NilValue) of->status = begin(&summing);
  SEXP answer = R_ExecWithCleanup(sum_and_answer, &summing, free_sums, &summing);
  UNPROTECT(2);
  return answer;
}

static double positive(SEXP list, const char *name) {
  double number = glue_number(glue_element(list, name), name);
  if (!(number > 0)) Rf_error("internal error: `%s` must be positive", name);
  return number;
}

static void read_sums(struct pcf_pair_sums *sums, SEXP list) {
  static const char *const weights[PCF_PAIR_WEIGHTS] = {"power", "gaussian", "laplacian",
                                                        "logarithm"};
  sums->weighing.weight =
    (enum pcf_pair_weight)glue_choice_of(list, "weight", weights, PCF_PAIR_WEIGHTS);
  sums->weighing.power = positive(list, "power");
  sums->weighing.scale = positive(list, "scale");
  sums->columns = 1;
  if (sums->weighing.weight == PCF_WEIGH_LOGARITHM) return;
  SEXP b = glue_element(list, "b");
  sums->columns = glue_weights(b, "b", sums->others);
  sums->b = REAL_RO(b);
}

/* Are the results added up as they are, or their squares for p = 2, so that the sums may be
 * computed without the pairs? `in_pairs` forbids that. */
static int are_plain(const struct summing *summing, SEXP list) {
  const struct pcf_pair_weighing *weighing = &summing->sums.weighing;
  const struct pcf_request *request = &summing->of.pairs.request;
  double power = request->operation == PCF_L2 ? 2 : 1;
  return weighing->weight == PCF_WEIGH_POWER && weighing->power == power &&
         request->missing != PCF_MISSING_MEAN && !glue_flag_of(list, "in_pairs");
}

static enum pcf_status begin(struct summing *summing) {
  struct pcf_pair_sums *sums = &summing->sums;
  struct glue_pairs *of = &summing->of;
  sums->result = summing->plain.result = REAL(summing->value);
  if (!pcf_find_instructions(of->pairs.request.instructions, &sums->instructions)) {
    Rf_error("internal error: no such instructions");
  }
  of->job.sink = &sums->sink;
  return pcf_pair_sums_start(sums, &of->error);
}

static SEXP sum_and_answer(void *summing_) {
  struct summing *summing = summing_;
  struct glue_pairs *of = &summing->of;
  if (!of->status) glue_pairs_run(of, NULL);
  SEXP value =
    PROTECT(GLUE_LIST(GLUE_VALUE("sums", summing->value), GLUE_VALUE("sizes", summing->sizes)));
  SEXP answer = glue_pairs_answer(of, value);
  UNPROTECT(1);
  return answer;
}

static void free_sums(void *summing_) {
  struct summing *summing = summing_;
  glue_pairs_free(&summing->of);
  if (summing->value != R_NilValue) pcf_pair_sums_free(&summing->sums);
}
