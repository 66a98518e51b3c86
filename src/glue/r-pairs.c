/* Runs over pairs: reading the request, running it, and reporting to R. */
#include "glue/r-pairs.h"

#include "cuda/info.h"
#include "pairs/spike.h"

#include <math.h>
#include <string.h>

static const struct pcf_family *family_for(SEXP operation);
static struct pcf_request read_request(SEXP request, SEXP settings);
static void check_request(const struct pcf_request *request, int two);
static SEXP check_device(struct glue_pairs *pairs, const char *device);
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode,
                          int computing);
static SEXP fault_of_overlaps(const struct pcf_overlap_fault *fault);
static SEXP report_of(const struct glue_pairs *pairs);

SEXP glue_pairs_read(struct glue_pairs *pairs, SEXP x, SEXP y, SEXP request_, SEXP settings,
                     int computing) {
  const struct pcf_family *family = family_for(glue_element(request_, "operation"));
  *pairs = (struct glue_pairs){.pairs.request = read_request(request_, settings),
                               .pruned = R_NilValue,
                               .report.chosen = -1};
  struct pcf_request *request = &pairs->pairs.request;
  check_request(request, y != R_NilValue);
  GLUE_TRY(glue_view(x, "x", GLUE_EITHER, &pairs->x));
  request->x = &pairs->x;
  if (y != R_NilValue) {
    GLUE_TRY(glue_view(y, "y", GLUE_EITHER, &pairs->y));
    request->y = &pairs->y;
  }
  SEXP weight = glue_element(request_, "weight");
  if (weight != R_NilValue) {
    GLUE_TRY(glue_check_weight(weight, &pairs->weight));
    request->weight = &pairs->weight;
  }
  pairs->job = (struct pcf_job){
    .family = family, .problem = &pairs->pairs, .settings = glue_settings(settings)};
  list_backends(&pairs->job, glue_text_of(settings, "device"), request->mode, computing);
  pairs->progress = glue_element(settings, "progress");
  return check_device(pairs, glue_text_of(settings, "device"));
}

/* ---- The family ---- */

/* Those beside integrals. Each has one number for a pair, with the name of the family. */
static const struct pcf_family *const other_families[] = {&pcf_spike_family};
enum { OTHER_FAMILIES = sizeof other_families / sizeof other_families[0] };

/* The family that has the operation of that name. */
static const struct pcf_family *family_for(SEXP operation) {
  for (int k = 0; k < OTHER_FAMILIES; k++) {
    const struct pcf_family *family = other_families[k];
    if (strcmp(glue_text(operation, "operation"), family->name) == 0) return family;
  }
  return &pcf_pairs_family;
}

/* Devices know only integrals. */
static SEXP check_device(struct glue_pairs *pairs, const char *device) {
  const char *name = pairs->job.family->name;
  if (pairs->job.family == &pcf_pairs_family || strcmp(device, "cuda") != 0) return R_NilValue;
  enum pcf_status status = pcf_fail(
    &pairs->error, PCF_ERROR_DEVICE,
    "\"%s\" distances are computed on the CPU only: `device` must be \"cpu\" or \"auto\"",
    name);
  return glue_answer(R_NilValue, status, &pairs->error);
}

/* ---- The request ---- */

/* Do step functions, or with `linear` lines, have the operation of that name? */
SEXP ffi_has_operation(SEXP operation, SEXP linear) {
  if (family_for(operation) != &pcf_pairs_family)
    return Rf_ScalarLogical(!glue_flag(linear, "linear"));
  int number = glue_choice(operation, "operation", pcf_operation_names(), PCF_OPERATION_COUNT);
  return Rf_ScalarLogical(pcf_has_operation(glue_flag(linear, "linear"), number));
}

const enum pcf_mode glue_modes[GLUE_MODES] = {PCF_FULL, PCF_LOWER_WITHOUT_DIAGONAL,
                                              PCF_LOWER_WITH_DIAGONAL, PCF_PAIRED};

/* PCF_NO_OPERATION where another family has it. */
static enum pcf_operation read_operation(SEXP name) {
  if (family_for(name) != &pcf_pairs_family) return PCF_NO_OPERATION;
  return (enum pcf_operation)glue_choice(name, "operation", pcf_operation_names(),
                                         PCF_OPERATION_COUNT);
}

static struct pcf_request read_request(SEXP request, SEXP settings) {
  static const char *const precisions[] = {"double", "single"};
  static const char *const modes[GLUE_MODES] = {"full", "below", "triangle", "paired"};
  static const char *const missing[] = {"error", "overlap", "mean"};
  const char *method = glue_text_of(settings, "kernel");
  return (struct pcf_request){
    .mode = glue_modes[glue_choice_of(request, "mode", modes, GLUE_MODES)],
    .operation = read_operation(glue_element(request, "operation")),
    .p = glue_number_of(request, "p"),
    .from = glue_number_of(request, "from"),
    .to = glue_number_of(request, "to"),
    .missing = (enum pcf_missing)glue_choice_of(request, "missing", missing, 3),
    .least_overlap = glue_number_of(request, "min_overlap"),
    .precision = (enum pcf_precision)glue_choice_of(settings, "precision", precisions, 2),
    .method = strcmp(method, "auto") == 0 ? NULL : method,
    .instructions = glue_text_of(settings, "instructions"),
    .width = (int)glue_count_of(settings, "width", 0, 256),
  };
}

/* Checks that the mode is possible for one collection or, with `two`, for two. */
static void check_request(const struct pcf_request *request, int two) {
  int paired = request->mode == PCF_PAIRED;
  if (two ? !paired && request->mode != PCF_FULL : paired) {
    Rf_error("internal error: `mode` and `y` do not go together");
  }
  glue_check_window(request->from, request->to);
  if (request->operation == PCF_NO_OPERATION) return;
  int bounded = request->operation != PCF_LP || R_FINITE(request->p);
  if (!(request->p >= 1) || !bounded) Rf_error("internal error: `p` must be at least 1");
}

/* "cpu", "cuda", or "auto": both; only the CPU computes single pairs, and other families. */
static void list_backends(struct pcf_job *job, const char *device, enum pcf_mode mode,
                          int computing) {
  int on_cpu = mode == PCF_PAIRED || job->family != &pcf_pairs_family;
  const struct pcf_backend *cuda = on_cpu ? NULL : pcf_cuda_backend();
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

static void end_run(void *pairs_) {
  struct glue_pairs *pairs = pairs_;
  pcf_run_stop(pairs->run);
  pairs->status = pcf_run_finish(pairs->run, &pairs->report, &pairs->error);
}

/* Calls the R function progress(done, total, seconds). */
static void draw_progress(void *pairs_) {
  const struct glue_pairs *pairs = pairs_;
  const struct pcf_pruner *pruner = pairs->pairs.pruner;
  double done, total;
  pcf_run_progress(pairs->run, &done, &total);
  if (pruner && pruner->passed && total > 0)
    done = total * pruner->passed(pruner, done / total);
  SEXP a = PROTECT(Rf_ScalarReal(done)), b = PROTECT(Rf_ScalarReal(total));
  SEXP c = PROTECT(Rf_ScalarReal(pcf_seconds() - pairs->start));
  SEXP call = PROTECT(Rf_lang4(pairs->progress, a, b, c));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(4);
}

/* Without functions there is no run, but an empty result. */
static enum pcf_status run_nothing(struct pcf_sink *sink, enum pcf_mode mode,
                                   struct pcf_error *error) {
  const struct pcf_scale as_it_is = {.factor = 1};
  if (!sink) return PCF_OK;
  enum pcf_status status = pcf_sink_begin(sink, mode, &as_it_is, 1, error);
  return status ? status : pcf_sink_finish(sink, error);
}

void glue_pairs_run(struct glue_pairs *pairs, void (*begin)(void *pairs)) {
  const struct pcf_request *request = &pairs->pairs.request;
  if (pcf_request_is_empty(request)) {
    pairs->status = run_nothing(pairs->job.sink, request->mode, &pairs->error);
    return;
  }
  struct glue_waiting waiting = {pairs, wait_for_run, end_run, NULL, begin, pairs};
  if (pairs->progress != R_NilValue) waiting.draw = draw_progress;
  pairs->start = pcf_seconds();
  pairs->run = pcf_run_start(&pairs->job, &pairs->error);
  if (pairs->run) glue_wait(&waiting);
  else pairs->status = pairs->error.status;
}

/* ---- Failures ---- */

static SEXP failure_of(const struct glue_pairs *pairs) {
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
 * differs from the function of x that it was compared with; whether it is the one that is
 * observed there; and that other function. Or the function whose overlap with others is
 * unbounded, at one end of the stretch. */
static SEXP fault_of_overlaps(const struct pcf_overlap_fault *fault) {
  int unbounded = fault->what == PCF_OVERLAP_UNBOUNDED;
  SEXP what = GLUE_LIST(
    GLUE_INTEGER("collection", fault->collection),
    GLUE_NUMBER("function", fault->of.function + 1), GLUE_NUMBER("other", fault->other + 1),
    GLUE_NUMBER("from", fault->of.from), GLUE_NUMBER("to", fault->of.to),
    GLUE_FLAG("observed", fault->of.observed), GLUE_FLAG("unbounded", unbounded));
  return GLUE_LIST(GLUE_VALUE("unobserved", what));
}

SEXP glue_pairs_answer(const struct glue_pairs *pairs, SEXP value) {
  GLUE_TRY(failure_of(pairs));
  return GLUE_LIST(GLUE_VALUE("value", value), GLUE_VALUE("report", report_of(pairs)));
}

void glue_pairs_free(struct glue_pairs *pairs) {
  pcf_report_free(&pairs->report);
  pcf_pairs_free(&pairs->pairs);
}

/* ---- The report to R ---- */

/* The names end with "". */
static SEXP named_seconds(const double *seconds, const char **names) {
  SEXP vector = Rf_mkNamed(REALSXP, names);
  memcpy(REAL(vector), seconds, (size_t)XLENGTH(vector) * sizeof *seconds);
  return vector;
}

/* The columns of a data frame. Rows and columns of the matrix count from 1. */
static SEXP describe_timeline(const struct pcf_timeline *timeline) {
  static const char *names[] = {"device",  "row",           "column",    "rows",
                                "columns", "launched",      "begun",     "computed",
                                "copied",  "scatter_begun", "scattered", ""};
  enum { COLUMNS = sizeof names / sizeof names[0] - 1 };
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  double *column[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    SET_VECTOR_ELT(list, c, Rf_allocVector(REALSXP, (R_xlen_t)timeline->count));
    column[c] = REAL(VECTOR_ELT(list, c));
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

static const struct pcf_offer *offer_of_cuda(const struct pcf_job *job,
                                             const struct pcf_report *report) {
  for (int k = 0; k < job->backends; k++) {
    if (strcmp(job->backend[k]->name, "cuda") == 0) return &report->offer[k];
  }
  return NULL;
}

/* The expected seconds of every method of the CPU, and of the best method of every other
 * backend. */
static SEXP expected_seconds(const struct pcf_job *job, const struct pcf_pairs *pairs,
                             const struct pcf_report *report) {
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  double seconds[PCF_MAX_METHODS + 1];
  const char *names[PCF_MAX_METHODS + 2];
  int count = 0;
  for (int k = 0; methods[k]; k++, count++) {
    names[count] = methods[k]->name;
    seconds[count] = pairs->estimate[k].seconds;
  }
  names[count] = "cuda";
  names[count + 1] = "";
  const struct pcf_offer *offer = offer_of_cuda(job, report);
  seconds[count] = offer ? offer->seconds : INFINITY;
  return named_seconds(seconds, names);
}

/* Why CUDA could not be used, if there was a problem. */
static const char *problem_of_cuda(const struct pcf_job *job, const struct pcf_report *report) {
  const struct pcf_offer *offer = offer_of_cuda(job, report);
  return offer ? offer->problem.message : "";
}

static SEXP seconds_of_phases(const struct pcf_report *report) {
  static const char *names[] = {"check", "plan", "prepare", "compute", "scatter", ""};
  return named_seconds(report->seconds, names);
}

static SEXP report_of(const struct glue_pairs *of) {
  const struct pcf_job *job = &of->job;
  const struct pcf_pairs *pairs = &of->pairs;
  const struct pcf_report *report = &of->report;
  int planned = report->chosen >= 0;
  const struct pcf_offer *offer = &report->offer[planned ? report->chosen : 0];
  const char *device = planned ? job->backend[report->chosen]->name : "cpu";
  const char *set = planned ? pcf_instructions_name(pairs->instructions) : "none";
  int width = planned ? pairs->estimate[pcf_method_number(pairs->method)].width : 0;
  int single = report->scale.precision == PCF_SINGLE_PRECISION;
  int timeline = job->settings.timeline;
  SEXP expected = PROTECT(expected_seconds(job, pairs, report));
  SEXP phases = PROTECT(seconds_of_phases(report));
  SEXP blocks = PROTECT(timeline ? describe_timeline(&report->timeline) : R_NilValue);
  SEXP list = GLUE_LIST(
    GLUE_TEXT("device", device), GLUE_TEXT("kernel", planned ? offer->method : "none"),
    GLUE_TEXT("isa", set), GLUE_TEXT("precision", single ? "single" : "double"),
    GLUE_INTEGER("threads", offer->threads), GLUE_INTEGER("width", width),
    GLUE_NUMBER("blocks", report->blocks), GLUE_NUMBER("pairs", pairs->pairs),
    GLUE_NUMBER("rectangles", pairs->rectangles),
    GLUE_NUMBER("grid_points", pairs->grid_points), GLUE_VALUE("expected", expected),
    GLUE_VALUE("phases", phases), GLUE_INTEGER("exponent", report->scale.exponent),
    GLUE_NUMBER("halvings", report->halvings), GLUE_VALUE("timeline", blocks),
    GLUE_VALUE("pruned", of->pruned), GLUE_TEXT("cuda_problem", problem_of_cuda(job, report)));
  UNPROTECT(3);
  return list;
}
