#include "cuda/method.h"

#include "cuda/info.h"
#include "cuda/resident.h"
#include "pairs/costs.h"

#include <math.h>
#include <string.h>

static const struct pcf_cuda_method *const methods[] = {
  &pcf_cuda_sweep_method,
  &pcf_cuda_grid_method,
  &pcf_cuda_split_method,
};

/* ---- Shared by methods ---- */

/* Suprema are not sums. */
int pcf_cuda_flush_after(const struct pcf_integral *integral, int interval, int64_t most) {
  return !pcf_is_supremum(integral->operation) && most > interval ? interval : 0;
}

void *pcf_cuda_carve(char **slot, size_t bytes) {
  void *piece = *slot;
  *slot += (bytes + PCF_CUDA_ALIGNMENT - 1) / PCF_CUDA_ALIGNMENT * PCF_CUDA_ALIGNMENT;
  return piece;
}

/* ---- What a run takes ---- */

/* The cheapest method, or the one asked for. */
static void choose_method(const struct pcf_pairs *pairs, double gpus, struct pcf_offer *offer) {
  const char *forced = pairs->request.method;
  const struct pcf_cuda_method *best = NULL;
  double least = INFINITY;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const struct pcf_cuda_method *method = methods[k];
    if (forced && strcmp(forced, method->name) != 0) continue;
    double seconds = method->seconds(pairs, gpus);
    if (best && seconds >= least) continue;
    best = method;
    least = seconds;
  }
  if (!best) return;
  offer->method = best->name;
  offer->how = best;
  offer->seconds =
    pcf_takes_powers(pairs->request.operation) ? pcf_cuda_general_factor * least : least;
}

/* The seconds to copy the breakpoints of a collection to the device, or to take them from it
 * where it is resident there. */
static double breakpoint_seconds(const struct pcf_collection *x,
                                 const struct pcf_settings *settings) {
  int there = x && pcf_cuda_is_resident(pcf_resident(x), settings->gpus);
  double breakpoints = x ? (double)pcf_total_breakpoints(x) : 0;
  return breakpoints * (there ? pcf_cuda_staying_cost : pcf_cuda_breakpoint_cost);
}

double pcf_cuda_starting_cost(void) {
  static atomic_int asked;
  return atomic_exchange(&asked, 1) ? 0 : pcf_cuda_start_cost;
}

/* The seconds that the one thread of a device takes to add up the results that are copied
 * back. */
static double summing_seconds(const struct pcf_pairs *pairs) {
  return pairs->request.sums ? pcf_consuming_seconds(pairs, 1) : 0;
}

/* Does not look for CUDA where other backends take only a moment, and starts it only where it
 * would be faster. */
void pcf_cuda_offer(const void *pairs_, const struct pcf_settings *settings, double others,
                    struct pcf_offer *offer) {
  const struct pcf_pairs *pairs = pairs_;
  struct pcf_cuda_info info;
  choose_method(pairs, 1, offer);
  offer->seconds = INFINITY;
  if (!offer->method || pairs->request.mode == PCF_PAIRED || others < pcf_cuda_moment) return;
  pcf_cuda_describe(&info, settings->gpus);
  if (info.problem[0]) {
    pcf_fail(&offer->problem, PCF_ERROR_DEVICE, "%s", info.problem);
    return;
  }
  choose_method(pairs, info.wanted, offer);
  offer->seconds += pcf_cuda_starting_cost() + pcf_cuda_call_cost +
                    pairs->pairs * pcf_cuda_pair_cost + summing_seconds(pairs) +
                    breakpoint_seconds(pairs->request.x, settings) +
                    breakpoint_seconds(pairs->request.y, settings);
  int wanted = offer->seconds < others;
  if (wanted && pcf_cuda_measure(&info, &offer->problem)) offer->seconds = INFINITY;
}
