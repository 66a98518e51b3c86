/* Bars are taken in the order of their births. At each time the tents that are not over go up,
 * having been born, or down to their deaths. Each level follows one bar, up from its birth and
 * down to its death, and the levels have the deaths of the living bars in descending order. A
 * birth puts one more death into that order, and those that come after it move on by a level:
 * where a level gets a later death it turns up again, at the crossing of the line down to its
 * old death with the one up from the birth. This is an exchange of two tents, of (b, d) and
 * (b', d') with b < b' < d < d', for their maximum, which the level goes on with, and their
 * minimum, the tent of (b', d), which goes to the next levels (Bubenik and Dlotko, 2017).
 *
 * All bars of one birth are put in together, so that a level turns at most once at a birth.
 * Beside sorting the work is that of the levels that move, which get vertices unless their
 * deaths are equal. It is done twice, the first time to count the vertices. */
#include "diagrams/landscape.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

/* The bar that a level follows, and its vertices so far. */
struct level {
  double birth, death; /* the death is -INFINITY before the first bar */
  double last;         /* the time of the last vertex; NaN where there is none */
  int64_t next;        /* where the next vertex is written */
};

/* Of diagram i there are the bars bars[first[i]] … in the order of their births, and the
 * numbers of vertices of its levels, vertices[first[i]] …. A thread has room for `most` scratch
 * steps and levels, of `threads` threads. */
struct pcf_landscape_work {
  const struct pcf_diagrams *x;
  int64_t wanted; /* levels; INT64_MAX for all */
  const atomic_int *stop;
  int64_t *first;   /* count + 1 running totals of bars */
  int64_t *bars_of; /* that count, of each diagram */
  int64_t *levels_of;
  int64_t *vertices;
  struct pcf_step *bars, *scratch;
  struct level *level;
  int64_t most;
  int threads;
  int64_t levels; /* of each diagram in `result` */
  double *const *result;
  struct pcf_arrays arrays;
};

static enum pcf_status make_work(struct pcf_landscape_work *work, struct pcf_error *error);
static int64_t most_levels(const struct pcf_landscape_work *work);
static pcf_loop_body count_vertices, write_vertices;

enum pcf_status pcf_landscapes_count(struct pcf_landscapes *landscapes, int threads,
                                     const atomic_int *stop, struct pcf_bar_fault *fault,
                                     struct pcf_error *error) {
  const struct pcf_diagrams *x = landscapes->x;
  int64_t levels = landscapes->levels;
  *fault = (struct pcf_bar_fault){0};
  struct pcf_landscape_work *work = pcf_allocate(1, sizeof *work, error);
  if (!work) return PCF_ERROR_MEMORY;
  landscapes->work = work;
  *work = (struct pcf_landscape_work){.x = x,
                                      .wanted = levels > 0 ? levels : INT64_MAX,
                                      .stop = stop,
                                      .threads = threads > 1 ? threads : 1};
  enum pcf_status status = make_work(work, error);
  if (!status) status = pcf_parallel_for(threads, x->count, stop, count_vertices, work, error);
  if (status == PCF_ERROR_ARGUMENT) pcf_fail_for_bar(x, fault, error);
  if (!status) landscapes->levels = levels > 0 ? levels : most_levels(work);
  return status;
}

void pcf_landscapes_vertices(const struct pcf_landscapes *landscapes, int64_t *vertices) {
  const struct pcf_landscape_work *work = landscapes->work;
  int64_t count = landscapes->x->count;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < landscapes->levels; k++) {
      int has_level = k < work->levels_of[i];
      vertices[k * count + i] = has_level ? work->vertices[work->first[i] + k] : 1;
    }
  }
}

enum pcf_status pcf_landscapes_fill(const struct pcf_landscapes *landscapes,
                                    double *const *result, int threads, const atomic_int *stop,
                                    struct pcf_error *error) {
  struct pcf_landscape_work *work = landscapes->work;
  if (threads > work->threads) threads = work->threads;
  work->result = result;
  work->levels = landscapes->levels;
  work->stop = stop;
  return pcf_parallel_for(threads, work->x->count, stop, write_vertices, work, error);
}

/* ---- Memory ---- */

static enum pcf_status make_work(struct pcf_landscape_work *work, struct pcf_error *error) {
  const struct pcf_diagrams *x = work->x;
  size_t count = (size_t)x->count;
  struct pcf_arrays *arrays = &work->arrays;
  work->first = pcf_array(arrays, count + 1, sizeof *work->first, error);
  if (!work->first) return PCF_ERROR_MEMORY;
  work->first[0] = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t bars = x->diagrams[i].bars;
    work->first[i + 1] = work->first[i] + bars;
    if (bars > work->most) work->most = bars;
  }
  size_t bars = (size_t)work->first[count], room = (size_t)work->most * (size_t)work->threads;
  work->bars_of = pcf_array(arrays, count, sizeof *work->bars_of, error);
  work->levels_of = pcf_array(arrays, count, sizeof *work->levels_of, error);
  work->vertices = pcf_array(arrays, bars, sizeof *work->vertices, error);
  work->bars = pcf_array(arrays, bars, sizeof *work->bars, error);
  work->scratch = pcf_array(arrays, room, sizeof *work->scratch, error);
  work->level = pcf_array(arrays, room, sizeof *work->level, error);
  return arrays->status;
}

void pcf_landscapes_free(struct pcf_landscapes *landscapes) {
  struct pcf_landscape_work *work = landscapes->work;
  if (!work) return;
  pcf_arrays_free(&work->arrays);
  pcf_free(work);
  landscapes->work = NULL;
}

/* At least 1: a level that is 0 everywhere. */
static int64_t most_levels(const struct pcf_landscape_work *work) {
  int64_t most = 1;
  for (int64_t i = 0; i < work->x->count; i++) {
    if (work->levels_of[i] > most) most = work->levels_of[i];
  }
  return most;
}

/* ---- A diagram ---- */

/* The levels of one diagram, and where their vertices go: level k has the matrix result[k * by]
 * with vertices[k] rows, or none (NULL) while they are counted. */
struct sweep {
  struct level *level;
  int64_t levels;
  double *const *result;
  int64_t by;
  const int64_t *vertices;
};

static void sort_bars(struct pcf_step *bars, struct pcf_step *scratch, int64_t count);
static int64_t births_together(const struct pcf_step *bars, int64_t count);
static int64_t run_sweep(const struct sweep *sweep, const struct pcf_step *bars, int64_t count,
                         const atomic_int *stop);

static enum pcf_status count_vertices(void *work_, int thread, int64_t i,
                                      struct pcf_error *error) {
  struct pcf_landscape_work *work = work_;
  int64_t first = work->first[i];
  int64_t count = pcf_gather_bars(work->x, i, work->bars + first);
  if (count < 0) return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not valid");
  sort_bars(work->bars + first, work->scratch + thread * work->most, count);
  int64_t levels = count < work->wanted ? count : work->wanted;
  struct sweep sweep = {.level = work->level + thread * work->most, .levels = levels};
  for (int64_t k = 0; k < levels; k++) sweep.level[k] = (struct level){0, -INFINITY, NAN, 0};
  work->bars_of[i] = count;
  work->levels_of[i] = run_sweep(&sweep, work->bars + first, count, work->stop);
  for (int64_t k = 0; k < levels; k++) work->vertices[first + k] = sweep.level[k].next;
  return PCF_OK;
}

static enum pcf_status write_vertices(void *work_, int thread, int64_t i,
                                      struct pcf_error *error) {
  const struct pcf_landscape_work *work = work_;
  int64_t count = work->x->count, first = work->first[i];
  double *const *result = work->result + i;
  struct sweep sweep = {work->level + thread * work->most, work->levels_of[i], result, count,
                        work->vertices + first};
  for (int64_t k = 0; k < sweep.levels; k++)
    sweep.level[k] = (struct level){0, -INFINITY, NAN, 0};
  run_sweep(&sweep, work->bars + first, work->bars_of[i], work->stop);
  for (int64_t k = sweep.levels; k < work->levels; k++) {
    double *zero = result[k * count];
    zero[0] = zero[1] = zero[2] = 0;
  }
  return PCF_OK;
}

/* By birth, and those of one birth by descending death. */
static void sort_bars(struct pcf_step *bars, struct pcf_step *scratch, int64_t count) {
  pcf_sort_steps(bars, scratch, count);
  for (int64_t k = 0, together; k < count; k += together) {
    together = births_together(bars + k, count - k);
    if (together == 1) continue;
    double birth = bars[k].time;
    for (int64_t j = k; j < k + together; j++) bars[j].time = -bars[j].change;
    pcf_sort_steps(bars + k, scratch, together);
    for (int64_t j = k; j < k + together; j++) {
      bars[j] = (struct pcf_step){birth, -bars[j].time};
    }
  }
}

/* How many bars have the birth of the first. */
static int64_t births_together(const struct pcf_step *bars, int64_t count) {
  int64_t together = 1;
  while (together < count && bars[together].time == bars[0].time) together++;
  return together;
}

/* ---- The sweep ---- */

static void put_in(const struct sweep *sweep, const struct pcf_step *bars, int64_t count,
                   int64_t living);
static void turn(const struct sweep *sweep, struct level *level, double birth, double death);
static void follow_down(const struct sweep *sweep, struct level *level, double next_birth);
static void add_vertex(const struct sweep *sweep, struct level *level, double from, double to);

/* Returns how many levels have vertices. After a non-zero `stop` it ends early. */
static int64_t run_sweep(const struct sweep *sweep, const struct pcf_step *bars, int64_t count,
                         const atomic_int *stop) {
  struct level *level = sweep->level;
  int64_t living = 0, used = 0;
  for (int64_t k = 0, together; k < count; k += together) {
    if (stop && atomic_load(stop)) return 0;
    together = births_together(bars + k, count - k);
    while (living > 0 && level[living - 1].death <= bars[k].time) living--;
    put_in(sweep, bars + k, together, living);
    living = living + together < sweep->levels ? living + together : sweep->levels;
  }
  for (; used < sweep->levels && level[used].death > -INFINITY; used++) {
    follow_down(sweep, &level[used], INFINITY);
  }
  return used;
}

/* Merges the deaths of bars of one birth with those of the living levels, from the lowest level
 * up to the last that changes. */
static void put_in(const struct sweep *sweep, const struct pcf_step *bars, int64_t count,
                   int64_t living) {
  struct level *level = sweep->level;
  double birth = bars->time;
  int64_t old = living - 1, fresh = count - 1;
  for (int64_t k = old + count; fresh >= 0; k--) {
    int moves = old >= 0 && level[old].death < bars[fresh].change;
    double death = moves ? level[old--].death : bars[fresh--].change;
    if (k >= sweep->levels) continue;
    if (k < living ? death > level[k].death : pcf_has_middle(birth, death)) {
      turn(sweep, &level[k], birth, death);
    }
  }
}

/* From its bar a level goes on to one that is born later and dies later. */
static void turn(const struct sweep *sweep, struct level *level, double birth, double death) {
  if (level->death > -INFINITY) follow_down(sweep, level, birth);
  add_vertex(sweep, level, birth, level->death > birth ? level->death : birth);
  level->birth = birth;
  level->death = death;
}

/* Adds the peak of a level, and its death where that is before the next birth. */
static void follow_down(const struct sweep *sweep, struct level *level, double next_birth) {
  add_vertex(sweep, level, level->birth, level->death);
  if (level->death < next_birth) add_vertex(sweep, level, level->death, level->death);
}

/* Continuous functions have their values as left limits. */
static void write_vertex(const struct sweep *sweep, const struct level *level, double time,
                         double value) {
  int64_t k = level - sweep->level, rows = sweep->vertices[k];
  double *to = sweep->result[k * sweep->by] + level->next;
  to[0] = time;
  to[rows] = to[2 * rows] = value;
}

/* Adds the top of the tent between two times, which is 0 at one time. Peaks and valleys take
 * turns, and their times do not descend. Two with the same time are left out together; a third
 * would stay. */
static void add_vertex(const struct sweep *sweep, struct level *level, double from, double to) {
  double time = pcf_middle(from, to);
  if (time == level->last) {
    level->next--;
    level->last = NAN;
    return;
  }
  if (sweep->result) write_vertex(sweep, level, time, pcf_half_length(from, to));
  level->next++;
  level->last = time;
}
