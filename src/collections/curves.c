#include "collections/curves.h"

#include "arrays/partition.h"
#include "base/hints.h"
#include "collections/check.h"

#include <string.h>

enum pcf_status pcf_curves_make(struct pcf_curves *curves, int64_t count,
                                const int64_t *stretches, int64_t blocks,
                                struct pcf_error *error) {
  int64_t total = 0;
  for (int64_t r = 0; r < count; r++) total += stretches ? stretches[r] : 1;
  *curves = (struct pcf_curves){.count = count};
  struct pcf_arrays *arrays = &curves->arrays;
  curves->starts = pcf_array(arrays, (size_t)count + 1, sizeof *curves->starts, error);
  curves->breakpoints = pcf_array(arrays, (size_t)count, sizeof *curves->breakpoints, error);
  curves->stretch = pcf_zeros(arrays, (size_t)total, sizeof *curves->stretch, error);
  curves->block = pcf_zeros(arrays, (size_t)blocks, sizeof *curves->block, error);
  if (arrays->status) {
    pcf_curves_free(curves);
    return PCF_ERROR_MEMORY;
  }
  curves->blocks = blocks;
  curves->starts[0] = 0;
  for (int64_t r = 0; r < count; r++) {
    curves->starts[r + 1] = curves->starts[r] + (stretches ? stretches[r] : 1);
  }
  return PCF_OK;
}

enum pcf_status pcf_curves_too_long(int64_t breakpoints, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_ARGUMENT,
                  "The result has %lld breakpoints, but an R matrix has at most %lld rows.",
                  (long long)breakpoints, (long long)PCF_MOST_BREAKPOINTS);
}

enum pcf_status pcf_curves_count(struct pcf_curves *curves, struct pcf_error *error) {
  for (int64_t r = 0; r < curves->count; r++) {
    int64_t total = 0;
    for (int64_t s = curves->starts[r]; s < curves->starts[r + 1]; s++) {
      struct pcf_stretch *stretch = &curves->stretch[s];
      stretch->function = r;
      stretch->begin = total;
      total += stretch->count;
    }
    if (total > PCF_MOST_BREAKPOINTS) return pcf_curves_too_long(total, error);
    curves->breakpoints[r] = total;
  }
  return PCF_OK;
}

/* ---- Writing ---- */

struct writing {
  const struct pcf_curves *curves;
  double *const *columns;
};

/* Writes a part of a stretch of points, whose numbers are in the order of the columns, to a
 * matrix of that many rows. `columns` is to be a constant. */
INLINE void write_points(const struct pcf_stretch *stretch, const struct pcf_portion *part,
                         int columns, double *to, int64_t rows) {
  const double *number = (const double *)stretch->point;
  for (int64_t k = part->begin; k < part->end; k++) {
    EACH_OF(c, columns) to[c * rows + k] = number[columns * k + c];
  }
}

static void write_columns(const struct pcf_stretch *stretch, const struct pcf_portion *part,
                          int columns, double *to, int64_t rows) {
  size_t bytes = (size_t)(part->end - part->begin) * sizeof *to;
  for (int c = 0; c < columns; c++) {
    const double *from = c == 0 ? stretch->time : stretch->value;
    if (bytes > 0) memcpy(to + c * rows + part->begin, from + part->begin, bytes);
  }
}

static void write_some(void *context, const struct pcf_portion *part) {
  const struct writing *writing = context;
  const struct pcf_curves *curves = writing->curves;
  const struct pcf_stretch *stretch = &curves->stretch[part->item];
  double *to = writing->columns[stretch->function] + stretch->begin;
  int64_t rows = curves->breakpoints[stretch->function];
  if (!stretch->point) {
    write_columns(stretch, part, pcf_matrix_columns(curves->linear), to, rows);
  } else if (curves->linear) {
    write_points(stretch, part, 3, to, rows);
  } else {
    write_points(stretch, part, 2, to, rows);
  }
}

/* Threads share out the breakpoints of all stretches. */
static enum pcf_status write_stretches(struct writing *writing, int threads,
                                       const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_curves *curves = writing->curves;
  int64_t stretches = curves->count ? curves->starts[curves->count] : 0;
  int64_t *offsets = pcf_allocate((size_t)stretches + 1, sizeof *offsets, error);
  if (!offsets) return PCF_ERROR_MEMORY;
  offsets[0] = 0;
  for (int64_t s = 0; s < stretches; s++)
    offsets[s + 1] = offsets[s] + curves->stretch[s].count;
  const struct pcf_portions portions = {.items = stretches, .offsets = offsets};
  enum pcf_status status =
    pcf_portions_run(&portions, threads, stop, write_some, writing, error);
  pcf_free(offsets);
  return status;
}

/* Curves that are written are a collection, whose slopes may overflow. */
static enum pcf_status check_slopes(const struct writing *writing, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_curves *curves = writing->curves;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_fault fault;
  int64_t *offsets = pcf_allocate((size_t)curves->count + 1, sizeof *offsets, error);
  if (!offsets) return PCF_ERROR_MEMORY;
  offsets[0] = 0;
  for (int64_t r = 0; r < curves->count; r++) {
    offsets[r + 1] = offsets[r] + curves->breakpoints[r];
  }
  struct pcf_collection result = {.count = curves->count,
                                  .functions = (const double *const *)writing->columns,
                                  .offsets = offsets,
                                  .linear = 1};
  enum pcf_status status = pcf_check_collection(&result, threads, stop, &range, &fault, error);
  pcf_free(offsets);
  if (status != PCF_ERROR_ARGUMENT) return status;
  return pcf_fail(error, PCF_ERROR_ARGUMENT,
                  "A value or a slope of the result is too large for a double.");
}

enum pcf_status pcf_curves_write(const struct pcf_curves *curves, double *const *columns,
                                 int threads, const atomic_int *stop, struct pcf_error *error) {
  struct writing writing = {curves, columns};
  struct pcf_curves_keeper *keeper = curves->keeper;
  enum pcf_status status = keeper ? keeper->write(keeper, columns, stop, error)
                                  : write_stretches(&writing, threads, stop, error);
  if (status || !curves->linear || curves->sound) return status;
  return check_slopes(&writing, threads, stop, error);
}

void pcf_curves_free(struct pcf_curves *curves) {
  if (curves->keeper) curves->keeper->free(curves->keeper);
  for (int64_t b = 0; b < curves->blocks; b++) pcf_free(curves->block[b]);
  pcf_arrays_free(&curves->arrays);
  *curves = (struct pcf_curves){0};
}
