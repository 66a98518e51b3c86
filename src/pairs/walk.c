/* The walk: single pairs, each walked in parts. For pairs that are no matrix, and for very few
 * functions. */
#include "base/memory.h"
#include "pairs/costs.h"
#include "pairs/method.h"
#include "pairs/pair.h"
#include "pairs/parts.h"

/* ---- Costs ---- */

/* Pairs are cut into parts, so that the work spreads evenly. */
static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_costs *cost = pcf_costs_of(pairs);
  double rectangle = pcf_term_cost(pcf_walk_cost, cost->power[PCF_DOUBLE], &pairs->request);
  if (pairs->request.x->linear) rectangle *= pcf_walk_lines_factor;
  double nanoseconds = pcf_request_breakpoints(&pairs->request) * pcf_walk_ready_cost +
                       pairs->rectangles * rectangle + pairs->pairs * pcf_walk_pair_cost;
  return (struct pcf_estimate){nanoseconds * 1e-9 / threads, 0};
}

/* ---- Walks ---- */

struct state {
  struct pcf_walks rows, other; /* `other` only when there is a y */
  struct pcf_parts parts;       /* their memory is that of struct pcf_partial */
};

static enum pcf_status fill(const struct pcf_cpu_run *run, struct pcf_walks *walks,
                            const struct pcf_collection *x, struct pcf_error *error) {
  return pcf_walks_make(walks, x, &run->pairs->integral, run->threads, run->task->stop, error);
}

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  struct state *state = run->state;
  enum pcf_status status = fill(run, &state->rows, request->x, error);
  if (status || !request->y) return status;
  return fill(run, &state->other, request->y, error);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_walks_free(&state->rows);
  pcf_walks_free(&state->other);
  pcf_parts_free(&state->parts);
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
  return pcf_parts_schedule(&state->parts, run->task, 1, parts_of, run,
                            sizeof(struct pcf_partial), schedule, error);
}

static int compute(const struct pcf_cpu_run *run, const struct pcf_block *block,
                   struct pcf_cpu_worker *worker) {
  struct state *state = run->state;
  const struct pcf_integral *integral = &run->pairs->integral;
  const struct pcf_walk *f = &state->rows.walk[block->row],
                        *g = column_walk(run, block->column);
  struct pcf_partial *partial =
    (struct pcf_partial *)state->parts.memory + pcf_first_part(&state->parts, block);
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  if (pcf_pair_part(integral, kernels, f, g, block->part, block->parts, run->task->stop,
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
  .state = sizeof(struct state),
  .prepare = prepare,
  .schedule = schedule,
  .release = release,
  .compute = compute,
};
