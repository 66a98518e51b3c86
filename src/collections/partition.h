/* Cutting the work on many segments of very different lengths into chunks of about the same
 * cost: one segment of ten million elements among a million of three keeps all threads busy.
 *
 * Segment s has the elements offsets[s] … offsets[s + 1] - 1; it may be empty. There are
 * `count` segments and count + 1 offsets, the first of them 0. */
#ifndef PCF_PARTITION_H
#define PCF_PARTITION_H

#include "base/error.h"
#include "collections/segment-parts.h"

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
 * `parts` the parts first … last - 1 of one segment into their slots, from any thread;
 * `combine` then makes the result of the segment from its slots. */
struct pcf_reduction {
  void (*whole)(void *context, int64_t first, int64_t last);
  void (*parts)(void *context, int64_t segment, int64_t first, int64_t last);
  void (*combine)(void *context, int64_t segment);
};

/* Runs it on up to `threads` threads, on the calling one alone where there is little to do.
 * PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes non-zero; PCF_ERROR_MEMORY. */
enum pcf_status pcf_reduce_segments(const int64_t *offsets, int64_t count, int threads,
                                    const atomic_int *stop,
                                    const struct pcf_reduction *reduction, void *context,
                                    struct pcf_error *error);

/* Is this too little work for a second thread? */
int pcf_is_small(int64_t elements, int64_t segments);

#endif
