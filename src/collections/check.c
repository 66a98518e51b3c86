#include "collections/check.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"

#include <string.h>

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

/* ---- Values that lie close together ---- */

/* Values are counted by their sign, their exponent and the next 10 bits, which a hash maps to a
 * slot, with the bits that all of a slot have, and those that any has. */
enum { SLOT_BITS = 11, SLOTS = 1 << SLOT_BITS };

struct slots {
  int64_t values, count[SLOTS];
  uint64_t all[SLOTS], any[SLOTS];
};

struct crowding {
  const struct pcf_collection *x;
  double from, to;
  struct slots slots;
};

static void count_value(struct slots *slots, double value, int always) {
  static const uint64_t beyond_single = (UINT64_C(1) << 29) - 1;
  uint64_t bits = pcf_bits_of_double(value);
  if (value == 0 || isnan(value)) return;
  slots->values++;
  if (!(bits & beyond_single) && !always) return;
  uint64_t at = (bits >> 42) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS);
  slots->all[at] = slots->count[at]++ ? slots->all[at] & bits : bits;
  slots->any[at] |= bits;
}

static void add_slots(struct slots *slots, const struct slots *more) {
  slots->values += more->values;
  for (int k = 0; k < SLOTS; k++) {
    if (!more->count[k]) continue;
    slots->all[k] = slots->count[k] ? slots->all[k] & more->all[k] : more->all[k];
    slots->any[k] |= more->any[k];
    slots->count[k] += more->count[k];
  }
}

static void count_some(void *context, int64_t from, int64_t to) {
  struct crowding *crowding = context;
  const struct pcf_collection *x = crowding->x;
  struct slots slots;
  memset(&slots, 0, sizeof slots);
  for (int64_t i = pcf_segment_of(x->offsets, x->count, from);
       i < x->count && x->offsets[i] < to; i++) {
    int64_t begin = x->offsets[i], end = x->offsets[i + 1], m = end - begin;
    int64_t first = from > begin ? from - begin : 0, last = (to < end ? to : end) - begin;
    const double *time = pcf_times(x, i), *value = pcf_values(x, i);
    for (int64_t k = first; k < last && time[k] < crowding->to; k++) {
      if (k + 1 < m && time[k + 1] <= crowding->from) continue;
      count_value(&slots, value[k], x->linear);
      if (x->linear && k + 1 < m) count_value(&slots, pcf_lefts(x, i)[k + 1], 1);
    }
  }
  pthread_mutex_lock(&lock);
  add_slots(&crowding->slots, &slots);
  pthread_mutex_unlock(&lock);
}

/* Many, since adding up slots takes as long as counting thousands of values. */
static int64_t breakpoints_at_once(int64_t total, int threads) {
  int64_t share = total / (2 * (int64_t)threads) + 1;
  int64_t most = share < (1 << 20) ? share : 1 << 20;
  return most > BREAKPOINTS_PER_CHECK ? most : BREAKPOINTS_PER_CHECK;
}

enum pcf_status pcf_find_crowding(const struct pcf_collection *x,
                                  const struct pcf_collection *y, double from, double to,
                                  int threads, const atomic_int *stop, double *share,
                                  struct pcf_error *error) {
  const struct pcf_collection *const sides[] = {x, y};
  struct crowding *crowding = pcf_allocate(1, sizeof *crowding, error);
  enum pcf_status status = PCF_OK;
  *share = 0;
  if (!crowding) return PCF_ERROR_MEMORY;
  memset(crowding, 0, sizeof *crowding);
  crowding->from = from;
  crowding->to = to;
  for (int s = 0; s < 2 && sides[s] && !status; s++) {
    int64_t total = pcf_total_breakpoints(sides[s]);
    crowding->x = sides[s];
    status =
      pcf_for_ranges(total < 100000 ? 1 : threads, total, breakpoints_at_once(total, threads),
                     stop, count_some, crowding, error);
  }
  const struct slots *slots = &crowding->slots;
  for (int k = 0; k < SLOTS && slots->values > 0; k++) {
    double part = (double)slots->count[k] / (double)slots->values;
    if (slots->all[k] != slots->any[k]) *share += part * part;
  }
  pcf_free(crowding);
  return status;
}
