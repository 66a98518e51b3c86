#include "collections/check.h"

#include "base/search.h"
#include "base/threads.h"

/* ---- The first fault ---- */

/* Of what the threads of all checks find: it is never held for long. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note_fault(struct pcf_fault *first, const struct pcf_fault *found) {
  pthread_mutex_lock(&lock);
  if (!first->problem || found->function < first->function) *first = *found;
  pthread_mutex_unlock(&lock);
}

/* Has a fault been noted already in this function or one before it? */
static int is_noted(const struct pcf_fault *first, int64_t function) {
  pthread_mutex_lock(&lock);
  int noted = first->problem && first->function <= function;
  pthread_mutex_unlock(&lock);
  return noted;
}

int pcf_note_functions(struct pcf_fault *first, const struct pcf_collection *x, int64_t begin,
                       int64_t end, struct pcf_range *range) {
  struct pcf_fault found = {0};
  if (is_noted(first, begin)) return 1;
  found.problem = pcf_check_functions(x, begin, end, range, &found.function, &found.position);
  if (found.problem) note_fault(first, &found);
  return found.problem != PCF_VALID;
}

enum pcf_status pcf_fault_status(const struct pcf_fault *first, struct pcf_error *error) {
  if (!first->problem) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not valid");
}

/* ---- Collections ---- */

enum { BREAKPOINTS_PER_CHECK = 1 << 15 };

struct check {
  const struct pcf_collection *x;
  struct pcf_range range;
  struct pcf_fault *fault;
};

/* Checks the breakpoints of one chunk, so that several threads can check a long function. Where
 * a stretch is not sound, the whole function is checked for its first fault. */
static void check_some(void *context, int64_t from, int64_t to) {
  struct check *check = context;
  const struct pcf_collection *x = check->x;
  struct pcf_range range = PCF_EMPTY_RANGE;
  for (int64_t i = pcf_segment_of(x->offsets, x->count, from);
       i < x->count && x->offsets[i] < to; i++) {
    int64_t begin = x->offsets[i], end = x->offsets[i + 1];
    int64_t first = from > begin ? from - begin : 0, last = (to < end ? to : end) - begin;
    if (pcf_stretch_is_sound(x, i, first, last, &range)) continue;
    pcf_note_functions(check->fault, x, i, i + 1, &range);
  }
  pthread_mutex_lock(&lock);
  pcf_join_range(&check->range, &range);
  pthread_mutex_unlock(&lock);
}

enum pcf_status pcf_check_collection(const struct pcf_collection *x, int threads,
                                     const atomic_int *stop, struct pcf_range *range,
                                     struct pcf_fault *fault, struct pcf_error *error) {
  struct check check = {.x = x, .range = *range, .fault = fault};
  const struct pcf_known *known = pcf_known_of(x);
  *fault = (struct pcf_fault){0};
  if (known) {
    pcf_join_range(range, &known->range);
    return PCF_OK;
  }
  int64_t total = pcf_total_breakpoints(x);
  int small = total < 100000; /* not worth a thread */
  enum pcf_status status = pcf_for_ranges(small ? 1 : threads, total, BREAKPOINTS_PER_CHECK,
                                          stop, check_some, &check, error);
  if (!status) status = pcf_fault_status(fault, error);
  *range = check.range;
  return status;
}
