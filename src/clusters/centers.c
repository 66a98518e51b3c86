/* With c the center of a cluster, ‖f − c‖² = ‖f‖² + ∫ c² − 2 ∫ f·c over the time at which f is
 * observed. Each function has a row with ∫ c² − 2 ∫ f·c for all clusters; centers, and their
 * integrals since the slab began, go along with the events. An event of f changes its row and
 * the center of its cluster. Functions enter at the start of a slab and leave at its end.
 *
 * Steps: with I = ∫ c, a change of f by d at t adds 2 d I(t) to its row. Between changes of a
 * center, I is a line, so that only the center that changes has to be touched.
 *
 * Lines: with J = ∫ I, the part of ∫ f·c on a line of slope s is [f I] − s [J]. J is kept in
 * two doubles, also in the function's row, since a narrow line has a large s. */
#include "clusters/centers.h"

#include "arithmetic/lanes.h"
#include "arrays/segment-parts.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/turns.h"

#include <string.h>

enum { EVENTS_PER_STOP_CHECK = 1 << 14, AHEAD = 12 };

/* The members of a cluster that are observed: sums over them, each times its weight. */
struct group {
  struct pcf_total sum, slopes, weight;
  int64_t count;
};

/* What moves along with the events; arrays have a number for each lane. Lanes are the clusters,
 * then all functions together if they are pooled, then some that are not used. */
struct sweep {
  const struct pcf_center_sweep *wanted;
  const struct pcf_sorted_events *events;
  int64_t lanes, slab, rows;
  const int *place;    /* of the row of each function, or -1 for those that stay */
  int pooled;          /* may a cluster have none, so that the mean of all is needed? */
  int empty;           /* how many clusters have no member that is observed */
  double now;          /* time since the slab began, for steps; the last event, for lines */
  struct group *group; /* for lines, the sums of values are in `sum` below */
  double *value, *row; /* of each function: its value now; rows */
  /* Steps: the center c, of which ∫ c is area + c · time, and ∫ c² square + c² · time. */
  double *center, *area, *square;
  struct pcf_total *areas, *squares; /* the same with what rounding lost */
  /* Lines: the sum of the values of members, of their slopes, and 1 / their weights; ∫ c, ∫∫ c
   * and ∫ c² */
  double *sum[2], *slopes, *share, *integral[2], *second[2], *square_of_lines[2];
  double *slope, *since;  /* of each function: its slope, and since when it is on its line */
  double *second_then[2]; /* a row of each function: ∫∫ c when its line began */
};

static double weight_of(const struct sweep *it, int64_t f) {
  return it->wanted->weight ? it->wanted->weight[f] : 1;
}

static double or_zero(double value) {
  return isnan(value) ? 0 : value;
}

static double total(const struct pcf_total *total) {
  return total->sum + total->error;
}

/* Counts a member that enters (1) or leaves (-1) a group. */
static void count_member(struct sweep *it, int64_t q, double weight, int change) {
  struct group *group = &it->group[q];
  int64_t all = it->wanted->clusters;
  if (q < all) it->empty += (group->count + change == 0) - (group->count == 0);
  group->count += change;
  pcf_total_add(&group->weight, change * weight);
  if (group->count == 0) *group = (struct group){0};
}

/* ---- Steps ---- */

INLINE void move_center(struct sweep *it, int64_t q, double to) {
  double change = it->center[q] - to;
  pcf_total_add(&it->areas[q], change * it->now);
  pcf_total_add(&it->squares[q], change * (it->center[q] + to) * it->now);
  it->area[q] = total(&it->areas[q]);
  it->square[q] = total(&it->squares[q]);
  it->center[q] = to;
}

/* A member of a group goes over from one value to another, either of which may be missing. */
static void change_member(struct sweep *it, int64_t q, double weight, double from, double to) {
  struct group *group = &it->group[q];
  int change = !isnan(to) - !isnan(from);
  if (change) count_member(it, q, weight, change);
  if (!isnan(from) && group->count) pcf_total_add(&group->sum, -weight * from);
  if (!isnan(to)) pcf_total_add(&group->sum, weight * to);
}

static void settle(struct sweep *it, int64_t q) {
  const struct group *group = &it->group[q];
  move_center(it, q, group->count ? total(&group->sum) / total(&group->weight) : 0);
}

static void move_empty(struct sweep *it) {
  int64_t all = it->wanted->clusters;
  for (int64_t q = 0; it->empty && q < all; q++) {
    if (it->group[q].count == 0) move_center(it, q, it->center[all]);
  }
}

/* row += factor · ∫ c */
INLINE void add_integrals(const struct sweep *it, double *row, double factor) {
  V by = v_set1(factor), now = v_set1(it->now);
  for (int64_t q = 0; q < it->lanes; q += LANES) {
    V integral = v_add(v_load(it->area + q), v_mul(v_load(it->center + q), now));
    v_store(row + q, v_add(v_load(row + q), v_mul(by, integral)));
  }
}

/* row += sign · ∫ c² */
static void add_squares(const struct sweep *it, double *row, double sign) {
  for (int64_t q = 0; q < it->lanes; q++) {
    row[q] += sign * (it->square[q] + it->center[q] * it->center[q] * it->now);
  }
}

static void change_row(struct sweep *it, int64_t f, double from, double to) {
  if (it->place[f] < 0) return;
  double *row = it->row + it->place[f] * it->lanes;
  add_integrals(it, row, 2 * (or_zero(to) - or_zero(from)));
  if (isnan(to) != isnan(from)) add_squares(it, row, isnan(to) ? 1 : -1);
}

static void change_groups(struct sweep *it, int64_t f, double from, double to) {
  double weight = weight_of(it, f);
  change_member(it, it->wanted->cluster[f], weight, from, to);
  if (it->pooled) change_member(it, it->wanted->clusters, weight, from, to);
}

/* Rows stay 0 at the time 0. */
static void begin_steps(struct sweep *it) {
  for (int64_t f = 0; f < it->events->functions; f++) {
    change_groups(it, f, NAN, it->value[f]);
  }
  for (int64_t q = 0; q < it->wanted->clusters + it->pooled; q++) settle(it, q);
  move_empty(it);
}

static void step(struct sweep *it, int64_t e) {
  int64_t f = it->events->function[e];
  double from = it->value[f], to = it->events->value[e];
  it->now = it->events->time[e] - it->events->bound[it->slab];
  change_row(it, f, from, to);
  change_groups(it, f, from, to);
  settle(it, it->wanted->cluster[f]);
  if (it->pooled) settle(it, it->wanted->clusters);
  move_empty(it);
  it->value[f] = to;
}

/* The same where no value is missing and no cluster empty. */
static void step_of_whole(struct sweep *it, int64_t e) {
  int64_t f = it->events->function[e], q = it->wanted->cluster[f];
  double from = it->value[f], to = it->events->value[e], weight = weight_of(it, f);
  struct group *group = &it->group[q];
  it->now = it->events->time[e] - it->events->bound[it->slab];
  if (it->place[f] >= 0) {
    add_integrals(it, it->row + it->place[f] * it->lanes, 2 * (to - from));
  }
  pcf_total_add(&group->sum, -weight * from);
  pcf_total_add(&group->sum, weight * to);
  move_center(it, q, total(&group->sum) / total(&group->weight));
  it->value[f] = to;
}

static void end_steps(struct sweep *it) {
  it->now = it->events->bound[it->slab + 1] - it->events->bound[it->slab];
  for (int64_t f = 0; f < it->events->functions; f++) change_row(it, f, it->value[f], NAN);
}

/* ---- Lines ---- */

/* Adds to sums in two doubles. */
#define ADD_TO(sums, q, term)                                                          \
  do {                                                                                 \
    V before_ = v_load((sums)[0] + (q)), term_ = term, after_ = v_add(before_, term_); \
    V part_ = v_sub(after_, before_);                                                  \
    V lost_ = v_add(v_sub(before_, v_sub(after_, part_)), v_sub(term_, part_));        \
    v_store((sums)[0] + (q), after_);                                                  \
    v_store((sums)[1] + (q), v_add(v_load((sums)[1] + (q)), lost_));                   \
  } while (0)

static void go_to(struct sweep *it, double time) {
  double width_ = time - it->now;
  V width = v_set1(width_), half = v_set1(width_ / 2), third = v_set1(1.0 / 3);
  it->now = time;
  if (!(width_ > 0)) return;
  for (int64_t q = 0; q < it->lanes; q += LANES) {
    V share = v_load(it->share + q), rise = v_mul(v_load(it->slopes + q), width);
    V center = v_mul(v_add(v_load(it->sum[0] + q), v_load(it->sum[1] + q)), share);
    V by = v_mul(rise, share), middle = v_add(center, v_mul(by, v_set1(0.5)));
    V integral = v_add(v_load(it->integral[0] + q), v_load(it->integral[1] + q));
    V sixth = v_mul(half, v_add(center, v_mul(by, third)));
    ADD_TO(it->second, q, v_mul(width, v_add(integral, sixth)));
    ADD_TO(it->integral, q, v_mul(width, middle));
    V square = v_add(v_mul(center, center), v_mul(by, v_add(center, v_mul(by, third))));
    ADD_TO(it->square_of_lines, q, v_mul(width, square));
    ADD_TO(it->sum, q, rise);
  }
}

static void add_to_sum(struct sweep *it, int64_t q, double term) {
  struct pcf_total sum = {it->sum[0][q], it->sum[1][q]};
  pcf_total_add(&sum, term);
  it->sum[0][q] = sum.sum;
  it->sum[1][q] = sum.error;
}

/* A line from which a member goes over to another one: its value and slope there. */
struct line {
  double value, slope;
};

static void change_line(struct sweep *it, int64_t q, double weight, struct line from,
                        struct line to) {
  struct group *group = &it->group[q];
  int change = !isnan(to.value) - !isnan(from.value);
  if (change) count_member(it, q, weight, change);
  if (group->count == 0 || group->count == change) it->sum[0][q] = it->sum[1][q] = 0;
  if (!isnan(from.value) && group->count) {
    add_to_sum(it, q, -weight * from.value);
    pcf_total_add(&group->slopes, -weight * from.slope);
  }
  if (!isnan(to.value)) {
    add_to_sum(it, q, weight * to.value);
    pcf_total_add(&group->slopes, weight * to.slope);
  }
  it->slopes[q] = total(&group->slopes);
  it->share[q] = group->count ? 1 / total(&group->weight) : 0;
}

static void copy_empty_lines(struct sweep *it) {
  int64_t all = it->wanted->clusters;
  for (int64_t q = 0; it->empty && q < all; q++) {
    if (it->group[q].count) continue;
    it->sum[0][q] = it->sum[0][all];
    it->sum[1][q] = it->sum[1][all];
    it->slopes[q] = it->slopes[all];
    it->share[q] = it->share[all];
  }
}

/* A function goes over to another line now. */
static void turn(struct sweep *it, int64_t f, struct line from, struct line to) {
  if (it->place[f] < 0) return;
  int64_t at = it->place[f] * it->lanes;
  double jump = 2 * (or_zero(to.value) - or_zero(from.value)), slope = 2 * from.slope;
  double sign = isnan(to.value) - isnan(from.value);
  for (int64_t q = 0; q < it->lanes; q++) {
    double integral = it->integral[0][q] + it->integral[1][q];
    double *high = &it->second_then[0][at + q], *low = &it->second_then[1][at + q];
    double risen = (it->second[0][q] - *high) + (it->second[1][q] - *low);
    it->row[at + q] += jump * integral + slope * risen;
    if (sign != 0) {
      it->row[at + q] += sign * (it->square_of_lines[0][q] + it->square_of_lines[1][q]);
    }
    *high = it->second[0][q];
    *low = it->second[1][q];
  }
}

static void join_groups(struct sweep *it, int64_t f, struct line from, struct line to) {
  double weight = weight_of(it, f);
  change_line(it, it->wanted->cluster[f], weight, from, to);
  if (it->pooled) change_line(it, it->wanted->clusters, weight, from, to);
  it->value[f] = to.value;
  it->slope[f] = to.slope;
  it->since[f] = it->now;
}

static void begin_lines(struct sweep *it) {
  const struct pcf_sorted_events *events = it->events;
  size_t length = (size_t)(it->rows * it->lanes);
  it->now = events->bound[it->slab];
  for (int k = 0; k < 2; k++) memset(it->second_then[k], 0, length * sizeof(double));
  const double *slope = events->begin_slope + it->slab * events->functions;
  for (int64_t f = 0; f < events->functions; f++) {
    join_groups(it, f, (struct line){NAN, 0}, (struct line){it->value[f], slope[f]});
  }
  copy_empty_lines(it);
}

static void turn_at(struct sweep *it, int64_t e) {
  const struct pcf_sorted_events *events = it->events;
  int64_t f = events->function[e];
  struct line from = {events->left[e], it->slope[f]}, to = {events->value[e], events->slope[e]};
  go_to(it, events->time[e]);
  turn(it, f, from, to);
  join_groups(it, f, from, to);
  copy_empty_lines(it);
}

static void end_lines(struct sweep *it) {
  go_to(it, it->events->bound[it->slab + 1]);
  for (int64_t f = 0; f < it->events->functions; f++) {
    double value = it->value[f] + it->slope[f] * (it->now - it->since[f]);
    turn(it, f, (struct line){value, it->slope[f]}, (struct line){NAN, 0});
  }
}

/* ---- A slab ---- */

/* Memory of a worker. All that begins as 0 in a slab is in one array. */
struct worker {
  struct sweep sweep;
  double *cleared;
  size_t length;
  struct pcf_arrays arrays;
};

static size_t total_doubles(size_t count) {
  return count * sizeof(struct pcf_total) / sizeof(double);
}

/* Lays out the cleared numbers; returns how many there are. */
static size_t lay_out(struct sweep *it, double *from) {
  size_t lanes = (size_t)it->lanes;
  double *at = from;
  it->row = at, at += (size_t)it->rows * lanes;
  it->center = at, at += lanes;
  it->area = at, at += lanes;
  it->square = at, at += lanes;
  it->areas = (struct pcf_total *)at, at += total_doubles(lanes);
  it->squares = (struct pcf_total *)at, at += total_doubles(lanes);
  it->slopes = at, at += lanes;
  it->share = at, at += lanes;
  for (int k = 0; k < 2; k++) {
    it->sum[k] = at, at += lanes;
    it->integral[k] = at, at += lanes;
    it->second[k] = at, at += lanes;
    it->square_of_lines[k] = at, at += lanes;
  }
  return (size_t)(at - from);
}

static enum pcf_status equip(struct worker *worker, const struct sweep *begin,
                             struct pcf_error *error) {
  if (worker->cleared) return PCF_OK;
  struct sweep *it = &worker->sweep;
  struct pcf_arrays *arrays = &worker->arrays;
  size_t n = (size_t)begin->events->functions, lanes = (size_t)begin->lanes;
  size_t rows = (size_t)begin->rows;
  *it = *begin;
  it->group = pcf_array(arrays, lanes, sizeof *it->group, error);
  it->value = pcf_array(arrays, n, sizeof(double), error);
  for (int k = 0; k < 2 && it->events->linear; k++) {
    it->second_then[k] = pcf_array(arrays, rows * lanes, sizeof(double), error);
  }
  it->slope = pcf_array(arrays, it->events->linear ? n : 0, sizeof(double), error);
  it->since = pcf_array(arrays, it->events->linear ? n : 0, sizeof(double), error);
  worker->length = rows * lanes + lanes * (total_doubles(2) + 13);
  worker->cleared = pcf_array(arrays, worker->length, sizeof(double), error);
  if (arrays->status) worker->cleared = NULL;
  return arrays->status;
}

static void begin_slab(struct worker *worker, int64_t s) {
  struct sweep *it = &worker->sweep;
  size_t n = (size_t)it->events->functions;
  memset(worker->cleared, 0, worker->length * sizeof(double));
  memset(it->group, 0, (size_t)it->lanes * sizeof *it->group);
  lay_out(it, worker->cleared);
  memcpy(it->value, it->events->begin + (size_t)s * n, n * sizeof(double));
  it->slab = s;
  it->now = 0;
  it->empty = (int)it->wanted->clusters;
  if (it->events->linear) begin_lines(it);
  else begin_steps(it);
}

static void fetch(const struct sweep *it, int64_t f) {
  FETCH(it->value + f);
  FETCH(it->wanted->cluster + f);
  if (it->place[f] < 0) return;
  for (int64_t q = 0; q < it->lanes; q += EIGHT) FETCH(it->row + it->place[f] * it->lanes + q);
}

static enum pcf_status sweep_slab(struct worker *worker, int64_t s, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct sweep *it = &worker->sweep;
  const struct pcf_sorted_events *events = it->events;
  int64_t end = (int64_t)events->first[s + 1], last = end - 1;
  begin_slab(worker, s);
  for (int64_t e = (int64_t)events->first[s]; e < end; e++) {
    if (e % EVENTS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    fetch(it, events->function[e + AHEAD < last ? e + AHEAD : last]);
    if (events->linear) turn_at(it, e);
    else if (it->pooled) step(it, e);
    else step_of_whole(it, e);
  }
  if (events->linear) end_lines(it);
  else end_steps(it);
  return PCF_OK;
}

/* ---- All slabs ---- */

struct run {
  struct sweep begin;
  struct worker *worker;
  double *row; /* sums over all slabs */
  struct pcf_turns turns;
  const atomic_int *stop;
};

static enum pcf_status do_slab(void *run_, int thread, int64_t s, struct pcf_error *error) {
  struct run *run = run_;
  struct worker *worker = &run->worker[thread];
  double height = run->begin.events->height[s];
  enum pcf_status status = equip(worker, &run->begin, error);
  if (!status && height != 0) status = sweep_slab(worker, s, run->stop, error);
  if (!pcf_turn_wait(&run->turns, s, status != PCF_OK)) return status;
  size_t length = (size_t)(run->begin.rows * run->begin.lanes);
  for (size_t k = 0; height != 0 && k < length; k++) {
    run->row[k] += height * worker->sweep.row[k];
  }
  pcf_turn_pass(&run->turns);
  return PCF_OK;
}

static enum pcf_status do_slabs(struct run *run, int threads, struct pcf_error *error) {
  run->worker = pcf_allocate((size_t)threads, sizeof *run->worker, error);
  if (!run->worker) return PCF_ERROR_MEMORY;
  memset(run->worker, 0, (size_t)threads * sizeof *run->worker);
  pcf_turns_init(&run->turns);
  enum pcf_status status =
    pcf_parallel_for(threads, run->begin.events->slabs, run->stop, do_slab, run, error);
  pcf_turns_destroy(&run->turns);
  for (int t = 0; t < threads; t++) pcf_arrays_free(&run->worker[t].arrays);
  pcf_free(run->worker);
  return status;
}

/* ---- The nearest ---- */

/* Of squared distances, relative to the norms of functions and centers. */
static const double rounding = 1e-14;

static void choose(const struct pcf_center_sweep *sweep, int64_t f, const double *row,
                   const double *size) {
  sweep->nearest[f] = sweep->cluster[f];
  sweep->own[f] = sweep->best[f] = sweep->second[f] = NAN;
  if (!row) return;
  int own_cluster = sweep->cluster[f], nearest = own_cluster,
      exponent = sweep->events->exponent;
  double norm = sweep->events->norm[f], own = norm + row[own_cluster], best = own;
  double least = own - rounding * (norm + size[own_cluster]);
  for (int q = 0; q < sweep->clusters; q++) {
    double distance = norm + row[q];
    if (q == own_cluster || !(distance + rounding * size[q] < least)) continue;
    least = distance + rounding * size[q];
    best = distance;
    nearest = q;
  }
  double second = INFINITY;
  for (int q = 0; q < sweep->clusters; q++) {
    if (q != nearest && norm + row[q] < second) second = norm + row[q];
  }
  sweep->nearest[f] = nearest;
  sweep->own[f] = ldexp(own > 0 ? own : 0, exponent);
  sweep->best[f] = ldexp(best > 0 ? best : 0, exponent);
  sweep->second[f] = ldexp(second > 0 ? second : 0, exponent);
}

/* The mean squared norms of the members of clusters, which those of centers are not above; with
 * missing values, and that of all. */
static double *find_sizes(const struct pcf_center_sweep *sweep, struct pcf_error *error) {
  const struct pcf_sorted_events *events = sweep->events;
  size_t k = (size_t)sweep->clusters;
  double *size = pcf_allocate(2 * k, sizeof *size, error), all = 0;
  if (!size) return NULL;
  for (size_t q = 0; q < 2 * k; q++) size[q] = 0;
  for (int64_t f = 0; f < events->functions; f++) {
    size[sweep->cluster[f]] += events->norm[f];
    size[k + (size_t)sweep->cluster[f]]++;
    all += events->norm[f] / (double)events->functions;
  }
  for (size_t q = 0; q < k; q++) {
    if (size[k + q] > 0) size[q] /= size[k + q];
    if (events->missing || size[k + q] == 0) size[q] += all;
  }
  return size;
}

/* Is a value missing, or a cluster without a member? */
static int is_pooled(const struct pcf_center_sweep *sweep, struct pcf_error *error) {
  char *used = pcf_allocate((size_t)sweep->clusters, 1, error);
  int64_t count = 0;
  if (!used) return 1;
  memset(used, 0, (size_t)sweep->clusters);
  for (int64_t f = 0; f < sweep->events->functions; f++) {
    count += !used[sweep->cluster[f]];
    used[sweep->cluster[f]] = 1;
  }
  pcf_free(used);
  return sweep->events->missing || count < sweep->clusters;
}

/* Gives rows to the functions that do not stay; returns how many. */
static int64_t place_rows(const struct pcf_center_sweep *sweep, int *place) {
  int rows = 0;
  for (int64_t f = 0; f < sweep->events->functions; f++) {
    place[f] = sweep->stays && sweep->stays[f] ? -1 : rows++;
  }
  return rows;
}

enum pcf_status pcf_sweep_centers(const struct pcf_center_sweep *sweep, const atomic_int *stop,
                                  struct pcf_error *error) {
  const struct pcf_sorted_events *events = sweep->events;
  int pooled = is_pooled(sweep, error);
  int64_t lanes = (sweep->clusters + pooled + LANES - 1) / LANES * LANES;
  int threads = events->slabs < sweep->threads ? (int)events->slabs : sweep->threads;
  struct pcf_arrays arrays = {0};
  int *place = pcf_array(&arrays, (size_t)events->functions, sizeof *place, error);
  int64_t rows = place ? place_rows(sweep, place) : 0;
  struct run run = {.begin = {.wanted = sweep,
                              .events = events,
                              .lanes = lanes,
                              .rows = rows,
                              .place = place,
                              .pooled = pooled},
                    .row = pcf_zeros(&arrays, (size_t)(rows * lanes), sizeof(double), error),
                    .stop = stop};
  enum pcf_status status = arrays.status;
  if (!status) status = do_slabs(&run, threads > 0 ? threads : 1, error);
  double *size = status ? NULL : find_sizes(sweep, error);
  if (!status && !size) status = PCF_ERROR_MEMORY;
  for (int64_t f = 0; f < events->functions && !status; f++) {
    choose(sweep, f, place[f] < 0 ? NULL : run.row + place[f] * lanes, size);
  }
  pcf_free(size);
  pcf_arrays_free(&arrays);
  return status;
}
