/* Running work for R: R's thread only waits, other threads work. */
#include "glue/glue.h"

#include "base/memory.h"
#include "base/threads.h"

#include <R_ext/Rallocators.h>
#include <math.h>
#include <stdlib.h>

static const double poll_seconds = 0.05;

/* ---- Waiting ---- */

static SEXP wait(void *waiting_) {
  const struct glue_waiting *waiting = waiting_;
  if (waiting->begin) waiting->begin(waiting->data);
  while (!waiting->wait(waiting->work, poll_seconds)) {
    R_CheckUserInterrupt();
    if (waiting->draw) waiting->draw(waiting->work);
  }
  if (waiting->draw) waiting->draw(waiting->work);
  return R_NilValue;
}

void glue_wait(struct glue_waiting *waiting) {
  R_ExecWithCleanup(wait, waiting, waiting->end, waiting->work);
}

SEXP glue_namespace(void) {
  SEXP namespace = R_FindNamespace(PROTECT(Rf_mkString("pcfdist")));
  UNPROTECT(1);
  return namespace;
}

/* ---- Work on one thread ---- */

struct job {
  glue_work *work;
  void *context;
  double start;
  int done, drawn;               /* has it ended; was R asked to draw? */
  const atomic_int *thousandths; /* that are done, or NULL */
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

/* Calls R to draw the progress; R decides whether to draw yet. */
static void draw_job(void *job_) {
  struct job *job = job_;
  SEXP seconds = PROTECT(Rf_ScalarReal(pcf_seconds() - job->start));
  SEXP done =
    PROTECT(Rf_ScalarInteger(job->thousandths ? atomic_load(job->thousandths) : NA_INTEGER));
  SEXP call = PROTECT(Rf_lang3(Rf_install("draw_waiting"), seconds, done));
  job->drawn = 1;
  Rf_eval(call, glue_namespace());
  UNPROTECT(3);
}

/* Ends the job. If R jumps out of the wait, errors of drawing must not interfere. */
static void end_job(void *job_) {
  struct job *job = job_;
  atomic_store(&job->stop, 1);
  pcf_thread_join(job->thread);
  if (job->done || !job->drawn) return;
  R_tryEvalSilent(PROTECT(Rf_lang1(Rf_install("end_bar"))), glue_namespace(), NULL);
  UNPROTECT(1);
}

static enum pcf_status do_job(struct job *job, void (*meanwhile)(void *data), void *data) {
  R_CheckUserInterrupt(); // one of many short jobs is over before the wait looks
  struct glue_waiting waiting = {job, wait_for_job, end_job, draw_job, meanwhile, data};
  job->start = pcf_seconds();
  job->thread = pcf_thread_start(run_job, job, job->error);
  if (!job->thread) return job->error->status;
  glue_wait(&waiting);
  if (job->drawn) {
    Rf_eval(PROTECT(Rf_lang1(Rf_install("end_bar"))), glue_namespace());
    UNPROTECT(1);
  }
  return job->status;
}

/* Like glue_run() of work that is not small; R's thread first calls `meanwhile`, once the work
 * has started. */
static enum pcf_status run_meanwhile(glue_work *work, void *context,
                                     void (*meanwhile)(void *data), void *data,
                                     struct pcf_error *error) {
  struct job job = {.work = work, .context = context, .error = error};
  return do_job(&job, meanwhile, data);
}

enum pcf_status glue_run(int small, glue_work *work, void *context, struct pcf_error *error) {
  static const atomic_int never;
  return small ? work(context, &never, error) : run_meanwhile(work, context, NULL, NULL, error);
}

enum pcf_status glue_run_in_parts(glue_work *work, void *context, const atomic_int *thousandths,
                                  struct pcf_error *error) {
  struct job job = {
    .work = work, .context = context, .error = error, .thousandths = thousandths};
  return do_job(&job, NULL, NULL);
}

SEXP glue_run_and_answer(int small, glue_work *work, void *context, SEXP value) {
  struct pcf_error error = {0};
  PROTECT(value);
  enum pcf_status status = glue_run(small, work, context, &error);
  SEXP answer = glue_answer(value, status, &error);
  UNPROTECT(1);
  return answer;
}

/* ---- Memory that is allocated before R makes a vector ---- */

struct glue_reserved {
  void *memory;
  size_t bytes;
  int64_t length;
  int taken; /* does a vector own it? */
};

static const double least_length = 1 << 21;
/* Of all memory: such a vector, and such garbage, which is freed while this one is written. */
static const double most_share = 0.25;
static const double least_garbage = 0x1p30;

static int vectors;
static double held; /* their bytes, which R does not count as memory in use */
static double kept; /* what was held, at least, since the last collection of garbage */

int glue_reserved_vectors(void) {
  return vectors;
}

static void drop(struct glue_reserved *reserved) {
  pcf_unmap_memory(reserved->memory, reserved->bytes);
  free(reserved);
}

/* The allocator that R calls, which lies in the memory itself. */

static void *take(R_allocator_t *allocator, size_t bytes) {
  struct glue_reserved *reserved = allocator->data;
  if (reserved->taken || bytes > reserved->bytes) return NULL;
  reserved->taken = 1;
  vectors++;
  held += (double)reserved->bytes;
  return reserved->memory;
}

static void give_back(R_allocator_t *allocator, void *memory) {
  struct glue_reserved *reserved = allocator->data;
  vectors--;
  held -= (double)reserved->bytes;
  kept = fmin(kept, held);
  drop(reserved);
}

static SEXP make_vector(struct glue_reserved *reserved) {
  R_allocator_t allocator = {take, give_back, NULL, reserved};
  return Rf_allocVector3(REALSXP, (R_xlen_t)reserved->length, &allocator);
}

static struct glue_reserved *reserve(int64_t length, size_t before) {
  struct glue_reserved *reserved = malloc(sizeof *reserved);
  if (!reserved) return NULL;
  *reserved = (struct glue_reserved){.length = length};
  reserved->bytes = before + (size_t)length * sizeof(double);
  reserved->memory = pcf_map_memory(reserved->bytes);
  if (reserved->memory) return reserved;
  free(reserved);
  return NULL;
}

/* The number of bytes before the elements, which is the same for all vectors of R; 0 if it is
 * unknown. */
static size_t bytes_before_numbers(void) {
  enum { LENGTH = 16, AT_MOST = 4096 };
  static size_t before;
  if (before) return before;
  struct glue_reserved *probe = reserve(LENGTH, AT_MOST);
  if (!probe) return 0;
  SEXP vector = make_vector(probe);
  if (probe->taken) before = (size_t)((char *)REAL(vector) - (char *)probe->memory);
  else glue_unreserve(probe);
  return before;
}

struct glue_reserved *glue_reserve(int64_t length) {
  double bytes = (double)length * sizeof(double);
  if ((double)length < least_length || bytes > most_share * pcf_whole_memory()) return NULL;
  size_t before = bytes_before_numbers();
  return before ? reserve(length, before) : NULL;
}

double *glue_reserved_numbers(const struct glue_reserved *reserved) {
  return (double *)((char *)reserved->memory + bytes_before_numbers());
}

/* Of vectors that R does not count, garbage would pile up: it is collected where there may be
 * more of it than is in use. */
static void collect_garbage(void) {
  double most = fmin(fmax(kept, least_garbage), most_share * pcf_whole_memory());
  if (held <= kept + most) return;
  R_gc();
  kept = held;
}

SEXP glue_reserved_vector(struct glue_reserved *reserved) {
  collect_garbage();
  const double *numbers = glue_reserved_numbers(reserved);
  SEXP vector = make_vector(reserved);
  if (REAL(vector) != numbers) Rf_error("internal error: a vector is not where it should be");
  return vector;
}

void glue_unreserve(struct glue_reserved *reserved) {
  if (reserved && !reserved->taken) drop(reserved);
}

/* ---- Filling a vector ---- */

static void make_meanwhile(void *filling_) {
  struct glue_filling *filling = filling_;
  SET_VECTOR_ELT(filling->holder, 0, glue_reserved_vector(filling->reserved));
  filling->reserved = NULL;
}

static SEXP fill_reserved(void *filling_) {
  struct glue_filling *filling = filling_;
  filling->status =
    run_meanwhile(filling->work, filling->context, make_meanwhile, filling, &filling->error);
  return R_NilValue;
}

static void drop_reserved(void *filling_) {
  struct glue_filling *filling = filling_;
  glue_unreserve(filling->reserved);
}

static void fill_vector(struct glue_filling *filling) {
  SEXP vector = glue_rows(filling->length, 1);
  SET_VECTOR_ELT(filling->holder, 0, vector);
  *filling->numbers = REAL(vector);
  filling->status = glue_run(filling->small, filling->work, filling->context, &filling->error);
}

SEXP glue_fill(struct glue_filling *filling) {
  filling->holder = PROTECT(Rf_allocVector(VECSXP, 1));
  filling->reserved = filling->small ? NULL : glue_reserve(filling->length);
  if (filling->reserved) {
    *filling->numbers = glue_reserved_numbers(filling->reserved);
    R_ExecWithCleanup(fill_reserved, filling, drop_reserved, filling);
  } else {
    fill_vector(filling);
  }
  SEXP vector = VECTOR_ELT(filling->holder, 0);
  UNPROTECT(1);
  return vector;
}
