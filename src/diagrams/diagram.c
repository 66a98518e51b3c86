#include "diagrams/diagram.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"
#include "collections/breakpoints.h"
#include "collections/partition.h"
#include "diagrams/changes.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const int64_t room_of_item = 1 << 14; /* breakpoints */

/* What a thread needs for the diagrams that it builds. */
struct bench {
  double *memory; /* 4 times `room`; NULL: none yet */
  int64_t room;   /* pcf_sort_room() of the most breakpoints of a diagram */
};

struct building {
  const struct pcf_diagram_curves *curves;
  const struct pcf_sorters *sorters;
  struct bench *bench; /* one per thread */
  struct pcf_bar_fault *fault;
};

static enum pcf_status build_all(struct building *building, int threads, const atomic_int *stop,
                                 struct pcf_error *error);
static pcf_loop_body build_some;
static void build_from_times(struct building *building, int64_t diagram, struct bench *bench);
static void build_from_steps(struct building *building, int64_t diagram, struct bench *bench);
static void report(struct building *building, enum pcf_bar_problem problem, int64_t diagram,
                   int64_t bar);

/* How often a function can change for a bar: 2, up and down, or 1. */
static int steps_per_bar(enum pcf_curve curve) {
  return curve == PCF_BETTI_CURVE || curve == PCF_EULER_CURVE ? 2 : 1;
}

int64_t pcf_curve_room(const struct pcf_diagram *diagram, enum pcf_curve curve) {
  return diagram->bars * steps_per_bar(curve) + 1;
}

enum pcf_status pcf_build_curves(const struct pcf_diagram_curves *curves, int threads,
                                 const atomic_int *stop, struct pcf_bar_fault *fault,
                                 struct pcf_error *error) {
  struct building building = {curves, .fault = fault};
  building.sorters = pcf_sorters_of(pcf_best_instructions());
  *fault = (struct pcf_bar_fault){0};
  enum pcf_status status = build_all(&building, threads, stop, error);
  if (status == PCF_OK && fault->problem) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not valid");
  }
  return status;
}

/* ---- Diagrams ---- */

static int64_t room_of(const struct pcf_diagram_curves *curves, int64_t diagram) {
  return curves->room[diagram + 1] - curves->room[diagram];
}

/* Diagrams are shared out among the threads. */
static enum pcf_status build_all(struct building *building, int threads, const atomic_int *stop,
                                 struct pcf_error *error) {
  const struct pcf_diagram_curves *curves = building->curves;
  int64_t items = (curves->room[curves->count] + room_of_item - 1) / room_of_item, most = 0;
  for (int64_t i = 0; i < curves->count; i++) {
    if (room_of(curves, i) > most) most = room_of(curves, i);
  }
  building->bench = pcf_allocate((size_t)threads, sizeof *building->bench, error);
  if (!building->bench) return PCF_ERROR_MEMORY;
  for (int k = 0; k < threads; k++) {
    building->bench[k] = (struct bench){.room = pcf_sort_room(most)};
  }
  enum pcf_status status = pcf_parallel_for(threads, items, stop, build_some, building, error);
  for (int k = 0; k < threads; k++) pcf_free(building->bench[k].memory);
  pcf_free(building->bench);
  return status;
}

static enum pcf_status equip(struct bench *bench, struct pcf_error *error) {
  if (bench->memory) return PCF_OK;
  bench->memory = pcf_allocate(4 * (size_t)bench->room, sizeof *bench->memory, error);
  return bench->memory ? PCF_OK : PCF_ERROR_MEMORY;
}

/* The diagrams whose room starts in one stretch of it. */
static enum pcf_status build_some(void *building_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct building *building = building_;
  const struct pcf_diagram_curves *curves = building->curves;
  struct bench *bench = &building->bench[thread];
  int by_one = curves->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
  int64_t from = index * room_of_item;
  int64_t i = pcf_segment_of(curves->room, curves->count, from);
  if (curves->room[i] < from) i++;
  for (; i < curves->count && curves->room[i] < from + room_of_item; i++) {
    enum pcf_status status = equip(bench, error);
    if (status) return status;
    if (by_one && curves->diagrams[i].bars <= building->sorters->most_keys) {
      build_from_times(building, i, bench);
    } else {
      build_from_steps(building, i, bench);
    }
  }
  return PCF_OK;
}

/* Gathers the changes of a diagram, and reports its first fault. */
static void gather(struct building *building, int64_t diagram, struct pcf_changes *changes) {
  const struct pcf_diagram *x = &building->curves->diagrams[diagram];
  const struct pcf_curve_rule *rule = &building->curves->rule;
  if (pcf_gather_changes(x, rule, building->sorters, 0, x->bars, changes)) return;
  int64_t bar;
  enum pcf_bar_problem problem = pcf_find_bar_problem(x, rule, 0, x->bars, &bar);
  if (problem) report(building, problem, diagram, bar);
}

/* The empty output of a diagram, in its room. */
static struct pcf_output output_of(const struct pcf_diagram_curves *curves, int64_t diagram) {
  int64_t start = curves->room[diagram];
  return (struct pcf_output){curves->times + start, curves->values + start, 0};
}

/* A stable rank starts at 0: no bar is that short. */
static void write_start(enum pcf_curve curve, struct pcf_output *output, double start) {
  if (curve == PCF_STABLE_RANK) pcf_add_breakpoint(output, 0, start);
}

/* Stores the number of breakpoints, of which there is at least one, and reports an overflow. */
static void finish(struct building *building, int64_t diagram, struct pcf_output *output) {
  if (output->count == 0) pcf_add_breakpoint(output, 0, 0);
  building->curves->breakpoints[diagram] = output->count;
  double last = output->values[output->count - 1];
  if (!(fabs(last) < INFINITY)) {
    report(building, PCF_BAR_OVERFLOW, diagram, building->curves->diagrams[diagram].bars);
  }
}

/* Builds a curve whose changes are all +1 or −1: it is enough to sort their times. */
static void build_from_times(struct building *building, int64_t diagram, struct bench *bench) {
  const struct pcf_diagram_curves *curves = building->curves;
  double *up = bench->memory, *down = up + bench->room, *sorted_up = down + bench->room;
  double *sorted_down = sorted_up + bench->room;
  struct pcf_changes changes = {.up = up, .down = down};
  struct pcf_output output = output_of(curves, diagram);
  gather(building, diagram, &changes);
  struct pcf_sorting ups = {changes.ups, up, sorted_up};
  struct pcf_sorting downs = {changes.downs, down, sorted_down};
  write_start(curves->rule.curve, &output, changes.start);
  building->sorters->sort_keys(&downs);
  if (curves->rule.curve == PCF_STABLE_RANK) {
    pcf_write_falls(&output, sorted_down, changes.downs, changes.start);
  } else {
    building->sorters->sort_keys(&ups);
    sorted_up[changes.ups] = sorted_down[changes.downs] = INFINITY;
    sorted_up[-1] = sorted_down[-1] = -INFINITY;
    struct pcf_counts counts = {sorted_up, sorted_down, changes.ups, changes.downs};
    pcf_write_counts(&output, &counts);
  }
  finish(building, diagram, &output);
}

/* Gathers the changes of a diagram as sorted steps, and the value with which the function
 * starts in `start`; returns how many there are. The scratch memory of sorting first holds the
 * changes. */
static int64_t gather_steps(struct building *building, int64_t diagram, struct bench *bench,
                            double *start) {
  struct pcf_step *steps = (struct pcf_step *)bench->memory;
  double *memory = bench->memory + 2 * bench->room;
  struct pcf_changes changes = {memory, memory + bench->room, memory + bench->room, 0, 0, 0};
  gather(building, diagram, &changes);
  for (int64_t k = 0; k < changes.ups; k++) {
    int by_one = building->curves->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
    steps[k] = (struct pcf_step){changes.up[k], by_one ? 1 : changes.rise[k]};
  }
  for (int64_t k = 0; k < changes.downs; k++) {
    steps[changes.ups + k] = (struct pcf_step){changes.down[k], -1};
  }
  *start = changes.start;
  pcf_sort_steps(steps, (struct pcf_step *)memory, changes.ups + changes.downs);
  return changes.ups + changes.downs;
}

/* Builds any curve, from sorted steps. */
static void build_from_steps(struct building *building, int64_t diagram, struct bench *bench) {
  const struct pcf_diagram_curves *curves = building->curves;
  struct pcf_output output = output_of(curves, diagram);
  struct pcf_total total = {0, 0};
  int64_t count = gather_steps(building, diagram, bench, &total.sum);
  write_start(curves->rule.curve, &output, total.sum);
  pcf_write_steps(&output, (struct pcf_step *)bench->memory, count,
                  steps_per_bar(curves->rule.curve) == 2, &total);
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

/* ---- Copying ---- */

struct copying {
  const struct pcf_diagram_curves *curves;
  double *const *functions;
};

static pcf_portion_body copy_portion;

enum pcf_status pcf_copy_curves(const struct pcf_diagram_curves *curves,
                                double *const *functions, int threads, const atomic_int *stop,
                                struct pcf_error *error) {
  int64_t count = curves->count;
  int64_t *offsets = pcf_allocate((size_t)count + 1, sizeof *offsets, error);
  if (!offsets) return PCF_ERROR_MEMORY;
  offsets[0] = 0;
  for (int64_t i = 0; i < count; i++) offsets[i + 1] = offsets[i] + curves->breakpoints[i];
  struct copying copying = {curves, functions};
  const struct pcf_portions portions = {.items = count, .offsets = offsets};
  enum pcf_status status =
    pcf_portions_run(&portions, threads, stop, copy_portion, &copying, error);
  pcf_free(offsets);
  return status;
}

static void copy_portion(void *copying_, const struct pcf_portion *portion) {
  const struct copying *copying = copying_;
  const struct pcf_diagram_curves *curves = copying->curves;
  int64_t i = portion->item, first = portion->begin, source = curves->room[i] + first;
  size_t bytes = (size_t)(portion->end - first) * sizeof(double);
  memcpy(copying->functions[i] + first, curves->times + source, bytes);
  memcpy(copying->functions[i] + curves->breakpoints[i] + first, curves->values + source,
         bytes);
}
