#include "diagrams/large-diagram.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* Sorted runs, one for each chunk of the bars, are merged; then the steps are cut into parts,
 * which are added up and written independently, each from the sum of those before it. */
enum { CHUNK = PCF_STEPS_PER_CHUNK };

/* Some neighbouring steps in order of time: all of those with the times that they have. */
struct part {
  int64_t first, last;
  struct pcf_sum sum; /* of the steps; then: before them */
  struct pcf_output output;
};

struct large {
  struct pcf_building *building;
  int64_t diagram, capacity; /* steps, also those that are left out */
  struct pcf_step *steps, *scratch;
  atomic_llong start;
  int64_t count; /* steps */
  struct part *part;
  int64_t parts;
};

static int64_t chunks_of(int64_t count);
static enum pcf_status run_large(struct large *large, struct pcf_error *error);
static pcf_loop_body make_run, sum_part, write_part;
static void cut_parts(struct large *large);
static void sum_before_parts(struct large *large);
static void join_parts(struct large *large);

enum pcf_status pcf_build_large_diagram(struct pcf_building *building, int64_t diagram,
                                        struct pcf_error *error) {
  const struct pcf_diagram_curves *curves = building->curves;
  int64_t capacity = curves->diagrams[diagram].bars * pcf_steps_per_bar(curves->rule.curve);
  struct large large = {.building = building, .diagram = diagram, .capacity = capacity};
  struct pcf_step *memory = pcf_allocate(2 * (size_t)capacity, sizeof *memory, error);
  large.part = pcf_allocate((size_t)chunks_of(capacity), sizeof *large.part, error);
  enum pcf_status status = PCF_ERROR_MEMORY;
  if (memory && large.part) {
    large.steps = memory;
    large.scratch = memory + capacity;
    status = run_large(&large, error);
  }
  pcf_free(large.part);
  pcf_free(memory);
  return status;
}

static enum pcf_status run_large(struct large *large, struct pcf_error *error) {
  const struct pcf_building *building = large->building;
  int threads = building->threads;
  int64_t runs = chunks_of(large->capacity);
  enum pcf_status status =
    pcf_parallel_for(threads, runs, building->stop, make_run, large, error);
  if (status || (building->fault->problem && building->fault->diagram == large->diagram)) {
    return status;
  }
  status = pcf_merge_steps(&large->steps, large->scratch, large->capacity, threads,
                           building->stop, error);
  if (status) return status;
  large->count = pcf_first_step_at(large->steps, large->capacity, INFINITY);
  cut_parts(large);
  status = pcf_parallel_for(threads, large->parts, building->stop, sum_part, large, error);
  if (status) return status;
  sum_before_parts(large);
  status = pcf_parallel_for(threads, large->parts, building->stop, write_part, large, error);
  if (status == PCF_OK) join_parts(large);
  return status;
}

/* Makes a sorted run. Steps that are left out sort last, as if at an infinite time. */
static enum pcf_status make_run(void *large_, int thread, int64_t index,
                                struct pcf_error *error) {
  struct large *large = large_;
  const struct pcf_diagram_curves *curves = large->building->curves;
  int64_t bars = curves->diagrams[large->diagram].bars, at = index * CHUNK;
  int64_t room = large->capacity - at < CHUNK ? large->capacity - at : CHUNK;
  int64_t per_run = CHUNK / pcf_steps_per_bar(curves->rule.curve), first = index * per_run;
  int64_t last = first + per_run < bars ? first + per_run : bars;
  struct pcf_step *steps = large->steps + at;
  double start;
  int64_t count = pcf_gather_steps(large->building, large->diagram, first, last, room, steps,
                                   large->scratch + at, &start);
  for (int64_t k = count; k < room; k++) steps[k] = (struct pcf_step){INFINITY, 0};
  atomic_fetch_add(&large->start, (long long)start);
  return PCF_OK;
}

/* Cuts the steps into parts, but never between two of the same time. */
static void cut_parts(struct large *large) {
  large->parts = chunks_of(large->count);
  for (int64_t p = 0; p < large->parts; p++) {
    double time = large->steps[p * CHUNK].time;
    large->part[p].first = pcf_first_step_at(large->steps, large->count, time);
    if (p > 0) large->part[p - 1].last = large->part[p].first;
  }
  if (large->parts > 0) large->part[large->parts - 1].last = large->count;
}

static enum pcf_status sum_part(void *large_, int thread, int64_t index,
                                struct pcf_error *error) {
  struct large *large = large_;
  struct part *part = &large->part[index];
  part->sum = (struct pcf_sum){0, 0};
  for (int64_t k = part->first; k < part->last; k++) {
    part->sum = pcf_sum_add(part->sum, large->steps[k].change);
  }
  return PCF_OK;
}

/* Replaces the sum of each part by that of all parts before it. */
static void sum_before_parts(struct large *large) {
  struct pcf_sum sum = {(double)atomic_load(&large->start), 0};
  for (int64_t p = 0; p < large->parts; p++) {
    struct pcf_sum before = sum;
    sum = pcf_sum_add(sum, large->part[p].sum.high);
    sum.low += large->part[p].sum.low;
    large->part[p].sum = before;
  }
}

static enum pcf_status write_part(void *large_, int thread, int64_t index,
                                  struct pcf_error *error) {
  struct large *large = large_;
  const struct pcf_diagram_curves *curves = large->building->curves;
  struct part *part = &large->part[index];
  struct pcf_output all = pcf_diagram_output(curves, large->diagram);
  int64_t at = part->first + (curves->rule.curve == PCF_STABLE_RANK);
  part->output = (struct pcf_output){all.times + at, all.values + at, 0};
  pcf_write_steps(&part->output, large->steps + part->first, part->last - part->first,
                  pcf_steps_per_bar(curves->rule.curve) == 2, &part->sum);
  return PCF_OK;
}

/* Closes the gaps between the parts. */
static void join_parts(struct large *large) {
  struct pcf_output all = pcf_diagram_output(large->building->curves, large->diagram);
  enum pcf_curve curve = large->building->curves->rule.curve;
  pcf_write_start(curve, &all, (double)atomic_load(&large->start));
  for (int64_t p = 0; p < large->parts; p++) {
    const struct pcf_output *part = &large->part[p].output;
    if (part->times != all.times + all.count) {
      memmove(all.times + all.count, part->times, (size_t)part->count * sizeof(double));
      memmove(all.values + all.count, part->values, (size_t)part->count * sizeof(double));
    }
    all.count += part->count;
  }
  pcf_finish_diagram(large->building, large->diagram, &all);
}

static int64_t chunks_of(int64_t count) {
  return (count + CHUNK - 1) / CHUNK;
}
