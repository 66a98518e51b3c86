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

/* Where results go, and what of a matrix each holds, which the modes name in the same order;
 * "none" only plans, and has no sink. */
enum { NONE = 4, OUTPUTS = 5 };
static const char *const outputs[OUTPUTS] = {"dense", "dist", "symmetric", "paired", "none"};
static const enum pcf_mode mode_of[] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                        PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};

static struct pcf_request read_request(SEXP request, SEXP settings);
static struct pcf_settings read_settings(SEXP settings);
static void check_request(const struct pcf_request *request, int output, int two);
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode);
static struct pcf_matrix_sink sink_of(int output, struct pcf_request *request);

/* A run, how it went, and what is to become of it in R. */
struct pairwise {
  struct pcf_pairs pairs;
  struct pcf_job job;
  struct pcf_matrix_sink matrix;
  SEXP attributes, progress;
  SEXP value; /* a list with room for the result */
  struct pcf_run *run;
  double start;
  enum pcf_status status;
  struct pcf_report report;
  struct pcf_error error;
};

static void allocate_result(struct pairwise *pairwise);
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
  int output = glue_position_of(text(request_, "output"), outputs, OUTPUTS);
  int computing = output != NONE;
  check_request(request, output, y_ != R_NilValue);
  SEXP problem = glue_collection(x_, &x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  request->x = &x;
  if (y_ != R_NilValue) {
    problem = glue_collection(y_, &y);
    if (problem != R_NilValue) return glue_problem_with("y", problem);
    request->y = &y;
  }
  pairwise.value = PROTECT(Rf_allocVector(VECSXP, 1));
  pairwise.matrix = sink_of(output, request);
  pairwise.job = (struct pcf_job){.family = &pcf_pairs_family,
                                  .problem = &pairwise.pairs,
                                  .settings = read_settings(settings)};
  if (computing) pairwise.job.sink = &pairwise.matrix.sink;
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
static void check_request(const struct pcf_request *request, int output, int two) {
  int paired = request->mode == PCF_PAIRED;
  int fits = output == NONE ? !paired : request->mode == mode_of[output];
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
  int64_t length = pcf_matrix_length(&pairwise->matrix);
  SEXP result = Rf_allocVector(REALSXP, (R_xlen_t)length);
  SET_VECTOR_ELT(pairwise->value, 0, result);
  pcf_ask_for_huge_pages(REAL(result), (size_t)length * sizeof(double));
  pairwise->matrix.result = REAL(result);
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

/* R looks for garbage before it allocates much, which can take longer than a GPU has to do
 * before there is something to write. So the run is under way meanwhile, unless the result may
 * be too large for any memory. */
static const int64_t most_meanwhile = (int64_t)1 << 30;

static void provide_result(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  allocate_result(pairwise);
  pcf_run_let_write(pairwise->run);
}

static void run_on_r_thread(struct pairwise *pairwise) {
  const struct pcf_request *request = &pairwise->pairs.request;
  int empty = request->x->count == 0 || (request->y && request->y->count == 0);
  int computing = pairwise->job.sink != NULL;
  int meanwhile = !empty && pcf_matrix_length(&pairwise->matrix) <= most_meanwhile;
  if (computing && !meanwhile) allocate_result(pairwise);
  if (empty) return;
  struct glue_waiting waiting = {pairwise, wait_for_run, stop_run, end_run, NULL, NULL};
  if (computing && meanwhile) {
    waiting.begin = provide_result;
    pairwise->job.sink_comes_later = 1;
  }
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
  SEXP value = VECTOR_ELT(pairwise->value, 0);
  if (value != R_NilValue) glue_set_attributes(value, pairwise->attributes);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", value);
  glue_set(list, 1, "report", glue_report(&pairwise->job, &pairwise->pairs, &pairwise->report));
  UNPROTECT(1);
  return list;
}

static void free_report(void *pairwise_) {
  pcf_report_free(&((struct pairwise *)pairwise_)->report);
}
