#include "pruning/survey.h"

#include "base/memory.h"
#include "base/threads.h"
#include "pruning/few.h"

#include <math.h>

/* Measured: about as much is left in runs over ECDFs, copy numbers and Betti curves. */
static const double more_of_columns = 1.25;

/* How many bands are looked at: fewer where MOST_BANDS have more than MOST_PAIRS nearest
 * pairs. The columns are looked at in parts of at least LEAST_PART. */
enum { MOST_BANDS = 8, MOST_PAIRS = 1 << 14, LEAST_PART = 1 << 13 };

/* The nearest ones of a function so far, by its point: a sorted list. */
struct nearest {
  int64_t k, count;
  float *gap;
  int32_t *function;
  double *distance; /* for those of all of them */
};

struct survey {
  const struct pcf_bounds *bounds;
  const struct pcf_wanted *wanted;
  const struct pcf_kernels *kernels;
  const atomic_int *stop;
  int64_t bands, parts, part; /* `part` columns in each of the parts */
  struct nearest *nearest;    /* of each function of the bands, in each of the parts */
  _Atomic double *limit;      /* of each function of the bands */
  double *left;               /* of the work of each band, in each of the parts */
};

static pcf_loop_body look_for_nearest, find_limit, count_tiles;

/* The band of the rows that is number `index` of the survey. */
static int64_t band_of(const struct survey *survey, int64_t index) {
  int64_t bands = survey->bounds->x.bands;
  return (2 * index + 1) * bands / (2 * survey->bands);
}

static enum pcf_status allocate(struct survey *survey, struct pcf_arrays *arrays,
                                struct pcf_error *error) {
  size_t k = (size_t)survey->wanted->k, functions = (size_t)survey->bands * PCF_BAND_POINTS;
  size_t parts = (size_t)survey->parts, lists = functions * parts;
  survey->limit = pcf_array(arrays, functions, sizeof *survey->limit, error);
  survey->left =
    pcf_array(arrays, (size_t)(survey->bands * survey->parts), sizeof *survey->left, error);
  survey->nearest = pcf_array(arrays, lists, sizeof *survey->nearest, error);
  float *gap = pcf_array(arrays, lists, k * sizeof *gap, error);
  int32_t *function = pcf_array(arrays, lists, k * sizeof *function, error);
  double *distance = pcf_array(arrays, functions, k * sizeof *distance, error);
  for (size_t l = 0; l < lists && !arrays->status; l++) {
    survey->nearest[l] = (struct nearest){.k = survey->wanted->k,
                                          .gap = gap + l * k,
                                          .function = function + l * k,
                                          .distance = distance + l / parts * k};
  }
  return arrays->status;
}

static enum pcf_status run_survey(struct survey *survey, int threads, struct pcf_error *error) {
  const atomic_int *stop = survey->stop;
  int64_t pieces = survey->bands * survey->parts;
  enum pcf_status status = PCF_OK;
  if (survey->wanted->k) {
    status = pcf_parallel_for(threads, pieces, stop, look_for_nearest, survey, error);
  }
  if (!status) {
    status = pcf_parallel_for(threads, survey->bands * PCF_BAND_POINTS, stop, find_limit,
                              survey, error);
  }
  if (status) return status;
  return pcf_parallel_for(threads, pieces, stop, count_tiles, survey, error);
}

enum pcf_status pcf_survey(const struct pcf_bounds *bounds, const struct pcf_wanted *wanted,
                           enum pcf_instructions instructions, int threads,
                           const atomic_int *stop, double *share, struct pcf_error *error) {
  enum { MOST_PARTS = 128, OF_LIST = 8 };
  struct survey survey = {.bounds = bounds, .wanted = wanted, .stop = stop};
  int64_t columns = pcf_bounded_columns(bounds)->count;
  survey.kernels = pcf_kernels_of(instructions);
  survey.bands = MOST_PAIRS / (PCF_BAND_POINTS * (wanted->k + 1)) + 1;
  if (survey.bands > MOST_BANDS) survey.bands = MOST_BANDS;
  if (survey.bands > bounds->x.bands) survey.bands = bounds->x.bands;
  survey.part = pcf_larger(pcf_larger(LEAST_PART, OF_LIST * wanted->k), columns / MOST_PARTS);
  survey.part = pcf_band_count(survey.part, PCF_BAND_POINTS) * PCF_BAND_POINTS;
  survey.parts = pcf_band_count(columns, survey.part);
  struct pcf_arrays arrays = {0};
  enum pcf_status status = allocate(&survey, &arrays, error);
  if (!status) status = run_survey(&survey, threads, error);
  double left = 0, tiles = (double)(survey.bands * pcf_bounded_columns(bounds)->bands);
  for (int64_t k = 0; k < survey.bands * survey.parts && !status; k++) left += survey.left[k];
  pcf_arrays_free(&arrays);
  *share = left / tiles;
  /* The columns of one collection want theirs, too, mostly in the same tiles. */
  if (!wanted->y) *share = fmin(1, more_of_columns * *share);
  return status;
}

/* ---- The limit of a function ---- */

static void insert(struct nearest *nearest, float gap, int32_t function) {
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
static void insert_band(const struct survey *survey, int32_t function, const float *gap,
                        int64_t band, struct nearest *nearest) {
  const struct pcf_bounded *columns = pcf_bounded_columns(survey->bounds);
  int64_t first = band * PCF_BAND_POINTS;
  const int32_t *other = columns->order + first;
  for (int64_t l = 0; l < pcf_smaller(PCF_BAND_POINTS, columns->count - first); l++) {
    int is_far = nearest->count == nearest->k && !(gap[l] < nearest->gap[nearest->k - 1]);
    if (!is_far && counts(survey->wanted, function, other[l])) {
      insert(nearest, gap[l], other[l]);
    }
  }
}

/* Some bands of the columns, or those from `first` on. */
struct some_bands {
  const int32_t *band;
  int64_t first, count;
};

/* Looks there for the nearest ones of all functions of a band at once, so that the points of
 * the columns are read but once for all of them. Their lists are `apart` from each other. */
static void look(const struct survey *survey, int64_t row_band, const struct some_bands *some,
                 struct nearest *nearest, int64_t apart) {
  const struct pcf_bounds *bounds = survey->bounds;
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
      insert_band(survey, bounds->x.order[row + i], gap, band, &nearest[i * apart]);
    }
  }
}

static enum pcf_status look_for_nearest(void *survey_, int thread, int64_t index,
                                        struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t number = index % survey->bands, part = index / survey->bands;
  int64_t each = survey->part / PCF_BAND_POINTS, first = part * each;
  int64_t count = pcf_smaller(each, pcf_bounded_columns(survey->bounds)->bands - first);
  struct some_bands some = {.first = first, .count = count};
  look(survey, band_of(survey, number), &some,
       &survey->nearest[number * PCF_BAND_POINTS * survey->parts + part], survey->parts);
  return PCF_OK;
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

/* How far the nearest ones of the function at a position are. */
static enum pcf_status find_kth(const struct survey *survey, int64_t position,
                                const struct nearest *nearest, double *limit,
                                struct pcf_error *error) {
  int32_t function = survey->bounds->x.order[position];
  enum pcf_status status = farthest_of(survey, function, nearest, limit, error);
  if (nearest->count < nearest->k) *limit = INFINITY;
  const double *farthest = survey->wanted->farthest;
  if (farthest) *limit = fmin(*limit, farthest[function]);
  return status;
}

/* Puts the nearest ones of all parts into the list of the first one, in the order of the
 * columns. */
static struct nearest *join_parts(const struct survey *survey, int64_t index) {
  struct nearest *nearest = &survey->nearest[index * survey->parts];
  for (int64_t part = 1; part < survey->parts; part++) {
    const struct nearest *more = nearest + part;
    for (int64_t n = 0; n < more->count; n++) insert(nearest, more->gap[n], more->function[n]);
  }
  return nearest;
}

static enum pcf_status find_limit(void *survey_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t position = band_of(survey, index / PCF_BAND_POINTS) * PCF_BAND_POINTS;
  position += index % PCF_BAND_POINTS;
  double limit = survey->wanted->radius;
  enum pcf_status status = PCF_OK;
  if (position >= survey->bounds->x.count) limit = -1;
  else if (survey->wanted->k) {
    status = find_kth(survey, position, join_parts(survey, index), &limit, error);
  }
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

/* Adds up the work that is left of a band in a part of the columns: 1 for a whole tile, a share
 * for pairs that are computed one by one. */
static enum pcf_status count_tiles(void *survey_, int thread, int64_t index,
                                   struct pcf_error *error) {
  struct survey *survey = survey_;
  const struct pcf_bounds *bounds = survey->bounds;
  int64_t most = survey->wanted->most, number = index % survey->bands;
  int64_t first = index / survey->bands * survey->part;
  int64_t end = pcf_smaller(first + survey->part, pcf_bounded_columns(bounds)->count);
  int64_t row = band_of(survey, number) * PCF_BAND_POINTS;
  struct pcf_rectangle tile = {.row = row,
                               .rows = pcf_smaller(bounds->x.count - row, PCF_BAND_POINTS)};
  const _Atomic double *limit = survey->limit + number * PCF_BAND_POINTS;
  struct pcf_pair_position *position = pcf_allocate((size_t)most, sizeof *position, error);
  double left = 0;
  if (!position) return PCF_ERROR_MEMORY;
  for (int64_t j = first; j < end; j += PCF_BAND_POINTS) {
    tile.column = j;
    tile.columns = pcf_smaller(end - j, PCF_BAND_POINTS);
    if (are_of_one_label(survey, row, j)) continue;
    int64_t found = pcf_bounds_find(bounds, &tile, limit, NULL, most, position);
    left += found > most ? 1 : (double)found / (double)(most + 1);
  }
  survey->left[index] = left;
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

static enum pcf_status limit_function(const struct limits *limits, int64_t position,
                                      const struct nearest *nearest, double slack,
                                      struct pcf_error *error) {
  const struct pcf_bounds *bounds = limits->survey.bounds;
  double *limit = &limits->limit[bounds->x.order[position]];
  enum pcf_status status = find_kth(&limits->survey, position, nearest, limit, error);
  *limit = pcf_likely_limit(&bounds->coordinates, *limit, slack);
  return status;
}

static enum pcf_status limit_band(void *limits_, int thread, int64_t band,
                                  struct pcf_error *error) {
  const struct limits *limits = limits_;
  const struct pcf_bounds *bounds = limits->survey.bounds;
  size_t k = (size_t)limits->survey.wanted->k;
  float gap_of_band[MOST_BANDS_OF_LIMITS];
  int32_t some[MOST_BANDS_OF_LIMITS];
  struct nearest bands = {.k = limits->most, .gap = gap_of_band, .function = some};
  find_bands(limits, band, &bands);
  double slack = 0;
  for (int64_t s = 0; s < bands.count; s++) {
    slack = fmax(slack, pcf_bounded_columns(bounds)->slack[some[s]]);
  }
  slack += bounds->x.slack[band];
  struct pcf_arrays arrays = {0};
  float *gap = pcf_array(&arrays, PCF_BAND_POINTS, k * sizeof *gap, error);
  int32_t *function = pcf_array(&arrays, PCF_BAND_POINTS, k * sizeof *function, error);
  double *distance = pcf_array(&arrays, k, sizeof *distance, error);
  enum pcf_status status = arrays.status;
  if (!status) {
    struct nearest nearest[PCF_BAND_POINTS];
    for (size_t i = 0; i < PCF_BAND_POINTS; i++) {
      nearest[i] = (struct nearest){(int64_t)k, 0, gap + i * k, function + i * k, distance};
    }
    look(&limits->survey, band, &(struct some_bands){.band = some, .count = bands.count},
         nearest, 1);
    int64_t first = band * PCF_BAND_POINTS;
    int64_t rows = pcf_smaller(PCF_BAND_POINTS, bounds->x.count - first);
    for (int64_t i = 0; i < rows && !status; i++) {
      status = limit_function(limits, first + i, &nearest[i], slack, error);
    }
  }
  pcf_arrays_free(&arrays);
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
