#include "products/squares.h"

#include "base/quantiles.h"

enum { SAMPLED = 255 };

/* Of every so manyth value, since the median of these is near enough. */
static double median_of(const struct pcf_slab *slab, int64_t functions) {
  int64_t all = functions + slab->events, step = all / SAMPLED + 1, count = 0;
  double sample[SAMPLED];
  for (int64_t k = 0; k < all; k += step) {
    sample[count++] =
      k < functions ? slab->value[k] : pcf_slab_value(slab, &slab->event[k - functions]);
  }
  return count ? pcf_kth(sample, count, count / 2) : 0;
}

static void go_to(struct pcf_square *square, double time) {
  double width = time - square->since, rise = square->slope * width;
  double middle = square->value + rise / 2;
  pcf_total_add(&square->integral, width * (middle * middle + rise * rise / 12));
  square->since = time;
}

enum pcf_status pcf_center_slab(void *square_, const struct pcf_slab_sums *sums,
                                struct pcf_slab *slab, struct pcf_error *error) {
  struct pcf_square *square = square_;
  int64_t functions = sums->rows + sums->others;
  slab->center = median_of(slab, functions);
  for (int64_t f = 0; f < functions; f++) {
    square[f] = (struct pcf_square){
      .since = slab->begin, .value = slab->value[f] - slab->center, .slope = slab->slope[f]};
  }
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    struct pcf_square *now = &square[event->change[0]];
    go_to(now, pcf_time_of(event->key));
    now->value = pcf_slab_value(slab, event) - slab->center;
    now->slope = pcf_slab_slope(slab, event);
  }
  for (int64_t f = 0; f < functions; f++) {
    go_to(&square[f], slab->end);
    sums->size[f] = pcf_total_of(&square[f].integral);
  }
  return PCF_OK;
}
