/* The plan: which kernel computes a request, how it is cut, and what that is thought to cost.
 */
#ifndef PCF_PLAN_H
#define PCF_PLAN_H

#include "blocks/sink.h"
#include "pairs/grid.h"
#include "pairs/kernels.h"

enum pcf_kernel {
  PCF_KERNEL_AUTO = -1,
  PCF_SWEEP = 0, /* general ragged data */
  PCF_GRID,      /* functions that share most of their breakpoints */
  PCF_SPLIT,     /* few, long functions */
  PCF_KERNEL_COUNT,
};

const char *pcf_kernel_name(enum pcf_kernel kernel);

struct pcf_backend;

/* What the caller asks for. */
struct pcf_request {
  const struct pcf_collection *x, *y; /* y is NULL for the pairs of x itself */
  enum pcf_mode mode;
  enum pcf_operation operation;
  double p, from, to;
  enum pcf_precision precision;
  int threads;
  /* Choices that are otherwise the plan's: */
  enum pcf_kernel kernel;   /* PCF_KERNEL_AUTO */
  const char *instructions; /* NULL */
  int width;                /* 0 */
  int64_t block_side;       /* 0 */
  /* A backend to use instead of the CPU: when it expects to be faster, or always. */
  const struct pcf_backend *cuda;
  int cuda_only;
  int gpus;          /* of the backend's devices at most so many; 0: all */
  double gpu_memory; /* bytes of each device that may be used; 0: all */
  int timeline;      /* should the report have the times of each block? */
};

struct pcf_plan {
  enum pcf_kernel kernel;
  enum pcf_instructions instructions;
  int threads;
  int width;          /* functions in a band or panel */
  int64_t block_side; /* 0: from the device's limits */
  double pairs, rectangles, cells;
  double seconds[PCF_KERNEL_COUNT]; /* expected of each kernel; ∞ where it cannot be used */
  double cuda_seconds; /* the same of the CUDA devices; ∞ if they were not asked */
};

/* Chooses. `grid` receives the shared grid, without points where there is none worth using;
 * free it with pcf_grid_free(). */
enum pcf_status pcf_plan_make(struct pcf_plan *plan, const struct pcf_request *request,
                              const struct pcf_integral *integral, struct pcf_grid *grid,
                              struct pcf_error *error);

#endif
