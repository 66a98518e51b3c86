#include "pairs/method.h"

#include "pairs/costs.h"

#include <string.h>

static enum pcf_status find_method(const char *name, const struct pcf_method **method,
                                   struct pcf_error *error);
static void estimate_all(struct pcf_pairs *pairs, int width, int threads);
static double best_of_others(const struct pcf_pairs *pairs, int than, int threads);
static const struct pcf_method *cheapest(const struct pcf_pairs *pairs);

const struct pcf_method *const pcf_methods[PCF_MAX_METHODS + 1] = {
  &pcf_sweep_method, &pcf_grid_method,   &pcf_split_method,
  &pcf_walk_method,  &pcf_lookup_method, &pcf_events_method,
};

int pcf_method_number(const struct pcf_method *method) {
  int k = 0;
  while (pcf_methods[k] != method) k++;
  return k;
}

/* Methods agree only up to rounding, so the choice is always that for the same number of
 * threads, and for tiles of the plan's width: the result must not depend on these. */
enum pcf_status pcf_methods_plan(struct pcf_pairs *pairs, const struct pcf_settings *settings,
                                 struct pcf_error *error) {
  enum { THREADS = 2, FREE_WIDTH = 0 };
  const struct pcf_method *forced;
  enum pcf_status status = find_method(pairs->request.method, &forced, error);
  if (status) return status;
  for (int k = 0; pcf_methods[k]; k++) {
    if (!pcf_methods[k]->survey || (forced && forced != pcf_methods[k])) continue;
    double others = best_of_others(pairs, k, THREADS);
    status = pcf_methods[k]->survey(pairs, others, forced != NULL, error);
    if (status) return status;
  }
  pairs->grid_points = pairs->grid.points;
  estimate_all(pairs, FREE_WIDTH, THREADS);
  pairs->method = forced ? forced : cheapest(pairs);
  estimate_all(pairs, pairs->request.width, settings->threads);
  if (pairs->estimate[pcf_method_number(pairs->method)].seconds < INFINITY) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT,
                  "the option pcfdist.kernel is \"%s\", a kernel that this call cannot use",
                  pairs->method->name);
}

/* NULL where the choice is free. */
static enum pcf_status find_method(const char *name, const struct pcf_method **method,
                                   struct pcf_error *error) {
  *method = NULL;
  if (!name) return PCF_OK;
  for (int k = 0; pcf_methods[k] && !*method; k++) {
    if (strcmp(pcf_methods[k]->name, name) == 0) *method = pcf_methods[k];
  }
  if (*method) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "there is no \"%s\" kernel", name);
}

static void estimate_all(struct pcf_pairs *pairs, int width, int threads) {
  for (int k = 0; pcf_methods[k]; k++) {
    pairs->estimate[k] = pcf_method_estimate(pcf_methods[k], pairs, width, threads);
  }
}

struct pcf_estimate pcf_method_estimate(const struct pcf_method *method,
                                        const struct pcf_pairs *pairs, int width, int threads) {
  struct pcf_estimate estimate = method->estimate(pairs, width, threads);
  estimate.seconds = pcf_call_seconds(estimate.seconds, threads);
  if (!method->at_once) estimate.seconds += pcf_consuming_seconds(pairs, threads);
  return estimate;
}

/* What computing pairs takes by other methods. */
static double best_of_others(const struct pcf_pairs *pairs, int than, int threads) {
  double best = INFINITY;
  for (int k = 0; pcf_methods[k]; k++) {
    if (k == than || pcf_methods[k]->at_once) continue;
    best = fmin(best, pcf_methods[k]->estimate(pairs, 0, threads).seconds);
  }
  return best;
}

static const struct pcf_method *cheapest(const struct pcf_pairs *pairs) {
  int best = 0;
  for (int k = 0; pcf_methods[k]; k++) {
    if (pairs->estimate[k].seconds < pairs->estimate[best].seconds) best = k;
  }
  return pcf_methods[best];
}
