#include "glue/r-pairs.h"

#include "glue/r-testing.h"

#include "base/memory.h"
#include "collections/partition.h"
#include "cuda/backend.h"

#include <limits.h>
#include <string.h>

static struct pcf_request read_request(SEXP request, SEXP settings);
static SEXP read_weight(struct glue_pairs *pairs, SEXP weight);
static void check_request(const struct pcf_request *request, int two);
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode,
                          int computing);
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

SEXP glue_pairs_read(struct glue_pairs *pairs, SEXP x, SEXP y, SEXP request_, SEXP settings,
                     int computing) {
  *pairs =
    (struct glue_pairs){.pairs.request = read_request(request_, settings), .report.chosen = -1};
  struct pcf_request *request = &pairs->pairs.request;
  check_request(request, y != R_NilValue);
  SEXP problem = glue_collection(x, &pairs->x);
  if (problem != R_NilValue) return glue_problem_with("x", problem);
  request->x = &pairs->x;
  if (y != R_NilValue) {
    problem = glue_collection(y, &pairs->y);
    if (problem != R_NilValue) return glue_problem_with("y", problem);
    request->y = &pairs->y;
  }
  pairs->x.partial = pairs->y.partial = 1;
  problem = read_weight(pairs, glue_element(request_, "weight"));
  if (problem != R_NilValue) return problem;
  pairs->job = (struct pcf_job){
    .family = &pcf_pairs_family, .problem = &pairs->pairs, .settings = glue_settings(settings)};
  list_backends(&pairs->job, text(settings, "device"), request->mode, computing);
  pairs->progress = glue_element(settings, "progress");
  return R_NilValue;
}

/* ---- The request ---- */

const enum pcf_mode glue_modes[GLUE_MODES] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                              PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};

static struct pcf_request read_request(SEXP request, SEXP settings) {
  static const char *const precisions[] = {"double", "single"};
  static const char *const modes[GLUE_MODES] = {"full", "below", "triangle", "paired"};
  static const char *const missing[] = {"error", "overlap", "mean"};
  const char *method = text(settings, "kernel");
  return (struct pcf_request){
    .mode = glue_modes[glue_position_of(text(request, "mode"), modes, GLUE_MODES)],
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

/* NULL, or one function. */
static SEXP read_weight(struct glue_pairs *pairs, SEXP weight) {
  if (weight == R_NilValue) return R_NilValue;
  SEXP problem = glue_checked_partial(weight, "weight", 1, &pairs->weight, NULL);
  if (problem != R_NilValue) return problem;
  if (pairs->weight.count != 1) Rf_error("internal error: `weight` must be one function");
  pairs->pairs.request.weight = &pairs->weight;
  return R_NilValue;
}

/* NULL for all, or the first and the last, counted from 1; see struct pcf_settings. */
static void read_only(SEXP settings, const char *name, int64_t *first, int64_t *count) {
  SEXP only = glue_element(settings, name);
  if (only == R_NilValue) return;
  if (TYPEOF(only) != REALSXP || XLENGTH(only) != 2 || !(REAL(only)[0] <= REAL(only)[1])) {
    Rf_error("internal error: `%s` must be the first and the last", name);
  }
  *first = (int64_t)REAL(only)[0] - 1;
  if (*first % PCF_ITEMS_TOGETHER) Rf_error("internal error: `%s` must be whole tiles", name);
  *count = (int64_t)REAL(only)[1] - *first;
}

struct pcf_settings glue_settings(SEXP settings) {
  struct pcf_rectangle only = {0};
  read_only(settings, "rows", &only.row, &only.rows);
  read_only(settings, "columns", &only.column, &only.columns);
  return (struct pcf_settings){
    .threads = glue_threads(glue_element(settings, "threads")),
    .block_side = count(settings, "block_side", 0, INT_MAX),
    .gpus = (int)count(settings, "gpus", 0, INT_MAX),
    .gpu_memory = (double)count(settings, "gpu_memory", 0, GLUE_MOST_ELEMENTS),
    .timeline = glue_flag(glue_element(settings, "timeline"), "timeline"),
    .only = only,
  };
}

struct pcf_single glue_single(enum pcf_single_operation operation, void *call, SEXP threads,
                              SEXP settings) {
  struct pcf_single single = {.operation = operation, .call = call};
  single.settings.threads = glue_threads(threads);
  if (settings == R_NilValue) return single;
  single.on_gpu = strcmp(glue_text(glue_element(settings, "device"), "device"), "cuda") == 0;
  single.choice = !single.on_gpu;
  single.settings = glue_settings(settings);
  return single;
}

int glue_is_small(const struct pcf_single *single, int64_t elements, int64_t segments) {
  return !single->on_gpu && pcf_is_small(elements, segments);
}

/* Are pairs of one collection asked for where the mode has one? */
static void check_request(const struct pcf_request *request, int two) {
  int paired = request->mode == PCF_PAIRED;
  if (two ? !paired && request->mode != PCF_FULL : paired) {
    Rf_error("internal error: `mode` and `y` do not go together");
  }
  glue_check_window(request->from, request->to);
  int bounded = request->operation != PCF_LP || R_FINITE(request->p);
  if (!(request->p >= 1) || !bounded) Rf_error("internal error: `p` must be at least 1");
}

/* "cpu", "cuda", or "auto": both, of which the CPU alone computes single pairs. */
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode,
                          int computing) {
  const struct pcf_backend *cuda = mode == PCF_PAIRED ? NULL : pcf_cuda_backend();
  int with_cuda = cuda && strcmp(device, "cpu") != 0;
  int with_cpu = !with_cuda || strcmp(device, "cuda") != 0;
  if (with_cpu) job->backend[job->backends++] = &pcf_cpu_backend;
  if (with_cuda) job->backend[job->backends++] = cuda;
  const struct pcf_backend *provoked = glue_provoked(job->backend[0]);
  if (!computing || provoked == job->backend[0]) return;
  job->backend[0] = provoked;
  job->backends = 1;
}

/* ---- Running ---- */

static int wait_for_run(void *pairs_, double seconds) {
  return pcf_run_wait(((struct glue_pairs *)pairs_)->run, seconds);
}

static void stop_run(void *pairs_) {
  pcf_run_stop(((struct glue_pairs *)pairs_)->run);
}

static void end_run(void *pairs_) {
  struct glue_pairs *pairs = pairs_;
  pairs->status = pcf_run_finish(pairs->run, &pairs->report, &pairs->error);
}

/* Calls the R function progress(done, total, seconds). */
static void draw_progress(void *pairs_) {
  const struct glue_pairs *pairs = pairs_;
  double done, total;
  pcf_run_progress(pairs->run, &done, &total);
  SEXP a = PROTECT(Rf_ScalarReal(done)), b = PROTECT(Rf_ScalarReal(total));
  SEXP c = PROTECT(Rf_ScalarReal(pcf_seconds() - pairs->start));
  SEXP call = PROTECT(Rf_lang4(pairs->progress, a, b, c));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(4);
}

void glue_pairs_run(struct glue_pairs *pairs, void (*begin)(void *pairs)) {
  struct glue_waiting waiting = {pairs, wait_for_run, stop_run, end_run, NULL, begin};
  if (pairs->progress != R_NilValue) waiting.draw = draw_progress;
  pairs->start = pcf_seconds();
  pairs->run = pcf_run_start(&pairs->job, &pairs->error);
  if (pairs->run) glue_wait(&waiting);
  else pairs->status = pairs->error.status;
}

/* ---- Failures ---- */

SEXP glue_pairs_failure(const struct glue_pairs *pairs) {
  const struct pcf_fault *fault = &pairs->pairs.fault;
  const struct pcf_overlap_fault *of_overlaps = &pairs->pairs.overlaps.fault;
  if (!pairs->status) return R_NilValue;
  if (pairs->status == PCF_ERROR_ARGUMENT && fault->problem) {
    return glue_fault(fault->collection ? "y" : "x", fault);
  }
  if (pairs->status == PCF_ERROR_ARGUMENT && of_overlaps->what) {
    return fault_of_overlaps(of_overlaps);
  }
  return glue_answer(R_NilValue, pairs->status, &pairs->error);
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

SEXP glue_pairs_report(const struct glue_pairs *pairs) {
  return glue_report(&pairs->job, &pairs->pairs, &pairs->report);
}

void glue_pairs_free(struct glue_pairs *pairs) {
  pcf_report_free(&pairs->report);
  pcf_pairs_free(&pairs->pairs);
}
