/* Running work for R: R's thread only waits, other threads work. */
#include "glue/glue.h"

#include "base/memory.h"
#include "base/threads.h"

#include <limits.h>
#include <string.h>

static const double poll_seconds = 0.05;

/* ---- Waiting ---- */

static SEXP wait(void *waiting_) {
  const struct glue_waiting *waiting = waiting_;
  if (waiting->begin) waiting->begin(waiting->work);
  while (!waiting->wait(waiting->work, poll_seconds)) {
    R_CheckUserInterrupt();
    if (waiting->draw) waiting->draw(waiting->work);
  }
  if (waiting->draw) waiting->draw(waiting->work);
  return R_NilValue;
}

static void end_waiting(void *waiting_) {
  const struct glue_waiting *waiting = waiting_;
  waiting->stop(waiting->work);
  waiting->end(waiting->work);
}

void glue_wait(struct glue_waiting *waiting) {
  R_ExecWithCleanup(wait, waiting, end_waiting, waiting);
}

/* A function of the package, which is loaded while its code runs. */
static SEXP own_function(const char *name) {
  SEXP package = PROTECT(Rf_mkString("pcfdist"));
  SEXP namespace = PROTECT(R_FindNamespace(package));
  SEXP found = Rf_eval(Rf_install(name), namespace);
  UNPROTECT(2);
  return found;
}

/* ---- Work on one thread ---- */

struct job {
  glue_work *work;
  void *context;
  void (*meanwhile)(void *data);
  void *data;
  double start;
  int done, drawn; /* has it ended; was R asked to draw? */
  struct pcf_thread *thread;
  atomic_int stop;
  enum pcf_status status;
  struct pcf_error *error;
};

static void run_job(void *job_) {
  struct job *job = job_;
  job->status = job->work(job->context, &job->stop, job->error);
}

static int wait_for_job(void *job_, double seconds) {
  struct job *job = job_;
  job->done = pcf_thread_wait(job->thread, seconds);
  return job->done;
}

static void stop_job(void *job_) {
  atomic_store(&((struct job *)job_)->stop, 1);
}

static void begin_job(void *job_) {
  const struct job *job = job_;
  if (job->meanwhile) job->meanwhile(job->data);
}

/* R decides whether there is something to draw yet. */
static void draw_job(void *job_) {
  struct job *job = job_;
  SEXP seconds = PROTECT(Rf_ScalarReal(pcf_seconds() - job->start));
  SEXP draw = PROTECT(own_function("draw_waiting"));
  SEXP call = PROTECT(Rf_lang2(draw, seconds));
  job->drawn = 1;
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(3);
}

static SEXP end_of_bar(void) {
  SEXP end = PROTECT(own_function("end_bar"));
  SEXP call = Rf_lang1(end);
  UNPROTECT(1);
  return call;
}

/* Where something jumps out of the wait, errors of drawing must not get in its way. */
static void end_job(void *job_) {
  struct job *job = job_;
  pcf_thread_join(job->thread);
  if (job->done || !job->drawn) return;
  R_tryEvalSilent(PROTECT(end_of_bar()), R_BaseEnv, NULL);
  UNPROTECT(1);
}

enum pcf_status glue_run(glue_work *work, void *context, struct pcf_error *error) {
  return glue_run_meanwhile(work, context, NULL, NULL, error);
}

enum pcf_status glue_run_meanwhile(glue_work *work, void *context,
                                   void (*meanwhile)(void *data), void *data,
                                   struct pcf_error *error) {
  R_CheckUserInterrupt(); // one of many short jobs is over before the wait looks
  struct job job = {.work = work,
                    .context = context,
                    .meanwhile = meanwhile,
                    .data = data,
                    .error = error,
                    .start = pcf_seconds()};
  struct glue_waiting waiting = {&job, wait_for_job, stop_job, end_job, draw_job, begin_job};
  job.thread = pcf_thread_start(run_job, &job, error);
  if (!job.thread) return error->status;
  glue_wait(&waiting);
  if (job.drawn) {
    Rf_eval(PROTECT(end_of_bar()), R_BaseEnv);
    UNPROTECT(1);
  }
  return job.status;
}

enum pcf_status glue_run_sized(int small, glue_work *work, void *context,
                               struct pcf_error *error) {
  static const atomic_int never;
  return small ? work(context, &never, error) : glue_run(work, context, error);
}

/* ---- Collections ---- */

struct checking {
  const struct pcf_collection *x;
  int threads;
  struct pcf_range *range;
  struct pcf_fault fault;
};

static enum pcf_status check_work(void *checking_, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct checking *checking = checking_;
  return pcf_check_collection(checking->x, checking->threads, stop, checking->range,
                              &checking->fault, error);
}

static SEXP checked(SEXP x, const char *argument, int threads, int partial,
                    struct pcf_collection *collection, struct pcf_range *range) {
  struct pcf_range unused = PCF_EMPTY_RANGE;
  struct checking checking = {collection, threads, range ? range : &unused, {0}};
  struct pcf_error error = {0};
  SEXP problem = glue_collection(x, collection);
  if (problem != R_NilValue) return glue_problem_with(argument, problem);
  collection->partial = partial;
  int small = pcf_total_breakpoints(collection) < GLUE_FEW_BREAKPOINTS;
  enum pcf_status status = glue_run_sized(small, check_work, &checking, &error);
  if (checking.fault.problem) return glue_fault(argument, &checking.fault);
  return status ? glue_answer(R_NilValue, status, &error) : R_NilValue;
}

SEXP glue_checked_collection(SEXP x, const char *argument, int threads,
                             struct pcf_collection *collection, struct pcf_range *range) {
  return checked(x, argument, threads, 0, collection, range);
}

SEXP glue_checked_partial(SEXP x, const char *argument, int threads,
                          struct pcf_collection *collection, struct pcf_range *range) {
  return checked(x, argument, threads, 1, collection, range);
}

int64_t *glue_counts(int64_t n) {
  return (int64_t *)R_alloc((size_t)n + 1, sizeof(int64_t));
}

void glue_cut(struct pcf_portions *portions, int64_t items, const int64_t *length) {
  *portions = (struct pcf_portions){.items = items, .length = length};
  portions->first = glue_counts(items);
  portions->place = glue_counts(pcf_portions_cut(portions));
}

SEXP glue_functions(int64_t count, const int64_t *breakpoints) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  SEXP names = PROTECT(Rf_allocVector(VECSXP, 2)), columns = Rf_allocVector(STRSXP, 2);
  SET_VECTOR_ELT(names, 1, columns);
  SET_STRING_ELT(columns, 0, Rf_mkChar("time"));
  SET_STRING_ELT(columns, 1, Rf_mkChar("value"));
  MARK_NOT_MUTABLE(names);
  for (int64_t i = 0; i < count; i++) {
    SEXP f = Rf_allocMatrix(REALSXP, (int)breakpoints[i], 2);
    SET_VECTOR_ELT(list, (R_xlen_t)i, f);
    Rf_setAttrib(f, R_DimNamesSymbol, names);
    glue_poll(i);
  }
  UNPROTECT(2);
  return list;
}

R_xlen_t glue_length(R_xlen_t rows, R_xlen_t columns) {
  double length = (double)rows * (double)columns;
  if (length > 4503599627370495.0) Rf_error("the result has more than 2^52 elements");
  return (R_xlen_t)length;
}

SEXP glue_rows(R_xlen_t rows, R_xlen_t columns) {
  R_xlen_t length = glue_length(rows, columns);
  SEXP value = Rf_allocVector(REALSXP, length);
  pcf_ask_for_huge_pages(REAL(value), (size_t)length * sizeof(double));
  return value;
}

SEXP glue_matrix(R_xlen_t rows, R_xlen_t columns) {
  if (rows > INT_MAX || columns > INT_MAX) {
    Rf_error("the result has more than 2^31 - 1 rows or columns");
  }
  SEXP value = PROTECT(glue_rows(rows, columns)), dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = (int)rows;
  INTEGER(dim)[1] = (int)columns;
  Rf_setAttrib(value, R_DimSymbol, dim);
  UNPROTECT(2);
  return value;
}

SEXP glue_new_functions(int64_t count, const int64_t *breakpoints, double ***result,
                        struct pcf_error *error) {
  for (int64_t i = 0; i < count; i++) {
    if (breakpoints[i] <= INT_MAX) continue;
    pcf_fail(error, PCF_ERROR_ARGUMENT,
             "function %lld of the result would have %lld breakpoints, and at most %d are "
             "possible",
             (long long)i + 1, (long long)breakpoints[i], INT_MAX);
    return R_NilValue;
  }
  SEXP functions = PROTECT(glue_functions(count, breakpoints));
  *result = (double **)R_alloc((size_t)count + 1, sizeof **result);
  for (int64_t i = 0; i < count; i++) (*result)[i] = REAL(VECTOR_ELT(functions, (R_xlen_t)i));
  UNPROTECT(1);
  return functions;
}

static SEXP without_start(SEXP f) {
  int m = (int)(XLENGTH(f) / 2);
  if (m == 1) {
    REAL(f)[0] = 0;
    return f;
  }
  SEXP rest = PROTECT(Rf_allocMatrix(REALSXP, m - 1, 2));
  for (int column = 0; column < 2; column++) {
    const double *from = REAL(f) + (size_t)column * (size_t)m + 1;
    memcpy(REAL(rest) + (size_t)column * (size_t)(m - 1), from,
           (size_t)(m - 1) * sizeof(double));
  }
  Rf_setAttrib(rest, R_DimNamesSymbol, Rf_getAttrib(f, R_DimNamesSymbol));
  UNPROTECT(1);
  return rest;
}

void glue_drop_zero_starts(SEXP functions) {
  PROTECT(functions);
  for (R_xlen_t i = 0; i < XLENGTH(functions); i++) {
    SEXP f = VECTOR_ELT(functions, i);
    int zero = REAL(f)[0] == R_NegInf && REAL(f)[XLENGTH(f) / 2] == 0;
    if (zero) SET_VECTOR_ELT(functions, i, without_start(f));
    glue_poll(i);
  }
  UNPROTECT(1);
}

/* ---- Results ---- */

void glue_set_attributes(SEXP value, SEXP attributes) {
  glue_check_list(attributes, "attributes");
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  R_xlen_t count = XLENGTH(attributes);
  if (count > 0 && TYPEOF(names) != STRSXP) Rf_error("internal error: attributes need names");
  for (R_xlen_t k = 0; k < count; k++) {
    SEXP attribute = VECTOR_ELT(attributes, k);
    if (attribute != R_NilValue) {
      Rf_setAttrib(value, Rf_installTrChar(STRING_ELT(names, k)), attribute);
    }
  }
}

/* ---- Answers ---- */

SEXP glue_problem_with(const char *argument, SEXP problem) {
  PROTECT(problem);
  SEXP list = PROTECT(glue_list(2));
  glue_set(list, 0, "argument", Rf_mkString(argument));
  glue_set(list, 1, "problem", problem);
  UNPROTECT(2);
  return list;
}

SEXP glue_fault(const char *argument, const struct pcf_fault *fault) {
  const char *name = glue_problem_name(fault->problem);
  return glue_problem_with(argument, glue_problem(fault->function, fault->position, name));
}

SEXP glue_answer(SEXP value, enum pcf_status status, const struct pcf_error *error) {
  static const char *const names[] = {
    [PCF_OK] = "ok",
    [PCF_ERROR_MEMORY] = "memory",
    [PCF_ERROR_ARGUMENT] = "argument",
    [PCF_ERROR_DEVICE] = "device",
    [PCF_ERROR_DEVICE_MEMORY] = "memory",
    [PCF_ERROR_SYSTEM] = "system",
    [PCF_ERROR_INTERRUPTED] = "interrupted",
    [PCF_ERROR_FILE] = "file",
  };
  PROTECT(value);
  SEXP list = PROTECT(glue_list(status ? 2 : 1));
  if (status) {
    glue_set(list, 0, "status", Rf_mkString(names[status]));
    glue_set(list, 1, "message", Rf_mkString(error->message));
  } else {
    glue_set(list, 0, "value", value);
  }
  UNPROTECT(2);
  return list;
}
