#include "depth/depth.h"

#include "base/hints.h"
#include "base/threads.h"
#include "products/slabs.h"

#include <math.h>
#include <string.h>

/* A sweep over slabs of time. The values of a slab are sorted, and their places are the leaves
 * of a tree (tree.h), which knows at each event what a function has lost since it took its
 * value. Slabs are added up in their order. */
enum { SLAB_PER_FUNCTION = 3, LEAST_SLAB = 1 << 14, AHEAD = 8, FURTHER = 24 };

/* What a function has lost, and the time it was observed for, times the number of functions
 * observed then; and both when it took its present value. */
struct standing {
  double lost, seen;
  struct pcf_double_double lost_before, seen_before;
  int64_t leaf;
};

struct worker {
  struct pcf_slab_reader reader;
  struct pcf_depth_tree tree;
  struct standing *standing; /* of each function */
  int64_t room;              /* values and events */
  struct pcf_event *value;   /* twice as many */
  int32_t *leaf;             /* of the value of each function, then of each event */
};

struct run {
  const struct pcf_depths *depths;
  struct pcf_integral integral;
  double unit; /* by which times are multiplied, so that all are from 0 to 2 */
  const struct pcf_weight *weight;
  struct pcf_slabs slabs;
  struct worker *worker;
  const atomic_int *stop;
  int64_t first; /* slab of this round */
  double *lost, *seen;
};

static enum pcf_status depths_of_steps(const struct pcf_depths *depths,
                                       const struct pcf_weight *weight, int threads,
                                       const atomic_int *stop, struct pcf_error *error);

enum pcf_status pcf_depths(const struct pcf_depths *depths, int threads, const atomic_int *stop,
                           struct pcf_error *error) {
  struct pcf_weight weight = {0};
  enum pcf_status status = PCF_OK;
  if (depths->x->count > 1 << 30) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "there are more than 2^30 functions");
  }
  if (depths->weight) {
    status = pcf_weight_make(&weight, depths->weight, depths->from, depths->to, error);
    int exponent = weight.pieces > 0 ? ilogb(pcf_weight_most(&weight)) : 0;
    for (int64_t k = 0; k < weight.pieces; k++) {
      weight.height[k] = ldexp(weight.height[k], -exponent);
    }
  }
  if (!status) {
    status = (depths->x->linear ? pcf_line_depths : depths_of_steps)(
      depths, depths->weight ? &weight : NULL, threads, stop, error);
  }
  pcf_weight_free(&weight);
  return status;
}

void pcf_depths_done(const struct pcf_depths *depths, int64_t parts, int64_t all) {
  if (depths->thousandths) atomic_store(depths->thousandths, (int)(1000 * parts / all));
}

/* ---- Time ---- */

struct pcf_depth_clock pcf_depth_clock_at(const struct pcf_weight *weight, double time) {
  struct pcf_depth_clock clock = {weight, 0, time};
  if (weight) clock.piece = pcf_piece_until(weight, time, PCF_DOUBLE);
  return clock;
}

double pcf_depth_clock_until(struct pcf_depth_clock *clock, double time) {
  const struct pcf_weight *weight = clock->weight;
  double passed = 0;
  while (weight && weight->end[clock->piece] < time) {
    passed += weight->height[clock->piece] * (weight->end[clock->piece] - clock->time);
    clock->time = weight->end[clock->piece++];
  }
  passed += (weight ? weight->height[clock->piece] : 1) * (time - clock->time);
  clock->time = time;
  return passed;
}

/* ---- A slab ---- */

static enum pcf_status equip(const struct run *run, struct worker *worker,
                             struct pcf_error *error) {
  if (worker->standing) return PCF_OK;
  enum pcf_status status = pcf_slab_reader_make(&worker->reader, &run->slabs, error);
  if (status) return status;
  worker->standing =
    pcf_allocate((size_t)run->slabs.functions, sizeof *worker->standing, error);
  return worker->standing ? PCF_OK : PCF_ERROR_MEMORY;
}

/* Sorts the values of the functions and events of a slab; sets the place of each, or -1 if it
 * is missing. Returns how many are distinct. */
static int64_t rank_values(struct worker *worker, const struct pcf_slab *slab, int64_t n) {
  struct pcf_event *value = worker->value, *sorted = value + worker->room;
  int64_t count = 0, leaves = -1;
  for (int64_t k = 0; k < n + slab->events; k++) {
    double v = k < n ? slab->value[k] : pcf_new_value(&slab->event[k - n]);
    worker->leaf[k] = -1;
    if (!isnan(v)) value[count++] = (struct pcf_event){pcf_key_of(v), {(uint64_t)k, 0}};
  }
  pcf_sort_events(worker->reader.sorter, value, sorted, count);
  for (int64_t k = 0; k < count; k++) {
    leaves += k == 0 || sorted[k].key != sorted[k - 1].key;
    worker->leaf[sorted[k].change[0]] = (int32_t)leaves;
  }
  return leaves + 1;
}

static enum pcf_status begin_slab(const struct run *run, struct worker *worker,
                                  const struct pcf_slab *slab, struct pcf_error *error) {
  int64_t n = run->slabs.functions, values = n + slab->events;
  size_t each = 2 * sizeof *worker->value + sizeof *worker->leaf;
  worker->value = pcf_grow(worker->value, &worker->room, values, each, error);
  if (!worker->value) return PCF_ERROR_MEMORY;
  worker->leaf = (int32_t *)(worker->value + 2 * worker->room);
  int64_t leaves = rank_values(worker, slab, n);
  enum pcf_status status =
    pcf_depth_tree_begin(&worker->tree, run->depths->type, leaves, worker->leaf, n, error);
  for (int64_t i = 0; i < n; i++) {
    worker->standing[i] = (struct standing){.leaf = worker->leaf[i]};
  }
  return status;
}

/* Asks for what the events after the next ones need. */
static void fetch_ahead(const struct worker *worker, const struct pcf_slab *slab, int64_t n,
                        int64_t k) {
  if (k + FURTHER < slab->events) FETCH(&worker->standing[slab->event[k + FURTHER].change[0]]);
  if (k + AHEAD >= slab->events) return;
  int64_t to = worker->leaf[n + k + AHEAD];
  int64_t from = worker->standing[slab->event[k + AHEAD].change[0]].leaf;
  if (to >= 0) pcf_depth_tree_fetch(&worker->tree, to);
  if (from >= 0) pcf_depth_tree_fetch(&worker->tree, from);
}

static void prepare(struct worker *worker, const struct standing *standing, int64_t leaf) {
  if (standing->leaf != leaf) pcf_depth_tree_prepare(&worker->tree, standing->leaf, leaf);
}

static void take_value(struct worker *worker, struct standing *standing, int64_t leaf,
                       struct pcf_double_double seen) {
  struct pcf_double_double leave = {0}, enter = {0};
  if (standing->leaf == leaf) return;
  pcf_depth_tree_move(&worker->tree, standing->leaf, leaf, &leave, &enter);
  if (standing->leaf >= 0) {
    standing->lost += pcf_depth_since(leave, standing->lost_before);
    standing->seen += pcf_depth_since(seen, standing->seen_before);
  }
  standing->lost_before = enter;
  standing->seen_before = seen;
  standing->leaf = leaf;
}

static void sweep(const struct run *run, struct worker *worker, const struct pcf_slab *slab) {
  enum { EVENTS_PER_STOP_CHECK = 1 << 12 };
  struct pcf_depth_tree *tree = &worker->tree;
  struct pcf_depth_clock clock = pcf_depth_clock_at(run->weight, slab->begin);
  int64_t n = run->slabs.functions, alone = run->depths->type == PCF_BAND_DEPTH;
  struct pcf_double_double seen = {0};
  for (int64_t k = 0, ready = 0; k <= slab->events; k++) {
    double until = k < slab->events ? pcf_time_of(slab->event[k].key) : slab->end;
    double time = pcf_depth_clock_until(&clock, until) * run->unit;
    if (time > 0) {
      if (tree->observed > alone) pcf_depth_add(&seen, (double)tree->observed * time);
      pcf_depth_tree_pass(tree, time);
    }
    if (k == slab->events) break;
    for (; ready < slab->events && slab->event[ready].key == slab->event[k].key; ready++) {
      fetch_ahead(worker, slab, n, ready);
      prepare(worker, &worker->standing[slab->event[ready].change[0]], worker->leaf[n + ready]);
    }
    take_value(worker, &worker->standing[slab->event[k].change[0]], worker->leaf[n + k], seen);
    if (k + 1 == ready) pcf_depth_tree_moved(tree);
    if (k % EVENTS_PER_STOP_CHECK == 0 && run->stop && atomic_load(run->stop)) return;
  }
  for (int64_t i = 0; i < n; i++) {
    struct standing *standing = &worker->standing[i];
    if (standing->leaf < 0) continue;
    standing->lost +=
      pcf_depth_since(pcf_depth_lost(tree, standing->leaf), standing->lost_before);
    standing->seen += pcf_depth_since(seen, standing->seen_before);
  }
}

static enum pcf_status do_slab(void *run_, int thread, int64_t k, struct pcf_error *error) {
  struct run *run = run_;
  struct worker *worker = &run->worker[k];
  struct pcf_slab slab;
  (void)thread;
  enum pcf_status status = equip(run, worker, error);
  if (!status) status = pcf_slab_read(&worker->reader, run->first + k, &slab, error);
  if (!status) status = begin_slab(run, worker, &slab, error);
  if (!status) sweep(run, worker, &slab);
  return status;
}

/* ---- All slabs ---- */

static void add_slab(const struct run *run, const struct worker *worker) {
  for (int64_t i = 0; i < run->slabs.functions; i++) {
    run->lost[i] += worker->standing[i].lost;
    run->seen[i] += worker->standing[i].seen;
  }
}

/* In rounds of a slab for each thread. */
static enum pcf_status do_slabs(struct run *run, int threads, struct pcf_error *error) {
  struct pcf_team *team = pcf_team_start(threads, error);
  enum pcf_status status = team ? PCF_OK : PCF_ERROR_MEMORY;
  for (run->first = 0; !status && run->first < run->slabs.count; run->first += threads) {
    int64_t count = pcf_smaller(threads, run->slabs.count - run->first);
    status = pcf_team_for(team, count, run->stop, do_slab, run, error);
    for (int64_t k = 0; !status && k < count; k++) add_slab(run, &run->worker[k]);
    pcf_depths_done(run->depths, run->first + count, run->slabs.count);
  }
  pcf_team_end(team);
  for (int t = 0; t < threads; t++) {
    pcf_slab_reader_free(&run->worker[t].reader);
    pcf_depth_tree_free(&run->worker[t].tree);
    pcf_free(run->worker[t].standing);
    pcf_free(run->worker[t].value);
  }
  return status;
}

/* Values are only compared, and keep their scale. */
static void set_integral(struct run *run) {
  const struct pcf_depths *depths = run->depths;
  run->integral = pcf_integral(PCF_L1, 1, depths->from, depths->to, PCF_DOUBLE, depths->range);
  run->integral.value_exponent = run->integral.missing_is_0 = 0;
  run->unit = ldexp(1, -(ilogb(fmax(run->integral.to - run->integral.from, 0x1p-1000))));
  for (int64_t k = 0; run->weight && k < run->weight->pieces; k++) {
    run->weight->end[k] = pcf_integral_time(&run->integral, run->weight->end[k]);
  }
}

static enum pcf_status depths_of_steps(const struct pcf_depths *depths,
                                       const struct pcf_weight *weight, int threads,
                                       const atomic_int *stop, struct pcf_error *error) {
  struct pcf_arrays arrays = {0};
  struct run run = {.depths = depths, .weight = weight, .stop = stop};
  int64_t n = depths->x->count, least = SLAB_PER_FUNCTION * n;
  set_integral(&run);
  run.worker = pcf_zeros(&arrays, (size_t)threads, sizeof *run.worker, error);
  run.lost = pcf_zeros(&arrays, (size_t)n, sizeof *run.lost, error);
  run.seen = pcf_zeros(&arrays, (size_t)n, sizeof *run.seen, error);
  enum pcf_status status = arrays.status;
  if (!status) {
    status = pcf_slabs_make(&run.slabs, depths->x, NULL, &run.integral, depths->range,
                            least > LEAST_SLAB ? least : LEAST_SLAB, error);
  }
  if (!status) status = do_slabs(&run, threads, error);
  for (int64_t i = 0; !status && i < n; i++) {
    depths->result[i] = run.seen[i] > 0 ? 1 - run.lost[i] / run.seen[i] : NAN;
  }
  pcf_slabs_free(&run.slabs);
  pcf_arrays_free(&arrays);
  return status;
}
