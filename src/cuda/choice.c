#include "cuda/choice.h"

#include "cuda/info.h"
#include "cuda/method.h"
#include "cuda/stay.h"

#include <math.h>

/* Measured by bench/stay-functions.R on one H200 with 16 cores, of which 2 and 16 had the work:
 * nanoseconds for a unit, by one thread, by any number of them, and there. What comes back
 * counts with the latter. */
static const struct {
  double thread, least, there;
} costs[] = {
  [PCF_WORK_SUMS] = {100, 6, 2.1},      [PCF_WORK_EXTREMA] = {70, 3.2, 0.8},
  [PCF_WORK_NORMS] = {2.3, 0.35, 0.15}, [PCF_WORK_POWERS] = {10, 0.7, 0.15},
  [PCF_WORK_VALUES] = {6.3, 0.55, 0.8},
};

/* Of a breakpoint that is brought up, and of a function; seconds of a call, and those that are
 * a moment. */
static const double upload_cost = 1.1, function_cost = 25, call_cost = 2e-3, moment = 0.05;

/* The device has to be that much faster, since no estimate is right. */
static const double clearly = 0.8;

int pcf_cuda_is_faster(enum pcf_work work, const struct pcf_collection *x, double units,
                       const struct pcf_settings *settings) {
  double each = fmax(costs[work].thread / settings->threads, costs[work].least);
  double here = 1e-9 * units * each;
  if (here < moment) return 0;
  double there = 1e-9 * (units * costs[work].there + (double)x->count * function_cost);
  int stays = pcf_cuda_stays(pcf_stays(x), settings->gpus);
  if (!stays) there += 1e-9 * (double)pcf_total_breakpoints(x) * upload_cost;
  if (there + call_cost >= clearly * here) return 0;
  struct pcf_cuda_info info;
  pcf_cuda_describe(&info, settings->gpus);
  if (info.problem[0]) return 0;
  return there + call_cost + pcf_cuda_starting_cost() < clearly * here;
}
