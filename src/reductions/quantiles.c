#include "reductions/quantiles.h"

#include "base/memory.h"
#include "base/quantiles.h"
#include "base/sample.h"
#include "base/scalar.h"
#include "base/search.h"
#include "base/threads.h"
#include "reductions/events.h"
#include "reductions/line-levels.h"
#include "reductions/quantiles-at.h"
#include "reductions/rank.h"

/* A sweep over time. The values that functions have in a range of times are sorted; each of
 * them, equal ones too, has a place in that order, and a bit that says whether a function has
 * that value now. Each quantile knows its place and how many values are below. Breakpoints move
 * values past it one at a time, so that it never has far to go.
 *
 * Ranges are swept by themselves, on all threads. They have a few times as many breakpoints as
 * there are functions, since the values with which they begin are sorted as well. */
int64_t pcf_quantiles_part = 1 << 16;

enum { PART_PER_FUNCTION = 4, SAMPLES_PER_RANGE = 32 };

/* A set of places, in words, and the set of words that are not empty. */
struct places {
  uint64_t *word, *summary;
};

/* A quantile, at any place that so many values are below. */
struct level {
  struct pcf_rank rank;
  int64_t place, below;
};

/* The memory of one thread. */
struct worker {
  struct pcf_sorter *sorter;
  struct pcf_event *event; /* twice as many as there are values */
  int64_t *place;          /* of each value, in the order of functions and times, or MISSING */
  int64_t *now;            /* of each function */
  double *value;           /* at each place */
  struct level *level;
  struct places set;
  int64_t room;             /* for so many values */
  struct pcf_arrays arrays; /* of functions and probabilities, and the sorter */
};

struct sweep {
  const struct pcf_quantiles *wanted;
  struct pcf_arrays arrays;
  double *cut; /* ranges - 1 */
  int64_t ranges;
  struct worker *worker;
  struct pcf_curves *curves;
};

enum { MISSING = -1 };

static enum pcf_status cut_into_ranges(struct sweep *sweep, int threads,
                                       struct pcf_error *error);
static pcf_loop_body sweep_range;
static void free_workers(struct sweep *sweep, int threads);
static enum pcf_status quantiles_of_lines(const struct pcf_quantiles *wanted, int threads,
                                          const atomic_int *stop, struct pcf_curves *curves,
                                          struct pcf_error *error);

enum pcf_status pcf_quantiles(const struct pcf_quantiles *wanted, int threads,
                              const atomic_int *stop, struct pcf_curves *curves,
                              struct pcf_error *error) {
  *curves = (struct pcf_curves){0};
  if (wanted->x->linear) return quantiles_of_lines(wanted, threads, stop, curves, error);
  struct sweep sweep = {.wanted = wanted, .curves = curves};
  enum pcf_status status = cut_into_ranges(&sweep, threads, error);
  int64_t *stretches =
    pcf_array(&sweep.arrays, (size_t)wanted->probs, sizeof *stretches, error);
  if (sweep.arrays.status) status = sweep.arrays.status;
  for (int64_t q = 0; !status && q < wanted->probs; q++) stretches[q] = sweep.ranges;
  if (!status) {
    status = pcf_curves_make(curves, wanted->probs, stretches, sweep.ranges, error);
  }
  if (!status) {
    status = pcf_parallel_for(threads, sweep.ranges, stop, sweep_range, &sweep, error);
  }
  free_workers(&sweep, threads);
  pcf_arrays_free(&sweep.arrays);
  return status ? status : pcf_curves_count(curves, error);
}

static enum pcf_status quantiles_of_lines(const struct pcf_quantiles *wanted, int threads,
                                          const atomic_int *stop, struct pcf_curves *curves,
                                          struct pcf_error *error) {
  if (wanted->time) return pcf_quantiles_at(wanted, threads, stop, curves, error);
  int64_t n = wanted->x->count;
  const int64_t starts[] = {0, n};
  int64_t *function = pcf_allocate((size_t)n, sizeof *function, error);
  if (!function) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < n; i++) function[i] = i;
  const struct pcf_rows rows = {
    .count = 1, .starts = starts, .function = function, .observed_only = wanted->observed_only};
  const struct pcf_line_levels levels = {wanted->x, &rows, wanted->prob, wanted->probs};
  enum pcf_status status = pcf_line_levels(&levels, threads, stop, curves, error);
  pcf_free(function);
  return status;
}

/* ---- Ranges ---- */

static void take_sample(const struct pcf_collection *x, int64_t count, double *sample) {
  int64_t total = pcf_total_breakpoints(x);
  for (int64_t s = 0; s < count; s++) {
    int64_t at = pcf_sample_place(s, count, total);
    int64_t i = pcf_segment_of(x->offsets, x->count, at);
    sample[s] = pcf_times(x, i)[at - x->offsets[i]];
  }
}

static enum pcf_status cut_into_ranges(struct sweep *sweep, int threads,
                                       struct pcf_error *error) {
  const struct pcf_quantiles *wanted = sweep->wanted;
  const struct pcf_collection *x = wanted->x;
  int64_t size = PART_PER_FUNCTION * x->count, events = pcf_total_breakpoints(x);
  size = size > pcf_quantiles_part ? size : pcf_quantiles_part;
  if (wanted->time && wanted->times < events / x->count) events = wanted->times * x->count;
  int64_t most = INT32_MAX / SAMPLES_PER_RANGE, parts = pcf_smaller(events / size + 1, most);
  int64_t samples = parts * SAMPLES_PER_RANGE;
  double *sample = pcf_array(&sweep->arrays, (size_t)samples, sizeof *sample, error);
  sweep->cut = pcf_array(&sweep->arrays, (size_t)parts, sizeof *sweep->cut, error);
  sweep->worker = pcf_zeros(&sweep->arrays, (size_t)threads, sizeof *sweep->worker, error);
  if (sweep->arrays.status) return sweep->arrays.status;
  take_sample(x, samples, sample);
  sweep->ranges = 1 + pcf_quantile_cuts(sample, samples, (int)parts, -INFINITY, sweep->cut);
  return PCF_OK;
}

static double range_from(const struct sweep *sweep, int64_t range) {
  return range > 0 ? sweep->cut[range - 1] : -INFINITY;
}

static double range_to(const struct sweep *sweep, int64_t range) {
  return range + 1 < sweep->ranges ? sweep->cut[range] : INFINITY;
}

/* ---- Places ---- */

static void put(const struct places *set, int64_t place) {
  set->word[place >> 6] |= UINT64_C(1) << (place & 63);
  set->summary[place >> 12] |= UINT64_C(1) << (place >> 6 & 63);
}

static void take(const struct places *set, int64_t place) {
  set->word[place >> 6] &= ~(UINT64_C(1) << (place & 63));
  if (set->word[place >> 6] == 0) {
    set->summary[place >> 12] &= ~(UINT64_C(1) << (place >> 6 & 63));
  }
}

/* The first place of the set from one on, and the last one before it, if there are such. */
static int64_t first_from(const struct places *set, int64_t place) {
  int64_t w = place >> 6;
  uint64_t bits = set->word[w] & ~UINT64_C(0) << (place & 63);
  if (bits) return w * 64 + __builtin_ctzll(bits);
  int64_t s = ++w >> 6;
  bits = set->summary[s] & ~UINT64_C(0) << (w & 63);
  while (bits == 0) bits = set->summary[++s];
  w = s * 64 + __builtin_ctzll(bits);
  return w * 64 + __builtin_ctzll(set->word[w]);
}

static int64_t last_before(const struct places *set, int64_t place) {
  int64_t w = place >> 6;
  uint64_t bits = set->word[w] & ((UINT64_C(1) << (place & 63)) - 1);
  if (bits) return w * 64 + 63 - __builtin_clzll(bits);
  int64_t s = w >> 6;
  bits = set->summary[s] & ((UINT64_C(1) << (w & 63)) - 1);
  while (bits == 0) bits = set->summary[--s];
  w = s * 64 + 63 - __builtin_clzll(bits);
  return w * 64 + 63 - __builtin_clzll(set->word[w]);
}

/* ---- The memory of threads ---- */

/* Words of the set and of its summary, each with one to spare: the end of the set has a place.
 */
static int64_t words_of(int64_t places) {
  return places / 64 + 2;
}

static enum pcf_status equip_functions(const struct pcf_quantiles *wanted,
                                       struct worker *worker, struct pcf_error *error) {
  if (worker->sorter) return worker->arrays.status;
  struct pcf_arrays *arrays = &worker->arrays;
  worker->now = pcf_array(arrays, (size_t)wanted->x->count, sizeof *worker->now, error);
  worker->level = pcf_array(arrays, (size_t)wanted->probs, sizeof *worker->level, error);
  worker->sorter = pcf_array(arrays, 1, sizeof *worker->sorter, error);
  return arrays->status;
}

static enum pcf_status equip_values(struct worker *worker, int64_t values,
                                    struct pcf_error *error) {
  size_t each = 2 * sizeof *worker->event + sizeof *worker->place + sizeof *worker->value;
  if (values <= worker->room) return PCF_OK;
  worker->event = pcf_grow(worker->event, &worker->room, values, each, error);
  if (!worker->event) return PCF_ERROR_MEMORY;
  worker->place = (int64_t *)(worker->event + 2 * worker->room);
  worker->value = (double *)(worker->place + worker->room);
  pcf_free(worker->set.word);
  int64_t words = words_of(worker->room);
  worker->set.word =
    pcf_allocate((size_t)(words + words_of(words)), sizeof *worker->set.word, error);
  worker->set.summary = worker->set.word ? worker->set.word + words : NULL;
  return worker->set.word ? PCF_OK : PCF_ERROR_MEMORY;
}

static void free_workers(struct sweep *sweep, int threads) {
  for (int k = 0; sweep->worker && k < threads; k++) {
    struct worker *worker = &sweep->worker[k];
    pcf_arrays_free(&worker->arrays);
    pcf_free(worker->event);
    pcf_free(worker->set.word);
  }
}

/* ---- Reading ---- */

/* Notes where in each function a range begins, and returns how many values there are at most.
 */
static int64_t find_beginnings(const struct sweep *sweep, int64_t range, int64_t *begin) {
  const struct pcf_collection *x = sweep->wanted->x;
  double from = range_from(sweep, range), to = range_to(sweep, range);
  int64_t values = x->count;
  for (int64_t i = 0; i < x->count; i++) {
    const double *time = pcf_times(x, i);
    int64_t m = pcf_breakpoints(x, i);
    begin[i] = pcf_first_from(time, 0, m, from);
    values += pcf_first_from(time, begin[i], m, to) - begin[i];
  }
  return values;
}

/* A breakpoint that is seen, and the time from which on it is. */
struct seen {
  int64_t k;
  double time;
};

/* The next one of a function from breakpoint k on; k = m if there is none in the range. Of
 * those up to one of the times that are wanted only the last one is seen, and from there on. */
static inline struct seen next_seen(const struct pcf_quantiles *wanted, const double *time,
                                    int64_t k, int64_t m, double to) {
  struct seen seen = {k, k < m ? time[k] : INFINITY};
  if (wanted->time && k < m) {
    int64_t j = pcf_first_from(wanted->time, 0, wanted->times, time[k]);
    seen.time = j < wanted->times ? wanted->time[j] : INFINITY;
    seen.k = pcf_first_from(time, k, m, seen.time);
    if (seen.k == m || time[seen.k] > seen.time) seen.k--;
  }
  if (!(seen.time < to)) seen.k = m;
  return seen;
}

static void note_value(struct worker *worker, int64_t v, double value, int64_t *known) {
  worker->place[v] = MISSING;
  if (isnan(value)) return;
  worker->event[(*known)++] =
    (struct pcf_event){pcf_key_of(value), {(uint64_t)v, pcf_bits_of_double(value)}};
}

/* Gives all values of a range their places: those of one function follow each other, the one
 * with which it begins first. Returns how many are not missing. */
static int64_t place_values(const struct sweep *sweep, double to, struct worker *worker) {
  const struct pcf_collection *x = sweep->wanted->x;
  int64_t v = 0, known = 0;
  for (int64_t i = 0; i < x->count; i++) {
    const double *time = pcf_times(x, i), *value = pcf_values(x, i);
    int64_t m = pcf_breakpoints(x, i), begin = worker->now[i];
    note_value(worker, v++, begin > 0 ? value[begin - 1] : 0, &known);
    struct seen seen = next_seen(sweep->wanted, time, begin, m, to);
    for (; seen.k < m; seen = next_seen(sweep->wanted, time, seen.k + 1, m, to)) {
      note_value(worker, v++, value[seen.k], &known);
    }
  }
  struct pcf_event *sorted = worker->event + worker->room;
  pcf_sort_events(worker->sorter, worker->event, sorted, known);
  for (int64_t k = 0; k < known; k++) {
    worker->place[sorted[k].change[0]] = k;
    worker->value[k] = pcf_double_of(sorted[k].change[1]);
  }
  return known;
}

/* Sorts the breakpoints of a range, (time, function, place), into the second half of
 * worker->event, and sets where the functions begin. Returns how many there are. */
static int64_t place_breakpoints(const struct sweep *sweep, double to, struct worker *worker) {
  const struct pcf_collection *x = sweep->wanted->x;
  int64_t v = 0, count = 0;
  for (int64_t i = 0; i < x->count; i++) {
    const double *time = pcf_times(x, i);
    int64_t m = pcf_breakpoints(x, i);
    struct seen seen = next_seen(sweep->wanted, time, worker->now[i], m, to);
    worker->now[i] = worker->place[v++];
    for (; seen.k < m; seen = next_seen(sweep->wanted, time, seen.k + 1, m, to)) {
      uint64_t place = (uint64_t)worker->place[v++];
      worker->event[count++] = (struct pcf_event){pcf_key_of(seen.time), {(uint64_t)i, place}};
    }
  }
  pcf_sort_events(worker->sorter, worker->event, worker->event + worker->room, count);
  return count;
}

/* ---- Sweeping ---- */

/* The values that functions have now. */
struct state {
  const struct pcf_quantiles *wanted;
  struct worker *worker;
  int64_t known, ranked; /* so many are not missing; the ranks are those of so many */
};

static struct state begin_sweep(const struct sweep *sweep, int64_t values,
                                struct worker *worker) {
  struct state state = {sweep->wanted, worker, 0, 0};
  const struct places *set = &worker->set;
  memset(set->word, 0, (size_t)words_of(values) * sizeof *set->word);
  memset(set->summary, 0, (size_t)words_of(words_of(values)) * sizeof *set->summary);
  for (int64_t i = 0; i < sweep->wanted->x->count; i++) {
    if (worker->now[i] == MISSING) continue;
    put(set, worker->now[i]);
    state.known++;
  }
  for (int64_t q = 0; q < sweep->wanted->probs; q++) worker->level[q] = (struct level){0};
  return state;
}

/* One function has the value at another place, from an event on. */
static void move_value(struct state *state, const struct pcf_event *event) {
  struct worker *worker = state->worker;
  struct level *level = worker->level;
  int64_t *now = &worker->now[event->change[0]], from = *now, to = (int64_t)event->change[1];
  if (from != MISSING) take(&worker->set, from);
  if (to != MISSING) put(&worker->set, to);
  state->known += (to != MISSING) - (from != MISSING);
  for (int64_t q = 0; q < state->wanted->probs; q++) {
    level[q].below += (to != MISSING && to < level[q].place);
    level[q].below -= (from != MISSING && from < level[q].place);
  }
  *now = to;
}

/* Goes to the place of the value that so many are below as the rank says. */
static void settle(const struct places *set, struct level *level) {
  while (level->below > level->rank.before) {
    level->place = last_before(set, level->place);
    level->below--;
  }
  level->place = first_from(set, level->place);
  while (level->below < level->rank.before) {
    level->place = first_from(set, level->place + 1);
    level->below++;
  }
}

static double quantile_of(const struct state *state, struct level *level) {
  const struct worker *worker = state->worker;
  settle(&worker->set, level);
  double value = worker->value[level->place];
  if ((level->rank.share == 0 && value != 0) || level->rank.before + 1 == state->known) {
    return value;
  }
  int64_t next = first_from(&worker->set, level->place + 1);
  return pcf_at_rank(level->rank, value, worker->value[next]);
}

/* Writes the quantiles from a time on, `apart` points apart. */
static void write_quantiles(struct state *state, double time, struct pcf_point *point,
                            int64_t apart) {
  const struct pcf_quantiles *wanted = state->wanted;
  int none = wanted->observed_only ? state->known == 0 : state->known < wanted->x->count;
  struct level *level = state->worker->level;
  for (int64_t q = 0; !none && state->known != state->ranked && q < wanted->probs; q++) {
    level[q].rank = pcf_rank_of(wanted->prob[q], state->known);
  }
  if (!none) state->ranked = state->known;
  for (int64_t q = 0; q < wanted->probs; q++) {
    point[q * apart] =
      (struct pcf_point){time, none ? pcf_missing() : quantile_of(state, &level[q])};
  }
}

static int64_t different_keys(const struct pcf_event *event, int64_t count) {
  int64_t different = count > 0;
  for (int64_t k = 1; k < count; k++) different += event[k].key != event[k - 1].key;
  return different;
}

/* The quantiles of a range, after the places of `values` values are known. */
static void sweep_over(const struct sweep *sweep, int64_t values, int64_t events,
                       const double *time, int64_t times, struct worker *worker,
                       struct pcf_point *point) {
  struct state state = begin_sweep(sweep, values, worker);
  const struct pcf_event *event = worker->event + worker->room, *end = event + events;
  for (int64_t j = 0; j < times; j++) {
    uint64_t key = time ? pcf_key_of(time[j]) : event->key;
    for (; event < end && event->key == key; event++) move_value(&state, event);
    write_quantiles(&state, time ? time[j] : pcf_time_of(key), point + j, times);
  }
}

static enum pcf_status sweep_range(void *context, int thread, int64_t range,
                                   struct pcf_error *error) {
  struct sweep *sweep = context;
  const struct pcf_quantiles *wanted = sweep->wanted;
  struct pcf_curves *curves = sweep->curves;
  struct worker *worker = &sweep->worker[thread];
  double from = range_from(sweep, range), to = range_to(sweep, range);
  if (equip_functions(wanted, worker, error)) return PCF_ERROR_MEMORY;
  int64_t most = find_beginnings(sweep, range, worker->now);
  if (equip_values(worker, most, error)) return PCF_ERROR_MEMORY;
  int64_t values = place_values(sweep, to, worker);
  int64_t events = place_breakpoints(sweep, to, worker);
  const double *time = NULL;
  int64_t times = different_keys(worker->event + worker->room, events);
  if (wanted->time) {
    int64_t first = pcf_first_from(wanted->time, 0, wanted->times, from);
    times = pcf_first_from(wanted->time, first, wanted->times, to) - first;
    time = wanted->time + first;
  }
  struct pcf_point *point = pcf_allocate((size_t)(times * wanted->probs), sizeof *point, error);
  if (!point) return PCF_ERROR_MEMORY;
  curves->block[range] = point;
  sweep_over(sweep, values, events, time, times, worker, point);
  for (int64_t q = 0; q < wanted->probs; q++) {
    if (wanted->unknown_before && range == 0) point[q * times].value = pcf_missing();
    curves->stretch[q * sweep->ranges + range] =
      (struct pcf_stretch){.point = point + q * times, .count = times};
  }
  return PCF_OK;
}
