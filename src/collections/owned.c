#include "collections/owned.h"

#include "base/memory.h"
#include "base/threads.h"

/* ---- Writing ---- */

/* What a thread takes at once. */
enum { FUNCTIONS_AT_ONCE = 64 };

struct writing {
  const struct pcf_unwritten *x;
  int64_t *breakpoints;
  double *const *result;
};

static void write_some(void *writing_, int64_t first, int64_t end) {
  const struct writing *writing = writing_;
  const struct pcf_unwritten *x = writing->x;
  for (int64_t i = first; i < end; i++) {
    if (writing->result) x->write(x->context, i, writing->result[i], writing->breakpoints[i]);
    else writing->breakpoints[i] = x->write(x->context, i, NULL, 0);
  }
}

enum pcf_status pcf_write_functions(const struct pcf_unwritten *x, int threads,
                                    const atomic_int *stop, int64_t *breakpoints,
                                    double *const *result, struct pcf_error *error) {
  struct writing writing = {x, breakpoints, result};
  return pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, write_some, &writing,
                        error);
}

/* ---- Owning ---- */

enum pcf_status pcf_owned_functions_room(struct pcf_owned_functions *owned, int64_t count,
                                         const int64_t *breakpoints, struct pcf_error *error) {
  size_t n = (size_t)count, columns = (size_t)pcf_matrix_columns(owned->view.linear);
  struct pcf_arrays *arrays = &owned->arrays;
  owned->offsets = pcf_array(arrays, n + 1, sizeof *owned->offsets, error);
  owned->function = pcf_array(arrays, n, sizeof *owned->function, error);
  if (arrays->status) return PCF_ERROR_MEMORY;
  owned->offsets[0] = 0;
  for (size_t i = 0; i < n; i++) owned->offsets[i + 1] = owned->offsets[i] + breakpoints[i];
  size_t numbers = columns * (size_t)owned->offsets[n];
  owned->numbers = pcf_array(arrays, numbers, sizeof *owned->numbers, error);
  if (!owned->numbers) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    owned->function[i] = owned->numbers + columns * (size_t)owned->offsets[i];
  }
  owned->view.count = count;
  owned->view.functions = (const double *const *)owned->function;
  owned->view.offsets = owned->offsets;
  return PCF_OK;
}

enum pcf_status pcf_owned_functions_make(struct pcf_owned_functions *owned,
                                         struct pcf_unwritten x, int threads,
                                         const atomic_int *stop, struct pcf_error *error) {
  *owned = (struct pcf_owned_functions){.view.linear = x.linear};
  int64_t *counts = pcf_allocate((size_t)x.count, sizeof *counts, error);
  if (!counts) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_write_functions(&x, threads, stop, counts, NULL, error);
  if (!status) status = pcf_owned_functions_room(owned, x.count, counts, error);
  if (!status) {
    status = pcf_write_functions(&x, threads, stop, counts, owned->function, error);
  }
  pcf_free(counts);
  return status;
}

void pcf_owned_functions_free(struct pcf_owned_functions *owned) {
  pcf_arrays_free(&owned->arrays);
  *owned = (struct pcf_owned_functions){0};
}
