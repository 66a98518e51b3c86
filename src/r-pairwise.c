/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. */
#include "glue.h"
#include "r-report.h"
#include "r-testing.h"

#include "base/memory.h"
#include "blocks/matrix-sink.h"
#include "cuda/backend.h"

#include <string.h>

static struct pcf_request read_request(SEXP request, SEXP settings);
static struct pcf_settings read_settings(SEXP settings);
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode);
static SEXP allocate_result(const char *output, struct pcf_request *request,
                            struct pcf_matrix_sink *matrix);

/* A run, how it went, and what is to become of it in R. */
struct pairwise {
  struct pcf_pairs pairs;
  struct pcf_job job;
  struct pcf_matrix_sink matrix;
  SEXP value, attributes, progress;
  struct pcf_run *run;
  double start;
  enum pcf_status status;
  struct pcf_report report;
  struct pcf_error error;
};

static SEXP run_and_answer(void *pairwise);
static void free_report(void *pairwise);

static SEXP element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t k = 0; k < XLENGTH(list); k++) {
    if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return VECTOR_ELT(list, k);
  }
  Rf_error("internal error: no element \"%s\"", name);
}

static const char *text(SEXP list, const char *name) {
  return CHAR(STRING_ELT(element(list, name), 0));
}

/* Returns list(value, report), or list(argument, problem), or list(status, message). */
SEXP ffi_pairwise(SEXP x_, SEXP y_, SEXP request_, SEXP settings) {
  struct pcf_collection x, y;
  struct pairwise pairwise = {.pairs.request = read_request(request_, settings),
                              .report.chosen = -1};
  struct pcf_request *request = &pairwise.pairs.request;
  SEXP problem = glue_collection(x_, &x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  request->x = &x;
  if (y_ != R_NilValue) {
    problem = glue_collection(y_, &y);
    if (problem != R_NilValue) return glue_problem_with("y", problem);
    request->y = &y;
  }
  pairwise.value =
    PROTECT(allocate_result(text(request_, "output"), request, &pairwise.matrix));
  pairwise.job = (struct pcf_job){.family = &pcf_pairs_family,
                                  .problem = &pairwise.pairs,
                                  .settings = read_settings(settings)};
  if (pairwise.value != R_NilValue) pairwise.job.sink = &pairwise.matrix.sink;
  list_backends(&pairwise.job, text(settings, "device"), request->mode);
  pairwise.attributes = element(request_, "attributes");
  pairwise.progress = element(settings, "progress");
  SEXP answer = R_ExecWithCleanup(run_and_answer, &pairwise, free_report, &pairwise);
  UNPROTECT(1);
  return answer;
}

/* ---- The request ---- */

static struct pcf_request read_request(SEXP request, SEXP settings) {
  static const char *const precisions[] = {"double", "single"};
  static const char *const modes[] = {"full", "below", "triangle", "paired"};
  static const enum pcf_mode mode_of[] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                          PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};
  const char *method = text(settings, "kernel");
  return (struct pcf_request){
    .mode = mode_of[glue_position_of(text(request, "mode"), modes, 4)],
    .operation = (enum pcf_operation)glue_position_of(
      text(request, "operation"), pcf_operation_names(), PCF_OPERATION_COUNT),
    .p = Rf_asReal(element(request, "p")),
    .from = Rf_asReal(element(request, "from")),
    .to = Rf_asReal(element(request, "to")),
    .precision =
      (enum pcf_precision)glue_position_of(text(settings, "precision"), precisions, 2),
    .method = strcmp(method, "auto") == 0 ? NULL : method,
    .instructions = text(settings, "instructions"),
    .width = Rf_asInteger(element(settings, "width")),
  };
}

static struct pcf_settings read_settings(SEXP settings) {
  return (struct pcf_settings){
    .threads = Rf_asInteger(element(settings, "threads")),
    .block_side = (int64_t)Rf_asReal(element(settings, "block_side")),
    .gpus = Rf_asInteger(element(settings, "gpus")),
    .gpu_memory = Rf_asReal(element(settings, "gpu_memory")),
    .timeline = Rf_asLogical(element(settings, "timeline")),
  };
}

/* "cpu", "cuda", or "auto": both, of which the CPU alone computes single pairs. */
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode) {
  const struct pcf_backend *cuda = mode == PCF_PAIRED ? NULL : pcf_cuda_backend();
  int with_cuda = cuda && strcmp(device, "cpu") != 0;
  int with_cpu = !with_cuda || strcmp(device, "cuda") != 0;
  if (with_cpu) job->backend[job->backends++] = &pcf_cpu_backend;
  if (with_cuda) job->backend[job->backends++] = cuda;
  const struct pcf_backend *provoked = glue_provoked(job->backend[0]);
  if (!job->sink || provoked == job->backend[0]) return;
  job->backend[0] = provoked;
  job->backends = 1;
}

/* ---- The result ---- */

/* "dist", "symmetric", "dense" or "paired"; "none" only plans, and gives R_NilValue. */
static SEXP allocate_result(const char *output, struct pcf_request *request,
                            struct pcf_matrix_sink *matrix) {
  static const char *const outputs[] = {"dist", "symmetric", "dense", "paired"};
  static const enum pcf_matrix_kind kinds[] = {PCF_MATRIX_DIST, PCF_MATRIX_SYMMETRIC,
                                               PCF_MATRIX_DENSE, PCF_MATRIX_PAIRED};
  int64_t rows = request->x->count, columns = pcf_columns_of(request)->count;
  if (request->mode == PCF_PAIRED) {
    rows = request->pairs = rows == 0 || columns == 0 ? 0 : rows > columns ? rows : columns;
  }
  if (strcmp(output, "none") == 0) return R_NilValue;
  *matrix = pcf_matrix_sink(kinds[glue_position_of(output, outputs, 4)], rows, columns, NULL);
  int64_t length = pcf_matrix_length(matrix);
  SEXP value = Rf_allocVector(REALSXP, (R_xlen_t)length);
  matrix->result = REAL(value);
  pcf_ask_for_huge_pages(matrix->result, (size_t)length * sizeof *matrix->result);
  return value;
}

/* ---- Waiting ---- */

static int wait_for_run(void *pairwise_, double seconds) {
  return pcf_run_wait(((struct pairwise *)pairwise_)->run, seconds);
}

static void stop_run(void *pairwise_) {
  pcf_run_stop(((struct pairwise *)pairwise_)->run);
}

static void end_run(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  pairwise->status = pcf_run_finish(pairwise->run, &pairwise->report, &pairwise->error);
}

/* Calls the R function progress(done, total, seconds). */
static void draw_progress(void *pairwise_) {
  const struct pairwise *pairwise = pairwise_;
  double done, total;
  pcf_run_progress(pairwise->run, &done, &total);
  SEXP a = PROTECT(Rf_ScalarReal(done)), b = PROTECT(Rf_ScalarReal(total));
  SEXP c = PROTECT(Rf_ScalarReal(pcf_seconds() - pairwise->start));
  SEXP call = PROTECT(Rf_lang4(pairwise->progress, a, b, c));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(4);
}

static void run_on_r_thread(struct pairwise *pairwise) {
  const struct pcf_request *request = &pairwise->pairs.request;
  int empty = request->x->count == 0 || (request->y && request->y->count == 0);
  if (empty) return;
  struct glue_waiting waiting = {pairwise, wait_for_run, stop_run, end_run, NULL};
  if (pairwise->progress != R_NilValue) waiting.draw = draw_progress;
  pairwise->start = pcf_seconds();
  pairwise->run = pcf_run_start(&pairwise->job, &pairwise->error);
  if (pairwise->run) glue_wait(&waiting);
  else pairwise->status = pairwise->error.status;
}

/* ---- The answer ---- */

static SEXP run_and_answer(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  const struct pcf_fault *fault = &pairwise->pairs.fault;
  run_on_r_thread(pairwise);
  if (pairwise->status == PCF_ERROR_ARGUMENT && fault->problem) {
    return glue_fault(fault->collection ? "y" : "x", fault);
  }
  if (pairwise->status) return glue_answer(R_NilValue, pairwise->status, &pairwise->error);
  if (pairwise->value != R_NilValue) glue_set_attributes(pairwise->value, pairwise->attributes);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", pairwise->value);
  glue_set(list, 1, "report", glue_report(&pairwise->job, &pairwise->pairs, &pairwise->report));
  UNPROTECT(1);
  return list;
}

static void free_report(void *pairwise_) {
  pcf_report_free(&((struct pairwise *)pairwise_)->report);
}
