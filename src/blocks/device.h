/* Devices: they compute blocks, and are accessed through a table of functions. */
#pragma once

#include "blocks/sink.h"

enum { PCF_MAX_BUFFERS = 8 };

/* A whole number of tiles of any width. */
enum { PCF_ITEMS_TOGETHER = 256 };

/* Settings of a run that do not depend on what is computed. */
struct pcf_settings {
  int threads;
  int64_t block_side; /* 0: chosen by the device */
  int gpus;           /* the maximum number; 0: all */
  double gpu_memory;  /* bytes of each that may be used; 0: all */
  int timeline;       /* should the times of each block be recorded? */
  /* Only pairs of these rows and columns are computed, with the plan for all of them. They
   * begin at multiples of PCF_ITEMS_TOGETHER, and end at such or with the matrix. No rows, or
   * no columns: all. */
  struct pcf_rectangle only;
};

/* The rectangle to compute, for a matrix of that size. */
static inline struct pcf_rectangle pcf_asked_for(const struct pcf_settings *settings,
                                                 int64_t rows, int64_t columns) {
  struct pcf_rectangle only = settings->only;
  if (!only.rows) only.rows = rows;
  if (!only.columns) only.columns = columns;
  return only;
}

/* How a backend would compute a problem, and how long it expects that to take. `how` belongs to
 * the backend and has static duration. */
struct pcf_task;
struct pcf_offer {
  const char *method; /* NULL: none that was requested */
  const void *how;
  /* Computes all results without blocks; the sink gets none. NULL: blocks are computed. */
  enum pcf_status (*at_once)(const struct pcf_task *task, struct pcf_error *error);
  double seconds;           /* ∞ if it cannot compute the problem, or declines to */
  struct pcf_error problem; /* why it cannot, if the user should know */
  int threads;              /* the number of host threads it would use */
};

/* Divides the numbers of a finished block, in the buffer of the device, which nothing else
 * reads, by those of the same block of the task's divisor; without one `divisors` has no data.
 * `team` is NULL or threads that may share the work. Several threads call it at the same time.
 */
typedef enum pcf_status pcf_divide_block(const struct pcf_task *task,
                                         const struct pcf_finished *finished,
                                         const struct pcf_finished *divisors,
                                         struct pcf_team *team, struct pcf_error *error);

/* The input of every device of a run. Only the family and its backends know what `problem` is.
 */
struct pcf_task {
  const void *problem;
  struct pcf_items rows, columns; /* the same if items of one collection are compared */
  enum pcf_mode mode;
  int64_t pairs; /* in the paired mode */
  struct pcf_scale scale;
  struct pcf_settings settings;
  struct pcf_offer offer; /* that of the backend, which was accepted */
  /* The sink of the blocks. NULL while nothing is computed, and for a task with divide(), since
   * devices cannot select by numbers that are not results yet. */
  struct pcf_sink *sink;
  struct pcf_preferences preferences; /* of the sink */
  const atomic_int *stop;
  /* NULL, or a function that divides the numbers of a block before the sink gets it. */
  pcf_divide_block *divide;
  /* NULL, or a task over the same pairs, whose numbers divide() needs: the same backend
   * computes them, in the same blocks. */
  struct pcf_task *divisor;
};

/* A run calls prepare() and schedule() once; then, on the thread of each worker, open(), for
 * every block launch() and wait(), and close(); and release() at the end. After a failure, too,
 * everything that was opened is closed and released. Functions return PCF_OK or fill `error`;
 * on failure close() and release() must be able to free everything.
 *
 * When open(), launch() or wait() fails with PCF_ERROR_DEVICE_MEMORY and the schedule allows
 * it, all devices are closed, the blocks that no sink has received yet are made smaller, and
 * the workers open their devices again. Blocks kept by the device are lost then, and computed
 * again. */
struct pcf_backend {
  const char *name;
  /* Fills its offer for a planned problem. `others` are the seconds of the best backend that
   * was asked before, or ∞. */
  void (*offer)(const void *problem, const struct pcf_settings *settings, double others,
                struct pcf_offer *offer);
  int buffers; /* blocks that a device can hold at once: 1 … PCF_MAX_BUFFERS */
  int chooses; /* does a device look at the bounds of a selection by itself? */
  /* Prepares what all devices of the run share and the schedule needs. Fills the number of
   * devices that should work at once, at least 1. */
  enum pcf_status (*prepare)(const struct pcf_task *task, void **shared, int *devices,
                             struct pcf_error *error);
  enum pcf_status (*schedule)(void *shared, struct pcf_schedule *schedule,
                              struct pcf_error *error);
  /* Prepares, with half of the memory, for a schedule whose blocks were made smaller, or that
   * is another task's. May reorder the blocks, but not change them. No device is open then.
   * NULL: nothing to do. */
  enum pcf_status (*reschedule)(void *shared, struct pcf_schedule *schedule,
                                struct pcf_error *error);
  void (*release)(void *shared);
  /* Opens device number `index`, and copies items to it and allocates buffers for blocks of up
   * to `elements`. */
  enum pcf_status (*open)(void *shared, int index, int64_t elements, void **device,
                          struct pcf_error *error);
  /* Starts to compute a block into buffer `buffer`, which holds no block that is still to be
   * waited for, and then to copy it to the host. */
  enum pcf_status (*launch)(void *device, const struct pcf_block *block, int buffer,
                            struct pcf_error *error);
  /* Waits for that block; blocks are waited for in the order of their launch. Fills all of
   * `finished` but the block and, without a timeline, the times. If it sets neither data nor
   * `few` nor `kept`, the block is a part of a rectangle that has other parts to come.
   *
   * A device that has set `kept` for a block is called again after the last block, with NULL
   * for the block. It then gives entries of what it has kept, until it no longer sets
   * `kept`. */
  enum pcf_status (*wait)(void *device, const struct pcf_block *block, int buffer,
                          struct pcf_finished *finished, struct pcf_error *error);
  void (*close)(void *device);
};
