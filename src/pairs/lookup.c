/* The lookup: inner products of short functions with long ones. The integral of a long function
 * g up to each of its breakpoints is found once. Where f has the value v from s to e, the
 * product integrates to v times what g's integral grows by from s to e, which takes looking up
 * s and e among the breakpoints of g, and not going through them. A guide to equal parts of the
 * time of g leaves few breakpoints to search. */
#include "arithmetic/double-double.h"
#include "arrays/segment-parts.h"
#include "base/memory.h"
#include "integrals/view.h"
#include "pairs/costs.h"
#include "pairs/tiles.h"

/* ---- Costs ---- */

/* By which factor the long functions are longer, at least: otherwise there is nothing to win,
 * and results should not depend on estimates that are near to each other. */
enum { LONGER = 64 };

static double mean_length(const struct pcf_collection *x) {
  return (double)pcf_total_breakpoints(x) / fmax((double)x->count, 1);
}

/* Which collection has the long functions? */
static int rows_are_long(const struct pcf_request *request) {
  return mean_length(request->x) > mean_length(request->y);
}

static const struct pcf_collection *long_side(const struct pcf_request *request) {
  return rows_are_long(request) ? request->x : request->y;
}

static const struct pcf_collection *short_side(const struct pcf_request *request) {
  return rows_are_long(request) ? request->y : request->x;
}

static double seconds_of(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  const struct pcf_collection *tall = long_side(request), *low = short_side(request);
  if (mean_length(tall) < LONGER * mean_length(low) && !request->method) return INFINITY;
  double far = fmax(log2(mean_length(tall) + 2) - pcf_near_doublings, 0);
  double searches = (double)pcf_total_breakpoints(low) * (double)tall->count;
  return ((double)low->count * pcf_view_cost) * 1e-9 +
         pcf_spread((double)pcf_total_breakpoints(tall) * pcf_table_cost, (double)tall->count,
                    threads) +
         pcf_spread(searches * (pcf_lookup_cost + far * pcf_far_lookup_cost) +
                      pairs->pairs * pcf_finish_cost,
                    pcf_tiling_of(request, width).tiles, threads);
}

static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  int possible = request->operation == PCF_INNER && request->mode == PCF_FULL && request->y &&
                 pairs->integral.precision == PCF_DOUBLE && !request->x->linear;
  struct pcf_estimate best = {INFINITY, width ? width : pcf_widths[0]};
  return possible ? pcf_best_width(pairs, width, threads, 2, seconds_of) : best;
}

/* ---- Tables ---- */

/* A stretch of a long function: where it begins, its value, and the integral up to it, which is
 * high + low. With a weight that is the integral from where a piece of it begins, before it is
 * multiplied: stretches of short functions lie in one piece. */
struct stretch {
  double time, value, high, low;
};

/* Stretches are looked up through a guide: the time from the first to the last of them in equal
 * parts, of which part k begins with stretch guide[k]; guide[parts] is their count. */
struct table {
  int64_t count; /* of stretches, at least 1; before the first one the function is 0 */
  struct stretch *stretch;
  int64_t parts, *guide;
  double parts_a_time;
  double doubtful; /* smaller differences of integrals may have lost digits */
};

struct state {
  int rows_are_long;
  struct table *table;   /* of the long functions */
  struct pcf_view *view; /* of the short ones */
  struct pcf_arrays arrays;
};

/* If the integral of a stretch is so much smaller than what is added up, by a power of two, it
 * loses digits there. */
enum { LOST = 40 };

/* Parts of the guide: one for so many stretches. */
enum { STRETCHES_A_PART = 4 };

static int64_t guide_length(int64_t breakpoints) {
  return breakpoints / STRETCHES_A_PART + 2;
}

/* Never less for a later time, also if this rounds; 0 where times are infinite. */
static int64_t part_of(const struct table *table, double time) {
  double part = (time - table->stretch[0].time) * table->parts_a_time;
  double last = (double)(table->parts - 1);
  return part > 0 ? (int64_t)fmin(part, last) : 0;
}

static void fill_guide(struct table *table, int64_t parts) {
  double lasts = table->stretch[table->count - 1].time - table->stretch[0].time;
  table->parts = parts;
  table->parts_a_time =
    lasts > 0 && isfinite((double)parts / lasts) ? (double)parts / lasts : 0;
  int64_t part = 0;
  for (int64_t k = 0; k < table->count; k++) {
    for (int64_t now = part_of(table, table->stretch[k].time); part <= now; part++) {
      table->guide[part] = k;
    }
  }
  for (; part <= parts; part++) table->guide[part] = table->count;
}

/* A window without a start begins with the first breakpoint. */
static enum pcf_status fill_table(void *run_, int thread, int64_t i, struct pcf_error *error) {
  const struct pcf_cpu_run *run = run_;
  const struct pcf_integral *integral = &run->pairs->integral;
  struct table *table = &((struct state *)run->state)->table[i];
  struct pcf_view view = pcf_view_of(long_side(&run->pairs->request), i, integral);
  struct stretch now = {.time = integral->from, .value = view.initial};
  double largest = 0, least = INFINITY;
  table->count = 0;
  if (isfinite(now.time) || view.events == 0) table->stretch[table->count++] = now;
  for (int64_t k = 0; k < view.events; k++) {
    double time = pcf_view_time(&view, k);
    if (table->count > 0) {
      int begins = pcf_ends_piece(integral, now.time, PCF_DOUBLE);
      struct pcf_double_double area = {begins ? 0 : now.high, begins ? 0 : now.low};
      struct pcf_double_double more = pcf_exact_product(now.value, time - now.time);
      area = pcf_double_double_sum(area, more);
      double size = fabs(more.high), sum = fabs(area.high);
      if (sum > largest) largest = sum;
      if (size > 0 && size < least) least = size;
      now = (struct stretch){.high = area.high, .low = area.low};
    }
    now.time = time;
    now.value = pcf_view_value(&view, k);
    table->stretch[table->count++] = now;
  }
  double lost = ldexp(largest, -LOST);
  table->doubtful = lost > least ? lost : 0;
  int64_t breakpoints = pcf_breakpoints(long_side(&run->pairs->request), i);
  fill_guide(table, guide_length(breakpoints) - 1);
  return PCF_OK;
}

static enum pcf_status make_room(const struct pcf_cpu_run *run, struct state *state,
                                 struct pcf_error *error) {
  const struct pcf_collection *tall = long_side(&run->pairs->request),
                              *low = short_side(&run->pairs->request);
  size_t stretches = (size_t)(pcf_total_breakpoints(tall) + tall->count);
  size_t guides = 0;
  for (int64_t i = 0; i < tall->count; i++) {
    guides += (size_t)guide_length(pcf_breakpoints(tall, i));
  }
  struct pcf_arrays *arrays = &state->arrays;
  state->table = pcf_array(arrays, (size_t)tall->count, sizeof *state->table, error);
  state->view = pcf_array(arrays, (size_t)low->count, sizeof *state->view, error);
  struct stretch *stretch = pcf_array(arrays, stretches, sizeof *stretch, error);
  int64_t *guide = pcf_array(arrays, guides, sizeof *guide, error);
  if (arrays->status) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < tall->count; i++) {
    state->table[i] = (struct table){.stretch = stretch, .guide = guide};
    stretch += pcf_breakpoints(tall, i) + 1;
    guide += guide_length(pcf_breakpoints(tall, i));
  }
  for (int64_t i = 0; i < low->count; i++) {
    state->view[i] = pcf_view_of(low, i, &run->pairs->integral);
  }
  return PCF_OK;
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  struct state *state = run->state;
  state->rows_are_long = rows_are_long(&run->pairs->request);
  enum pcf_status status = make_room(run, state, error);
  if (status) return status;
  return pcf_parallel_for(run->threads, long_side(&run->pairs->request)->count, run->task->stop,
                          fill_table, run, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_arrays_free(&state->arrays);
}

/* ---- Pairs ---- */

/* Searches without branches, side by side, so that they wait for memory together. */
enum { AT_ONCE = 8 };

static void look_up(const struct table *table, const double *time, int64_t *at) {
  const struct stretch *stretch = table->stretch;
  int64_t left[AT_ONCE], most = 0;
  for (int k = 0; k < AT_ONCE; k++) {
    const int64_t *guide = &table->guide[part_of(table, time[k])];
    at[k] = guide[0] > 0 ? guide[0] - 1 : 0;
    left[k] = guide[1] - at[k];
    if (left[k] > most) most = left[k];
  }
  for (; most > 1; most -= most / 2) {
    for (int k = 0; k < AT_ONCE; k++) {
      int64_t half = left[k] / 2;
      at[k] += stretch[at[k] + half].time <= time[k] ? half : 0;
      left[k] -= half;
    }
  }
}

/* The integral over whole stretches up to `last`, without differences of integrals. */
static double added_up(const struct stretch *next, const struct stretch *last) {
  struct pcf_total total = {0};
  for (; next < last; next++) pcf_total_add(&total, next->value * (next[1].time - next->time));
  return total.sum + total.error;
}

/* The integral of the long function from `s`, in its stretch i, to `e`, in stretch j. */
static double grows_by(const struct table *table, double s, int64_t i, double e, int64_t j) {
  const struct stretch *stretch = table->stretch;
  if (i == j) return stretch[i].value * (e - s);
  const struct stretch *next = &stretch[i + 1], *last = &stretch[j];
  double whole = (last->high - next->high) + (last->low - next->low);
  if (fabs(whole) < table->doubtful) whole = added_up(next, last);
  return stretch[i].value * (next->time - s) + whole + last->value * (e - last->time);
}

/* The times of AT_ONCE events from k on, none before the table begins; after the last event
 * comes the end of the window or, if it has none, of both functions. `since` is the time
 * before.
 */
static void next_times(const struct pcf_integral *integral, const struct table *table,
                       const struct pcf_view *f, int64_t k, double since, double *time) {
  double first = table->stretch[0].time, last = table->stretch[table->count - 1].time;
  for (int n = 0; n < AT_ONCE; n++) {
    if (k + n < f->events) time[n] = fmax(pcf_view_time(f, k + n), first);
    else time[n] = integral->to < INFINITY ? integral->to : fmax(since, last);
    since = time[n];
  }
}

static double inner_product(const struct pcf_integral *integral, const struct table *table,
                            const struct pcf_view *f) {
  const struct stretch *stretch = table->stretch;
  struct pcf_total total = {0};
  double time[AT_ONCE], value = f->initial, since = stretch[0].time;
  int64_t at[AT_ONCE], behind = 0;
  for (int64_t k = 0; k <= f->events; k += AT_ONCE) {
    next_times(integral, table, f, k, since, time);
    look_up(table, time, at);
    for (int n = 0; n < AT_ONCE && k + n <= f->events; n++) {
      if (value != 0) {
        double height = pcf_height_until(integral->weight, time[n], PCF_DOUBLE);
        double product = value * grows_by(table, since, behind, time[n], at[n]);
        pcf_total_add(&total, height * product);
      }
      since = time[n];
      behind = at[n];
      if (k + n < f->events) value = pcf_view_value(f, k + n);
    }
  }
  double integral_of_both = total.sum + total.error;
  if (integral->to < INFINITY) return integral_of_both;
  return pcf_add_tail(PCF_INNER, integral_of_both, INFINITY, value,
                      stretch[table->count - 1].value, 0);
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  const struct state *state = run->state;
  const struct pcf_integral *integral = &run->pairs->integral;
  int64_t tall = state->rows_are_long ? block->rows : block->columns;
  int64_t low = state->rows_are_long ? block->columns : block->rows;
  for (int64_t i = 0; i < tall; i++) {
    const struct table *table =
      &state->table[i + (state->rows_are_long ? block->row : block->column)];
    for (int64_t j = 0; j < low; j++) {
      const struct pcf_view *f =
        &state->view[j + (state->rows_are_long ? block->column : block->row)];
      if (atomic_load_explicit(run->task->stop, memory_order_relaxed)) return 1;
      int64_t place = state->rows_are_long ? i + block->rows * j : j + block->rows * i;
      pcf_store_scalar(worker->output, place, inner_product(integral, table, f), PCF_DOUBLE);
    }
  }
  worker->complete = 1;
  return 0;
}

const struct pcf_method pcf_lookup_method = {
  .name = "lookup",
  .estimate = estimate,
  .state = sizeof(struct state),
  .prepare = prepare,
  .schedule = pcf_schedule_tiles,
  .release = release,
  .compute = compute,
};
