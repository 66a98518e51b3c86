#include "pruning/survey.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pruning/few.h"

#include <math.h>

/* Measured: about as much is left in runs over ECDFs, copy numbers and Betti curves. */
static const double more_of_columns = 1.25;

/* How many bands are looked at: fewer where MOST_BANDS have more than MOST_PAIRS nearest
 * pairs. */
enum { MOST_BANDS = 8, MOST_PAIRS = 1 << 14 };

struct survey {
  const struct pcf_bounds *bounds;
  const struct pcf_wanted *wanted;
  const struct pcf_kernels *kernels;
  const atomic_int *stop;
  int64_t bands;
  _Atomic double *limit;   /* of each function of the bands */
  double left[MOST_BANDS]; /* of the work of each band */
};

static enum pcf_status find_limit(void *survey, int thread, int64_t index,
                                  struct pcf_error *error);
static enum pcf_status count_tiles(void *survey, int thread, int64_t index,
                                   struct pcf_error *error);

/* The band of the rows that is number `index` of the survey. */
static int64_t band_of(const struct survey *survey, int64_t index) {
  int64_t bands = survey->bounds->x.bands;
  return (2 * index + 1) * bands / (2 * survey->bands);
}

enum pcf_status pcf_survey(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                           enum pcf_instructions instructions, int threads,
                           const atomic_int *stop, double *share, struct pcf_error *error) {
  struct survey survey = {.bounds = bounds, .wanted = wanted, .stop = stop};
  survey.kernels = pcf_kernels_of(instructions);
  survey.bands = MOST_PAIRS / (PCF_BAND_POINTS * (wanted->k + 1)) + 1;
  if (survey.bands > MOST_BANDS) survey.bands = MOST_BANDS;
  if (survey.bands > bounds->x.bands) survey.bands = bounds->x.bands;
  int64_t functions = survey.bands * PCF_BAND_POINTS;
  survey.limit = pcf_allocate((size_t)functions, sizeof *survey.limit, error);
  if (!survey.limit) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_parallel_for(threads, functions, stop, find_limit, &survey, error);
  if (!status) {
    status = pcf_parallel_for(threads, survey.bands, stop, count_tiles, &survey, error);
  }
  pcf_free((void *)survey.limit);
  double left = 0, tiles = (double)(survey.bands * pcf_bounded_columns(bounds)->bands);
  for (int64_t b = 0; b < survey.bands && !status; b++) left += survey.left[b];
  *share = left / tiles;
  /* The columns of one collection want theirs, too, mostly in the same tiles. */
  if (!wanted->y) *share = fmin(1, more_of_columns * *share);
  return status;
}

/* ---- The limit of a function ---- */

/* The nearest ones of a function so far, by its point: a sorted list. */
struct nearest {
  int64_t k, count;
  float *gap;
  int32_t *function;
  double *distance; /* for those of all of them */
};

static void insert(struct nearest *nearest, float gap, int32_t function) {
  int64_t place = nearest->count;
  if (nearest->count == nearest->k) {
    if (!(gap < nearest->gap[nearest->k - 1])) return;
    place--;
  } else {
    nearest->count++;
  }
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

/* Some bands of the columns, or the first ones. */
struct some_bands {
  const int32_t *band;
  int64_t count;
};

static void find_nearest(const struct survey *survey, int64_t position,
                         const struct some_bands *some, struct nearest *nearest) {
  const struct pcf_bounds *bounds = survey->bounds;
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  int64_t size = (int64_t)metric->coordinates * PCF_BAND_POINTS;
  const float *band = bounds->x.point + position / PCF_BAND_POINTS * size;
  int32_t function = bounds->x.order[position];
  float own[PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS];
  struct pcf_box point = pcf_box_of_point(metric, band, position % PCF_BAND_POINTS, own);
  for (int64_t s = 0; s < some->count; s++) {
    int64_t at = some->band ? some->band[s] : s, first = at * PCF_BAND_POINTS;
    int64_t end = pcf_smaller(first + PCF_BAND_POINTS, columns->count);
    bounds->gaps->of_points(metric, &point, columns->point + at * size, gap);
    for (int64_t j = first; j < end; j++) {
      if (!counts(survey->wanted, function, columns->order[j])) continue;
      insert(nearest, gap[j - first], columns->order[j]);
    }
  }
}

static enum pcf_status farthest_of(const struct survey *survey, int32_t function,
                                   const struct nearest *nearest, double *farthest,
                                   struct pcf_error *error) {
  const struct pcf_wanted *wanted = survey->wanted;
  const double *least = wanted->least;
  struct pcf_few few = {.integral = &survey->bounds->coordinates.integral,
                        .x = wanted->x,
                        .y = wanted->y ? wanted->y : wanted->x,
                        .kernels = survey->kernels,
                        .stop = survey->stop};
  enum pcf_status status = pcf_few_distances(&few, function, nearest->count, nearest->function,
                                             nearest->distance, error);
  *farthest = least ? least[function] : 0;
  for (int64_t k = 0; k < nearest->count && !status; k++) {
    *farthest = fmax(*farthest, nearest->distance[k]);
    if (least) *farthest = fmax(*farthest, least[nearest->function[k]]);
  }
  return status;
}

static enum pcf_status find_kth(const struct survey *survey, int64_t position,
                                const struct some_bands *some, double *limit,
                                struct pcf_error *error) {
  size_t k = (size_t)survey->wanted->k;
  struct nearest nearest = {.k = survey->wanted->k};
  enum pcf_status status = PCF_ERROR_MEMORY;
  nearest.gap = pcf_allocate(k, sizeof *nearest.gap, error);
  nearest.function = pcf_allocate(k, sizeof *nearest.function, error);
  nearest.distance = pcf_allocate(k, sizeof *nearest.distance, error);
  if (nearest.gap && nearest.function && nearest.distance) {
    find_nearest(survey, position, some, &nearest);
    status = farthest_of(survey, survey->bounds->x.order[position], &nearest, limit, error);
    if (nearest.count < nearest.k) *limit = INFINITY;
    if (survey->wanted->farthest) {
      *limit = fmin(*limit, survey->wanted->farthest[survey->bounds->x.order[position]]);
    }
  }
  pcf_free(nearest.gap);
  pcf_free(nearest.function);
  pcf_free(nearest.distance);
  return status;
}

static enum pcf_status find_limit(void *survey_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t position = band_of(survey, index / PCF_BAND_POINTS) * PCF_BAND_POINTS;
  position += index % PCF_BAND_POINTS;
  struct some_bands all = {NULL, pcf_bounded_columns(survey->bounds)->bands};
  double limit = survey->wanted->radius;
  enum pcf_status status = PCF_OK;
  if (position >= survey->bounds->x.count) limit = -1;
  else if (survey->wanted->k) status = find_kth(survey, position, &all, &limit, error);
  atomic_init(&survey->limit[index], limit);
  return status;
}

/* ---- Tiles ---- */

/* Have all functions of two bands one label? */
static int are_of_one_label(const struct survey *survey, int64_t row, int64_t column) {
  const struct pcf_bounded *x = &survey->bounds->x;
  const int32_t *label = survey->wanted->label;
  int64_t first[] = {row, column};
  for (int k = 0; label && k < 2; k++) {
    for (int64_t i = first[k]; i < pcf_smaller(first[k] + PCF_BAND_POINTS, x->count); i++) {
      if (label[x->order[i]] != label[x->order[row]]) return 0;
    }
  }
  return label != NULL;
}

/* Adds up the work that is left: 1 for a whole tile, a share for pairs that are computed one by
 * one. */
static enum pcf_status count_tiles(void *survey_, int thread, int64_t index,
                                   struct pcf_error *error) {
  struct survey *survey = survey_;
  const struct pcf_bounds *bounds = survey->bounds;
  int64_t columns = pcf_bounded_columns(bounds)->count, most = survey->wanted->most;
  int64_t row = band_of(survey, index) * PCF_BAND_POINTS;
  struct pcf_rectangle tile = {.row = row,
                               .rows = pcf_smaller(bounds->x.count - row, PCF_BAND_POINTS)};
  const _Atomic double *limit = survey->limit + index * PCF_BAND_POINTS;
  struct pcf_pair_position *position = pcf_allocate((size_t)most, sizeof *position, error);
  double *left = &survey->left[index];
  if (!position) return PCF_ERROR_MEMORY;
  *left = 0;
  for (int64_t j = 0; j < columns; j += PCF_BAND_POINTS) {
    tile.column = j;
    tile.columns = pcf_smaller(columns - j, PCF_BAND_POINTS);
    if (are_of_one_label(survey, row, j)) continue;
    int64_t found = pcf_bounds_find(bounds, &tile, limit, NULL, most, position);
    *left += found > most ? 1 : (double)found / (double)(most + 1);
  }
  pcf_free(position);
  return PCF_OK;
}

/* ---- Limits of all functions ---- */

enum { FEW_BANDS = 8, MOST_BANDS_OF_LIMITS = 32 };

/* The limits of all rows, of the nearest of the functions in a few bands, whose centers are the
 * nearest to that of their own. */
struct limits {
  struct survey survey;
  int64_t most, each; /* bands for each band of rows; coordinates of all centers of 32 bands */
  float *center;      /* of the bands of the columns, as points in bands */
  double *limit;
};

static float center_of(const struct pcf_bounded *bounded, int64_t at) {
  return bounded->least[at] + (bounded->most[at] - bounded->least[at]) / 2;
}

static void fill_centers(struct limits *limits) {
  const struct pcf_bounds *bounds = limits->survey.bounds;
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

static void find_bands(const struct limits *limits, int64_t band, struct nearest *nearest) {
  const struct pcf_bounds *bounds = limits->survey.bounds;
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
    for (int64_t b = 0; b < some; b++) insert(nearest, gap[b], (int32_t)(first + b));
  }
}

static enum pcf_status limit_band(void *limits_, int thread, int64_t band,
                                  struct pcf_error *error) {
  const struct limits *limits = limits_;
  const struct pcf_bounds *bounds = limits->survey.bounds;
  const struct pcf_bounded *x = &bounds->x;
  float gap[MOST_BANDS_OF_LIMITS];
  int32_t some[MOST_BANDS_OF_LIMITS];
  struct nearest nearest = {.k = limits->most, .gap = gap, .function = some};
  find_bands(limits, band, &nearest);
  struct some_bands bands = {some, nearest.count};
  double slack = 0;
  for (int64_t s = 0; s < bands.count; s++) {
    slack = fmax(slack, pcf_bounded_columns(bounds)->slack[some[s]]);
  }
  slack += x->slack[band];
  int64_t first = band * PCF_BAND_POINTS;
  enum pcf_status status = PCF_OK;
  for (int64_t i = first; i < pcf_smaller(first + PCF_BAND_POINTS, x->count) && !status; i++) {
    double *limit = &limits->limit[x->order[i]];
    status = find_kth(&limits->survey, i, &bands, limit, error);
    *limit = pcf_likely_limit(&bounds->coordinates, *limit, slack);
  }
  return status;
}

enum pcf_status pcf_survey_limits(const struct pcf_bounds *bounds,
                                  const struct pcf_wanted *wanted,
                                  enum pcf_instructions instructions, int threads,
                                  const atomic_int *stop, double *limit,
                                  struct pcf_error *error) {
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  struct limits limits = {.survey = {.bounds = bounds,
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
