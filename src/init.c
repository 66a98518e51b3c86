/* Registers the entry points. */
#include "glue/glue.h"
#include "glue/r-disk.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) \
  { #name, (DL_FUNC)&name, arguments }

static const R_CallMethodDef entries[] = {
  /* clang-format off */
  ENTRY(ffi_validate, 1),
  ENTRY(ffi_pairwise, 4),
  ENTRY(ffi_select, 5),
  ENTRY(ffi_pair_sums, 5),
  ENTRY(ffi_digest, 2),
  ENTRY(ffi_store, 5),
  ENTRY(ffi_join, 3),
  ENTRY(ffi_read_header, 2),
  ENTRY(ffi_hash, 1),
  ENTRY(ffi_open_stored, 2),
  ENTRY(ffi_stored_state, 1),
  ENTRY(ffi_open_vectors, 0),
  ENTRY(ffi_check_stored, 2),
  ENTRY(ffi_collect_stored, 2),
  ENTRY(ffi_cores, 0),
  ENTRY(ffi_available, 0),
  ENTRY(ffi_cuda_problem, 1),
  ENTRY(ffi_cuda_info, 1),
  ENTRY(ffi_cuda_keep, 1),
  ENTRY(ffi_cuda_release, 0),
  ENTRY(ffi_stay, 2),
  ENTRY(ffi_stays, 2),
  ENTRY(ffi_let_go, 1),
  ENTRY(ffi_let_go_of_all, 0),
  ENTRY(ffi_cuda_provoke, 3),
  ENTRY(ffi_fail_at, 2),
  ENTRY(ffi_exhaust_at, 2),
  ENTRY(ffi_provoke_file, 2),
  ENTRY(ffi_diagram_columns, 1),
  ENTRY(ffi_diagram_curves, 5),
  ENTRY(ffi_thin, 2),
  ENTRY(ffi_raster, 5),
  ENTRY(ffi_reduce, 8),
  ENTRY(ffi_combinations, 6),
  ENTRY(ffi_combine, 5),
  ENTRY(ffi_column, 3),
  ENTRY(ffi_with_column, 4),
  ENTRY(ffi_simplify, 2),
  ENTRY(ffi_restrict, 4),
  ENTRY(ffi_observed, 2),
  ENTRY(ffi_observed_difference, 4),
  ENTRY(ffi_unobserved_end, 2),
  ENTRY(ffi_next_times, 1),
  ENTRY(ffi_inverse, 3),
  ENTRY(ffi_crossing, 8),
  ENTRY(ffi_permuted_sums, 5),
  ENTRY(ffi_permuted_means, 5),
  ENTRY(ffi_tree_grow, 4),
  ENTRY(ffi_tree_hierarchy, 1),
  ENTRY(ffi_weighted, 5),
  ENTRY(ffi_measure, 7),
  ENTRY(ffi_evaluate, 6),
  ENTRY(ffi_segment_reduce, 4),
  ENTRY(ffi_reduce_by_key, 4),
  ENTRY(ffi_times_vectors, 7),
  ENTRY(ffi_interval_expand, 3),
  ENTRY(ffi_interval_move, 4),
  {NULL, NULL, 0},
  /* clang-format on */
};

void attribute_visible R_init_pcfdist(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  glue_init_stored(dll);
}
