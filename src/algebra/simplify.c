#include "algebra/simplify.h"

#include "base/bits.h"
#include "collections/columns.h"

static pcf_portion_body count_changes, keep_changes;

enum pcf_status pcf_simplification_count(struct pcf_simplification *simplification, int threads,
                                         const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &simplification->portions;
  enum pcf_status status =
    pcf_portions_run(portions, threads, stop, count_changes, simplification, error);
  if (!status) status = pcf_soundness(&simplification->unsound, error);
  if (status) return status;
  pcf_portions_place(portions);
  for (int64_t i = 0; i < portions->items; i++) portions->total[i] += portions->total[i] == 0;
  return PCF_OK;
}

enum pcf_status pcf_simplification_fill(struct pcf_simplification *simplification, int threads,
                                        const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_portions *portions = &simplification->portions;
  for (int64_t i = 0; i < portions->items; i++) {
    double *result = portions->result[i];
    if (portions->total[i] == 1) result[0] = result[1] = 0; /* in case nothing is kept */
  }
  return pcf_portions_run(portions, threads, stop, keep_changes, simplification, error);
}

/* The value before breakpoint k. */
static double value_before(const double *value, int64_t k) {
  return k > 0 ? value[k - 1] : 0;
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
  if (missing) atomic_store(&simplification->missing, 1);
  for (; missing && k < portion->end; k++) {
    count += pcf_is_change(value_before(value, k), value[k]);
  }
  for (; k < portion->end; k++) count += value[k] != value_before(value, k);
  *pcf_place_of(&simplification->portions, portion) = count;
}

/* Adding 0 makes a negative zero positive. */
static void keep_changes(void *simplification_, const struct pcf_portion *portion) {
  struct pcf_simplification *simplification = simplification_;
  const struct pcf_portions *portions = &simplification->portions;
  const double *time = pcf_times(simplification->x, portion->item);
  const double *value = pcf_values(simplification->x, portion->item);
  double *kept_time = portions->result[portion->item];
  double *kept_value = kept_time + portions->total[portion->item];
  int64_t first = *pcf_place_of(portions, portion), n = first;
  int missing = atomic_load(&simplification->missing);
  for (int64_t k = portion->begin; k < portion->end; k++) {
    if (value[k] == value_before(value, k)) continue;
    if (missing && !pcf_is_change(value_before(value, k), value[k])) continue;
    kept_time[n] = time[k] + 0.0;
    kept_value[n++] = value[k] + 0.0;
  }
  if (missing) pcf_unify_missing(kept_value + first, n - first);
}
