/* Sums on the CUDA device as the host calls them: plain loops over what lies in the memory of
 * the fake device. */
#include "fake-cuda.h"

#include "base/search.h"
#include "cuda/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t row_of(const struct pcf_cuda_sums *sums, int64_t event) {
  return pcf_segment_of(sums->row_start, sums->rows, event);
}

static int64_t breakpoint_of(const struct pcf_cuda_sums *sums, int64_t event, int64_t *entry) {
  *entry = pcf_segment_of(sums->ends, sums->entries, event);
  return sums->offsets[sums->function[*entry]] + event - sums->ends[*entry];
}

/* ---- Sorting ---- */

struct sorting {
  struct pcf_cuda_sums sums;
  uint32_t *sorted;
};

static const struct pcf_cuda_sums *compared; /* by qsort(), on one thread */

static int compare(const void *a_, const void *b_) {
  int64_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_, entry;
  int64_t row_a = row_of(compared, a), row_b = row_of(compared, b);
  double time_a = compared->x.time[breakpoint_of(compared, a, &entry)];
  double time_b = compared->x.time[breakpoint_of(compared, b, &entry)];
  if (row_a != row_b) return row_a < row_b ? -1 : 1;
  return time_a < time_b ? -1 : time_a > time_b;
}

static void sort(const void *sorting_) {
  const struct sorting *sorting = sorting_;
  for (int64_t e = 0; e < sorting->sums.events; e++) sorting->sorted[e] = (uint32_t)e;
  compared = &sorting->sums;
  qsort(sorting->sorted, (size_t)sorting->sums.events, sizeof *sorting->sorted, compare);
}

cudaError_t pcf_cuda_sort_events(const struct pcf_cuda_sums *sums, void *scratch,
                                 size_t *scratch_bytes, const uint32_t **sorted,
                                 cudaStream_t stream) {
  struct sorting sorting = {*sums, scratch};
  *scratch_bytes = (size_t)sums->events * sizeof(uint32_t);
  *sorted = scratch;
  return scratch ? fake_cuda_put(stream, sort, &sorting, sizeof sorting) : cudaSuccess;
}

/* ---- Sums ---- */

struct adding {
  struct pcf_cuda_sums sums;
  const uint32_t *sorted;
  double *time;
  struct pcf_narrow *sum, *missing;
};

static struct pcf_narrow term(const struct pcf_cuda_sums *sums, int64_t k, int64_t entry,
                              int unit) {
  double value = isnan(sums->x.value[k]) ? 0 : sums->x.value[k];
  return pcf_narrow_of(sums->weight ? sums->weight[entry] * value : value, unit);
}

static struct pcf_narrow counts(const struct pcf_cuda_sums *sums, int64_t k, int64_t entry,
                                int unit) {
  if (!isnan(sums->x.value[k])) return (struct pcf_narrow){0, 0};
  return pcf_narrow_of(sums->counted ? sums->counted[entry] : 1, unit);
}

static void add_missing(const struct adding *adding) {
  const struct pcf_cuda_sums *sums = &adding->sums;
  struct pcf_narrow sum = {0, 0};
  for (int64_t p = 0; p < sums->events; p++) {
    int64_t event = adding->sorted[p], entry, k = breakpoint_of(sums, event, &entry);
    int unit = sums->counting[row_of(sums, event)].unit;
    sum = pcf_narrow_sum(sum, counts(sums, k, entry, unit));
    if (event > sums->ends[entry]) {
      sum = pcf_narrow_difference(sum, counts(sums, k - 1, entry, unit));
    }
    adding->missing[p] = sum;
  }
}

static void add(const void *adding_) {
  const struct adding *adding = adding_;
  const struct pcf_cuda_sums *sums = &adding->sums;
  struct pcf_narrow sum = {0, 0};
  for (int64_t p = 0; p < sums->events; p++) {
    int64_t event = adding->sorted[p], entry, k = breakpoint_of(sums, event, &entry);
    int unit = sums->unit[row_of(sums, event)];
    struct pcf_narrow change = term(sums, k, entry, unit);
    if (event > sums->ends[entry]) {
      change = pcf_narrow_difference(change, term(sums, k - 1, entry, unit));
    }
    sum = pcf_narrow_sum(sum, change);
    adding->sum[p] = sum;
    adding->time[p] = sums->x.time[k] + 0.0;
  }
  if (sums->counting) add_missing(adding);
}

int64_t pcf_cuda_totals(int64_t events) {
  return events / 1000 + 1;
}

cudaError_t pcf_cuda_sum_events(const struct pcf_cuda_sums *sums, const uint32_t *sorted,
                                struct pcf_narrow *total, double *time, struct pcf_narrow *sum,
                                struct pcf_narrow *missing, cudaStream_t stream) {
  struct adding adding = {*sums, sorted, time, sum, missing};
  memset(total, 1, 2 * (size_t)pcf_cuda_totals(sums->events) * sizeof *total);
  return fake_cuda_put(stream, add, &adding, sizeof adding);
}

/* ---- Extrema ---- */

struct comparing {
  struct pcf_cuda_sums sums;
  struct pcf_cuda_extrema extrema;
  const uint32_t *sorted;
  double *time;
};

/* All of it goes to the leaves. */
static void compare_all(const void *comparing_) {
  const struct comparing *of = comparing_;
  const struct pcf_cuda_sums *sums = &of->sums;
  double *now = calloc((size_t)sums->entries, sizeof *now); /* of each entry */
  for (int64_t p = 0; p < sums->events; p++) {
    int64_t event = of->sorted[p], entry, row = row_of(sums, event);
    int64_t k = breakpoint_of(sums, event, &entry), end = sums->row_start[row + 1];
    double value = sums->x.value[k], best = -INFINITY;
    now[entry] = isnan(value) ? of->extrema.missing : of->extrema.sign * value;
    of->time[p] = sums->x.time[k] + 0.0;
    for (entry = pcf_segment_of(sums->ends, sums->entries, sums->row_start[row]);
         entry < sums->entries && sums->ends[entry] < end; entry++) {
      best = fmax(best, now[entry]);
    }
    of->extrema.best[sums->events + p] = pcf_key_of(best);
  }
  free(now);
}

cudaError_t pcf_cuda_find_extrema(const struct pcf_cuda_sums *sums,
                                  const struct pcf_cuda_extrema *extrema,
                                  const uint32_t *sorted, double *time, cudaStream_t stream) {
  struct comparing comparing = {*sums, *extrema, sorted, time};
  memset(extrema->place, 1, (size_t)sums->events * sizeof *extrema->place);
  return fake_cuda_put(stream, compare_all, &comparing, sizeof comparing);
}

struct taking {
  struct pcf_cuda_extrema extrema;
  struct pcf_cuda_points points;
  int64_t events;
};

static void take(const void *taking_) {
  const struct taking *of = taking_;
  for (int64_t j = 0; j < of->points.ends; j++) {
    double best = pcf_time_of(of->extrema.best[of->events + of->points.end[j]]);
    of->points.value[j] = isinf(best) ? pcf_missing() : of->extrema.sign * best;
  }
}

cudaError_t pcf_cuda_take_extrema(const struct pcf_cuda_sums *sums,
                                  const struct pcf_cuda_extrema *extrema,
                                  const struct pcf_cuda_points *points, cudaStream_t stream) {
  struct taking taking = {*extrema, *points, sums->events};
  return fake_cuda_put(stream, take, &taking, sizeof taking);
}

/* ---- Points ---- */

struct pointing {
  struct pcf_cuda_sums sums;
  struct pcf_cuda_points points;
  int64_t *count;
};

static cudaError_t put(void (*work)(const void *), const struct pcf_cuda_sums *sums,
                       const struct pcf_cuda_points *points, int64_t *count,
                       cudaStream_t stream) {
  struct pointing pointing = {*sums, *points, count};
  return fake_cuda_put(stream, work, &pointing, sizeof pointing);
}

static void find_ends(const void *pointing_) {
  const struct pointing *of = pointing_;
  *of->count = 0;
  for (int64_t p = 0; p < of->sums.events; p++) {
    int last = p + 1 == of->sums.events || row_of(&of->sums, p) != row_of(&of->sums, p + 1);
    if (!last && of->points.time[p] == of->points.time[p + 1]) continue;
    of->points.end[(*of->count)++] = (uint32_t)p;
  }
}

static struct pcf_narrow sum_at(const struct pcf_narrow *sum, int64_t start, int64_t p) {
  struct pcf_narrow none = {0, 0};
  return pcf_narrow_difference(sum[p], start ? sum[start - 1] : none);
}

/* What is divided by the divisor of a row; of none comes a missing value. */
static struct pcf_divisor divisor_at(const struct pointing *of, int64_t row, int64_t p,
                                     int *none) {
  *none = 0;
  if (!of->sums.counting) return of->sums.divisor[row];
  const struct pcf_cuda_counting *counting = &of->sums.counting[row];
  struct pcf_narrow missing = sum_at(of->points.missing, of->sums.row_start[row], p);
  *none = missing.low || missing.high;
  if (!of->sums.observed_only) return of->sums.divisor[row];
  struct pcf_narrow observed = pcf_narrow_difference(counting->all, missing);
  struct pcf_fixed fixed = {counting->unit, PCF_NARROW_LIMBS};
  double weight = pcf_narrow_quotient(observed, &fixed, &counting->one);
  *none = weight == 0;
  return pcf_divisor_of(*none ? 1 : weight, counting->shift);
}

static void find_values(const void *pointing_) {
  const struct pointing *of = pointing_;
  for (int64_t j = 0; j < of->points.ends; j++) {
    int64_t p = of->points.end[j], row = row_of(&of->sums, p);
    int none;
    struct pcf_divisor divisor = divisor_at(of, row, p, &none);
    struct pcf_narrow sum = sum_at(of->points.sum, of->sums.row_start[row], p);
    struct pcf_fixed fixed = {of->sums.unit[row], PCF_NARROW_LIMBS};
    double value = none ? pcf_missing() : pcf_narrow_quotient(sum, &fixed, &divisor);
    of->points.value[j] = value;
    if (isinf(value)) *of->points.infinite = 1;
  }
}

static void find_kept(const void *pointing_) {
  const struct pointing *of = pointing_;
  const struct pcf_cuda_points *points = &of->points;
  *of->count = 0;
  for (int64_t j = 0; j < points->ends; j++) {
    int first =
      j == 0 || row_of(&of->sums, points->end[j]) != row_of(&of->sums, points->end[j - 1]);
    if (!first && !pcf_is_change(points->value[j - 1], points->value[j])) continue;
    points->kept[(*of->count)++] = (uint32_t)j;
  }
}

static void write_points(const void *pointing_) {
  const struct pointing *of = pointing_;
  const struct pcf_cuda_points *points = &of->points;
  int64_t row = 0;
  for (int64_t k = 0; k < points->points; k++) {
    uint32_t j = points->kept[k];
    points->point_time[k] = points->time[points->end[j]];
    points->point_value[k] = points->value[j] + 0.0;
    while (of->sums.row_start[row] <= points->end[j]) points->row_first[row++] = k;
  }
  while (row <= of->sums.rows) points->row_first[row++] = points->points;
}

cudaError_t pcf_cuda_find_ends(const struct pcf_cuda_sums *sums,
                               const struct pcf_cuda_points *points, int64_t *count,
                               void *scratch, size_t *scratch_bytes, cudaStream_t stream) {
  *scratch_bytes = 256;
  return scratch ? put(find_ends, sums, points, count, stream) : cudaSuccess;
}

cudaError_t pcf_cuda_find_values(const struct pcf_cuda_sums *sums,
                                 const struct pcf_cuda_points *points, cudaStream_t stream) {
  return put(find_values, sums, points, NULL, stream);
}

cudaError_t pcf_cuda_find_kept(const struct pcf_cuda_sums *sums,
                               const struct pcf_cuda_points *points, int64_t *count,
                               void *scratch, size_t *scratch_bytes, cudaStream_t stream) {
  *scratch_bytes = 256;
  return scratch ? put(find_kept, sums, points, count, stream) : cudaSuccess;
}

cudaError_t pcf_cuda_write_points(const struct pcf_cuda_sums *sums,
                                  const struct pcf_cuda_points *points, cudaStream_t stream) {
  return put(write_points, sums, points, NULL, stream);
}
