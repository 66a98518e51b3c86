#include "kernels/pair.h"

#include "base/hints.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/threads.h"
#include "integrals/line-stretch.h"
#include "integrals/view.h"

#include <math.h>

/* Events in a part, and walks that run side by side within it. The next step of a walk has to
 * wait for the comparison of the step before: several walks fill the gaps. Sums of many terms
 * lose digits: those of a chunk of steps start from 0. */
enum { PART_EVENTS = 65536, WALKERS = 8, CHUNK_STEPS = 1024 };

/* Steps of every walk whose powers are computed together, for general p. */
enum { POWER_STEPS = 8 };

/* Where a walk is: so many events of f and g are behind it, the latest at `last`; and, with a
 * weight, the first of its pieces that may not be behind it. */
struct position {
  int64_t f, g, piece;
  double last;
};

static struct position seek(const struct pcf_integral *integral, const struct pcf_walk *f,
                            const struct pcf_walk *g, int64_t events);
static int walk(enum pcf_operation operation, const struct pcf_integral *integral,
                const struct pcf_kernels *kernels, const struct pcf_walk *f,
                const struct pcf_walk *g, int64_t begin, int64_t end, const atomic_int *stop,
                double supremum, double *sum);
static double add_tail(enum pcf_operation operation, const struct pcf_integral *integral,
                       const struct pcf_walk *f, const struct pcf_walk *g, double supremum,
                       double sum);

static struct pcf_view view_of(const struct pcf_walks *walks, int64_t i) {
  return pcf_view_of_both(walks->x, walks->y, i, walks->integral);
}

/* A walk that has its memory, with its view. */
static void fill_walk(const struct pcf_walk *walk, struct pcf_view view, double from) {
  walk->value[0] = view.initial;
  for (int64_t k = 0; k < walk->events; k++) {
    walk->time[k] = pcf_view_time(&view, k);
    walk->value[k + 1] = pcf_view_value(&view, k);
  }
  walk->time[walk->events] = INFINITY;
  if (!walk->slope) return;
  walk->time[-1] = isfinite(from) ? from : 0;
  walk->slope[0] = view.initial_slope;
  for (int64_t k = 0; k < walk->events; k++) {
    walk->slope[k + 1] = pcf_view_slope(&view, k, PCF_DOUBLE);
  }
}

static enum pcf_status fill_one(void *walks_, int thread, int64_t i, struct pcf_error *error) {
  const struct pcf_walks *walks = walks_;
  if (walks->walk[i].time) fill_walk(&walks->walk[i], view_of(walks, i), walks->integral->from);
  return PCF_OK;
}

/* Gives a function its part of the memory, and returns the rest. */
static double *share_memory(struct pcf_walk *walk, int linear, double *memory) {
  int64_t room = walk->events + 1;
  walk->time = memory + linear;
  walk->value = walk->time + room;
  walk->slope = linear ? walk->value + room : NULL;
  return walk->value + room + (linear ? room : 0);
}

enum pcf_status pcf_walks_make(struct pcf_walks *walks, const struct pcf_collection *x,
                               const struct pcf_collection *y,
                               const struct pcf_integral *integral, double pairs, int threads,
                               const atomic_int *stop, struct pcf_error *error) {
  int64_t n = x->count + (y ? y->count : 0), total = 0, longest = 0;
  *walks = (struct pcf_walks){.x = x, .y = y, .integral = integral};
  walks->walk = pcf_array(&walks->arrays, (size_t)n, sizeof *walks->walk, error);
  if (!walks->walk) return PCF_ERROR_MEMORY;
  walks->columns = walks->walk + (y ? x->count : 0);
  for (int64_t i = 0; i < n; i++) {
    walks->walk[i] = (struct pcf_walk){
      .events = i < x->count ? pcf_breakpoints(x, i) : pcf_breakpoints(y, i - x->count)};
    longest = pcf_larger(longest, walks->walk[i].events);
  }
  int singly = pairs > 0 && 2 * longest <= PART_EVENTS;
  int64_t first = singly && pairs <= (double)x->count ? x->count : 0;
  int64_t end = singly && y && pairs <= (double)y->count ? x->count : n;
  size_t columns = x->linear ? 4 : 2; /* the fourth has room for time[-1] */
  for (int64_t i = first; i < end; i++) {
    walks->walk[i].events = view_of(walks, i).events;
    total += walks->walk[i].events + 1;
  }
  if (first > 0 || end < n) walks->room = 2 * columns * (size_t)(longest + 1);
  double *memory = pcf_array(&walks->arrays, (size_t)total, columns * sizeof *memory, error);
  if (!memory) return PCF_ERROR_MEMORY;
  for (int64_t i = first; i < end; i++) {
    memory = share_memory(&walks->walk[i], x->linear, memory);
  }
  return pcf_parallel_for(threads, n, stop, fill_one, walks, error);
}

struct pcf_walk pcf_walk_of(const struct pcf_walks *walks, const struct pcf_walk *walk,
                            double **memory) {
  struct pcf_walk now = *walk;
  if (now.time) return now;
  struct pcf_view view = view_of(walks, walk - walks->walk);
  now.events = view.events;
  *memory = share_memory(&now, walks->x->linear, *memory);
  fill_walk(&now, view, walks->integral->from);
  return now;
}

void pcf_walks_free(struct pcf_walks *walks) {
  pcf_arrays_free(&walks->arrays);
  *walks = (struct pcf_walks){0};
}

int pcf_pair_parts(int64_t events) {
  return events > 0 ? (int)((events - 1) / PART_EVENTS + 1) : 1;
}

int pcf_pair_part(const struct pcf_integral *integral, const struct pcf_kernels *kernels,
                  const struct pcf_walk *f, const struct pcf_walk *g, int part, int parts,
                  const atomic_int *stop, struct pcf_partial *partial) {
  int64_t events = f->events + g->events;
  int64_t begin = events / parts * part + events % parts * part / parts;
  int64_t end = events / parts * (part + 1) + events % parts * (part + 1) / parts;
  *partial = (struct pcf_partial){0, 1};
#define WALK(operation, supremum, result) \
  walk(operation, integral, kernels, f, g, begin, end, stop, supremum, result)
  enum pcf_operation operation = integral->operation;
  if (pcf_takes_powers(operation) && WALK(PCF_LINF, 1, &partial->supremum)) return 1;
  return WALK(operation, partial->supremum, &partial->sum);
#undef WALK
}

double pcf_pair_finish(const struct pcf_integral *integral, const struct pcf_walk *f,
                       const struct pcf_walk *g, const struct pcf_partial *partial, int parts) {
  enum pcf_operation operation = integral->operation;
  double sum = 0, supremum = 1;
  int powers = pcf_takes_powers(operation);
  if (powers) {
    supremum = add_tail(PCF_LINF, integral, f, g, 1, 0);
    for (int k = 0; k < parts; k++) supremum = fmax(supremum, partial[k].supremum);
  }
  for (int k = 0; k < parts; k++) {
    double part = partial[k].sum;
    if (powers && part > 0) part *= pow(partial[k].supremum / supremum, integral->p);
    sum = pcf_join(operation, sum, part);
  }
  sum = add_tail(operation, integral, f, g, supremum, sum);
  return supremum * pcf_finish(operation, sum, integral->p);
}

/* The position with `events` events behind, events of f before those of g at the same time. */
static struct position seek(const struct pcf_integral *integral, const struct pcf_walk *f,
                            const struct pcf_walk *g, int64_t events) {
  int64_t from_f = pcf_merge_path(f->time, f->events, g->time, g->events, events);
  struct position at = {from_f, events - from_f, 0, integral->from};
  if (at.f > 0) at.last = f->time[at.f - 1];
  if (at.g > 0 && !(at.f > 0 && at.last > g->time[at.g - 1])) at.last = g->time[at.g - 1];
  if (events == 0 && isinf(at.last)) at.last = fmin(f->time[0], g->time[0]);
  if (!(at.last < INFINITY)) at.last = 0; /* both functions are 0 all along */
  if (integral->weight) at.piece = pcf_piece_until(integral->weight, at.last, PCF_DOUBLE);
  return at;
}

/* Goes on by one event and returns the length of the stretch that it ends, weighted if there is
 * a weight. */
INLINE double pass_stretch(enum pcf_operation operation, const struct pcf_integral *integral,
                           const struct pcf_walk *f, const struct pcf_walk *g,
                           struct position *at, double *combined) {
  const struct pcf_weight *weight = integral->weight;
  double f_time = f->time[at->f], g_time = g->time[at->g];
  *combined = pcf_combine(operation, f->value[at->f], g->value[at->g]);
  int64_t take_f = f_time <= g_time;
  double time = f_time < g_time ? f_time : g_time, length = time - at->last;
  at->last = time;
  at->f += take_f;
  at->g += 1 - take_f;
  if (!weight || pcf_is_supremum(operation)) return length;
  while (weight->end[at->piece] < time) at->piece++;
  return length * weight->height[at->piece];
}

/* The line of a function after k events, from `begin` on. The time in the middle of the stretch
 * is not rounded: far from 0 that would lose digits of short stretches. */
INLINE struct pcf_line line_after(const struct pcf_walk *walk, int64_t k, double begin,
                                  double half_length) {
  double since = begin - walk->time[k - 1] + half_length;
  return (struct pcf_line){walk->value[k] + walk->slope[k] * since,
                           walk->slope[k] * half_length};
}

/* The lines of both functions on the stretch from a position to `end`. */
INLINE void lines_until(const struct pcf_walk *f, const struct pcf_walk *g,
                        const struct position *at, double end, struct pcf_line lines[2]) {
  double half_length = (end - at->last) / 2;
  lines[0] = line_after(f, at->f, at->last, half_length);
  lines[1] = line_after(g, at->g, at->last, half_length);
}

/* Their difference, relative to the supremum. A stretch of length 0 is no part of that. */
INLINE struct pcf_line relative_line(const struct pcf_walk *f, const struct pcf_walk *g,
                                     const struct position *at, double end, double supremum) {
  struct pcf_line lines[2], d = {0, 0};
  lines_until(f, g, at, end, lines);
  if (!(end > at->last)) return d;
  d = pcf_line_difference(lines[0], lines[1]);
  return (struct pcf_line){d.middle / supremum, d.half / supremum};
}

/* What the stretch from a position to `end` adds for each unit of its length. */
INLINE double combine_lines(enum pcf_operation operation, const struct pcf_integral *integral,
                            const struct pcf_walk *f, const struct pcf_walk *g,
                            const struct position *at, double end, double supremum) {
  struct pcf_line lines[2];
  if (pcf_takes_powers(operation)) {
    return pcf_mean_of_powers(relative_line(f, g, at, end, supremum), integral->p,
                              integral->half_powers);
  }
  lines_until(f, g, at, end, lines);
  return pcf_combine_lines(operation, lines[0], lines[1]);
}

/* `lines` is to be a constant. */
INLINE void step(enum pcf_operation operation, int lines, const struct pcf_integral *integral,
                 const struct pcf_walk *f, const struct pcf_walk *g, struct position *at,
                 double supremum, double *sum) {
  const struct position before = *at;
  double combined, length = pass_stretch(operation, integral, f, g, at, &combined);
  if (lines) {
    combined = combine_lines(operation, integral, f, g, &before, at->last, supremum);
  } else if (pcf_takes_powers(operation)) {
    combined = length > 0 && combined > 0
                 ? pcf_power(combined / supremum, integral->p, integral->half_powers)
                 : 0;
  }
  *sum = pcf_accumulate(operation, *sum, length, combined);
}

/* The steps of all walks for general p: some at a time, and then their powers together. */
INLINE void power_steps(const struct pcf_integral *integral, pcf_power_kernel *power,
                        const struct pcf_walk *f, const struct pcf_walk *g, struct position *at,
                        double supremum, int64_t steps, double *sum) {
  double length[POWER_STEPS][WALKERS], ratio[POWER_STEPS][WALKERS];
  for (int64_t done = 0; done < steps; done += POWER_STEPS) {
    int count = steps - done < POWER_STEPS ? (int)(steps - done) : POWER_STEPS;
    for (int k = 0; k < count; k++) {
      for (int w = 0; w < WALKERS; w++) {
        double combined, passed = pass_stretch(PCF_LP, integral, f, g, &at[w], &combined);
        length[k][w] = passed;
        ratio[k][w] = passed > 0 && combined > 0 ? combined / supremum : 0;
      }
    }
    power(&integral->power, count * WALKERS, ratio);
    for (int k = 0; k < count; k++) {
      for (int w = 0; w < WALKERS; w++) sum[w] += length[k][w] * ratio[k][w];
    }
  }
}

/* The same for lines. */
INLINE void power_steps_of_lines(const struct pcf_integral *integral, pcf_means_kernel *means,
                                 const struct pcf_walk *f, const struct pcf_walk *g,
                                 struct position *at, double supremum, int64_t steps,
                                 double *sum) {
  enum { STEPS = PCF_MEANS / WALKERS };
  double length[PCF_MEANS], start[PCF_MEANS] = {0}, end[PCF_MEANS] = {0}, mean[PCF_MEANS];
  for (int64_t done = 0; done < steps; done += STEPS) {
    int count = steps - done < STEPS ? (int)(steps - done) : STEPS;
    for (int k = 0; k < count * WALKERS; k++) {
      struct position *now = &at[k % WALKERS];
      const struct position before = *now;
      double unused;
      length[k] = pass_stretch(PCF_LP, integral, f, g, now, &unused);
      struct pcf_line d = relative_line(f, g, &before, now->last, supremum);
      start[k] = d.middle - d.half;
      end[k] = d.middle + d.half;
    }
    means(integral, start, end, mean);
    for (int k = 0; k < count * WALKERS; k++) sum[k % WALKERS] += length[k] * mean[k];
  }
}

/* `kernels` is NULL but where powers are taken, and for steps only where they are no half
 * powers. */
INLINE int walk_side_by_side(enum pcf_operation operation, int lines,
                             const struct pcf_integral *integral,
                             const struct pcf_kernels *kernels, const struct pcf_walk *f,
                             const struct pcf_walk *g, int64_t begin, int64_t end,
                             const atomic_int *stop, double supremum, double *result) {
  struct position at[WALKERS];
  double sum[WALKERS] = {0};
  const struct pcf_walk f_walk = *f, g_walk = *g;
  int64_t steps = (end - begin) / WALKERS;
  for (int w = 0; w < WALKERS; w++) at[w] = seek(integral, f, g, begin + w * steps);
  for (int64_t done = 0; done < steps;) {
    int64_t chunk_end = steps - done > CHUNK_STEPS ? done + CHUNK_STEPS : steps;
    double chunk[WALKERS] = {0};
    if (atomic_load_explicit(stop, memory_order_relaxed)) return 1;
    if (kernels) {
      if (lines) {
        power_steps_of_lines(integral, kernels->means, &f_walk, &g_walk, at, supremum,
                             chunk_end - done, chunk);
      } else {
        power_steps(integral, kernels->power[PCF_DOUBLE], &f_walk, &g_walk, at, supremum,
                    chunk_end - done, chunk);
      }
      done = chunk_end;
    }
    for (; done < chunk_end && !(lines && pcf_takes_powers(operation)); done++) {
      EACH_OF(w, WALKERS) {
        step(operation, lines, integral, &f_walk, &g_walk, &at[w], supremum, &chunk[w]);
      }
    }
    for (int w = 0; w < WALKERS; w++) sum[w] = pcf_join(operation, sum[w], chunk[w]);
  }
  for (int64_t rest = begin + WALKERS * steps; rest < end; rest++) {
    step(operation, lines, integral, f, g, &at[WALKERS - 1], supremum, &sum[WALKERS - 1]);
  }
  double total = 0;
  for (int w = 0; w < WALKERS; w++) total = pcf_join(operation, total, sum[w]);
  *result = total;
  return 0;
}

static int walk(enum pcf_operation operation, const struct pcf_integral *integral,
                const struct pcf_kernels *kernels, const struct pcf_walk *f,
                const struct pcf_walk *g, int64_t begin, int64_t end, const atomic_int *stop,
                double supremum, double *sum) {
  const struct pcf_kernels *together = f->slope || !integral->half_powers ? kernels : NULL;
#define WALK_WITH(lines, operation)                                                         \
  return walk_side_by_side(operation, lines, integral,                                      \
                           pcf_takes_powers(operation) ? together : NULL, f, g, begin, end, \
                           stop, supremum, sum)
#define WALK(operation) WALK_WITH(0, operation)
#define WALK_LINES(operation) WALK_WITH(1, operation)
  if (f->slope) {
    PCF_WITH_OPERATION(operation, WALK_LINES)
  }
  PCF_WITH_OPERATION(operation, WALK)
#undef WALK_LINES
#undef WALK
#undef WALK_WITH
  return 0;
}

/* Adds the stretch from the last event of either to the end of the window. */
static double add_tail(enum pcf_operation operation, const struct pcf_integral *integral,
                       const struct pcf_walk *f, const struct pcf_walk *g, double supremum,
                       double sum) {
  struct position end = seek(integral, f, g, f->events + g->events);
  double a = f->value[f->events], b = g->value[g->events], length = integral->to - end.last;
  double combined = pcf_combine(operation, a, b);
  if (f->slope && length < INFINITY) {
    combined = combine_lines(operation, integral, f, g, &end, integral->to, supremum);
  } else if (pcf_takes_powers(operation)) {
    combined = length > 0 && combined > 0 ? pow(combined / supremum, integral->p) : 0;
  }
  if (!pcf_is_supremum(operation)) {
    combined *= pcf_height_until(integral->weight, integral->to, PCF_DOUBLE);
  }
  return pcf_add_tail(operation, sum, length, a, b, combined);
}
