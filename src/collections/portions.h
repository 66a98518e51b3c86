/* Work on the elements of many items of any lengths, cut into portions. An item may be a
 * function with its breakpoints, or a pair of functions. Long items have many portions, short
 * ones one each, and threads take them in blocks. The cuts depend on the lengths alone. */
#ifndef PCF_PORTIONS_H
#define PCF_PORTIONS_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PCF_PORTION_ELEMENTS = 8192 };

/* How items are cut. All arrays are the caller's. */
struct pcf_portions {
  int64_t items;
  const int64_t *length; /* of each item, in elements, 0 or more */
  int64_t *first; /* items + 1 numbers: item i has the portions first[i] … first[i+1]-1 */
  int64_t *place; /* for each portion, see pcf_portions_place(); may be NULL */
};

/* The elements begin … end - 1 of an item. An empty item has one empty portion. */
struct pcf_portion {
  int64_t number, item, begin, end;
};

/* Fills portions->first and returns the number of portions. */
int64_t pcf_portions_cut(struct pcf_portions *portions);

/* Work on one portion. A status other than PCF_OK ends the loop. */
typedef enum pcf_status pcf_portion_body(void *context, const struct pcf_portion *portion,
                                         struct pcf_error *error);

/* Runs `body` for all portions on up to `threads` threads, like pcf_parallel_for(). */
enum pcf_status pcf_portions_run(const struct pcf_portions *portions, int threads,
                                 const atomic_int *stop, pcf_portion_body *body, void *context,
                                 struct pcf_error *error);

/* Replaces the number of results of each portion in `place` by the index of the first of them
 * among the results of their item; total[i] is the number of results of item i. */
void pcf_portions_place(struct pcf_portions *portions, int64_t *total);

/* The first place, in the order of items and positions, at which something is wrong. */
struct pcf_place {
  int64_t item, position; /* item = -1: nowhere */
};

#define PCF_NOWHERE ((struct pcf_place){-1, -1})

/* Is `a` a place that comes before `b`? */
static inline int pcf_place_before(struct pcf_place a, struct pcf_place b) {
  if (a.item < 0 || b.item < 0) return a.item >= 0;
  return a.item < b.item || (a.item == b.item && a.position < b.position);
}

#endif
