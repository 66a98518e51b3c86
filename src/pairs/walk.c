/* The walk: single pairs, each walked in parts. For pairs that are no matrix, and for very few
 * functions. */
#include "base/memory.h"
#include "kernels/pair.h"
#include "pairs/costs.h"
#include "pairs/method.h"
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
  struct pcf_walks walks;
  struct pcf_parts parts; /* their memory is that of struct pcf_partial */
};

static enum pcf_status prepare(struct pcf_cpu_run *run, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  struct state *state = run->state;
  return pcf_walks_make(&state->walks, request->x, request->y, &run->pairs->integral,
                        run->pairs->pairs, run->threads, run->task->stop, error);
}

static size_t workspace(const struct pcf_cpu_run *run) {
  return ((const struct state *)run->state)->walks.room * sizeof(double);
}

static void release(struct pcf_cpu_run *run) {
  struct state *state = run->state;
  pcf_walks_free(&state->walks);
  pcf_arrays_free(&state->parts.arrays);
}

/* ---- Parts ---- */

static int parts_of(const void *run_, const struct pcf_block *block) {
  const struct pcf_cpu_run *run = run_;
  const struct state *state = run->state;
  return pcf_pair_parts(state->walks.walk[block->row].events +
                        state->walks.columns[block->column].events);
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
  double *memory = worker->workspace;
  struct pcf_walk f = pcf_walk_of(&state->walks, &state->walks.walk[block->row], &memory),
                  g = pcf_walk_of(&state->walks, &state->walks.columns[block->column], &memory);
  struct pcf_partial *partial = (struct pcf_partial *)state->parts.memory + block->first;
  const struct pcf_kernels *kernels = pcf_kernels_of(run->pairs->instructions);
  if (pcf_pair_part(integral, kernels, &f, &g, block->part, block->parts, run->task->stop,
                    &partial[block->part]))
    return 1;
  worker->complete = pcf_last_part(&state->parts, block);
  if (worker->complete) {
    double result = pcf_pair_finish(integral, &f, &g, partial, block->parts);
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
  .workspace = workspace,
  .compute = compute,
};
