#include "engine/check.h"

#include "engine/threads.h"

#include <math.h>
#include <pthread.h>

enum { FUNCTIONS_PER_CHECK = 256 };

struct check {
  const struct pcf_collection *x;
  struct pcf_range range;
  struct pcf_fault *fault;
  pthread_mutex_t lock;
};

/* Keeps the fault with the lowest function, whatever the order in which they are found. */
static enum pcf_status check_some(void *context, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct check *check = context;
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t first = index * FUNCTIONS_PER_CHECK, function = 0, position = 0;
  int64_t last = first + FUNCTIONS_PER_CHECK;
  (void)thread;
  (void)error;
  if (last > check->x->count) last = check->x->count;
  enum pcf_problem problem =
    pcf_check_functions(check->x, first, last, &range, &function, &position);
  pthread_mutex_lock(&check->lock);
  check->range.time = fmax(check->range.time, range.time);
  check->range.value = fmax(check->range.value, range.value);
  check->range.least = fmin(check->range.least, range.least);
  if (problem && (!check->fault->problem || function < check->fault->function)) {
    check->fault->problem = problem;
    check->fault->function = function;
    check->fault->position = position;
  }
  pthread_mutex_unlock(&check->lock);
  return PCF_OK;
}

enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error) {
  struct check check = {.x = x, .range = *range, .fault = fault};
  int64_t chunks = (x->count + FUNCTIONS_PER_CHECK - 1) / FUNCTIONS_PER_CHECK;
  int small = pcf_total_breakpoints(x) < 100000; /* not worth a thread */
  pthread_mutex_init(&check.lock, NULL);
  enum pcf_status status =
    pcf_parallel_for(small ? 1 : threads, chunks, stop, check_some, &check, error);
  pthread_mutex_destroy(&check.lock);
  *range = check.range;
  if (status) return status;
  if (fault->problem) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not sound");
  return PCF_OK;
}
