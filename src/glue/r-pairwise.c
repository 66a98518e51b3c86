/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. */
#include "glue/r-pairs.h"
#include "glue/r-reserve.h"

#include "sinks/matrix.h"

/* Where results go, and what of a matrix each holds, which the modes name in the same order;
 * "none" only plans, and has no sink. */
enum { NONE = GLUE_MODES, OUTPUTS };
static const char *const outputs[OUTPUTS] = {"dense", "dist", "symmetric", "paired", "none"};

static void check_output(enum pcf_mode mode, int output);
static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request);

/* A run, and what is to become of it in R. */
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
  const char *name = glue_text(glue_element(request, "output"), "output");
  int output = glue_position_of(name, outputs, OUTPUTS), computing = output != NONE;
  SEXP problem = glue_pairs_read(&pairwise.of, x, y, request, settings, computing);
  if (problem != R_NilValue) return problem;
  check_output(pairwise.of.pairs.request.mode, output);
  pairwise.value = PROTECT(Rf_allocVector(VECSXP, 1));
  pairwise.matrix = sink_of(output, &pairwise.of.pairs.request);
  if (computing) pairwise.of.job.sink = &pairwise.matrix.sink;
  pairwise.attributes = glue_element(request, "attributes");
  SEXP answer = R_ExecWithCleanup(run_and_answer, &pairwise, free_findings, &pairwise);
  UNPROTECT(1);
  return answer;
}

/* Does the output hold exactly what the mode computes? */
static void check_output(enum pcf_mode mode, int output) {
  int fits = output == NONE ? mode != PCF_PAIRED : mode == glue_modes[output];
  if (!fits) Rf_error("internal error: `output` and `mode` do not go together");
}

/* ---- The result ---- */

static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request) {
  static const enum pcf_matrix_kind kinds[] = {PCF_MATRIX_DENSE, PCF_MATRIX_DIST,
                                               PCF_MATRIX_SYMMETRIC, PCF_MATRIX_PAIRED};
  int64_t rows = request->x->count, columns = pcf_columns_of(request)->count;
  if (request->mode == PCF_PAIRED) {
    rows = request->pairs = rows == 0 || columns == 0 ? 0 : rows > columns ? rows : columns;
  }
  if (output == NONE) return (struct pcf_matrix_sink){0};
  return pcf_matrix_sink(kinds[output], rows, columns, NULL);
}

static void allocate_result(struct pairwise *pairwise) {
  SEXP result = glue_rows((R_xlen_t)pcf_matrix_length(&pairwise->matrix), 1);
  SET_VECTOR_ELT(pairwise->value, 0, result);
  pairwise->matrix.result = REAL(result);
}

/* ---- Running ---- */

/* R looks for garbage before it allocates much, which can take longer than there is to do
 * before results are written. So the run is under way meanwhile, unless the result may be too
 * large for any memory; and where the memory can be had before R is asked for a vector, it
 * writes meanwhile, too. */
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
  pairwise->reserved = glue_reserve(pcf_matrix_length(&pairwise->matrix));
  if (!pairwise->reserved) return;
  pairwise->matrix.result = glue_reserved_numbers(pairwise->reserved);
}

static void run_on_r_thread(struct pairwise *pairwise) {
  int empty = pcf_request_is_empty(&pairwise->of.pairs.request);
  int computing = pairwise->of.job.sink != NULL;
  int64_t length = pcf_matrix_length(&pairwise->matrix);
  int meanwhile = computing && !empty && length <= most_meanwhile;
  if (meanwhile) reserve_result(pairwise);
  else if (computing) allocate_result(pairwise);
  if (empty) return;
  pairwise->of.job.sink_comes_later = meanwhile && !pairwise->reserved;
  glue_pairs_run(&pairwise->of, meanwhile ? provide_result : NULL);
}

/* ---- The answer ---- */

static SEXP run_and_answer(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  run_on_r_thread(pairwise);
  SEXP failure = glue_pairs_failure(&pairwise->of);
  if (failure != R_NilValue) return failure;
  SEXP value = VECTOR_ELT(pairwise->value, 0);
  if (value != R_NilValue) glue_set_attributes(value, pairwise->attributes);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", value);
  glue_set(list, 1, "report", glue_pairs_report(&pairwise->of));
  UNPROTECT(1);
  return list;
}

static void free_findings(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  glue_pairs_free(&pairwise->of);
  glue_unreserve(pairwise->reserved);
}
