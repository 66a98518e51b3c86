#include "engine/check.h"

#include "engine/threads.h"

#include <math.h>

/* ---- The first fault ---- */

void pcf_first_fault_init(struct pcf_first_fault *first, struct pcf_fault *fault) {
  *fault = (struct pcf_fault){0};
  first->fault = fault;
  pthread_mutex_init(&first->lock, NULL);
}

void pcf_first_fault_free(struct pcf_first_fault *first) {
  pthread_mutex_destroy(&first->lock);
}

void pcf_note_fault(struct pcf_first_fault *first, const struct pcf_fault *found) {
  pthread_mutex_lock(&first->lock);
  struct pcf_fault *fault = first->fault;
  if (!fault->problem || found->function < fault->function) *fault = *found;
  pthread_mutex_unlock(&first->lock);
}

enum pcf_status pcf_first_fault_status(const struct pcf_first_fault *first,
                                       struct pcf_error *error) {
  if (!first->fault->problem) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not sound");
}

/* ---- Collections ---- */

enum { FUNCTIONS_PER_CHECK = 256 };

struct check {
  const struct pcf_collection *x;
  struct pcf_range range;
  pthread_mutex_t lock; /* of the range */
  struct pcf_first_fault fault;
};

static enum pcf_status check_some(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct check *check = context;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_fault found = {0};
  int64_t first = index * FUNCTIONS_PER_CHECK, last = first + FUNCTIONS_PER_CHECK;
  (void)thread;
  (void)error;
  if (last > check->x->count) last = check->x->count;
  found.problem =
    pcf_check_functions(check->x, first, last, &range, &found.function, &found.position);
  if (found.problem) pcf_note_fault(&check->fault, &found);
  pthread_mutex_lock(&check->lock);
  check->range.time = fmax(check->range.time, range.time);
  check->range.value = fmax(check->range.value, range.value);
  check->range.least = fmin(check->range.least, range.least);
  pthread_mutex_unlock(&check->lock);
  return PCF_OK;
}

enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error) {
  struct check check = {.x = x, .range = *range};
  int64_t chunks = (x->count + FUNCTIONS_PER_CHECK - 1) / FUNCTIONS_PER_CHECK;
  int small = pcf_total_breakpoints(x) < 100000; /* not worth a thread */
  pthread_mutex_init(&check.lock, NULL);
  pcf_first_fault_init(&check.fault, fault);
  enum pcf_status status =
    pcf_parallel_for(small ? 1 : threads, chunks, stop, check_some, &check, error);
  if (!status) status = pcf_first_fault_status(&check.fault, error);
  pcf_first_fault_free(&check.fault);
  pthread_mutex_destroy(&check.lock);
  *range = check.range;
  return status;
}
