/* What all CUDA devices of a run share: the functions as they are to be copied to them, how the
 * collections are cut into segments, and how much memory there is. */
#pragma once

#include "blocks/residency.h"
#include "cuda-kernels/kernels.h"
#include "cuda/info.h"
#include "integrals/view.h"
#include "pairs/pairs.h"
#include "pruning/byte-bounds.h"
#include "sinks/selection.h"

struct pcf_cuda_method;
struct pcf_cuda_common;

/* One collection inside the window: function i is view[i], and has start[i + 1] - start[i]
 * breakpoints there. */
struct pcf_cuda_clipped {
  const struct pcf_collection *x;
  struct pcf_view *view;
  int64_t *start; /* count + 1 */
  struct pcf_arrays arrays;
};

/* How functions are arranged on the device, as bands or as panels. Rows and columns of one
 * collection share a form. */
struct pcf_cuda_form {
  const struct pcf_cuda_clipped *clipped;
  struct pcf_segments segments;
};

/* An array of numbers that all segments share, which a device gets as scalars; the method knows
 * what it is. */
struct pcf_cuda_shared {
  const double *number;
  int64_t count; /* 0: there is none */
};
enum { PCF_CUDA_MOST_SHARED = 3 };

struct pcf_cuda_run {
  const struct pcf_task *task;
  const struct pcf_pairs *pairs;
  const struct pcf_cuda_method *method;
  void *state; /* the method's own */
  struct pcf_cuda_shared shared[PCF_CUDA_MOST_SHARED];
  struct pcf_cuda_clipped x, y; /* y only where the task has one */
  struct pcf_cuda_form form[2]; /* of the rows, and of the columns if forms is 2 */
  int forms, slots;
  size_t slot_bytes;

  struct pcf_cuda_info info;      /* of the devices, of which those that are wanted are used */
  int band;                       /* functions of a band, or of a panel */
  double memory;                  /* bytes that the device with the least has for the run */
  int use_resident;               /* are collections read where they stay? */
  double limit;                   /* see struct pcf_cuda_memory */
  int keeps_lists;                /* do the devices keep lists of what the sink wants? */
  struct pcf_cuda_common *common; /* limits of these lists; NULL: there is no use for them */
  /* Where the devices compute only tiles that these bounds do not leave out. */
  struct pcf_byte_bounds bounds, column_bounds; /* the latter of y, if there is one */

  /* The sums in double that a block has for each of its elements; see struct pcf_cuda_tiles and
   * pcf_cuda_cells. */
  int wide;
  int64_t side; /* no block has more rows or columns; set with the schedule */
};

/* For struct pcf_backend: pcf_cuda_run_prepare() starts CUDA on the devices and prepares a run,
 * pcf_cuda_run_schedule() cuts its matrix into blocks. pcf_cuda_run_free() frees a run (NULL:
 * none), also one that was prepared only in part. */
enum pcf_status pcf_cuda_run_prepare(const struct pcf_task *task, void **run, int *devices,
                                     struct pcf_error *error);
enum pcf_status pcf_cuda_run_schedule(void *run, struct pcf_schedule *schedule,
                                      struct pcf_error *error);

/* After a device ran out of memory: halves the memory of the run, and cuts the matrix again. */
enum pcf_status pcf_cuda_run_shrink(void *run, struct pcf_schedule *schedule,
                                    struct pcf_error *error);
void pcf_cuda_run_free(void *run);

/* Which pairs the sink of a run wants; NULL: all of them. */
static inline const struct pcf_selection *
pcf_cuda_selection_of(const struct pcf_cuda_run *run) {
  return run->task->sink ? run->task->sink->selection : NULL;
}

/* Do the devices choose the tiles that they compute? With lists, a block may then have far more
 * numbers than there is room for at once, which is for so many tiles. */
static inline int pcf_cuda_chooses(const struct pcf_cuda_run *run) {
  return run->bounds.words > 0;
}
int64_t pcf_cuda_most_chosen(const struct pcf_cuda_run *run);

/* Is a block on the diagonal, so that it has only half of its pairs? */
static inline int pcf_cuda_is_triangle(const struct pcf_cuda_run *run,
                                       const struct pcf_block *block) {
  return run->task->mode != PCF_FULL && block->row == block->column;
}

/* The form of the rows (0) or columns (1). */
static inline int pcf_cuda_form_of(const struct pcf_cuda_run *run, int column) {
  return run->forms == 2 ? column : 0;
}

/* The number of output buffers of a device. For a selection, each has room for one entry for
 * every PCF_CUDA_NUMBERS_PER_ENTRY numbers of a block, which takes a quarter of the bytes of a
 * block of floats: where more numbers pass, it is cheaper to copy the whole block. */
enum { PCF_CUDA_BUFFERS = 6, PCF_CUDA_NUMBERS_PER_ENTRY = 16 };
