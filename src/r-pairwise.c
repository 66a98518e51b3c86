/* ffi_pairwise(): one entry point for every matrix of pairs. It reads the request, starts the
 * run, and waits for it on R's thread, drawing progress. */
#include "glue.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/pipeline.h"
#include "cuda/info.h"

#include <math.h>
#include <string.h>

/* For tests only: see ffi_fail_at() and ffi_exhaust_at(). */
static struct {
  int memory; /* is it the device's memory that fails? */
  long step, times;
} failure;

static struct pcf_request read_request(SEXP request, SEXP settings, const char **output);
static SEXP allocate_result(const char *output, const struct pcf_collection *x,
                            const struct pcf_collection *y, struct pcf_sink *sink);
static const struct pcf_backend *failing_backend(const struct pcf_backend *inner);

/* A run, how it went, and what is to become of it in R. */
struct pairwise {
  struct pcf_request request;
  struct pcf_sink sink;
  const struct pcf_backend *backend; /* or NULL: only plans */
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

/* Returns list(value, report), or list(argument, problem), or list(status, message). */
SEXP ffi_pairwise(SEXP x_, SEXP y_, SEXP request, SEXP settings) {
  const char *output;
  struct pcf_collection x, y;
  struct pairwise pairwise = {.request = read_request(request, settings, &output)};
  SEXP problem = glue_collection(x_, &x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  pairwise.request.x = &x;
  if (y_ != R_NilValue) {
    problem = glue_collection(y_, &y);
    if (problem != R_NilValue) return glue_problem_with("y", problem);
    pairwise.request.y = &y;
  }
  pairwise.value = PROTECT(allocate_result(output, &x, pairwise.request.y, &pairwise.sink));
  pairwise.backend = pairwise.value == R_NilValue ? NULL : &pcf_cpu_backend;
  if (pairwise.backend && failure.step) {
    pairwise.backend =
      failing_backend(pairwise.request.cuda_only ? pairwise.request.cuda : pairwise.backend);
    pairwise.request.cuda = NULL;
  }
  pairwise.attributes = element(request, "attributes");
  pairwise.progress = element(settings, "progress");
  SEXP answer = R_ExecWithCleanup(run_and_answer, &pairwise, free_report, &pairwise);
  UNPROTECT(1);
  return answer;
}

/* ---- The request ---- */

static const char *text(SEXP list, const char *name) {
  return CHAR(STRING_ELT(element(list, name), 0));
}

static struct pcf_request read_request(SEXP request, SEXP settings, const char **output) {
  static const char *const operations[] = {"l1", "l2", "lp", "linf", "inner"};
  static const char *const precisions[] = {"double", "single"};
  static const char *const kernels[] = {"sweep", "grid", "split", "auto"};
  static const char *const modes[] = {"full", "below", "triangle", "paired"};
  static const enum pcf_mode mode_of[] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                          PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};
  int kernel = glue_position_of(text(settings, "kernel"), kernels, 4);
  *output = text(request, "output");
  return (struct pcf_request){
    .mode = mode_of[glue_position_of(text(request, "mode"), modes, 4)],
    .operation =
      (enum pcf_operation)glue_position_of(text(request, "operation"), operations, 5),
    .p = Rf_asReal(element(request, "p")),
    .from = Rf_asReal(element(request, "from")),
    .to = Rf_asReal(element(request, "to")),
    .precision =
      (enum pcf_precision)glue_position_of(text(settings, "precision"), precisions, 2),
    .threads = Rf_asInteger(element(settings, "threads")),
    .kernel = kernel == 3 ? PCF_KERNEL_AUTO : (enum pcf_kernel)kernel,
    .instructions = text(settings, "instructions"),
    .width = Rf_asInteger(element(settings, "width")),
    .block_side = (int64_t)Rf_asReal(element(settings, "block_side")),
    .cuda = strcmp(text(settings, "device"), "cpu") == 0 ? NULL : pcf_cuda_backend(),
    .cuda_only = strcmp(text(settings, "device"), "cuda") == 0,
    .gpus = Rf_asInteger(element(settings, "gpus")),
    .gpu_memory = Rf_asReal(element(settings, "gpu_memory")),
    .timeline = Rf_asLogical(element(settings, "timeline")),
  };
}

/* ---- The result ---- */

/* "dist", "symmetric", "dense" or "paired"; "none" only plans, and gives R_NilValue. */
static SEXP allocate_result(const char *output, const struct pcf_collection *x,
                            const struct pcf_collection *y, struct pcf_sink *sink) {
  *sink = (struct pcf_sink){0};
  int64_t n = x->count, columns = y ? y->count : n;
  if (strcmp(output, "none") == 0) return R_NilValue;
  if (strcmp(output, "paired") == 0) {
    int64_t pairs = n == 0 || columns == 0 ? 0 : n > columns ? n : columns;
    *sink = (struct pcf_sink){PCF_SINK_PAIRED, pairs, 1, NULL};
  } else {
    enum pcf_sink_kind kind = strcmp(output, "dist") == 0        ? PCF_SINK_DIST
                              : strcmp(output, "symmetric") == 0 ? PCF_SINK_SYMMETRIC
                                                                 : PCF_SINK_DENSE;
    *sink = (struct pcf_sink){kind, n, columns, NULL};
  }
  int64_t length = pcf_sink_length(sink);
  SEXP value = Rf_allocVector(REALSXP, (R_xlen_t)length);
  sink->result = REAL(value);
  pcf_ask_for_huge_pages(sink->result, (size_t)length * sizeof *sink->result);
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
  const struct pcf_request *request = &pairwise->request;
  int empty = request->x->count == 0 || (request->y && request->y->count == 0);
  if (empty) return;
  struct glue_waiting waiting = {pairwise, wait_for_run, stop_run, end_run, NULL};
  if (pairwise->progress != R_NilValue) waiting.draw = draw_progress;
  pairwise->start = pcf_seconds();
  pairwise->run = pcf_run_start(request, &pairwise->sink, pairwise->backend, &pairwise->error);
  if (pairwise->run) glue_wait(&waiting);
  else pairwise->status = pairwise->error.status;
}

/* ---- The answer ---- */

static SEXP named_seconds(const double *seconds, const char *const *names, int count) {
  SEXP vector = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    REAL(vector)[k] = seconds[k];
    SET_STRING_ELT(labels, k, Rf_mkChar(names[k]));
  }
  Rf_setAttrib(vector, R_NamesSymbol, labels);
  UNPROTECT(2);
  return vector;
}

/* The columns of a data frame. Rows and columns of the matrix count from 1. */
static SEXP describe_timeline(const struct pcf_timeline *timeline) {
  static const char *const names[] = {"device",  "row",           "column",   "rows",
                                      "columns", "launched",      "begun",    "computed",
                                      "copied",  "scatter_begun", "scattered"};
  enum { COLUMNS = sizeof names / sizeof names[0] };
  SEXP list = PROTECT(glue_list(COLUMNS));
  double *column[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    SEXP vector = Rf_allocVector(REALSXP, (R_xlen_t)timeline->count);
    glue_set(list, c, names[c], vector);
    column[c] = REAL(vector);
  }
  for (int64_t k = 0; k < timeline->count; k++) {
    const struct pcf_span *span = &timeline->span[k];
    const double values[COLUMNS] = {
      span->device,        (double)span->row + 1, (double)span->column + 1,
      (double)span->rows,  (double)span->columns, span->launched,
      span->begun,         span->computed,        span->copied,
      span->scatter_begun, span->scattered};
    for (int c = 0; c < COLUMNS; c++) column[c][k] = isnan(values[c]) ? NA_REAL : values[c];
  }
  UNPROTECT(1);
  return list;
}

static SEXP describe_report(const struct pcf_report *report, int timeline) {
  static const char *const phases[] = {"check", "plan", "prepare", "compute", "scatter"};
  static const char *const kernels[] = {"sweep", "grid", "split", "cuda"};
  const struct pcf_plan *plan = &report->plan;
  int planned = plan->threads > 0;
  SEXP list = PROTECT(glue_list(15));
  glue_set(list, 0, "device", Rf_mkString(planned ? report->device : "cpu"));
  glue_set(list, 1, "kernel", Rf_mkString(planned ? pcf_kernel_name(plan->kernel) : "none"));
  glue_set(list, 2, "isa",
           Rf_mkString(planned ? pcf_instructions_name(plan->instructions) : "none"));
  int single = report->integral.precision == PCF_SINGLE_PRECISION;
  glue_set(list, 3, "precision", Rf_mkString(single ? "single" : "double"));
  glue_set(list, 4, "threads", Rf_ScalarInteger(plan->threads));
  glue_set(list, 5, "width", Rf_ScalarInteger(plan->width));
  glue_set(list, 6, "blocks", Rf_ScalarReal((double)report->blocks));
  glue_set(list, 7, "pairs", Rf_ScalarReal(plan->pairs));
  glue_set(list, 8, "rectangles", Rf_ScalarReal(plan->rectangles));
  double points = plan->pairs > 0 ? plan->cells / plan->pairs : 0;
  glue_set(list, 9, "grid_points", Rf_ScalarReal(points));
  double expected[PCF_KERNEL_COUNT + 1] = {0};
  memcpy(expected, plan->seconds, sizeof plan->seconds);
  expected[PCF_KERNEL_COUNT] = plan->cuda_seconds;
  glue_set(list, 10, "expected", named_seconds(expected, kernels, PCF_KERNEL_COUNT + 1));
  glue_set(list, 11, "phases", named_seconds(report->seconds, phases, PCF_PHASE_COUNT));
  glue_set(list, 12, "exponent", Rf_ScalarInteger(report->integral.exponent));
  glue_set(list, 13, "halvings", Rf_ScalarReal((double)report->halvings));
  glue_set(list, 14, "timeline", timeline ? describe_timeline(&report->timeline) : R_NilValue);
  UNPROTECT(1);
  return list;
}

static SEXP run_and_answer(void *pairwise_) {
  struct pairwise *pairwise = pairwise_;
  const struct pcf_fault *fault = &pairwise->report.fault;
  run_on_r_thread(pairwise);
  if (pairwise->status == PCF_ERROR_ARGUMENT && fault->problem) {
    return glue_fault(fault->collection ? "y" : "x", fault);
  }
  if (pairwise->status) return glue_answer(R_NilValue, pairwise->status, &pairwise->error);
  if (pairwise->value != R_NilValue) glue_set_attributes(pairwise->value, pairwise->attributes);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "value", pairwise->value);
  glue_set(list, 1, "report", describe_report(&pairwise->report, pairwise->request.timeline));
  UNPROTECT(1);
  return list;
}

static void free_report(void *pairwise_) {
  pcf_report_free(&((struct pairwise *)pairwise_)->report);
}

/* ---- Asking and testing ---- */

/* list(cores, instructions): what this process may use, and the instruction sets, best first.
 */
SEXP ffi_available(void) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  SEXP list = PROTECT(glue_list(2)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_STRING_ELT(names, k, Rf_mkChar(pcf_instructions_name(available[k])));
  }
  glue_set(list, 0, "cores", Rf_ScalarInteger(pcf_available_cores()));
  glue_set(list, 1, "instructions", names);
  UNPROTECT(2);
  return list;
}

/* A list of what pcf_cuda_describe() finds; memory in bytes. */
SEXP ffi_cuda_info(void) {
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info);
  SEXP list = PROTECT(glue_list(5)), gpus = PROTECT(Rf_allocVector(VECSXP, info.count));
  for (int g = 0; g < info.count; g++) {
    const struct pcf_gpu_info *gpu = &info.gpu[g];
    SEXP one = glue_list(6);
    SET_VECTOR_ELT(gpus, g, one);
    glue_set(one, 0, "name", Rf_mkString(gpu->name));
    glue_set(one, 1, "capability", Rf_ScalarReal(gpu->capability / 10.0));
    glue_set(one, 2, "multiprocessors", Rf_ScalarInteger(gpu->multiprocessors));
    glue_set(one, 3, "memory", Rf_ScalarReal(gpu->memory));
    glue_set(one, 4, "free_memory", Rf_ScalarReal(gpu->free_memory));
    glue_set(one, 5, "has_code", Rf_ScalarLogical(gpu->has_code));
  }
  glue_set(list, 0, "built", Rf_ScalarLogical(info.built));
  glue_set(list, 1, "driver", Rf_ScalarInteger(info.driver));
  glue_set(list, 2, "runtime", Rf_ScalarInteger(info.runtime));
  glue_set(list, 3, "problem", Rf_mkString(info.problem));
  glue_set(list, 4, "devices", gpus);
  UNPROTECT(2);
  return list;
}

/* For tests: lets step number `step` of the device, or allocation number `allocation`, fail in
 * later runs; 0 for never. */
SEXP ffi_fail_at(SEXP step, SEXP allocation) {
  failure.memory = 0;
  failure.step = Rf_asInteger(step);
  pcf_memory_fail_at(Rf_asInteger(allocation));
  return R_NilValue;
}

/* For tests: lets `times` steps (0: all) from number `step` on (0: never) find too little
 * memory on the device, in later runs. */
SEXP ffi_exhaust_at(SEXP step, SEXP times) {
  failure.memory = 1;
  failure.step = Rf_asInteger(step);
  failure.times = Rf_asInteger(times);
  return R_NilValue;
}

static const struct pcf_backend *failing_backend(const struct pcf_backend *inner) {
  if (failure.memory) return pcf_exhausted_backend(inner, failure.step, failure.times);
  return pcf_failing_backend(inner, failure.step);
}

/* For tests: see pcf_cuda_provoke(). */
SEXP ffi_cuda_provoke(SEXP memory, SEXP launch) {
  pcf_cuda_provoke(Rf_asReal(memory), Rf_asLogical(launch));
  return R_NilValue;
}
