/* Devices: what can run blocks, behind a table of functions. */
#ifndef PCF_DEVICE_H
#define PCF_DEVICE_H

#include "pairs/grid.h"
#include "pairs/plan.h"

enum { PCF_MAX_BUFFERS = 8 };

/* What every device of a run reads: the request as it was planned. */
struct pcf_task {
  const struct pcf_collection *x, *y; /* y is NULL for the pairs of x itself */
  enum pcf_mode mode;
  struct pcf_integral integral;
  struct pcf_plan plan;
  const struct pcf_grid *grid;
  int64_t pairs;     /* of a paired request */
  int width;         /* of a tile, where it is forced; 0: the device's choice */
  int gpus;          /* at most so many; 0: all */
  double gpu_memory; /* bytes of each that may be used; 0: all */
  int timeline;      /* will span() be called? */
  const atomic_int *stop;
};

/* A run calls prepare() and schedule() once; then, on each worker's thread, open() and
 * upload(), for every block launch(), fetch() and wait(), and close(); and release() at the
 * end. Whatever was opened is closed and released after a failure too. Functions return PCF_OK
 * or fill `error`; on failure they leave nothing behind that close() or release() would not
 * free.
 *
 * When open(), upload(), launch(), fetch() or wait() fails with PCF_ERROR_DEVICE_MEMORY and the
 * schedule allows it, all devices are closed, the blocks that no sink has yet are cut smaller,
 * and the workers open their devices anew. */
struct pcf_backend {
  const char *name;
  /* What it expects a request to take, with the kernel that it would use: ∞ when it cannot run
   * it or would not try. NULL for the CPU, for which the plan knows. */
  double (*seconds)(const struct pcf_request *request, const struct pcf_plan *plan,
                    enum pcf_kernel *kernel);
  int buffers; /* blocks that a device can hold at once: 1 … PCF_MAX_BUFFERS */
  /* What all devices of the run share; the schedule needs it too. */
  enum pcf_status (*prepare)(const struct pcf_task *task, void **shared,
                             struct pcf_error *error);
  enum pcf_status (*schedule)(void *shared, struct pcf_schedule *schedule,
                              struct pcf_error *error);
  /* Called on the schedule after its blocks were cut smaller, while no device is open, so that
   * they can be put in another order, but not changed. NULL: nothing to do. */
  enum pcf_status (*reschedule)(void *shared, struct pcf_schedule *schedule,
                                struct pcf_error *error);
  void (*release)(void *shared);
  /* The number of devices that should work at once, at least 1. */
  int (*devices)(void *shared);
  enum pcf_status (*open)(void *shared, int index, void **device, struct pcf_error *error);
  /* Brings functions and buffers for blocks of up to `elements` to the device. */
  enum pcf_status (*upload)(void *device, int64_t elements, struct pcf_error *error);
  /* Starts computing a block into buffer `buffer`, which holds no block that is still to be
   * waited for. */
  enum pcf_status (*launch)(void *device, const struct pcf_block *block, int buffer,
                            struct pcf_error *error);
  /* Starts copying it to the host, and waits for that; blocks are waited for in the order of
   * their launch. The result may be NULL when the block is
   * a part of a pair that is not complete yet. */
  enum pcf_status (*fetch)(void *device, const struct pcf_block *block, int buffer,
                           struct pcf_error *error);
  enum pcf_status (*wait)(void *device, const struct pcf_block *block, int buffer,
                          const void **result, int64_t *stride, struct pcf_error *error);
  /* Of a task with a timeline, after wait(): when the device began to compute the block in the
   * buffer, had computed it, and had copied it to the host, on the clock of pcf_seconds(); NaN
   * for what it does not know. NULL: knows nothing. */
  void (*span)(void *device, int buffer, double *begun, double *computed, double *copied);
  void (*close)(void *device);
};

/* CPU threads, each a device of its own. */
extern const struct pcf_backend pcf_cpu_backend;

/* The CUDA devices, or NULL when the package was built without them. */
const struct pcf_backend *pcf_cuda_backend(void);

/* For tests: `inner` behind a double whose step number `k` fails (k = 1 is the first; 0 turns
 * this off). Steps are the calls that can fail, counted over all devices. One double at a time.
 */
const struct pcf_backend *pcf_failing_backend(const struct pcf_backend *inner, long k);

/* The same, but `times` steps from number k on (0: all of them) fail with
 * PCF_ERROR_DEVICE_MEMORY, and blocks may be cut down to single tiles. */
const struct pcf_backend *pcf_exhausted_backend(const struct pcf_backend *inner, long k,
                                                long times);

#endif
