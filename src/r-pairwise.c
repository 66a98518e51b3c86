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

/* A run, how it went, and what is to become of it in R. For functions that are known in part a
 * second run may follow, over their indicators, which finishes the results by the lengths of
 * overlaps. */
struct pairwise {
  struct pcf_pairs pairs;
  struct pcf_job job;
  struct pcf_matrix_sink matrix;
  SEXP attributes, progress;
  SEXP value; /* a list with room for the result */
  struct pcf_run *run;
  double start;
  double done; /* work of the run before */
  enum pcf_status status;
  struct pcf_report report;
  struct pcf_error error;
  double overlap_seconds; /* that the second run took; 0: there was none */
};

static void allocate_result(struct pairwise *pairwise);
static SEXP run_and_answer(void *pairwise);
static void free_findings(void *pairwise);
static SEXP fault_of_overlaps(const struct pcf_overlap_fault *fault);

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
  struct pcf_collection x = {0}, y = {0};
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
  x.partial = y.partial = 1;
  pairwise.value = PROTECT(Rf_allocVector(VECSXP, 1));
  pairwise.matrix = sink_of(output, request);
  pairwise.job = (struct pcf_job){.family = &pcf_pairs_family,
                                  .problem = &pairwise.pairs,
                                  .settings = read_settings(settings)};
  if (computing) pairwise.job.sink = &pairwise.matrix.sink;
  list_backends(&pairwise.job, text(settings, "device"), request->mode);
  pairwise.attributes = glue_element(request_, "attributes");
  pairwise.progress = glue_element(settings, "progress");
  SEXP answer = R_ExecWithCleanup(run_and_answer, &pairwise, free_findings, &pairwise);
  UNPROTECT(1);
  return answer;
}

/* ---- The request ---- */

static struct pcf_request read_request(SEXP request, SEXP settings) {
  static const char *const precisions[] = {"double", "single"};
  static const char *const modes[] = {"full", "below", "triangle", "paired"};
  static const char *const missing[] = {"error", "overlap", "mean"};
  const char *method = text(settings, "kernel");
  return (struct pcf_request){
    .mode = mode_of[glue_position_of(text(request, "mode"), modes, 4)],
    .operation = (enum pcf_operation)glue_position_of(
      text(request, "operation"), pcf_operation_names(), PCF_OPERATION_COUNT),
    .p = number(request, "p"),
    .from = number(request, "from"),
    .to = number(request, "to"),
    .missing = (enum pcf_missing)glue_position_of(text(request, "missing"), missing, 3),
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
  double done, total;
  pcf_run_progress(pairwise->run, &done, &total);
  pairwise->done += done;
  pairwise->status = pcf_run_finish(pairwise->run, &pairwise->report, &pairwise->error);
}

/* The work of the second run, if one is expected, relative to that of the first. The indicators
 * are known when the first one's work is. */
static double work_ahead(const struct pairwise *pairwise) {
  const struct pcf_overlaps *overlaps = &pairwise->pairs.overlaps;
  if (!pcf_overlaps_to_compute(overlaps)) return 0;
  struct pcf_request indicators = pcf_overlap_request(&pairwise->pairs);
  return pcf_request_breakpoints(&indicators) /
         pcf_request_breakpoints(&pairwise->pairs.request);
}

/* Calls the R function progress(done, total, seconds). */
static void draw_progress(void *pairwise_) {
  const struct pairwise *pairwise = pairwise_;
  double done, total;
  pcf_run_progress(pairwise->run, &done, &total);
  if (total > 0) total += pairwise->done + total * work_ahead(pairwise);
  done += pairwise->done;
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

/* `begin` is NULL, or what R's thread does first of all. */
static void run_job(struct pairwise *pairwise, void (*begin)(void *)) {
  struct glue_waiting waiting = {pairwise, wait_for_run, stop_run, end_run, NULL, begin};
  if (pairwise->progress != R_NilValue) waiting.draw = draw_progress;
  pairwise->run = pcf_run_start(&pairwise->job, &pairwise->error);
  if (pairwise->run) glue_wait(&waiting);
  else pairwise->status = pairwise->error.status;
}

/* Goes over the indicators, and finishes the results by the lengths of overlaps. */
static void run_over_overlaps(struct pairwise *first) {
  struct pairwise second = *first;
  struct pcf_overlap_sink sink = pcf_overlap_sink(&first->pairs.overlaps, &first->matrix);
  second.pairs = (struct pcf_pairs){.request = pcf_overlap_request(&first->pairs)};
  second.job.problem = &second.pairs;
  second.job.sink = &sink.matrix.sink;
  second.job.sink_comes_later = 0;
  second.job.settings.timeline = 0;
  double start = pcf_seconds();
  run_job(&second, NULL);
  first->overlap_seconds = pcf_seconds() - start;
  first->status = second.status;
  first->error = second.error;
}

static void run_on_r_thread(struct pairwise *pairwise) {
  const struct pcf_request *request = &pairwise->pairs.request;
  const struct pcf_overlaps *overlaps = &pairwise->pairs.overlaps;
  int empty = request->x->count == 0 || (request->y && request->y->count == 0);
  int computing = pairwise->job.sink != NULL;
  int64_t length = pcf_matrix_length(&pairwise->matrix);
  int meanwhile = !empty && length <= most_meanwhile;
  if (computing && !meanwhile) allocate_result(pairwise);
  if (empty) return;
  pairwise->job.sink_comes_later = computing && meanwhile;
  pairwise->start = pcf_seconds();
  run_job(pairwise, pairwise->job.sink_comes_later ? provide_result : NULL);
  if (pairwise->status || !computing) return;
  if (pcf_overlaps_to_compute(overlaps)) run_over_overlaps(pairwise);
  else pcf_overlaps_finish(overlaps, pairwise->matrix.result, length);
}

/* ---- The answer ---- */

static SEXP run_and_answer(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  const struct pcf_fault *fault = &pairwise->pairs.fault;
  run_on_r_thread(pairwise);
  if (pairwise->status == PCF_ERROR_ARGUMENT && fault->problem) {
    return glue_fault(fault->collection ? "y" : "x", fault);
  }
  if (pairwise->status == PCF_ERROR_ARGUMENT && pairwise->pairs.overlaps.fault.what) {
    return fault_of_overlaps(&pairwise->pairs.overlaps.fault);
  }
  if (pairwise->status) return glue_answer(R_NilValue, pairwise->status, &pairwise->error);
  SEXP value = VECTOR_ELT(pairwise->value, 0);
  if (value != R_NilValue) glue_set_attributes(value, pairwise->attributes);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", value);
  glue_set(list, 1, "report",
           glue_report(&pairwise->job, &pairwise->pairs, &pairwise->report,
                       pairwise->overlap_seconds));
  UNPROTECT(1);
  return list;
}

/* list(unobserved): a list of the function and its collection, 0 or 1; the stretch on which it
 * alone is observed, or not, and which of these; and the function of x that it was compared
 * with. Or the function whose overlap with others is unbounded, at one end of the stretch. */
static SEXP fault_of_overlaps(const struct pcf_overlap_fault *fault) {
  int unbounded = fault->what == PCF_OVERLAP_UNBOUNDED;
  SEXP list = PROTECT(glue_list(1)), what = PROTECT(glue_list(7));
  glue_set(what, 0, "collection", Rf_ScalarInteger(fault->collection));
  glue_set(what, 1, "function", Rf_ScalarReal((double)fault->of.function + 1));
  glue_set(what, 2, "other", Rf_ScalarReal((double)fault->other + 1));
  glue_set(what, 3, "from", Rf_ScalarReal(fault->of.from));
  glue_set(what, 4, "to", Rf_ScalarReal(fault->of.to));
  glue_set(what, 5, "observed", Rf_ScalarLogical(fault->of.observed));
  glue_set(what, 6, "unbounded", Rf_ScalarLogical(unbounded));
  glue_set(list, 0, "unobserved", what);
  UNPROTECT(2);
  return list;
}

static void free_findings(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  pcf_report_free(&pairwise->report);
  pcf_overlaps_free(&pairwise->pairs.overlaps);
}
