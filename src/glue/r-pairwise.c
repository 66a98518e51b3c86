/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. ffi_pair_sums(): sums over the pairs
 * of every function, without the matrix. */
#include "glue/r-pairs.h"

#include "sinks/overlap.h"
#include "sinks/pair-sums.h"

/* Where results go, and what of a matrix each holds, which the modes name in the same order;
 * "none" only plans, and has no sink. */
enum { NONE = GLUE_MODES, OUTPUTS };
static const char *const outputs[OUTPUTS] = {"dense", "dist", "symmetric", "paired", "none"};

static void check_output(enum pcf_mode mode, int output);
static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request);

/* A run, and what is to become of it in R. For functions that are known in part a second run
 * may follow, over their indicators, which finishes the results by the lengths of overlaps
 * where these could not be computed in the first. */
struct pairwise {
  struct glue_pairs of,
    lengths; /* the second run, if there is one, over the lengths of overlaps */
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

/* Goes over the indicators, and finishes the results by the lengths of overlaps. */
static void run_over_overlaps(struct pairwise *first) {
  struct glue_pairs *second = &first->lengths;
  struct pcf_overlap_sink sink = pcf_overlap_sink(&first->of.pairs.overlaps, &first->matrix);
  glue_pairs_begin_lengths(second, &first->of, first->of.pairs.request.method);
  second->job.sink = &sink.matrix.sink;
  double start = pcf_seconds();
  glue_pairs_run(second, NULL);
  glue_pairs_end_lengths(second, start, &first->of);
}

static void run_on_r_thread(struct pairwise *pairwise) {
  const struct pcf_overlaps *overlaps = &pairwise->of.pairs.overlaps;
  int empty = pcf_request_is_empty(&pairwise->of.pairs.request);
  int computing = pairwise->of.job.sink != NULL;
  int64_t length = pcf_matrix_length(&pairwise->matrix);
  int meanwhile = computing && !empty && length <= most_meanwhile;
  if (meanwhile) reserve_result(pairwise);
  else if (computing) allocate_result(pairwise);
  if (empty) return;
  pairwise->of.job.sink_comes_later = meanwhile && !pairwise->reserved;
  glue_pairs_run(&pairwise->of, meanwhile ? provide_result : NULL);
  if (pairwise->of.status || !computing) return;
  if (pcf_overlaps_to_compute(overlaps) && !pairwise->of.report.accompanied) {
    run_over_overlaps(pairwise);
  }
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
  pcf_pairs_free(&pairwise->lengths.pairs); /* after a jump */
  glue_pairs_free(&pairwise->of);
  glue_unreserve(pairwise->reserved);
}

/* ---- Sums over pairs ---- */

struct summing {
  struct glue_pairs of;
  struct pcf_pair_sums sums;
  SEXP value;
};

static void read_sums(struct pcf_pair_sums *sums, SEXP list);
static SEXP sum_and_answer(void *summing);
static void free_sums(void *summing);

/* `sums` is a list as run_pair_sums() in R describes it. Returns list(value, report), or
 * list(argument, problem), or list(status, message). */
SEXP ffi_pair_sums(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP list) {
  struct summing summing = {.value = R_NilValue};
  struct glue_pairs *of = &summing.of;
  struct pcf_pair_sums *sums = &summing.sums;
  GLUE_TRY(glue_pairs_read(of, x, y, request, settings, 1));
  if (of->pairs.request.mode == PCF_PAIRED) Rf_error("internal error: `mode` is of all pairs");
  if (of->pairs.request.missing == PCF_MISSING_MEAN) {
    Rf_error("internal error: means need all pairs");
  }
  sums->rows = of->x.count;
  sums->others = pcf_columns_of(&of->pairs.request)->count;
  read_sums(sums, list);
  summing.value = PROTECT(glue_matrix((R_xlen_t)sums->rows, (R_xlen_t)sums->columns));
  sums->result = REAL(summing.value);
  if (!pcf_find_instructions(of->pairs.request.instructions, &sums->instructions)) {
    Rf_error("internal error: no such instructions");
  }
  of->status = pcf_pair_sums_start(sums, &of->error);
  of->job.sink = &sums->sink;
  SEXP answer = R_ExecWithCleanup(sum_and_answer, &summing, free_sums, &summing);
  UNPROTECT(1);
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
  sums->same = glue_flag_of(list, "same");
  sums->columns = 1;
  if (sums->weighing.weight == PCF_WEIGH_LOGARITHM) return;
  SEXP b = glue_element(list, "b");
  sums->columns = glue_weights(b, "b", sums->others);
  sums->b = REAL(b);
}

/* Without functions there is no run, and nothing to add up. */
static void clear(const struct pcf_pair_sums *sums) {
  for (int64_t k = 0; k < sums->rows * sums->columns; k++) {
    sums->result[k] = sums->b ? 0 : R_NegInf;
  }
}

static SEXP sum_and_answer(void *summing_) {
  struct summing *summing = summing_;
  struct glue_pairs *of = &summing->of;
  if (summing->sums.rows == 0 || summing->sums.others == 0) clear(&summing->sums);
  else if (!of->status) glue_pairs_run(of, NULL);
  return glue_pairs_answer(of, summing->value);
}

static void free_sums(void *summing_) {
  struct summing *summing = summing_;
  glue_pairs_free(&summing->of);
  pcf_pair_sums_free(&summing->sums);
}
