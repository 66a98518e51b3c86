#include "pruning/nearest.h"

#include "pruning/few.h"

#include <math.h>

void pcf_nearest_insert(struct pcf_nearest *nearest, float gap, int32_t function) {
  int64_t place = nearest->count, last = nearest->k - 1;
  if (place <= last) nearest->count++;
  else if (last < 0 || !(gap < nearest->gap[last])) return;
  else place = last;
  for (; place > 0 && gap < nearest->gap[place - 1]; place--) {
    nearest->gap[place] = nearest->gap[place - 1];
    nearest->function[place] = nearest->function[place - 1];
  }
  nearest->gap[place] = gap;
  nearest->function[place] = function;
}

static int counts(const struct pcf_wanted *wanted, int32_t function, int32_t other) {
  if (!wanted->y && function == other) return 0;
  return !wanted->label || wanted->label[function] != wanted->label[other];
}

/* Inserts those of a band of columns that are nearer to a function than its nearest so far. */
static void insert_band(const struct pcf_search *search, int32_t function, const float *gap,
                        int64_t band, struct pcf_nearest *nearest) {
  const struct pcf_bounded *columns = pcf_bounded_columns(search->bounds);
  int64_t first = band * PCF_BAND_POINTS;
  const int32_t *other = columns->order + first;
  for (int64_t l = 0; l < pcf_smaller(PCF_BAND_POINTS, columns->count - first); l++) {
    int is_far = nearest->count == nearest->k && !(gap[l] < nearest->gap[nearest->k - 1]);
    if (!is_far && counts(search->wanted, function, other[l])) {
      pcf_nearest_insert(nearest, gap[l], other[l]);
    }
  }
}

void pcf_search_bands(const struct pcf_search *search, int64_t row_band,
                      const struct pcf_some_bands *some, struct pcf_nearest *nearest,
                      int64_t apart) {
  const struct pcf_bounds *bounds = search->bounds;
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  const float *columns = pcf_bounded_columns(bounds)->point;
  int64_t size = (int64_t)metric->coordinates * PCF_BAND_POINTS,
          row = row_band * PCF_BAND_POINTS;
  int64_t rows = pcf_smaller(PCF_BAND_POINTS, bounds->x.count - row);
  float own[PCF_BAND_POINTS][PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS];
  struct pcf_box point[PCF_BAND_POINTS];
  for (int64_t i = 0; i < rows; i++) {
    point[i] = pcf_box_of_point(metric, bounds->x.point + row_band * size, i, own[i]);
  }
  for (int64_t s = 0; s < some->count; s++) {
    int64_t band = some->band ? some->band[s] : some->first + s;
    for (int64_t i = 0; i < rows; i++) {
      bounds->gaps->of_points(metric, &point[i], columns + band * size, gap);
      insert_band(search, bounds->x.order[row + i], gap, band, &nearest[i * apart]);
    }
  }
}

static enum pcf_status farthest_of(const struct pcf_search *search, int32_t function,
                                   const struct pcf_nearest *nearest, double *farthest,
                                   struct pcf_error *error) {
  const struct pcf_wanted *wanted = search->wanted;
  const double *least = wanted->least;
  struct pcf_few few = {.integral = &search->bounds->coordinates.integral,
                        .x = wanted->x,
                        .y = wanted->y ? wanted->y : wanted->x,
                        .kernels = search->kernels,
                        .stop = search->stop};
  enum pcf_status status = pcf_few_distances(&few, function, nearest->count, nearest->function,
                                             nearest->distance, error);
  *farthest = least ? least[function] : 0;
  for (int64_t k = 0; k < nearest->count && !status; k++) {
    *farthest = fmax(*farthest, nearest->distance[k]);
    if (least) *farthest = fmax(*farthest, least[nearest->function[k]]);
  }
  return status;
}

enum pcf_status pcf_search_kth(const struct pcf_search *search, int64_t position,
                               const struct pcf_nearest *nearest, double *limit,
                               struct pcf_error *error) {
  int32_t function = search->bounds->x.order[position];
  enum pcf_status status = farthest_of(search, function, nearest, limit, error);
  if (nearest->count < nearest->k) *limit = INFINITY;
  const double *farthest = search->wanted->farthest;
  if (farthest) *limit = fmin(*limit, farthest[function]);
  return status;
}
