/* Inner products are linear: the sum over all g of b(g) ∫ f·g is ∫ f·F with F the weighted sum
 * of all g. F and its integral since the slab began go along with the events, and a function
 * that leaves a value adds it times what the integral has grown by meanwhile. */
#include "products/events.h"
#include "products/slabs.h"
#include "products/squares.h"

#include "arrays/segment-parts.h"

enum { EVENTS_PER_STOP_CHECK = 1 << 14 };

/* The value that a function has, and the integral of F when it took it. */
struct held {
  double value;
  struct pcf_total integral;
};

static double grows_by(const struct pcf_total *integral, const struct pcf_total *since) {
  return (integral->sum - since->sum) + (integral->error - since->error);
}

static struct pcf_total start(const struct pcf_slab_sums *sums, const struct pcf_slab *slab,
                              struct held *held) {
  int64_t functions = sums->rows + sums->others, first = sums->others ? sums->rows : 0;
  struct pcf_total sum = {0};
  for (int64_t f = 0; f < functions; f++) {
    held[f] = (struct held){.value = slab->value[f] - slab->center};
  }
  for (int64_t f = first; f < functions; f++) {
    pcf_total_add(&sum, sums->b[pcf_entry_of(sums, f)] * held[f].value);
  }
  return sum;
}

static enum pcf_status add(void *held_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  int64_t first = sums->others ? sums->rows : 0;
  struct held *held = held_;
  struct pcf_total sum = start(sums, slab, held), integral = {0};
  double last = slab->begin;
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    int64_t f = (int64_t)event->change[0];
    double time = pcf_time_of(event->key), now = pcf_new_value(event) - slab->center;
    if (k % EVENTS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    pcf_total_add(&integral, (time - last) * (sum.sum + sum.error));
    last = time;
    if (f < sums->rows) result[f] += held[f].value * grows_by(&integral, &held[f].integral);
    if (f >= first) { /* the same product is added and subtracted, so that none of it stays */
      double b = sums->b[pcf_entry_of(sums, f)];
      pcf_total_add(&sum, -b * held[f].value);
      pcf_total_add(&sum, b * now);
    }
    held[f] = (struct held){now, integral};
  }
  pcf_total_add(&integral, (slab->end - last) * (sum.sum + sum.error));
  for (int64_t f = 0; f < sums->rows; f++) {
    result[f] += held[f].value * grows_by(&integral, &held[f].integral);
  }
  return PCF_OK;
}

static enum pcf_status begin(void *square, const struct pcf_slab_sums *sums,
                             struct pcf_slab *slab, struct pcf_error *error) {
  pcf_center_slab(square, sums, slab);
  return PCF_OK;
}

/* The state is what each function holds. */
const struct pcf_slab_kernel pcf_inner_slab_kernel = {.each = sizeof(struct held), .add = add};

union state {
  struct held held;
  struct pcf_square square;
};

const struct pcf_slab_kernel pcf_l2_slab_kernel = {
  .each = sizeof(union state), .begin = begin, .add = add};
