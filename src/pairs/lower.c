/* An item is a value that a function takes or leaves at a time. One that is taken has the
 * weight b(g) from then on, and one that is left −b(g); a function of x asks for what has gone
 * on below the value that it leaves, and takes away what had gone on below the value that it
 * takes.
 *
 * The items are merged by value, from single ones to all, in the order of time: in each merge
 * the later ones ask for the moments of the earlier ones that are below. So each question meets
 * each earlier item below it exactly once, in time M log M. */
#include "pairs/lower.h"

#include "base/memory.h"
#include "pairs/slabs.h"

#include <string.h>

enum { ITEMS_PER_STOP_CHECK = 1 << 14 };

struct pcf_lower_item {
  double value, weight;
  struct pcf_twofold time; /* since the slab began */
  int32_t function, query; /* −1, 0 or 1 */
};

void pcf_lower_free(struct pcf_lower *lower) {
  pcf_free(lower->item);
  pcf_free(lower->merged);
  *lower = (struct pcf_lower){0};
}

/* ---- Items ---- */

static enum pcf_status make_room(struct pcf_lower *lower, int64_t items,
                                 struct pcf_error *error) {
  if (items <= lower->room) return PCF_OK;
  pcf_lower_free(lower);
  int64_t room = items + items / 4;
  lower->item = pcf_allocate((size_t)room, sizeof *lower->item, error);
  lower->merged = pcf_allocate((size_t)room, sizeof *lower->merged, error);
  if (!lower->item || !lower->merged) return PCF_ERROR_MEMORY;
  lower->room = room;
  return PCF_OK;
}

static void add_item(struct pcf_lower *lower, int64_t *count, double value, double weight,
                     struct pcf_twofold time, int64_t function, int query) {
  if (weight == 0 && query == 0) return;
  lower->item[(*count)++] =
    (struct pcf_lower_item){value, weight, time, (int32_t)function, query};
}

/* In the order of time; the slab's values are used up. Returns their number. */
static int64_t list_items(struct pcf_lower *lower, const struct pcf_slab_sums *sums,
                          const struct pcf_slab *slab, double *value) {
  int64_t functions = sums->rows + sums->others, count = 0;
  struct pcf_twofold begun = {0, 0}, end = pcf_exact_sum_of(slab->end, -slab->begin);
  for (int64_t f = 0; f < functions; f++) {
    value[f] = slab->value[f];
    add_item(lower, &count, value[f], pcf_weight_of(sums, f), begun, f, 0);
  }
  for (int64_t k = 0; k < slab->events; k++) {
    const struct pcf_event *event = &slab->event[k];
    int64_t f = (int64_t)event->change[0];
    int query = f < sums->rows;
    double b = pcf_weight_of(sums, f), now = pcf_new_value(event);
    struct pcf_twofold time = pcf_exact_sum_of(pcf_time_of(event->key), -slab->begin);
    add_item(lower, &count, value[f], -b, time, f, query);
    add_item(lower, &count, now, b, time, f, -query);
    value[f] = now;
  }
  for (int64_t f = 0; f < sums->rows; f++) add_item(lower, &count, value[f], 0, end, f, 1);
  return count;
}

/* ---- Merging ---- */

struct merging {
  double center;
  const double *factor;
  struct pcf_twofold *sum;
};

/* Merges items first … middle - 1 and middle … last - 1, each by value. Of equal values the
 * later ones come first: nothing is below them. */
PCF_ALWAYS_INLINE void merge(const struct merging *merging, int p,
                             const struct pcf_lower_item *from, struct pcf_lower_item *to,
                             int64_t first, int64_t middle, int64_t last) {
  struct pcf_moments moments = {0};
  struct pcf_powers powers;
  int64_t i = first, j = middle;
  for (int64_t k = first; k < last; k++) {
    int early = j == last || (i < middle && from[i].value < from[j].value);
    const struct pcf_lower_item *item = &from[early ? i++ : j++];
    to[k] = *item;
    if (early ? item->weight == 0 || j == last : item->query == 0 || i == first) continue;
    pcf_find_powers(item->value, merging->center, p, &powers);
    if (early) {
      pcf_change_moments(&moments, &powers, 0, p, item->weight, item->time);
      continue;
    }
    struct pcf_twofold below =
      pcf_ask_moments(&moments, merging->factor, &powers, p, p, item->time);
    struct pcf_twofold *sum = &merging->sum[item->function];
    *sum = pcf_twofold_sum(*sum, pcf_twofold_times(below, 2 * item->query));
  }
}

/* Returns 1 when it was stopped. */
PCF_ALWAYS_INLINE int merge_all(const struct merging *merging, int p, struct pcf_lower *lower,
                                int64_t count, const atomic_int *stop) {
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t first = 0; first < count; first += 2 * width) {
      int64_t middle = first + width < count ? first + width : count;
      int64_t last = middle + width < count ? middle + width : count;
      if (first % ITEMS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) return 1;
      merge(merging, p, lower->item, lower->merged, first, middle, last);
    }
    struct pcf_lower_item *merged = lower->merged;
    lower->merged = lower->item;
    lower->item = merged;
  }
  return 0;
}

enum pcf_status pcf_add_lower(struct pcf_lower *lower, const struct pcf_slab_sums *sums,
                              const struct pcf_slab *slab, double *value, double center,
                              const double *factor, const atomic_int *stop,
                              struct pcf_twofold *sum, struct pcf_error *error) {
  int64_t functions = sums->rows + sums->others;
  enum pcf_status status = make_room(lower, functions + sums->rows + 2 * slab->events, error);
  if (status) return status;
  struct merging merging = {center, factor, sum};
  int64_t count = list_items(lower, sums, slab, value);
  int stopped = sums->power == 3 ? merge_all(&merging, 3, lower, count, stop)
                                 : merge_all(&merging, sums->power, lower, count, stop);
  return stopped ? pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted") : PCF_OK;
}
