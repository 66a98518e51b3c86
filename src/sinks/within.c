#include "sinks/within.h"

#include <stdlib.h>
#include <string.h>

/* A pair that a worker has found. */
struct found {
  int32_t row, id;
  double distance;
};

struct pcf_within_worker {
  struct found *pair;
  int64_t pairs, room;
  int64_t *count;
};

static pcf_pair_taker take;
static int64_t count_all(struct pcf_within *within);
static enum pcf_status list_pairs(struct pcf_within *within, size_t total,
                                  struct pcf_error *error);

/* ---- As a sink ---- */

static void free_workers(struct pcf_within *within) {
  for (int w = 0; w < within->workers; w++) {
    pcf_free(within->worker[w].pair);
    pcf_free(within->worker[w].count);
  }
  pcf_free(within->worker);
  within->worker = NULL;
  within->workers = 0;
}

static enum pcf_status begin(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_within *within = (struct pcf_within *)sink;
  size_t rows = (size_t)within->selection.rows, workers = (size_t)sink->workers;
  free_workers(within);
  memset(within->count, 0, rows * sizeof *within->count);
  within->worker = pcf_allocate(workers, sizeof *within->worker, error);
  if (!within->worker) return PCF_ERROR_MEMORY;
  memset(within->worker, 0, workers * sizeof *within->worker);
  within->workers = sink->workers;
  pcf_selection_begin(&within->selection, within->radius);
  return pcf_selection_restore(&within->selection, error);
}

static enum pcf_status grow(struct pcf_within_worker *own, struct pcf_error *error) {
  struct found *pair =
    pcf_grow_keeping(own->pair, own->pairs, &own->room, 1, sizeof *pair, error);
  if (!pair) return PCF_ERROR_MEMORY;
  own->pair = pair;
  return PCF_OK;
}

static enum pcf_status count_pair(const struct pcf_within *within,
                                  struct pcf_within_worker *own, int64_t row,
                                  struct pcf_error *error) {
  size_t rows = (size_t)within->selection.rows;
  if (!own->count) {
    own->count = pcf_allocate(rows, sizeof *own->count, error);
    if (!own->count) return PCF_ERROR_MEMORY;
    memset(own->count, 0, rows * sizeof *own->count);
  }
  own->count[row]++;
  return PCF_OK;
}

static enum pcf_status take(struct pcf_selection *selection, int worker, int64_t row,
                            int32_t id, double distance, struct pcf_error *error) {
  struct pcf_within *within = (struct pcf_within *)selection;
  struct pcf_within_worker *own = &within->worker[worker];
  if (within->only_count) return count_pair(within, own, row, error);
  enum pcf_status status = grow(own, error);
  if (status) return status;
  own->pair[own->pairs++] = (struct found){(int32_t)row, id, distance};
  return PCF_OK;
}

static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_within *within = (struct pcf_within *)sink;
  enum pcf_status status = pcf_selection_keep(&within->selection, error);
  if (status) return status;
  int64_t total = count_all(within);
  return within->only_count ? PCF_OK : list_pairs(within, (size_t)total, error);
}

static enum pcf_status write_pairs(const void *within_, struct pcf_whole *whole,
                                   struct pcf_error *error) {
  const struct pcf_within *within = within_;
  enum pcf_status status = PCF_OK;
  for (int w = 0; w < within->workers; w++) {
    const struct pcf_within_worker *own = &within->worker[w];
    for (int64_t k = 0; k < own->pairs && !status; k++) {
      const struct found *pair = &own->pair[k];
      status = pcf_selection_write(&within->selection, whole, pair->row, pair->id,
                                   pair->distance, error);
    }
  }
  return status;
}

/* ---- Lists ---- */

static int by_distance(const void *a, const void *b) {
  const struct found *first = a, *second = b;
  if (first->distance != second->distance) return first->distance < second->distance ? -1 : 1;
  return (first->id > second->id) - (first->id < second->id);
}

/* start[i] becomes the place after the last pair of item i that is in place. */
static void put_in_rows(struct pcf_within *within, struct found *sorted) {
  for (int w = 0; w < within->workers; w++) {
    struct pcf_within_worker *own = &within->worker[w];
    for (int64_t k = 0; k < own->pairs; k++) {
      sorted[within->start[own->pair[k].row]++] = own->pair[k];
    }
    pcf_free(own->pair);
    own->pair = NULL;
    own->pairs = own->room = 0;
  }
}

static int64_t count_all(struct pcf_within *within) {
  int64_t total = 0, rows = within->selection.rows;
  for (int w = 0; w < within->workers; w++) {
    const struct pcf_within_worker *own = &within->worker[w];
    for (int64_t k = 0; k < own->pairs; k++) within->count[own->pair[k].row]++;
    for (int64_t i = 0; own->count && i < rows; i++) within->count[i] += own->count[i];
  }
  for (int64_t i = 0; i < rows; i++) {
    within->start[i] = total;
    total += within->count[i];
  }
  return total;
}

struct sorting {
  struct pcf_within *within;
  struct found *pair;
};

static void sort_row(void *sorting_, int64_t i, int64_t end) {
  const struct sorting *sorting = sorting_;
  struct pcf_within *within = sorting->within;
  int64_t first = within->start[i] -= within->count[i];
  qsort(sorting->pair + first, (size_t)within->count[i], sizeof *sorting->pair, by_distance);
  int64_t end_of_row = first + within->count[i], to = first;
  for (int64_t k = first; k < end_of_row; k++) {
    int twice = to > first && within->id[to - 1] == sorting->pair[k].id;
    if (twice && within->selection.kept) continue;
    within->id[to] = sorting->pair[k].id;
    within->distance[to++] = sorting->pair[k].distance;
  }
  within->count[i] = to - first;
}

static enum pcf_status list_pairs(struct pcf_within *within, size_t total,
                                  struct pcf_error *error) {
  struct pcf_arrays *arrays = &within->selection.arrays;
  within->id = pcf_array(arrays, total, sizeof *within->id, error);
  within->distance = pcf_array(arrays, total, sizeof *within->distance, error);
  if (arrays->status) return arrays->status;
  struct sorting sorting = {within, pcf_allocate(total, sizeof *sorting.pair, error)};
  if (!sorting.pair) return PCF_ERROR_MEMORY;
  put_in_rows(within, sorting.pair);
  enum pcf_status status =
    pcf_for_ranges(within->workers, within->selection.rows, 1, NULL, sort_row, &sorting, error);
  pcf_free(sorting.pair);
  return status;
}

/* ---- Making and freeing ---- */

enum pcf_status pcf_within_start(struct pcf_within *within, int64_t rows, double radius,
                                 int only_count, struct pcf_error *error) {
  static const struct pcf_sink_type type = {.prefer = pcf_selection_prefer,
                                            .begin = begin,
                                            .consume = pcf_selection_consume,
                                            .finish = finish};
  size_t n = (size_t)rows;
  *within = (struct pcf_within){
    .selection = {.rows = rows, .sign = 1, .take = take, .write = write_pairs},
    .radius = radius,
    .only_count = only_count};
  struct pcf_arrays *arrays = &within->selection.arrays;
  pcf_selection_start(&within->selection, &type, error);
  within->count = pcf_array(arrays, n, sizeof *within->count, error);
  within->start = pcf_array(arrays, n, sizeof *within->start, error);
  return arrays->status;
}

void pcf_within_free(struct pcf_within *within) {
  free_workers(within);
  pcf_arrays_free(&within->selection.arrays);
}
