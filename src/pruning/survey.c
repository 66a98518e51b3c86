#include "pruning/survey.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/pair.h"

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
  size_t lists = functions * (size_t)survey->parts;
  survey->limit = pcf_array(arrays, functions, sizeof *survey->limit, error);
  survey->left =
    pcf_array(arrays, (size_t)(survey->bands * survey->parts), sizeof *survey->left, error);
  survey->nearest = pcf_array(arrays, lists, sizeof *survey->nearest, error);
  float *gap = pcf_array(arrays, lists, k * sizeof *gap, error);
  int32_t *function = pcf_array(arrays, lists, k * sizeof *function, error);
  for (size_t l = 0; l < lists && !arrays->status; l++) {
    survey->nearest[l] = (struct nearest){(int64_t)k, 0, gap + l * k, function + l * k};
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

/* Looks for the nearest ones of all functions of a band at once, so that the points of the
 * columns are read but once for all of them. */
static enum pcf_status look_for_nearest(void *survey_, int thread, int64_t index,
                                        struct pcf_error *error) {
  const struct survey *survey = survey_;
  const struct pcf_bounds *bounds = survey->bounds;
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  int64_t size = (int64_t)metric->coordinates * PCF_BAND_POINTS, part = index / survey->bands;
  int64_t each = survey->part / PCF_BAND_POINTS, first = part * each;
  int64_t row = band_of(survey, index % survey->bands) * PCF_BAND_POINTS;
  int64_t rows = pcf_smaller(PCF_BAND_POINTS, bounds->x.count - row);
  float own[PCF_BAND_POINTS][PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS];
  struct pcf_box point[PCF_BAND_POINTS];
  for (int64_t i = 0; i < rows; i++) {
    const float *band = bounds->x.point + row / PCF_BAND_POINTS * size;
    point[i] = pcf_box_of_point(metric, band, i, own[i]);
  }
  for (int64_t j = first; j < pcf_smaller(first + each, columns->bands); j++) {
    for (int64_t i = 0; i < rows; i++) {
      int64_t number = index % survey->bands * PCF_BAND_POINTS + i;
      bounds->gaps->of_points(metric, &point[i], columns->point + j * size, gap);
      insert_band(survey, bounds->x.order[row + i], gap, j,
                  &survey->nearest[number * survey->parts + part]);
    }
  }
  return PCF_OK;
}

/* A function and those that are near it, ready for walks. */
struct group {
  struct pcf_collection view;
  const double **function;
  int64_t *offsets;
  struct pcf_walks walks;
};

static void free_group(struct group *group) {
  pcf_walks_free(&group->walks);
  pcf_free((void *)group->function);
  pcf_free(group->offsets);
}

static void add_to_group(struct group *group, const struct pcf_collection *x, int32_t i) {
  int64_t n = group->view.count++;
  group->function[n] = x->functions[i];
  group->offsets[n + 1] = group->offsets[n] + pcf_breakpoints(x, i);
}

static enum pcf_status make_group(struct group *group, const struct survey *survey,
                                  int32_t function, const struct nearest *nearest,
                                  struct pcf_error *error) {
  const struct pcf_wanted *wanted = survey->wanted;
  const struct pcf_integral *integral = &survey->bounds->coordinates.integral;
  size_t most = (size_t)nearest->count + 1;
  *group = (struct group){0};
  group->function = pcf_allocate(most, sizeof *group->function, error);
  group->offsets = pcf_allocate(most + 1, sizeof *group->offsets, error);
  if (!group->function || !group->offsets) return PCF_ERROR_MEMORY;
  group->view =
    (struct pcf_collection){.functions = group->function, .offsets = group->offsets};
  group->offsets[0] = 0;
  add_to_group(group, wanted->x, function);
  for (int64_t k = 0; k < nearest->count; k++) {
    add_to_group(group, wanted->y ? wanted->y : wanted->x, nearest->function[k]);
  }
  return pcf_walks_make(&group->walks, &group->view, NULL, integral, 0, 1, NULL, error);
}

/* The distance of two functions of a group. */
static double distance_of(const struct survey *survey, const struct pcf_walk *f,
                          const struct pcf_walk *g) {
  const struct pcf_integral *integral = &survey->bounds->coordinates.integral;
  struct pcf_partial partial;
  if (pcf_pair_part(integral, survey->kernels, f, g, 0, 1, survey->stop, &partial)) return 0;
  double result = pcf_pair_finish(integral, f, g, &partial, 1);
  return ldexp(result * integral->factor, integral->exponent);
}

static enum pcf_status farthest_of(const struct survey *survey, int32_t function,
                                   const struct nearest *nearest, double *farthest,
                                   struct pcf_error *error) {
  const double *least = survey->wanted->least;
  struct group group;
  enum pcf_status status = make_group(&group, survey, function, nearest, error);
  *farthest = least ? least[function] : 0;
  for (int64_t k = 0; k < nearest->count && !status; k++) {
    const struct pcf_walk *walk = group.walks.walk;
    *farthest = fmax(*farthest, distance_of(survey, &walk[0], &walk[1 + k]));
    if (least) *farthest = fmax(*farthest, least[nearest->function[k]]);
  }
  free_group(&group);
  return status;
}

/* Of function `index` of the survey, at a position: puts the nearest ones of all parts into the
 * list of the first one, in the order of the columns, and finds out how far they are. */
static enum pcf_status find_kth(const struct survey *survey, int64_t index, int64_t position,
                                double *limit, struct pcf_error *error) {
  struct nearest *nearest = &survey->nearest[index * survey->parts];
  int32_t function = survey->bounds->x.order[position];
  for (int64_t part = 1; part < survey->parts; part++) {
    const struct nearest *more = nearest + part;
    for (int64_t n = 0; n < more->count; n++) insert(nearest, more->gap[n], more->function[n]);
  }
  enum pcf_status status = farthest_of(survey, function, nearest, limit, error);
  if (nearest->count < nearest->k) *limit = INFINITY;
  const double *farthest = survey->wanted->farthest;
  if (farthest) *limit = fmin(*limit, farthest[function]);
  return status;
}

static enum pcf_status find_limit(void *survey_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t position = band_of(survey, index / PCF_BAND_POINTS) * PCF_BAND_POINTS;
  position += index % PCF_BAND_POINTS;
  double limit = survey->wanted->radius;
  enum pcf_status status = PCF_OK;
  if (position >= survey->bounds->x.count) limit = -1;
  else if (survey->wanted->k) status = find_kth(survey, index, position, &limit, error);
  atomic_init(&survey->limit[index], limit);
  return status;
}

/* ---- Tiles ---- */

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
    int64_t found = pcf_bounds_find(bounds, &tile, limit, NULL, most, position);
    left += found > most ? 1 : (double)found / (double)(most + 1);
  }
  survey->left[index] = left;
  pcf_free(position);
  return PCF_OK;
}
