#include "pairs/event-lists.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/schedule.h"
#include "pairs/view.h"

#include <math.h>

enum { FUNCTIONS_AT_ONCE = 64 };

struct filling {
  struct pcf_event_lists *lists;
  const struct pcf_collection *x;
  const struct pcf_integral *integral;
};

/* Of events at one time, once it is rounded, the last one counts. */
static void fill_list(struct pcf_event_list *list, const struct pcf_view *view,
                      enum pcf_precision precision) {
  int64_t kept = 0;
  double last = -INFINITY;
  pcf_store_scalar(list->event, 1, view->initial, precision);
  for (int64_t k = 0; k < view->events; k++) {
    double time = pcf_narrowed(pcf_view_time(view, k), precision);
    if (kept && time == last) kept--;
    pcf_store_scalar(list->event, 2 * kept++, time, precision);
    pcf_store_scalar(list->event, 2 * kept + 1, pcf_view_value(view, k), precision);
    last = time;
  }
  pcf_store_scalar(list->event, 2 * kept, INFINITY, precision);
  list->events = kept;
}

static void fill_some(void *filling_, int64_t first, int64_t end) {
  const struct filling *filling = filling_;
  for (int64_t i = first; i < end; i++) {
    struct pcf_view view = pcf_view_of(filling->x, i, filling->integral);
    fill_list(&filling->lists->list[i], &view, filling->integral->precision);
  }
}

/* Each function has room for one more event than it has breakpoints. */
enum pcf_status pcf_event_lists_make(struct pcf_event_lists *lists,
                                     const struct pcf_collection *x,
                                     const struct pcf_integral *integral, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  size_t scalar = pcf_scalar_size(integral->precision), count = (size_t)x->count;
  *lists = (struct pcf_event_lists){0};
  lists->list = pcf_allocate(count, sizeof *lists->list, error);
  if (!lists->list) return PCF_ERROR_MEMORY;
  char *memory = lists->memory =
    pcf_allocate((size_t)pcf_total_breakpoints(x) + count, 2 * scalar, error);
  if (!memory) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    lists->list[i] = (struct pcf_event_list){0, memory};
    memory += ((size_t)pcf_breakpoints(x, (int64_t)i) + 1) * 2 * scalar;
  }
  struct filling filling = {lists, x, integral};
  return pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, fill_some, &filling, error);
}

void pcf_event_lists_free(struct pcf_event_lists *lists) {
  pcf_free(lists->list);
  pcf_free(lists->memory);
  *lists = (struct pcf_event_lists){0};
}
