#include "diagrams/diagram.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"
#include "diagrams/large-diagram.h"

#include <math.h>
#include <string.h>

static const int64_t room_of_item = 1 << 14;   /* breakpoints of small diagrams */
static const int64_t copies_of_item = 1 << 16; /* breakpoints */

static enum pcf_status build_small(struct pcf_building *building, struct pcf_error *error);
static int is_small(const struct pcf_diagram_curves *curves, int64_t diagram);

int64_t pcf_curve_room(const struct pcf_diagram *diagram, enum pcf_curve curve) {
  return diagram->bars * pcf_steps_per_bar(curve) + 1;
}

/* Small diagrams are shared out among the threads; large ones come one after the other, and all
 * threads work on each. */
enum pcf_status pcf_build_curves(const struct pcf_diagram_curves *curves, int threads,
                                 const atomic_int *stop, struct pcf_bar_fault *fault,
                                 struct pcf_error *error) {
  struct pcf_building building = {curves, threads, stop, .fault = fault};
  building.sorters = pcf_sorters_of(pcf_best_instructions());
  *fault = (struct pcf_bar_fault){0};
  pthread_mutex_init(&building.lock, NULL);
  enum pcf_status status = build_small(&building, error);
  for (int64_t i = 0; status == PCF_OK && i < curves->count; i++) {
    int over = fault->problem && fault->diagram < i;
    if (!over && !is_small(curves, i)) status = pcf_build_large_diagram(&building, i, error);
  }
  pthread_mutex_destroy(&building.lock);
  if (status == PCF_OK && fault->problem) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not sound");
  }
  return status;
}

/* ---- Small diagrams ---- */

static int is_small(const struct pcf_diagram_curves *curves, int64_t diagram) {
  return curves->room[diagram + 1] - curves->room[diagram] <= PCF_STEPS_PER_CHUNK + 1;
}

/* What a thread needs for the diagrams that it builds. */
struct bench {
  double *memory; /* 4 times `room` */
  int64_t room;   /* pcf_sort_room() of the most breakpoints */
};

struct small {
  struct pcf_building *building;
  double *memory; /* of the benches of all threads */
  int64_t room;   /* of a bench */
};

static pcf_loop_body build_some;
static void build_diagram(struct pcf_building *building, int64_t diagram, struct bench *bench);
static void build_from_times(struct pcf_building *building, int64_t diagram,
                             struct bench *bench);
static void build_from_steps(struct pcf_building *building, int64_t diagram,
                             struct bench *bench);

static enum pcf_status build_small(struct pcf_building *building, struct pcf_error *error) {
  const struct pcf_diagram_curves *curves = building->curves;
  int64_t total = curves->room[curves->count];
  int64_t items = (total + room_of_item - 1) / room_of_item;
  int threads = items < building->threads ? (int)items : building->threads;
  int64_t most = 0;
  if (threads < 1) threads = 1;
  for (int64_t i = 0; i < curves->count; i++) {
    int64_t room = curves->room[i + 1] - curves->room[i];
    if (is_small(curves, i) && room > most) most = room;
  }
  struct small small = {.building = building, .room = pcf_sort_room(most)};
  small.memory =
    pcf_allocate(4 * (size_t)threads * (size_t)small.room, sizeof *small.memory, error);
  if (!small.memory) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_parallel_for(threads, items, building->stop, build_some, &small, error);
  pcf_free(small.memory);
  return status;
}

/* The small diagrams whose room starts in one stretch of it. */
static enum pcf_status build_some(void *small_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct small *small = small_;
  struct pcf_building *building = small->building;
  const struct pcf_diagram_curves *curves = building->curves;
  int64_t room = small->room;
  struct bench bench = {small->memory + 4 * thread * room, room};
  int64_t from = index * room_of_item;
  int64_t i = pcf_segment_of(curves->room, curves->count, from);
  if (curves->room[i] < from) i++;
  for (; i < curves->count && curves->room[i] < from + room_of_item; i++) {
    if (is_small(curves, i)) build_diagram(building, i, &bench);
  }
  return PCF_OK;
}

static void build_diagram(struct pcf_building *building, int64_t diagram, struct bench *bench) {
  int by_one = building->curves->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
  int64_t bars = building->curves->diagrams[diagram].bars;
  if (by_one && bars <= building->sorters->most_keys) {
    build_from_times(building, diagram, bench);
  } else {
    build_from_steps(building, diagram, bench);
  }
}

/* Builds a curve whose changes are all +1 or −1: it is enough to sort their times. */
static void build_from_times(struct pcf_building *building, int64_t diagram,
                             struct bench *bench) {
  const struct pcf_diagram_curves *curves = building->curves;
  double *up = bench->memory, *down = up + bench->room, *sorted_up = down + bench->room;
  double *sorted_down = sorted_up + bench->room;
  struct pcf_changes changes = {.up = up, .down = down};
  struct pcf_output output = pcf_diagram_output(curves, diagram);
  pcf_gather_diagram(building, diagram, 0, curves->diagrams[diagram].bars, &changes);
  struct pcf_sorting ups = {changes.ups, up, sorted_up};
  struct pcf_sorting downs = {changes.downs, down, sorted_down};
  pcf_write_start(curves->rule.curve, &output, changes.start);
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
  pcf_finish_diagram(building, diagram, &output);
}

/* Builds any curve, from sorted steps. */
static void build_from_steps(struct pcf_building *building, int64_t diagram,
                             struct bench *bench) {
  const struct pcf_diagram_curves *curves = building->curves;
  struct pcf_step *steps = (struct pcf_step *)bench->memory, *scratch = steps + bench->room;
  struct pcf_output output = pcf_diagram_output(curves, diagram);
  struct pcf_sum sum = {0, 0};
  int64_t count = pcf_gather_steps(building, diagram, 0, curves->diagrams[diagram].bars,
                                   bench->room, steps, scratch, &sum.high);
  pcf_write_start(curves->rule.curve, &output, sum.high);
  pcf_write_steps(&output, steps, count, pcf_steps_per_bar(curves->rule.curve) == 2, &sum);
  pcf_finish_diagram(building, diagram, &output);
}

/* ---- Copying ---- */

struct copying {
  const struct pcf_diagram_curves *curves;
  double *const *functions;
  int64_t *offsets; /* count + 1 running totals of the breakpoints */
};

static pcf_loop_body copy_some;

enum pcf_status pcf_copy_curves(const struct pcf_diagram_curves *curves,
                                double *const *functions, int threads, const atomic_int *stop,
                                struct pcf_error *error) {
  int64_t count = curves->count;
  int64_t *offsets = pcf_allocate((size_t)count + 1, sizeof *offsets, error);
  if (!offsets) return PCF_ERROR_MEMORY;
  offsets[0] = 0;
  for (int64_t i = 0; i < count; i++) offsets[i + 1] = offsets[i] + curves->breakpoints[i];
  struct copying copying = {curves, functions, offsets};
  int64_t items = (offsets[count] + copies_of_item - 1) / copies_of_item;
  enum pcf_status status = pcf_parallel_for(threads, items, stop, copy_some, &copying, error);
  pcf_free(offsets);
  return status;
}

/* Cut by breakpoints: a long function is copied by several threads. */
static enum pcf_status copy_some(void *copying_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct copying *copying = copying_;
  const struct pcf_diagram_curves *curves = copying->curves;
  const int64_t *offsets = copying->offsets;
  int64_t from = index * copies_of_item, to = from + copies_of_item;
  int64_t i = pcf_segment_of(offsets, curves->count, from);
  for (; i < curves->count && offsets[i] < to; i++) {
    int64_t m = curves->breakpoints[i], first = from > offsets[i] ? from - offsets[i] : 0;
    int64_t last = to - offsets[i] < m ? to - offsets[i] : m;
    size_t bytes = (size_t)(last - first) * sizeof(double);
    int64_t source = curves->room[i] + first;
    memcpy(copying->functions[i] + first, curves->times + source, bytes);
    memcpy(copying->functions[i] + m + first, curves->values + source, bytes);
  }
  return PCF_OK;
}
