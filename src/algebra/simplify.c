#include "algebra/simplify.h"

#include "base/bits.h"
#include "collections/columns.h"

static pcf_portion_body count_changes, keep_changes;

struct simplifying {
  const struct pcf_simplification *simplification;
  const int64_t *breakpoints;
  double *const *result;
};

enum pcf_status pcf_simplification_count(struct pcf_simplification *simplification, int threads,
                                         const atomic_int *stop, int64_t *breakpoints,
                                         struct pcf_error *error) {
  enum pcf_status status = pcf_portions_run(&simplification->portions, threads, stop,
                                            count_changes, simplification, error);
  if (status) return status;
  if (atomic_load(&simplification->unsound)) {
    return pcf_fail(error, PCF_ERROR_ARGUMENT, "a function is not valid");
  }
  pcf_portions_place(&simplification->portions, breakpoints);
  for (int64_t i = 0; i < simplification->x->count; i++) {
    if (breakpoints[i] == 0) breakpoints[i] = 1;
  }
  return PCF_OK;
}

enum pcf_status pcf_simplification_fill(const struct pcf_simplification *simplification,
                                        int threads, const atomic_int *stop,
                                        const int64_t *breakpoints, double *const *result,
                                        struct pcf_error *error) {
  struct simplifying simplifying = {simplification, breakpoints, result};
  for (int64_t i = 0; i < simplification->x->count; i++) {
    if (breakpoints[i] == 1) result[i][0] = result[i][1] = 0; /* in case nothing is kept */
  }
  return pcf_portions_run(&simplification->portions, threads, stop, keep_changes, &simplifying,
                          error);
}

/* The value before breakpoint k. */
static double value_before(const double *value, int64_t k) {
  return k > 0 ? value[k - 1] : 0;
}

static int64_t count_over_missing(const double *value, int64_t begin, int64_t end) {
  int64_t count = 0;
  for (int64_t k = begin; k < end; k++)
    count += pcf_is_change(value_before(value, k), value[k]);
  return count;
}

static void count_changes(void *simplification_, const struct pcf_portion *portion) {
  struct pcf_simplification *simplification = simplification_;
  const double *time = pcf_times(simplification->x, portion->item);
  const double *value = pcf_values(simplification->x, portion->item);
  int64_t k = portion->begin, n = portion->end - k, count = 0;
  int missing = 0;
  if (!pcf_sound_times(time, k, portion->end) ||
      pcf_first_unsound(value + k, n, &missing) < n) {
    atomic_store(&simplification->unsound, 1);
  }
  if (missing) {
    atomic_store(&simplification->missing, 1);
    count = count_over_missing(value, k, portion->end);
  } else {
    if (k < portion->end) count += value[k] != value_before(value, k);
    for (k++; k < portion->end; k++) count += value[k] != value[k - 1];
  }
  *pcf_place_of(&simplification->portions, portion) = count;
}

/* Adding 0 makes a negative zero positive. */
static void keep_changes(void *simplifying_, const struct pcf_portion *portion) {
  const struct simplifying *simplifying = simplifying_;
  const struct pcf_simplification *simplification = simplifying->simplification;
  const double *time = pcf_times(simplification->x, portion->item);
  const double *value = pcf_values(simplification->x, portion->item);
  double *kept_time = simplifying->result[portion->item];
  double *kept_value = kept_time + simplifying->breakpoints[portion->item];
  int64_t first = *pcf_place_of(&simplification->portions, portion), n = first;
  int missing = atomic_load(&simplification->missing);
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (value[k] == value_before(value, k)) continue;
    if (missing && !pcf_is_change(value_before(value, k), value[k])) continue;
    kept_time[n] = time[k] + 0.0;
    kept_value[n++] = value[k] + 0.0;
  }
  if (missing) pcf_unify_missing(kept_value + first, n - first);
}
