/* Cutting the work on many segments of very different lengths into chunks of about the same
 * cost: one segment of ten million elements among a million of three keeps all threads busy.
 *
 * Segment s has the elements offsets[s] … offsets[s + 1] - 1; it may be empty. There are
 * `count` segments and count + 1 offsets, the first of them 0. */
#pragma once

#include "arrays/segment-parts.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PCF_CHUNK = 65536 };

/* Where a chunk begins: before `element` (of all elements), which is in `segment`, or before
 * the end of that segment if it is empty. At the end of everything the segment is `count`. */
struct pcf_cut {
  int64_t segment, element;
};

/* The number of chunks; at least 1. */
int64_t pcf_chunk_count(const int64_t *offsets, int64_t count);

/* Where chunk `chunk` of pcf_chunk_count() begins, or the last one ends. Elements and ends of
 * segments are counted together, so that a million empty segments are shared out as well.
 * Segments are cut at multiples of `part` elements, strictly inside; 1 cuts anywhere. */
struct pcf_cut pcf_chunk_begin(const int64_t *offsets, int64_t count, int64_t chunk,
                               int64_t part);

/* A reduction of every segment. `whole` reduces the segments first … last - 1, of any lengths;
 * `parts` the parts first … last - 1 of one segment into its slots, `size` bytes for each part,
 * from any thread; `combine` then makes the result of the segment from all its slots. */
struct pcf_reduction {
  size_t size;
  void (*whole)(void *context, int64_t first, int64_t last);
  void (*parts)(void *context, int64_t segment, int64_t first, int64_t last, void *slot);
  void (*combine)(void *context, int64_t segment, const void *slot);
};

/* Runs it on up to `threads` threads, on the calling one alone where there is little to do.
 * PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes non-zero; PCF_ERROR_MEMORY. */
enum pcf_status pcf_reduce_segments(const int64_t *offsets, int64_t count, int threads,
                                    const atomic_int *stop,
                                    const struct pcf_reduction *reduction, void *context,
                                    struct pcf_error *error);

/* Is this too little work for a second thread? */
int pcf_is_small(int64_t elements, int64_t segments);

/* ---- Portions ---- */

enum { PCF_PORTION_ELEMENTS = 8192 };

/* Items, such as functions with their breakpoints or pairs of functions, which are cut into
 * portions of PCF_PORTION_ELEMENTS elements from their start, and a rest. The arrays are the
 * caller's. */
struct pcf_portions {
  int64_t items;
  const int64_t *offsets; /* items + 1, from 0: where the elements of each item begin */
  int64_t *place;         /* for each portion, see pcf_portions_place(); may be NULL */
  int64_t *total;         /* of each item, the number of its results; may be NULL */
  double *const *result;  /* of each item; may be NULL */
};

/* The elements begin … end - 1 of an item, counted from its start. An empty item has one empty
 * portion. */
struct pcf_portion {
  int64_t item, begin, end;
};

/* The numbers of the portions of an item follow one another. That of the portion that begins at
 * an element of it is less than pcf_portion_numbers(); some numbers belong to no portion. */
static inline int64_t pcf_portion_number(const struct pcf_portions *portions, int64_t item,
                                         int64_t begin) {
  return portions->offsets[item] / PCF_PORTION_ELEMENTS + item + begin / PCF_PORTION_ELEMENTS;
}

static inline int64_t pcf_portion_numbers(const struct pcf_portions *portions) {
  return pcf_portion_number(portions, portions->items, 0);
}

static inline int64_t *pcf_place_of(const struct pcf_portions *portions,
                                    const struct pcf_portion *portion) {
  return &portions->place[pcf_portion_number(portions, portion->item, portion->begin)];
}

/* Runs `body` for all portions on up to `threads` threads. PCF_ERROR_INTERRUPTED,
 * PCF_ERROR_MEMORY. */
typedef void pcf_portion_body(void *context, const struct pcf_portion *portion);
enum pcf_status pcf_portions_run(const struct pcf_portions *portions, int threads,
                                 const atomic_int *stop, pcf_portion_body *body, void *context,
                                 struct pcf_error *error);

/* Replaces the number of results of each portion in `place` by the index of the first of them
 * among the results of their item, and fills `total`. */
void pcf_portions_place(const struct pcf_portions *portions);

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

/* Makes a place the first one if it comes before it; from any thread. */
void pcf_note_place(struct pcf_place *first, struct pcf_place place);
