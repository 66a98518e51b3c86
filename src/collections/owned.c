#include "collections/owned.h"

#include "base/memory.h"

enum pcf_status pcf_owned_functions_make(struct pcf_owned_functions *owned, int64_t count,
                                         const int64_t *breakpoints, int linear, int partial,
                                         struct pcf_error *error) {
  size_t n = (size_t)count, columns = (size_t)pcf_matrix_columns(linear);
  *owned = (struct pcf_owned_functions){.view = {.linear = linear, .partial = partial}};
  owned->offsets = pcf_allocate(n + 1, sizeof *owned->offsets, error);
  owned->function = pcf_allocate(n, sizeof *owned->function, error);
  if (!owned->offsets || !owned->function) return PCF_ERROR_MEMORY;
  owned->offsets[0] = 0;
  for (size_t i = 0; i < n; i++) owned->offsets[i + 1] = owned->offsets[i] + breakpoints[i];
  size_t numbers = columns * (size_t)owned->offsets[n];
  owned->numbers = pcf_allocate(numbers, sizeof *owned->numbers, error);
  if (!owned->numbers) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    owned->function[i] = owned->numbers + columns * (size_t)owned->offsets[i];
  }
  owned->view.count = count;
  owned->view.functions = (const double *const *)owned->function;
  owned->view.offsets = owned->offsets;
  return PCF_OK;
}

void pcf_owned_functions_free(struct pcf_owned_functions *owned) {
  pcf_free(owned->function);
  pcf_free(owned->numbers);
  pcf_free(owned->offsets);
  *owned = (struct pcf_owned_functions){0};
}
