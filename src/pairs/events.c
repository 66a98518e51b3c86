/* The events: sums over the pairs of each function without looking at pairs (product.h). For L1
 * distances and inner products of functions that are known throughout, in double precision. */
#include "pairs/costs.h"
#include "pairs/method.h"
#include "pairs/product.h"

/* There is nothing to win where pairs are few, and sums over pairs have fewer rounding errors. */
static const double few_pairs = 10000;

static int are_few(const struct pcf_request *request) {
  return (double)request->x->count * (double)pcf_columns_of(request)->count <= few_pairs;
}

static int can_be_used(const struct pcf_pairs *pairs) {
  const struct pcf_request *request = &pairs->request;
  enum pcf_operation operation = request->operation;
  return request->sums && request->precision == PCF_DOUBLE && !pairs->range.missing &&
         !pairs->range.endless &&
         (operation == PCF_L1 || operation == PCF_L2 || operation == PCF_INNER);
}

/* The events of both sides, of which there are as many again where these are the same. */
static struct pcf_estimate estimate(const struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_request *request = &pairs->request;
  (void)width;
  if (!can_be_used(pairs) || (are_few(request) && !request->method)) {
    return (struct pcf_estimate){INFINITY, 0};
  }
  const double *cost =
    request->operation == PCF_L1 ? pcf_method_costs.events.l1 : pcf_method_costs.events.inner;
  double events = pcf_request_breakpoints(request) / (request->y ? 2 : 1);
  double each = 1e-9 * (cost[0] + cost[1] / threads);
  return (struct pcf_estimate){events * (double)request->sums->columns * each, 0};
}

static enum pcf_status at_once(const struct pcf_task *task, struct pcf_error *error) {
  const struct pcf_pairs *pairs = task->problem;
  const struct pcf_request *request = &pairs->request;
  struct pcf_product product = {.x = request->x,
                                .y = request->y,
                                .operation = request->operation == PCF_L1 ? PCF_L1 : PCF_INNER,
                                .from = request->from,
                                .to = request->to,
                                .range = pairs->range,
                                .weighing = pairs->weighing,
                                .columns = request->sums->columns,
                                .b = request->sums->b};
  return pcf_product(&product, task->offer.threads, task->stop, request->sums->result, error);
}

const struct pcf_method pcf_events_method = {
  .name = "events", .estimate = estimate, .at_once = at_once};
