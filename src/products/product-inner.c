/* Inner products are linear: the sum over all g of b(g) ∫ f·g is ∫ f·F with F the weighted sum
 * of all g. F and its integral since the slab began go along with the events, and a function
 * that changes its value at t adds (value before − value after) · ∫ F up to t. */
#include "products/events.h"
#include "products/slabs.h"

#include "collections/segment-parts.h"

enum { EVENTS_PER_STOP_CHECK = 1 << 14 };

static enum pcf_status add(void *value_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  int64_t functions = sums->rows + sums->others, first = sums->others ? sums->rows : 0;
  struct pcf_total sum = {0}, integral = {0};
  double *value = value_, last = slab->begin;
  for (int64_t f = 0; f < functions; f++) value[f] = slab->value[f];
  for (int64_t f = first; f < functions; f++) {
    pcf_total_add(&sum, sums->b[pcf_entry_of(sums, f)] * value[f]);
  }
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    int64_t f = (int64_t)event->change[0];
    double time = pcf_time_of(event->key), now = pcf_new_value(event);
    if (k % EVENTS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    pcf_total_add(&integral, (time - last) * (sum.sum + sum.error));
    last = time;
    if (f < sums->rows) result[f] += (value[f] - now) * (integral.sum + integral.error);
    if (f >= first) pcf_total_add(&sum, sums->b[pcf_entry_of(sums, f)] * (now - value[f]));
    value[f] = now;
  }
  pcf_total_add(&integral, (slab->end - last) * (sum.sum + sum.error));
  for (int64_t f = 0; f < sums->rows; f++) {
    result[f] += value[f] * (integral.sum + integral.error);
  }
  return PCF_OK;
}

/* The state is the value of each function, now. */
const struct pcf_slab_kernel pcf_inner_slab_kernel = {.each = sizeof(double), .add = add};
