#include "pruning/row-limits.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

enum { FEW_BANDS = 8, MOST_BANDS_OF_LIMITS = 32 };

/* The limits of all rows, of the nearest of the functions in a few bands, whose centers are the
 * nearest to that of their own. */
struct limits {
  struct pcf_search search;
  int64_t most, each; /* bands for each band of rows; coordinates of all centers of 32 bands */
  float *center;      /* of the bands of the columns, as points in bands */
  double *limit;
};

static float center_of(const struct pcf_bounded *bounded, int64_t at) {
  return bounded->least[at] + (bounded->most[at] - bounded->least[at]) / 2;
}

static void fill_centers(struct limits *limits) {
  const struct pcf_bounds *bounds = limits->search.bounds;
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  int64_t coordinates = bounds->coordinates.metric.coordinates;
  int64_t places = pcf_band_count(columns->bands, PCF_BAND_POINTS) * PCF_BAND_POINTS;
  for (int64_t b = 0; b < places; b++) {
    int64_t from = pcf_smaller(b, columns->bands - 1);
    float *to = limits->center + b / PCF_BAND_POINTS * limits->each + b % PCF_BAND_POINTS;
    for (int64_t c = 0; c < coordinates; c++) {
      to[c * PCF_BAND_POINTS] = center_of(columns, from * coordinates + c);
    }
  }
}

static void find_bands(const struct limits *limits, int64_t band, struct pcf_nearest *nearest) {
  const struct pcf_bounds *bounds = limits->search.bounds;
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  int64_t bands = pcf_bounded_columns(bounds)->bands;
  float own[PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS];
  struct pcf_box point = {own, own};
  for (int c = 0; c < metric->coordinates; c++) {
    own[c] = center_of(&bounds->x, band * metric->coordinates + c);
  }
  for (int64_t first = 0; first < bands; first += PCF_BAND_POINTS) {
    bounds->gaps->of_points(metric, &point,
                            limits->center + first / PCF_BAND_POINTS * limits->each, gap);
    int64_t some = pcf_smaller(PCF_BAND_POINTS, bands - first);
    for (int64_t b = 0; b < some; b++)
      pcf_nearest_insert(nearest, gap[b], (int32_t)(first + b));
  }
}

/* The slack of the functions of a band with those of all of some bands of the columns. */
static double slack_with(const struct limits *limits, int64_t band,
                         const struct pcf_nearest *bands) {
  const struct pcf_bounds *bounds = limits->search.bounds;
  double slack = 0;
  for (int64_t s = 0; s < bands->count; s++) {
    slack = fmax(slack, pcf_bounded_columns(bounds)->slack[bands->function[s]]);
  }
  return slack + bounds->x.slack[band];
}

/* `nearest` has a list for each function of the band. */
static enum pcf_status limit_functions(const struct limits *limits, int64_t band,
                                       struct pcf_nearest *nearest, struct pcf_error *error) {
  const struct pcf_bounds *bounds = limits->search.bounds;
  int64_t first = band * PCF_BAND_POINTS;
  int64_t rows = pcf_smaller(PCF_BAND_POINTS, bounds->x.count - first);
  float gap[MOST_BANDS_OF_LIMITS];
  int32_t some[MOST_BANDS_OF_LIMITS];
  struct pcf_nearest bands = {.k = limits->most, .gap = gap, .function = some};
  find_bands(limits, band, &bands);
  double slack = slack_with(limits, band, &bands);
  pcf_search_bands(&limits->search, band,
                   &(struct pcf_some_bands){.band = some, .count = bands.count}, nearest, 1);
  enum pcf_status status = PCF_OK;
  for (int64_t i = 0; i < rows && !status; i++) {
    double *limit = &limits->limit[bounds->x.order[first + i]];
    status = pcf_search_kth(&limits->search, first + i, &nearest[i], limit, error);
    *limit = pcf_likely_limit(&bounds->coordinates, *limit, slack);
  }
  return status;
}

static enum pcf_status limit_band(void *limits_, int thread, int64_t band,
                                  struct pcf_error *error) {
  const struct limits *limits = limits_;
  size_t k = (size_t)limits->search.wanted->k;
  struct pcf_nearest nearest[PCF_BAND_POINTS];
  struct pcf_arrays arrays = {0};
  float *gap = pcf_array(&arrays, PCF_BAND_POINTS, k * sizeof *gap, error);
  int32_t *function = pcf_array(&arrays, PCF_BAND_POINTS, k * sizeof *function, error);
  double *distance = pcf_array(&arrays, k, sizeof *distance, error);
  enum pcf_status status = arrays.status;
  if (!status) {
    for (size_t i = 0; i < PCF_BAND_POINTS; i++) {
      nearest[i] = (struct pcf_nearest){(int64_t)k, 0, gap + i * k, function + i * k, distance};
    }
    status = limit_functions(limits, band, nearest, error);
  }
  pcf_arrays_free(&arrays);
  return status;
}

enum pcf_status pcf_row_limits(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                               enum pcf_instructions instructions, int threads,
                               const atomic_int *stop, double *limit, struct pcf_error *error) {
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  struct limits limits = {.search = {.bounds = bounds,
                                     .wanted = wanted,
                                     .kernels = pcf_kernels_of(instructions),
                                     .stop = stop},
                          .most = FEW_BANDS + wanted->k / PCF_BAND_POINTS,
                          .each = bounds->coordinates.metric.coordinates * PCF_BAND_POINTS,
                          .limit = limit};
  if (limits.most > MOST_BANDS_OF_LIMITS) limits.most = MOST_BANDS_OF_LIMITS;
  size_t groups = (size_t)pcf_band_count(columns->bands, PCF_BAND_POINTS);
  limits.center = pcf_allocate(groups * (size_t)limits.each, sizeof *limits.center, error);
  if (!limits.center) return PCF_ERROR_MEMORY;
  fill_centers(&limits);
  enum pcf_status status =
    pcf_parallel_for(threads, bounds->x.bands, stop, limit_band, &limits, error);
  pcf_free(limits.center);
  return status;
}
