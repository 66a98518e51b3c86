#include "collections/observed.h"

#include "base/hints.h"
#include "base/search.h"
#include "base/threads.h"
#include "collections/columns.h"

#include <math.h>

/* What a thread takes at once. */
enum { FUNCTIONS_AT_ONCE = 64 };

/* ---- One function ---- */

/* Is a function not observed from −∞ to its first time, which may be −∞? */
static int begins_missing(const struct pcf_collection *x, int64_t i) {
  return x->linear && pcf_is_missing(pcf_lefts(x, i)[0]);
}

/* The alternating stretches of a window on which a function is observed and is not: the present
 * one ends at `end`, which is at most `to`. */
struct walk {
  const double *time, *value;
  int of_indicator;   /* is it observed where the values are 1? */
  int64_t next, last; /* the first breakpoints not before `end`, and after the window */
  double end, to;
  int observed;
};

static int is_observed(const struct walk *walk, double value) {
  return walk->of_indicator ? value != 0 : !pcf_is_missing(value);
}

/* The first missing value from number k on, or `last`. After a few single values many are
 * looked at at once, which pays only in long stretches. */
static int64_t next_missing(const double *value, int64_t k, int64_t last) {
  enum { SHORT = 32 };
  int64_t few = last - k < SHORT ? last : k + SHORT;
  while (k < few && !pcf_is_missing(value[k])) k++;
  return k < few ? k : k + pcf_first_infinite(value + k, last - k);
}

static void go_on(struct walk *walk) {
  const double *value = walk->value;
  int64_t k = walk->next, last = walk->last;
  if (walk->observed && !walk->of_indicator) k = next_missing(value, k, last);
  else
    while (k < last && is_observed(walk, value[k]) == walk->observed) k++;
  walk->end = k < last ? walk->time[k] : walk->to;
  walk->next = k < last ? k + 1 : last;
}

static struct walk begin_walk(const struct pcf_collection *x, int64_t i, int of_indicator,
                              double from, double to) {
  struct walk walk = {pcf_times(x, i), pcf_values(x, i), of_indicator, .to = to};
  int64_t m = pcf_breakpoints(x, i);
  walk.next = pcf_first_from(walk.time, 0, m, from);
  walk.last = to < INFINITY ? pcf_first_from(walk.time, walk.next, m, to) : m;
  if (walk.next < walk.last && walk.time[walk.next] == from) walk.next++;
  walk.observed = walk.next > 0 ? is_observed(&walk, walk.value[walk.next - 1])
                                : !of_indicator && !begins_missing(x, i);
  go_on(&walk);
  return walk;
}

/* Goes on to the next stretch, which is of the other kind. */
static void turn(struct walk *walk) {
  walk->observed = !walk->observed;
  go_on(walk);
}

enum { AT_ONCE = 64 };

/* The bits of up to AT_ONCE values of a sound function that are missing. */
static uint64_t missing_bits(const double *value, int64_t count) {
  enum { SOME = 8 };
  uint64_t bits = 0;
  int64_t k = 0;
  for (; k + SOME <= count; k += SOME) {
    uint64_t some = 0;
    EACH_OF(l, SOME) some |= (uint64_t)(value[k + l] != value[k + l]) << l;
    bits |= some << k;
  }
  for (; k < count; k++) bits |= (uint64_t)(value[k] != value[k]) << k;
  return bits;
}

/* Prefetches so many numbers, which may be read soon. */
static void fetch_numbers(const double *number) {
  for (int k = 0; k < AT_ONCE; k += 8) FETCH(number + k);
}

/* Prefetches the first numbers of function i, if there is one. */
static void fetch_function(const struct pcf_collection *x, int64_t i) {
  if (i >= x->count) return;
  fetch_numbers(pcf_times(x, i));
  fetch_numbers(pcf_values(x, i));
}

/* Values are looked at many at once, since it is unpredictable which are missing. */
static int64_t write_indicator(const struct pcf_collection *x, int64_t i,
                               struct pcf_written to) {
  const double *times = pcf_times(x, i), *values = pcf_values(x, i);
  int64_t m = pcf_breakpoints(x, i);
  uint64_t before = begins_missing(x, i) || (times[0] == -INFINITY && isnan(values[0]));
  if (!before) pcf_write(&to, -INFINITY, 0, 1);
  for (int64_t first = 0; first < m; first += AT_ONCE) {
    int64_t count = m - first < AT_ONCE ? m - first : AT_ONCE;
    fetch_numbers(values + first + AT_ONCE);
    if (to.time) fetch_numbers(times + first + AT_ONCE);
    uint64_t missing = missing_bits(values + first, count);
    uint64_t changes = (missing ^ (missing << 1 | before)) & (UINT64_MAX >> (AT_ONCE - count));
    before = missing >> (AT_ONCE - 1);
    if (!to.time) to.count += __builtin_popcountll(changes);
    for (; to.time && changes; changes &= changes - 1) {
      int k = __builtin_ctzll(changes);
      pcf_write(&to, times[first + k], 0, !(missing >> k & 1));
    }
  }
  if (to.count == 0) pcf_write(&to, 0, 0, 0);
  return to.count;
}

/* ---- Indicator functions ---- */

static int64_t write_function(const void *x_, int64_t i, double *matrix, int64_t breakpoints) {
  const struct pcf_collection *x = x_;
  fetch_function(x, i + 1);
  return write_indicator(x, i, pcf_write_to(0, matrix, breakpoints));
}

struct pcf_unwritten pcf_indicators(const struct pcf_collection *x) {
  return (struct pcf_unwritten){write_function, x, x->count, 0};
}

/* ---- Ends of windows ---- */

double pcf_observed_until(const struct pcf_collection *x, int64_t i, double to) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int64_t k = pcf_first_from(time, 0, pcf_breakpoints(x, i), to) - 1;
  if (k < 0) return begins_missing(x, i) ? -INFINITY : NAN;
  if (!pcf_is_missing(value[k])) return NAN;
  while (k > 0 && pcf_is_missing(value[k - 1])) k--;
  return k == 0 && begins_missing(x, i) ? -INFINITY : time[k];
}

double pcf_observed_from(const struct pcf_collection *x, int64_t i, double from) {
  const double *time = pcf_times(x, i), *value = pcf_values(x, i);
  int64_t m = pcf_breakpoints(x, i), k = pcf_first_from(time, 0, m, from);
  if (k < m && time[k] == from) k++;
  if (k == 0 ? !begins_missing(x, i) : !pcf_is_missing(value[k - 1])) return NAN;
  while (k < m && pcf_is_missing(value[k])) k++;
  return k < m ? time[k] : INFINITY;
}

/* ---- Comparing ---- */

struct comparing {
  const struct pcf_collection *x, *indicator;
  double from, to;
  atomic_llong first; /* of those that were found to differ; x->count: none */
};

/* Finds the first stretch on which function i differs; returns whether there is one. */
static int differs(const struct comparing *comparing, int64_t i,
                   struct pcf_observed_difference *found) {
  double from = comparing->from, to = comparing->to;
  struct walk own = begin_walk(comparing->x, i, 0, from, to);
  struct walk other = begin_walk(comparing->indicator, 0, 1, from, to);
  for (;;) {
    double end = own.end < other.end ? own.end : other.end;
    if (own.observed != other.observed) {
      *found = (struct pcf_observed_difference){i, from, end, own.observed};
      return 1;
    }
    if (end == to) return 0;
    if (own.end == end) turn(&own);
    if (other.end == end) turn(&other);
    from = end;
  }
}

static void compare_some(void *comparing_, int64_t first, int64_t end) {
  struct comparing *comparing = comparing_;
  struct pcf_observed_difference unused;
  long long before = atomic_load(&comparing->first);
  for (int64_t i = first; i < end && i < before; i++) {
    if (!differs(comparing, i, &unused)) continue;
    while (i < before && !atomic_compare_exchange_weak(&comparing->first, &before, i)) continue;
    return;
  }
}

/* Compares all functions with the indicator of function 0, so that its breakpoints, which may
 * be many, are read only once. */
enum pcf_status pcf_find_observed_difference(const struct pcf_collection *x,
                                             const struct pcf_collection *reference,
                                             double from, double to, int threads,
                                             const atomic_int *stop,
                                             struct pcf_observed_difference *difference,
                                             struct pcf_error *error) {
  struct pcf_collection first = *reference;
  struct pcf_owned_functions indicator;
  *difference = (struct pcf_observed_difference){.function = -1};
  if (x->count == 0 || reference->count == 0) return PCF_OK;
  first.count = 1;
  enum pcf_status status =
    pcf_owned_functions_make(&indicator, pcf_indicators(&first), 1, stop, error);
  struct comparing comparing = {x, &indicator.view, from, to, x->count};
  if (!status) {
    status = pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, compare_some,
                            &comparing, error);
  }
  if (!status && comparing.first < x->count) differs(&comparing, comparing.first, difference);
  pcf_owned_functions_free(&indicator);
  return status;
}
