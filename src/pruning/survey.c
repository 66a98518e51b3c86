#include "pruning/survey.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

/* Measured: about as much is left in runs over ECDFs, copy numbers and Betti curves. */
static const double more_of_columns = 1.25;

/* How many bands are looked at: fewer where MOST_BANDS have more than MOST_PAIRS nearest
 * pairs. The columns are looked at in parts of at least LEAST_PART. */
enum { MOST_BANDS = 8, MOST_PAIRS = 1 << 14, LEAST_PART = 1 << 13 };

struct survey {
  struct pcf_search search;
  int64_t bands, parts, part;  /* `part` columns in each of the parts */
  struct pcf_nearest *nearest; /* of each function of the bands, in each of the parts */
  _Atomic double *limit;       /* of each function of the bands */
  double *left;                /* of the work of each band, in each of the parts */
};

static pcf_loop_body look_for_nearest, find_limit, count_tiles;

/* The band of the rows that is number `index` of the survey. */
static int64_t band_of(const struct survey *survey, int64_t index) {
  int64_t bands = survey->search.bounds->x.bands;
  return (2 * index + 1) * bands / (2 * survey->bands);
}

static enum pcf_status allocate(struct survey *survey, struct pcf_arrays *arrays,
                                struct pcf_error *error) {
  size_t k = (size_t)survey->search.wanted->k,
         functions = (size_t)survey->bands * PCF_BAND_POINTS;
  size_t parts = (size_t)survey->parts, lists = functions * parts;
  survey->limit = pcf_array(arrays, functions, sizeof *survey->limit, error);
  survey->left =
    pcf_array(arrays, (size_t)(survey->bands * survey->parts), sizeof *survey->left, error);
  survey->nearest = pcf_array(arrays, lists, sizeof *survey->nearest, error);
  float *gap = pcf_array(arrays, lists, k * sizeof *gap, error);
  int32_t *function = pcf_array(arrays, lists, k * sizeof *function, error);
  double *distance = pcf_array(arrays, functions, k * sizeof *distance, error);
  for (size_t l = 0; l < lists && !arrays->status; l++) {
    survey->nearest[l] = (struct pcf_nearest){.k = survey->search.wanted->k,
                                              .gap = gap + l * k,
                                              .function = function + l * k,
                                              .distance = distance + l / parts * k};
  }
  return arrays->status;
}

static enum pcf_status run_survey(struct survey *survey, int threads, struct pcf_error *error) {
  const atomic_int *stop = survey->search.stop;
  int64_t pieces = survey->bands * survey->parts;
  enum pcf_status status = PCF_OK;
  if (survey->search.wanted->k) {
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
  struct survey survey = {.search = {bounds, wanted, pcf_kernels_of(instructions), stop}};
  int64_t columns = pcf_bounded_columns(bounds)->count;
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

static enum pcf_status look_for_nearest(void *survey_, int thread, int64_t index,
                                        struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t number = index % survey->bands, part = index / survey->bands;
  int64_t each = survey->part / PCF_BAND_POINTS, first = part * each;
  int64_t count = pcf_smaller(each, pcf_bounded_columns(survey->search.bounds)->bands - first);
  struct pcf_some_bands some = {.first = first, .count = count};
  pcf_search_bands(&survey->search, band_of(survey, number), &some,
                   &survey->nearest[number * PCF_BAND_POINTS * survey->parts + part],
                   survey->parts);
  return PCF_OK;
}

/* Puts the nearest ones of all parts into the list of the first one, in the order of the
 * columns. */
static struct pcf_nearest *join_parts(const struct survey *survey, int64_t index) {
  struct pcf_nearest *nearest = &survey->nearest[index * survey->parts];
  for (int64_t part = 1; part < survey->parts; part++) {
    const struct pcf_nearest *more = nearest + part;
    for (int64_t n = 0; n < more->count; n++)
      pcf_nearest_insert(nearest, more->gap[n], more->function[n]);
  }
  return nearest;
}

static enum pcf_status find_limit(void *survey_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct survey *survey = survey_;
  int64_t position = band_of(survey, index / PCF_BAND_POINTS) * PCF_BAND_POINTS;
  position += index % PCF_BAND_POINTS;
  double limit = survey->search.wanted->radius;
  enum pcf_status status = PCF_OK;
  if (position >= survey->search.bounds->x.count) limit = -1;
  else if (survey->search.wanted->k) {
    status =
      pcf_search_kth(&survey->search, position, join_parts(survey, index), &limit, error);
  }
  atomic_init(&survey->limit[index], limit);
  return status;
}

/* ---- Tiles ---- */

/* Have all functions of two bands one label? */
static int are_of_one_label(const struct survey *survey, int64_t row, int64_t column) {
  const struct pcf_bounded *x = &survey->search.bounds->x;
  const int32_t *label = survey->search.wanted->label;
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
  const struct pcf_bounds *bounds = survey->search.bounds;
  int64_t most = survey->search.wanted->most, number = index % survey->bands;
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
