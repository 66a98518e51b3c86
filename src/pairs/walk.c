/* The walk: single pairs, each walked in parts. For pairs that are no matrix, and for very few
 * functions. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/method.h"
#include "pairs/pair.h"
#include "pairs/parts.h"

/* ---- Costs ---- */

static const double walk_cost = 1.2; /* a rectangle */
static const double pair_cost = 150; /* a pair, besides its walk */
static const double copy_cost = 3.0; /* a breakpoint made ready */

/* Pairs are cut into parts, so that the work spreads evenly. */
static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  (void)width;
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  double step = pcf_term_cost(walk_cost, cost->power[PCF_DOUBLE], &pairs->request);
  double nanoseconds = pcf_request_breakpoints(&pairs->request) * copy_cost +
                       pairs->rectangles * step + pairs->pairs * pair_cost;
  return (struct pcf_estimate){nanoseconds * 1e-9 / threads, 0};
}

/* ---- Walks ---- */

struct state {
  struct pcf_walks rows, other; /* `other` only when there is a y */
  struct pcf_parts parts;
  struct pcf_partial *partial; /* of every part */
};

struct filling {
  struct pcf_walks *walks;
  const struct pcf_collection *x;
  const struct pcf_integral *integral;
};

static enum pcf_status fill_walk(void *filling_, int thread, int64_t i,
                                 struct pcf_error *error) {
  struct filling *filling = filling_;
  (void)thread;
  (void)error;
  pcf_walk_fill(filling->walks, filling->x, filling->integral, i);
  return PCF_OK;
}

static enum pcf_status fill_walks(const struct pcf_cpu_run *run, struct pcf_walks *walks,
                                  const struct pcf_collection *x, struct pcf_error *error) {
  const struct pcf_integral *integral = &run->pairs->integral;
  struct filling filling = {walks, x, integral};
  enum pcf_status status = pcf_walks_allocate(walks, x, integral, error);
  if (status) return status;
  return pcf_parallel_for(run->threads, x->count, run->task->stop, fill_walk, &filling, error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  struct state *state = run->state = pcf_allocate(1, sizeof *state, error);
  if (!state) return PCF_ERROR_MEMORY;
  *state = (struct state){0};
  enum pcf_status status = fill_walks(run, &state->rows, request->x, error);
  if (status || !request->y) return status;
  return fill_walks(run, &state->other, request->y, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  if (!state) return;
  pcf_walks_free(&state->rows);
  pcf_walks_free(&state->other);
  pcf_parts_free(&state->parts);
  pcf_free(state->partial);
  pcf_free(state);
}

/* ---- Parts ---- */

static const struct pcf_walk *column_walk(const struct pcf_cpu_run *run, int64_t column) {
  const struct state *state = run->state;
  return &(run->pairs->request.y ? &state->other : &state->rows)->walk[column];
}

static int parts_of(const void *run_, const struct pcf_block *block) {
  const struct pcf_cpu_run *run = run_;
  const struct state *state = run->state;
  return pcf_pair_parts(state->rows.walk[block->row].events +
                        column_walk(run, block->column)->events);
}

static enum pcf_status schedule(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct state *state = run->state;
  const struct pcf_task *task = run->task;
  enum pcf_status status = pcf_schedule_parts(schedule, task->mode, &task->rows, &task->columns,
                                              1, task->pairs, parts_of, run, error);
  if (!status) status = pcf_parts_count(&state->parts, schedule, error);
  if (status) return status;
  state->partial = pcf_allocate((size_t)state->parts.total, sizeof *state->partial, error);
  return state->partial ? PCF_OK : PCF_ERROR_MEMORY;
}

static size_t workspace(const struct pcf_cpu_run *run) {
  (void)run;
  return 0;
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  struct state *state = run->state;
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_walk *f = &state->rows.walk[block->row],
                        *g = column_walk(run, block->column);
  struct pcf_partial *partial = state->partial + pcf_first_part(&state->parts, block);
  pcf_power_kernel *power = pcf_kernels_of(run->pairs->instructions)->power[PCF_DOUBLE];
  if (pcf_pair_part(integral, power, f, g, block->part, block->parts, run->task->stop,
                    &partial[block->part]))
    return 1;
  worker->complete = pcf_last_part(&state->parts, block);
  if (worker->complete) {
    double result = pcf_pair_finish(integral, f, g, partial, block->parts);
    pcf_store_scalar(worker->output, 0, result, integral->precision);
  }
  return 0;
}

const struct pcf_method pcf_walk_method = {
  .name = "walk",
  .estimate = estimate,
  .prepare = prepare,
  .schedule = schedule,
  .release = release,
  .workspace = workspace,
  .compute = compute,
};
