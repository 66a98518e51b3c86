/* Inner products are linear: the sum over all g of b(g) ∫ f·g is ∫ f·F with F the weighted sum
 * of all g. F and its integral since the slab began go along with the events, and a function
 * that leaves a value adds it times what the integral has grown by meanwhile. */
#include "products/events.h"
#include "products/slabs.h"
#include "products/squares.h"

#include "arrays/segment-parts.h"

enum { EVENTS_PER_STOP_CHECK = 1 << 14 };

/* The value of a function, and the integral of F when it took that. */
struct step {
  double value;
  struct pcf_total integral;
};

static double grows_by(const struct pcf_total *integral, const struct pcf_total *since) {
  return (integral->sum - since->sum) + (integral->error - since->error);
}

static struct pcf_total start(const struct pcf_slab_sums *sums, const struct pcf_slab *slab,
                              struct step *step) {
  int64_t functions = sums->rows + sums->others, first = sums->others ? sums->rows : 0;
  struct pcf_total sum = {0};
  for (int64_t f = 0; f < functions; f++) {
    step[f] = (struct step){.value = slab->value[f] - slab->center};
  }
  for (int64_t f = first; f < functions; f++) {
    pcf_total_add(&sum, sums->b[pcf_entry_of(sums, f)] * step[f].value);
  }
  return sum;
}

static enum pcf_status add(void *step_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  int64_t first = sums->others ? sums->rows : 0;
  struct step *step = step_;
  struct pcf_total sum = start(sums, slab, step), integral = {0};
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
    if (f < sums->rows) result[f] += step[f].value * grows_by(&integral, &step[f].integral);
    if (f >= first) { /* the same product is added and subtracted, so that none of it stays */
      double b = sums->b[pcf_entry_of(sums, f)];
      pcf_total_add(&sum, -b * step[f].value);
      pcf_total_add(&sum, b * now);
    }
    step[f] = (struct step){now, integral};
  }
  pcf_total_add(&integral, (slab->end - last) * (sum.sum + sum.error));
  for (int64_t f = 0; f < sums->rows; f++) {
    result[f] += step[f].value * grows_by(&integral, &step[f].integral);
  }
  return PCF_OK;
}

/* The state is the step that each function is on. */
const struct pcf_slab_kernel pcf_inner_slab_kernel = {.each = sizeof(struct step), .add = add};

union state {
  struct step step;
  struct pcf_square square;
};

const struct pcf_slab_kernel pcf_l2_slab_kernel = {
  .each = sizeof(union state), .begin = pcf_center_slab, .add = add};
