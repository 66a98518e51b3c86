/* The ragged primitives on a CUDA device: those of summaries/segments.h and
 * collections/intervals.h, with the same results, bit for bit. */
#ifndef PCF_CUDA_RAGGED_H
#define PCF_CUDA_RAGGED_H

#include "blocks/device.h"
#include "summaries/segments.h"

#include <stddef.h>

/* As pcf_segment_reduce(). Of two zeros that differ in their sign, either is the extremum. */
enum pcf_status pcf_cuda_segment_reduce(enum pcf_reduce reduce, struct pcf_numbers values,
                                        const int64_t *offsets, int64_t count,
                                        const struct pcf_settings *settings,
                                        const atomic_int *stop, double *result,
                                        struct pcf_error *error);

/* As pcf_sparse_times_vectors(). The matrix goes up once. */
enum pcf_status pcf_cuda_sparse_times_vectors(const struct pcf_sparse *matrix,
                                              const double *vector, int64_t count,
                                              const struct pcf_settings *settings,
                                              const atomic_int *stop, double *result,
                                              struct pcf_error *error);

/* Reduces the runs of equal consecutive keys. Run r of *count has the keys (*offsets)[r] …
 * (*offsets)[r + 1] - 1, and the value (*result)[r]. Both arrays are the caller's to free with
 * pcf_free(); after a failure they are NULL. */
enum pcf_status pcf_cuda_reduce_by_key(enum pcf_reduce reduce, const struct pcf_keys *keys,
                                       struct pcf_numbers values,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *count,
                                       int64_t **offsets, double **result,
                                       struct pcf_error *error);

/* Intervals to move, as in pcf_interval_move(), or with `expand` values to repeat, as in
 * pcf_interval_expand(). There are `source` elements to move from, and `length` of them to
 * move to, of which those that no interval is written to stay as they are. */
struct pcf_cuda_intervals {
  const void *from;
  void *to;
  int64_t source, length;
  int expand;
  const int64_t *gather, *scatter, *offsets; /* NULL as in pcf_interval_move() */
  int64_t count;
  size_t size;
};

enum pcf_status pcf_cuda_move(const struct pcf_cuda_intervals *intervals,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_error *error);

#endif
