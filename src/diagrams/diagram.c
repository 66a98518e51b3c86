#include "diagrams/diagram.h"

#include "arrays/steps.h"
#include "base/hints.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"
#include "diagrams/changes.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const int64_t room_of_item = 1 << 14; /* breakpoints */

struct building {
  const struct pcf_diagrams *x;
  const struct pcf_curve_space *space;
  struct pcf_curves *curves;
  const struct pcf_sorters *sorters;
  double **memory; /* of each thread, 4 times `room`; NULL: none yet */
  int64_t room;    /* pcf_sort_room() of the most breakpoints of a diagram */
  struct pcf_bar_fault *fault;
};

/* Where the breakpoints of a function go, and how many are there. The arrays have room for a
 * breakpoint for each time or step that is written. */
struct output {
  double *times, *values;
  int64_t count;
};

/* The times of a count that goes up by 1 and down by 1, each sorted, none of them -0, with
 * -INFINITY before them and INFINITY after them: up[-1], up[ups], down[-1], down[downs]. */
struct counts {
  const double *up, *down;
  int64_t ups, downs;
};

static enum pcf_status build_all(struct building *building, int threads, const atomic_int *stop,
                                 struct pcf_error *error);
static pcf_loop_body build_some;
static void build_from_times(struct building *building, int64_t diagram, double *memory);
static void build_from_steps(struct building *building, int64_t diagram, double *memory);
static void report(struct building *building, enum pcf_bar_problem problem, int64_t diagram,
                   int64_t bar);
static void add_breakpoint(struct output *output, double time, double value);
static void write_steps(struct output *output, const struct pcf_step *steps, int64_t count,
                        int both_ways, struct pcf_total *sum);
static void write_falls(struct output *output, const double *down, int64_t downs, double start);
static void write_counts(struct output *output, const struct counts *counts);

/* How often a function can change for a bar: 2, up and down, or 1. */
static int steps_per_bar(enum pcf_curve curve) {
  return curve == PCF_BETTI_CURVE || curve == PCF_EULER_CURVE ? 2 : 1;
}

int64_t pcf_curve_room(const struct pcf_diagram *diagram, enum pcf_curve curve) {
  return diagram->bars * steps_per_bar(curve) + 1;
}

enum pcf_status pcf_build_curves(const struct pcf_diagrams *x,
                                 const struct pcf_curve_space *space, int threads,
                                 const atomic_int *stop, struct pcf_bar_fault *fault,
                                 struct pcf_curves *curves, struct pcf_error *error) {
  struct building building = {x, space, curves, .fault = fault};
  building.sorters = pcf_sorters_of(pcf_best_instructions());
  *fault = (struct pcf_bar_fault){0};
  enum pcf_status status = pcf_curves_make(curves, x->count, NULL, 0, error);
  if (!status) status = build_all(&building, threads, stop, error);
  if (!status && fault->problem) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not valid");
  }
  return status ? status : pcf_curves_count(curves, error);
}

/* ---- Diagrams ---- */

static int64_t room_of(const struct pcf_curve_space *space, int64_t diagram) {
  return space->room[diagram + 1] - space->room[diagram];
}

/* Diagrams are shared out among the threads. */
static enum pcf_status build_all(struct building *building, int threads, const atomic_int *stop,
                                 struct pcf_error *error) {
  const struct pcf_curve_space *space = building->space;
  int64_t count = building->x->count, most = 0;
  int64_t items = (space->room[count] + room_of_item - 1) / room_of_item;
  for (int64_t i = 0; i < count; i++) {
    if (room_of(space, i) > most) most = room_of(space, i);
  }
  building->room = pcf_sort_room(most);
  building->memory = pcf_allocate((size_t)threads, sizeof *building->memory, error);
  if (!building->memory) return PCF_ERROR_MEMORY;
  for (int k = 0; k < threads; k++) building->memory[k] = NULL;
  enum pcf_status status = pcf_parallel_for(threads, items, stop, build_some, building, error);
  for (int k = 0; k < threads; k++) pcf_free(building->memory[k]);
  pcf_free(building->memory);
  return status;
}

/* The diagrams whose room starts in one stretch of it. */
static enum pcf_status build_some(void *building_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct building *building = building_;
  const struct pcf_diagrams *x = building->x;
  double **memory = &building->memory[thread];
  int by_one = x->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
  const int64_t *room = building->space->room, from = index * room_of_item;
  int64_t i = pcf_segment_of(room, x->count, from);
  if (room[i] < from) i++;
  for (; i < x->count && room[i] < from + room_of_item; i++) {
    if (!*memory) *memory = pcf_allocate(4 * (size_t)building->room, sizeof **memory, error);
    if (!*memory) return PCF_ERROR_MEMORY;
    if (by_one && x->diagrams[i].bars <= building->sorters->most_keys) {
      build_from_times(building, i, *memory);
    } else {
      build_from_steps(building, i, *memory);
    }
  }
  return PCF_OK;
}

/* Gathers the changes of a diagram, and reports its first fault. */
static void gather(struct building *building, int64_t diagram, struct pcf_changes *changes) {
  const struct pcf_diagram *x = &building->x->diagrams[diagram];
  const struct pcf_curve_rule *rule = &building->x->rule;
  if (pcf_gather_changes(x, rule, building->sorters, changes)) return;
  int64_t bar;
  enum pcf_bar_problem problem = pcf_find_bar_problem(x, rule, &bar);
  if (problem) report(building, problem, diagram, bar);
}

/* The empty output of a diagram, in its room. */
static struct output output_of(const struct pcf_curve_space *space, int64_t diagram) {
  int64_t start = space->room[diagram];
  return (struct output){space->times + start, space->values + start, 0};
}

/* A stable rank starts at 0: no bar is that short. */
static void write_start(enum pcf_curve curve, struct output *output, double start) {
  if (curve == PCF_STABLE_RANK) add_breakpoint(output, 0, start);
}

/* Stores the breakpoints, of which there is at least one, and reports an overflow. */
static void finish(struct building *building, int64_t diagram, struct output *output) {
  if (output->count == 0) add_breakpoint(output, 0, 0);
  building->curves->stretch[diagram] = (struct pcf_stretch){
    .count = output->count, .time = output->times, .value = output->values};
  double last = output->values[output->count - 1];
  if (!(fabs(last) < INFINITY)) {
    report(building, PCF_BAR_OVERFLOW, diagram, building->x->diagrams[diagram].bars);
  }
}

/* Builds a curve whose changes are all +1 or −1: it is enough to sort their times. */
static void build_from_times(struct building *building, int64_t diagram, double *memory) {
  enum pcf_curve curve = building->x->rule.curve;
  int64_t room = building->room;
  double *up = memory, *down = up + room, *sorted_up = down + room;
  double *sorted_down = sorted_up + room;
  struct pcf_changes changes = {.up = up, .down = down};
  struct output output = output_of(building->space, diagram);
  gather(building, diagram, &changes);
  struct pcf_sorting ups = {changes.ups, up, sorted_up};
  struct pcf_sorting downs = {changes.downs, down, sorted_down};
  write_start(curve, &output, changes.start);
  building->sorters->sort_keys(&downs);
  if (curve == PCF_STABLE_RANK) {
    write_falls(&output, sorted_down, changes.downs, changes.start);
  } else {
    building->sorters->sort_keys(&ups);
    sorted_up[changes.ups] = sorted_down[changes.downs] = INFINITY;
    sorted_up[-1] = sorted_down[-1] = -INFINITY;
    struct counts counts = {sorted_up, sorted_down, changes.ups, changes.downs};
    write_counts(&output, &counts);
  }
  finish(building, diagram, &output);
}

/* Gathers the changes of a diagram as sorted steps, and the value with which the function
 * starts in `start`; returns how many there are. The scratch memory of sorting first holds the
 * changes. */
static int64_t gather_steps(struct building *building, int64_t diagram, double *memory,
                            double *start) {
  struct pcf_step *steps = (struct pcf_step *)memory;
  double *scratch = memory + 2 * building->room, *half = scratch + building->room;
  struct pcf_changes changes = {scratch, half, half, 0, 0, 0};
  gather(building, diagram, &changes);
  for (int64_t k = 0; k < changes.ups; k++) {
    int by_one = building->x->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
    steps[k] = (struct pcf_step){changes.up[k], by_one ? 1 : changes.rise[k]};
  }
  for (int64_t k = 0; k < changes.downs; k++) {
    steps[changes.ups + k] = (struct pcf_step){changes.down[k], -1};
  }
  *start = changes.start;
  pcf_sort_steps(steps, (struct pcf_step *)scratch, changes.ups + changes.downs);
  return changes.ups + changes.downs;
}

/* Builds any curve, from sorted steps. */
static void build_from_steps(struct building *building, int64_t diagram, double *memory) {
  enum pcf_curve curve = building->x->rule.curve;
  struct output output = output_of(building->space, diagram);
  struct pcf_total sum = {0, 0};
  int64_t count = gather_steps(building, diagram, memory, &sum.sum);
  write_start(curve, &output, sum.sum);
  write_steps(&output, (struct pcf_step *)memory, count, steps_per_bar(curve) == 2, &sum);
  finish(building, diagram, &output);
}

/* Notes a fault, of which the first in the order of the diagrams is kept. */
static void report(struct building *building, enum pcf_bar_problem problem, int64_t diagram,
                   int64_t bar) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the faults of all calls */
  struct pcf_bar_fault *fault = building->fault;
  pthread_mutex_lock(&lock);
  int first = !fault->problem || diagram < fault->diagram ||
              (diagram == fault->diagram && bar < fault->bar);
  if (first) *fault = (struct pcf_bar_fault){problem, diagram, bar};
  pthread_mutex_unlock(&lock);
}

/* ---- Breakpoints ---- */

static void add_breakpoint(struct output *output, double time, double value) {
  output->times[output->count] = time;
  output->values[output->count++] = value;
}

/* Appends the breakpoints of sorted steps, added to `sum`, in which the last sum is stored.
 * `both_ways` says that changes differ in sign: only then can they cancel. */
static void write_steps(struct output *output, const struct pcf_step *steps, int64_t count,
                        int both_ways, struct pcf_total *sum) {
  double *times = output->times + output->count, *values = output->values + output->count;
  double before = sum->sum + sum->error;
  int64_t written = pcf_add_steps(steps, count, sum, times, values);
  if (both_ways) written = pcf_drop_flat(times, values, written, before);
  output->count += written;
}

/* Appends a count that goes down from `start`, by 1 at each of the sorted times: writes every
 * time, in the place of the previous one where the two are equal. */
static void write_falls(struct output *output, const double *down, int64_t downs,
                        double start) {
  double *times = output->times + output->count, *values = output->values + output->count;
  double before = -INFINITY;
  int64_t last = -1;
  for (int64_t k = 0; k < downs; k++) {
    last += down[k] != before;
    times[last] = before = down[k];
    values[last] = start - (double)(k + 1);
  }
  output->count += last + 1;
}

/* ---- Counts ---- */

static inline int64_t bits_at(const double *time) {
  int64_t bits;
  memcpy(&bits, time, sizeof bits);
  return bits;
}

/* Compares times, none of them -0, by their bits, which is faster. */
static inline int is_less(int64_t a, int64_t b, int any_negative) {
  if (!any_negative) return a < b;
  return (a ^ (int64_t)((uint64_t)(a >> 63) >> 1)) < (b ^ (int64_t)((uint64_t)(b >> 63) >> 1));
}

/* Without a branch, which no processor could predict. */
static inline int64_t choose(int first, int64_t a, int64_t b) {
  return b ^ ((a ^ b) & -(int64_t)first);
}

/* Merges all times, and the counts at them, from both ends to the middle: one end works while
 * the other waits for what it compares. Of equal times those down come first. `u` and `v` are
 * how many times up are before the two ends. Returns whether there are equal times. */
INLINE int merge_counts(const struct counts *x, int any_negative, double *restrict times,
                        double *restrict values) {
  int64_t total = x->ups + x->downs, u = 0, v = x->ups, before = -1, after = -1;
  int ties = 0;
  for (int64_t k = 0, back = total - 1; k <= back; k++, back--) {
    int64_t a = bits_at(x->up + u), b = bits_at(x->down + (k - u));
    int64_t c = bits_at(x->up + (v - 1)), d = bits_at(x->down + (back - v));
    int goes_up = is_less(a, b, any_negative), went_up = !is_less(c, d, any_negative);
    int64_t first = choose(goes_up, a, b), last = choose(went_up, c, d);
    memcpy(times + k, &first, sizeof first);
    memcpy(times + back, &last, sizeof last);
    ties |= (first == before) | (last == after);
    before = first;
    after = last;
    u += goes_up;
    values[k] = (double)(2 * u - k - 1);
    values[back] = (double)(2 * v - back - 1);
    v -= went_up;
  }
  return ties | (total % 2 == 0 && before == after);
}

/* Drops all but the last of the breakpoints at one time; returns how many are left. */
static int64_t drop_ties(double *times, double *values, int64_t count) {
  int64_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    times[kept] = times[k];
    values[kept] = values[k];
    kept += k + 1 == count || times[k] != times[k + 1];
  }
  return kept;
}

/* Replaces the output by the breakpoints of a count that starts at 0. */
static void write_counts(struct output *output, const struct counts *counts) {
  double *times = output->times, *values = output->values;
  output->count = counts->ups + counts->downs;
  int any_negative = counts->up[0] < 0 || counts->down[0] < 0;
  int ties = any_negative ? merge_counts(counts, 1, times, values)
                          : merge_counts(counts, 0, times, values);
  if (ties) {
    output->count = drop_ties(times, values, output->count);
    output->count = pcf_drop_flat(times, values, output->count, 0);
  }
}
