#include "pairs/method.h"

#include <string.h>

static enum pcf_status find_method(const char *name, const struct pcf_method **method,
                                   struct pcf_error *error);
static void estimate_all(struct pcf_pairs *pairs, int width, int threads);
static double best_of_others(const struct pcf_pairs *pairs, int than);
static const struct pcf_method *cheapest(const struct pcf_pairs *pairs);

const struct pcf_method *const pcf_methods[PCF_MAX_METHODS + 1] = {
  &pcf_sweep_method, &pcf_grid_method, &pcf_split_method, &pcf_walk_method, &pcf_lookup_method,
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
  estimate_all(pairs, FREE_WIDTH, THREADS);
  for (int k = 0; pcf_methods[k]; k++) {
    if (!pcf_methods[k]->survey || (forced && forced != pcf_methods[k])) continue;
    status = pcf_methods[k]->survey(pairs, best_of_others(pairs, k), forced != NULL, error);
    if (status) return status;
  }
  pairs->grid_points = pairs->grid.points;
  estimate_all(pairs, FREE_WIDTH, THREADS);
  pairs->method = forced ? forced : cheapest(pairs);
  estimate_all(pairs, pairs->request.width, settings->threads);
  if (pairs->estimate[pcf_method_number(pairs->method)].seconds < INFINITY) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "the \"%s\" kernel cannot be used here",
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
    pairs->estimate[k] = pcf_methods[k]->estimate(pairs, width, threads);
  }
}

static double best_of_others(const struct pcf_pairs *pairs, int than) {
  double best = INFINITY;
  for (int k = 0; pcf_methods[k]; k++) {
    if (k != than) best = fmin(best, pairs->estimate[k].seconds);
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
