/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. */
#include "glue.h"
#include "r-report.h"
#include "r-testing.h"

#include "base/memory.h"
#include "blocks/matrix-sink.h"
#include "cuda/backend.h"

#include <limits.h>
#include <string.h>

static struct pcf_request read_request(SEXP request, SEXP settings);
static struct pcf_settings read_settings(SEXP settings);
static void check_request(const struct pcf_request *request, const char *output, int two);
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

static const char *text(SEXP list, const char *name) {
  return glue_text(glue_element(list, name), name);
}

static double number(SEXP list, const char *name) {
  return glue_number(glue_element(list, name), name);
}

static int64_t count(SEXP list, const char *name, int64_t least, int64_t most) {
  return glue_count(glue_element(list, name), name, least, most);
}

/* Returns list(value, report), or list(argument, problem), or list(status, message). */
SEXP ffi_pairwise(SEXP x_, SEXP y_, SEXP request_, SEXP settings) {
  struct pcf_collection x, y;
  struct pairwise pairwise = {.pairs.request = read_request(request_, settings),
                              .report.chosen = -1};
  struct pcf_request *request = &pairwise.pairs.request;
  check_request(request, text(request_, "output"), y_ != R_NilValue);
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
  pairwise.attributes = glue_element(request_, "attributes");
  pairwise.progress = glue_element(settings, "progress");
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
    .p = number(request, "p"),
    .from = number(request, "from"),
    .to = number(request, "to"),
    .precision =
      (enum pcf_precision)glue_position_of(text(settings, "precision"), precisions, 2),
    .method = strcmp(method, "auto") == 0 ? NULL : method,
    .instructions = text(settings, "instructions"),
    .width = (int)count(settings, "width", 0, 256),
  };
}

static struct pcf_settings read_settings(SEXP settings) {
  return (struct pcf_settings){
    .threads = glue_threads(glue_element(settings, "threads")),
    .block_side = count(settings, "block_side", 0, INT_MAX),
    .gpus = (int)count(settings, "gpus", 0, INT_MAX),
    .gpu_memory = (double)count(settings, "gpu_memory", 0, GLUE_MOST_ELEMENTS),
    .timeline = glue_flag(glue_element(settings, "timeline"), "timeline"),
  };
}

/* Does the output hold exactly what the mode computes, and of one collection where it must? */
static void check_request(const struct pcf_request *request, const char *output, int two) {
  static const char *const outputs[] = {"dense", "dist", "symmetric", "paired", "none"};
  static const enum pcf_mode mode_of[] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                          PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};
  int which = glue_position_of(output, outputs, 5), paired = request->mode == PCF_PAIRED;
  int fits = which < 4 ? request->mode == mode_of[which] : !paired;
  if (!fits) Rf_error("internal error: `output` and `mode` do not go together");
  if (two ? !paired && request->mode != PCF_FULL : paired) {
    Rf_error("internal error: `mode` and `y` do not go together");
  }
  glue_check_window(request->from, request->to);
  int bounded = request->operation != PCF_LP || R_FINITE(request->p);
  if (!(request->p >= 1) || !bounded) Rf_error("internal error: `p` must be at least 1");
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
