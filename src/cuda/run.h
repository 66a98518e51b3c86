/* What all CUDA devices of a run share: the functions made ready for upload, how the window and
 * the collections are cut, and the budget of memory. */
#ifndef PCF_CUDA_RUN_H
#define PCF_CUDA_RUN_H

#include "blocks/residency.h"
#include "cuda/info.h"
#include "cuda/kernels.h"
#include "pairs/pairs.h"

/* One collection inside the window: function i has start[i + 1] - start[i] breakpoints there,
 * and the (scaled) value initial[i] before them. */
struct pcf_cuda_clipped {
  const struct pcf_collection *x;
  int64_t *start; /* count + 1 */
  int *exponent;  /* by which the values of each function are scaled */
  void *initial;
  double first; /* the earliest time */
};

/* In which form functions are on the device: as bands of so many functions, or as panels. Rows
 * and columns of one collection may share a form. */
struct pcf_cuda_form {
  const struct pcf_cuda_clipped *clipped;
  struct pcf_segments segments;
  int side; /* of a band; 0 for panels */
};

/* How pairs are computed: by the sweep, on a shared grid, or by the sweep over slices of the
 * window. */
enum pcf_cuda_method { PCF_CUDA_SWEEP, PCF_CUDA_GRID, PCF_CUDA_SPLIT, PCF_CUDA_METHODS };

struct pcf_cuda_run {
  const struct pcf_task *task;
  const struct pcf_pairs *pairs;
  enum pcf_cuda_method method;
  struct pcf_cuda_clipped x, y; /* y only where the task has one */
  struct pcf_cuda_form form[2]; /* of the rows, and of the columns if forms is 2 */
  int forms, slots;
  size_t slot_bytes;

  int gpus, multiprocessors;
  char name[PCF_MAX_GPUS][256];
  double total[PCF_MAX_GPUS]; /* bytes that each has */
  struct pcf_cuda_policy policy;
  double memory; /* bytes that the device with the least has for the run */
  double limit;  /* see struct pcf_cuda_memory */

  /* The window is cut into slices where there are few long functions; slice_time holds their
   * beginnings, the first of which precedes all events. */
  int slices;
  double *slice_time;

  /* Of a shared grid: its stretches of positive and finite length, and their number as the
   * kernel wants it. `lengths` and `factors` have that many scalars. */
  int stretches;
  int64_t deep;
  void *grid, *lengths, *factors;

  /* After how many events of a function, or stretches of a shared grid, sums are flushed; 0
   * where none has more. */
  int flush;
};

/* Makes a run ready, which makes sure that CUDA can be started on the devices, and cuts its
 * matrix into blocks; pcf_cuda_run_free() frees a run that was prepared, in part or not at all
 * (all zero). */
enum pcf_status pcf_cuda_run_prepare(struct pcf_cuda_run *run, const struct pcf_task *task,
                                     struct pcf_error *error);
enum pcf_status pcf_cuda_run_schedule(struct pcf_cuda_run *run, struct pcf_schedule *schedule,
                                      struct pcf_error *error);

/* After a device ran out of memory: makes do with half of it, and cuts anew. */
enum pcf_status pcf_cuda_run_shrink(struct pcf_cuda_run *run, struct pcf_schedule *schedule,
                                    struct pcf_error *error);
void pcf_cuda_run_free(struct pcf_cuda_run *run);

/* The form of the rows (0) or columns (1). */
static inline int pcf_cuda_form_of(const struct pcf_cuda_run *run, int column) {
  return run->forms == 2 ? column : 0;
}

/* Output buffers of a device. */
enum { PCF_CUDA_BUFFERS = 4 };

/* The sums in double that a block has for each of its elements; see struct pcf_cuda_tiles and
 * pcf_cuda_cells. */
static inline size_t pcf_cuda_wide_sums(const struct pcf_cuda_run *run) {
  return run->slices > 1 ? (size_t)run->slices + 1 : run->flush > 0;
}

/* Bytes at multiples of which the arrays in a slot begin. */
enum { PCF_CUDA_ALIGNMENT = 256 };

/* What a run is expected to take; see struct pcf_backend. */
enum pcf_status pcf_cuda_offer(const void *pairs, const struct pcf_settings *settings,
                               double others, struct pcf_offer *offer, struct pcf_error *error);

#endif
