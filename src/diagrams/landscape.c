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
 * steps and levels. */
struct work {
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
  struct pcf_linear_functions *functions;
  int64_t levels; /* of each diagram in `functions` */
};

static enum pcf_status make_work(struct work *work, int threads, struct pcf_error *error);
static void free_work(struct work *work);
static enum pcf_status make_functions(struct work *work, struct pcf_error *error);
static pcf_loop_body count_vertices, write_vertices;

enum pcf_status pcf_build_landscapes(const struct pcf_diagrams *x, int64_t *levels, int threads,
                                     const atomic_int *stop, struct pcf_bar_fault *fault,
                                     struct pcf_linear_functions *functions,
                                     struct pcf_error *error) {
  int64_t count = x->count;
  struct work work = {.x = x, .wanted = *levels > 0 ? *levels : INT64_MAX, .stop = stop};
  *fault = (struct pcf_bar_fault){0};
  *functions = (struct pcf_linear_functions){0};
  work.functions = functions;
  enum pcf_status status = make_work(&work, threads, error);
  if (!status) status = pcf_parallel_for(threads, count, stop, count_vertices, &work, error);
  if (status == PCF_ERROR_ARGUMENT) pcf_fail_for_bar(x, fault, error);
  if (!status) status = make_functions(&work, error);
  if (!status) status = pcf_parallel_for(threads, count, stop, write_vertices, &work, error);
  if (status) pcf_linear_functions_free(functions);
  else *levels = work.levels;
  free_work(&work);
  return status;
}

/* ---- Memory ---- */

static enum pcf_status make_work(struct work *work, int threads, struct pcf_error *error) {
  const struct pcf_diagrams *x = work->x;
  size_t count = (size_t)x->count;
  work->first = pcf_allocate(count + 1, sizeof *work->first, error);
  if (!work->first) return PCF_ERROR_MEMORY;
  work->first[0] = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t bars = x->diagrams[i].bars;
    work->first[i + 1] = work->first[i] + bars;
    if (bars > work->most) work->most = bars;
  }
  size_t bars = (size_t)work->first[count];
  size_t room = (size_t)work->most * (size_t)(threads > 1 ? threads : 1);
  work->bars_of = pcf_allocate(2 * count, sizeof *work->bars_of, error);
  work->vertices = pcf_allocate(bars, sizeof *work->vertices, error);
  work->bars = pcf_allocate(bars, sizeof *work->bars, error);
  work->scratch = pcf_allocate(room, sizeof *work->scratch, error);
  work->level = pcf_allocate(room, sizeof *work->level, error);
  work->levels_of = work->bars_of + count;
  int complete = work->bars_of && work->vertices && work->bars && work->scratch && work->level;
  return complete ? PCF_OK : PCF_ERROR_MEMORY;
}

static void free_work(struct work *work) {
  pcf_free(work->first);
  pcf_free(work->bars_of);
  pcf_free(work->vertices);
  pcf_free(work->bars);
  pcf_free(work->scratch);
  pcf_free(work->level);
}

/* From the counts; a level that is 0 everywhere has one vertex. */
static enum pcf_status make_functions(struct work *work, struct pcf_error *error) {
  int64_t count = work->x->count, total = 0, functions = 0, most = 1;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < work->levels_of[i]; k++)
      total += work->vertices[work->first[i] + k];
    functions += work->levels_of[i];
    if (work->levels_of[i] > most) most = work->levels_of[i];
  }
  work->levels = work->wanted < INT64_MAX ? work->wanted : most;
  total += count * work->levels - functions;
  enum pcf_status status =
    pcf_linear_functions_make(work->functions, count * work->levels, total, error);
  if (status) return status;
  int64_t *offset = work->functions->offsets;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < work->levels; k++, offset++) {
      int64_t zero = k >= work->levels_of[i];
      offset[1] = offset[0] + (zero ? 1 : work->vertices[work->first[i] + k]);
    }
  }
  return PCF_OK;
}

/* ---- A diagram ---- */

/* The levels of one diagram, and where their vertices go: nowhere (NULL) when they are counted.
 */
struct sweep {
  struct level *level;
  int64_t levels;
  double *times, *values;
};

static void sort_bars(struct pcf_step *bars, struct pcf_step *scratch, int64_t count);
static int64_t births_together(const struct pcf_step *bars, int64_t count);
static int64_t run_sweep(const struct sweep *sweep, const struct pcf_step *bars, int64_t count,
                         const atomic_int *stop);

static enum pcf_status count_vertices(void *work_, int thread, int64_t i,
                                      struct pcf_error *error) {
  struct work *work = work_;
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
  const struct work *work = work_;
  const struct pcf_linear_functions *to = work->functions;
  const int64_t *offset = to->offsets + i * work->levels;
  struct sweep sweep = {work->level + thread * work->most, work->levels_of[i], to->times,
                        to->values};
  for (int64_t k = 0; k < sweep.levels; k++) {
    sweep.level[k] = (struct level){0, -INFINITY, NAN, offset[k]};
  }
  run_sweep(&sweep, work->bars + work->first[i], work->bars_of[i], work->stop);
  for (int64_t k = sweep.levels; k < work->levels; k++) {
    to->times[offset[k]] = to->values[offset[k]] = 0;
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
  if (sweep->times) {
    sweep->times[level->next] = time;
    sweep->values[level->next] = pcf_half_length(from, to);
  }
  level->next++;
  level->last = time;
}
