#include "kernels/event-lists.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/schedule.h"
#include "integrals/view.h"

#include <math.h>

enum { FUNCTIONS_AT_ONCE = 64 };

struct filling {
  struct pcf_event_lists *lists;
  const struct pcf_collection *x, *y;
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
    struct pcf_view view = pcf_view_of_both(filling->x, filling->y, i, filling->integral);
    fill_list(&filling->lists->list[i], &view, filling->integral->precision);
  }
}

/* Each function has room for one more event than it has breakpoints. */
enum pcf_status pcf_event_lists_make(struct pcf_event_lists *lists,
                                     const struct pcf_collection *x,
                                     const struct pcf_collection *y,
                                     const struct pcf_integral *integral, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  int64_t rows = x->count, count = rows + (y ? y->count : 0);
  int64_t events = pcf_total_breakpoints(x) + (y ? pcf_total_breakpoints(y) : 0) + count;
  size_t each = 2 * pcf_scalar_size(integral->precision);
  *lists = (struct pcf_event_lists){0};
  lists->list = pcf_array(&lists->arrays, (size_t)count, sizeof *lists->list, error);
  char *memory = pcf_array(&lists->arrays, (size_t)events, each, error);
  if (lists->arrays.status) return PCF_ERROR_MEMORY;
  lists->columns = lists->list + (y ? rows : 0);
  for (int64_t i = 0; i < count; i++) {
    lists->list[i] = (struct pcf_event_list){0, memory};
    events = i < rows ? pcf_breakpoints(x, i) : pcf_breakpoints(y, i - rows);
    memory += (size_t)(events + 1) * each;
  }
  struct filling filling = {lists, x, y, integral};
  return pcf_for_ranges(threads, count, FUNCTIONS_AT_ONCE, stop, fill_some, &filling, error);
}

void pcf_event_lists_free(struct pcf_event_lists *lists) {
  pcf_arrays_free(&lists->arrays);
  *lists = (struct pcf_event_lists){0};
}
