#include "pairs/method.h"

#include "pairs/costs.h"

#include <string.h>

static enum pcf_status find_method(const struct pcf_pairs *pairs,
                                   const struct pcf_method **method, struct pcf_error *error);
static void estimate_all(struct pcf_pairs *pairs, int width, int threads);
static double best_of_others(const struct pcf_pairs *pairs, int than, int threads);
static const struct pcf_method *cheapest(const struct pcf_pairs *pairs);

const struct pcf_method *const pcf_methods[PCF_MAX_METHODS + 1] = {
  &pcf_sweep_method, &pcf_grid_method,   &pcf_split_method,
  &pcf_walk_method,  &pcf_lookup_method, &pcf_events_method,
};

int pcf_method_number(const struct pcf_method *method) {
  const struct pcf_method *const *methods = method->among ? method->among : pcf_methods;
  int k = 0;
  while (methods[k] != method) k++;
  return k;
}

/* Methods agree only up to rounding, so the choice is always that for the same number of
 * threads, and for tiles of the plan's width: the result must not depend on these. */
enum pcf_status pcf_methods_plan(struct pcf_pairs *pairs, const struct pcf_settings *settings,
                                 struct pcf_error *error) {
  enum { THREADS = 2, FREE_WIDTH = 0 };
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  const struct pcf_method *forced;
  enum pcf_status status = find_method(pairs, &forced, error);
  if (status) return status;
  for (int k = 0; methods[k]; k++) {
    if (!methods[k]->survey || (forced && forced != methods[k])) continue;
    double others = best_of_others(pairs, k, THREADS);
    status = methods[k]->survey(pairs, others, forced != NULL, error);
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
static enum pcf_status find_method(const struct pcf_pairs *pairs,
                                   const struct pcf_method **method, struct pcf_error *error) {
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  const char *name = pairs->request.method;
  *method = NULL;
  if (!name) return PCF_OK;
  for (int k = 0; methods[k] && !*method; k++) {
    if (strcmp(methods[k]->name, name) == 0) *method = methods[k];
  }
  if (*method) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "there is no \"%s\" kernel", name);
}

static void estimate_all(struct pcf_pairs *pairs, int width, int threads) {
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  for (int k = 0; methods[k]; k++) {
    pairs->estimate[k] = pcf_method_estimate(methods[k], pairs, width, threads);
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
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  double best = INFINITY;
  for (int k = 0; methods[k]; k++) {
    if (k == than || methods[k]->at_once) continue;
    best = fmin(best, methods[k]->estimate(pairs, 0, threads).seconds);
  }
  return best;
}

static const struct pcf_method *cheapest(const struct pcf_pairs *pairs) {
  const struct pcf_method *const *methods = pcf_methods_of(pairs);
  int best = 0;
  for (int k = 0; methods[k]; k++) {
    if (pairs->estimate[k].seconds < pairs->estimate[best].seconds) best = k;
  }
  return methods[best];
}
