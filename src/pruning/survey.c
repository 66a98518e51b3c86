#include "pruning/survey.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/pair.h"

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

static void find_nearest(const struct survey *survey, int64_t position,
                         struct nearest *nearest) {
  const struct pcf_bounds *bounds = survey->bounds;
  const struct pcf_bounded *columns = pcf_bounded_columns(bounds);
  const struct pcf_metric *metric = &bounds->coordinates.metric;
  int64_t size = (int64_t)metric->coordinates * PCF_BAND_POINTS;
  const float *band = bounds->x.point + position / PCF_BAND_POINTS * size;
  int32_t function = bounds->x.order[position];
  float own[PCF_MOST_COORDINATES], gap[PCF_BAND_POINTS];
  struct pcf_box point = pcf_box_of_point(metric, band, position % PCF_BAND_POINTS, own);
  for (int64_t j = 0; j < columns->count; j++) {
    int64_t lane = j % PCF_BAND_POINTS;
    if (lane == 0) {
      bounds->gaps->of_points(metric, &point, columns->point + j / PCF_BAND_POINTS * size, gap);
    }
    if (counts(survey->wanted, function, columns->order[j])) {
      insert(nearest, gap[lane], columns->order[j]);
    }
  }
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

static enum pcf_status find_kth(const struct survey *survey, int64_t position, double *limit,
                                struct pcf_error *error) {
  size_t k = (size_t)survey->wanted->k;
  struct nearest nearest = {.k = survey->wanted->k};
  enum pcf_status status = PCF_ERROR_MEMORY;
  nearest.gap = pcf_allocate(k, sizeof *nearest.gap, error);
  nearest.function = pcf_allocate(k, sizeof *nearest.function, error);
  if (nearest.gap && nearest.function) {
    find_nearest(survey, position, &nearest);
    status = farthest_of(survey, survey->bounds->x.order[position], &nearest, limit, error);
    if (nearest.count < nearest.k) *limit = INFINITY;
    if (survey->wanted->farthest) {
      *limit = fmin(*limit, survey->wanted->farthest[survey->bounds->x.order[position]]);
    }
  }
  pcf_free(nearest.gap);
  pcf_free(nearest.function);
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
  else if (survey->wanted->k) status = find_kth(survey, position, &limit, error);
  atomic_init(&survey->limit[index], limit);
  return status;
}

/* ---- Tiles ---- */

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
    int64_t found = pcf_bounds_find(bounds, &tile, limit, NULL, most, position);
    *left += found > most ? 1 : (double)found / (double)(most + 1);
  }
  pcf_free(position);
  return PCF_OK;
}
