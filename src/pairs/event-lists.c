#include "pairs/event-lists.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/schedule.h"
#include "pairs/band.h"

#include <math.h>

enum { FUNCTIONS_AT_ONCE = 64 };

struct filling {
  struct pcf_event_lists *lists;
  const struct pcf_collection *x;
  const struct pcf_integral *integral;
};

/* Of events at one time, once it is rounded, the last one counts. */
static void fill_list(struct pcf_event_list *list, const struct pcf_view *view,
                      const struct pcf_integral *integral) {
  enum pcf_precision precision = integral->precision;
  int64_t kept = 0, columns = view->left ? 3 : 2, events = pcf_band_events(view, integral);
  double last = -INFINITY;
  pcf_store_scalar(list->event, 1, view->initial, precision);
  if (view->left) pcf_store_scalar(list->event, 2, view->initial_slope, precision);
  for (int64_t k = 0; k < events; k++) {
    double time = pcf_event_time(view, integral, k);
    if (kept && time == last) kept--;
    pcf_store_scalar(list->event, columns * kept++, time, precision);
    int64_t after = columns * kept + 1;
    pcf_store_scalar(list->event, after, pcf_event_value(view, k), precision);
    if (view->left) {
      double slope = pcf_event_slope(view, k, precision);
      pcf_store_scalar(list->event, after + 1, slope, precision);
    }
    last = time;
  }
  pcf_store_scalar(list->event, columns * kept, INFINITY, precision);
  list->events = kept;
}

static enum pcf_status fill_some(void *filling_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct filling *filling = filling_;
  int64_t first = index * FUNCTIONS_AT_ONCE, end = first + FUNCTIONS_AT_ONCE;
  (void)thread;
  (void)error;
  if (end > filling->x->count) end = filling->x->count;
  for (int64_t i = first; i < end; i++) {
    struct pcf_view view = pcf_view_of(filling->x, i, filling->integral);
    fill_list(&filling->lists->list[i], &view, filling->integral);
  }
  return PCF_OK;
}

/* Each function has room for one more event than it has breakpoints, and piecewise linear ones
 * for two. */
enum pcf_status pcf_event_lists_make(struct pcf_event_lists *lists,
                                     const struct pcf_collection *x,
                                     const struct pcf_integral *integral, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  size_t count = (size_t)x->count, more = x->linear ? 2 : 1;
  size_t event = (x->linear ? 3 : 2) * pcf_scalar_size(integral->precision);
  *lists = (struct pcf_event_lists){0};
  lists->list = pcf_allocate(count, sizeof *lists->list, error);
  if (!lists->list) return PCF_ERROR_MEMORY;
  char *memory = lists->memory =
    pcf_allocate((size_t)pcf_total_breakpoints(x) + more * count, event, error);
  if (!memory) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    lists->list[i] = (struct pcf_event_list){0, memory};
    memory += ((size_t)pcf_breakpoints(x, (int64_t)i) + more) * event;
  }
  struct filling filling = {lists, x, integral};
  int64_t parts = pcf_band_count(x->count, FUNCTIONS_AT_ONCE);
  return pcf_parallel_for(threads, parts, stop, fill_some, &filling, error);
}

void pcf_event_lists_free(struct pcf_event_lists *lists) {
  pcf_free(lists->list);
  pcf_free(lists->memory);
  *lists = (struct pcf_event_lists){0};
}
