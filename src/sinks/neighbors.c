#include "sinks/neighbors.h"

#include <math.h>
#include <string.h>

static pcf_pair_taker take;

/* ---- Heaps ---- */

/* The neighbours of an item so far: a heap whose top is the last of them. */
struct heap {
  double *key;
  int32_t *id;
};

static struct heap heap_of(const struct pcf_neighbors *neighbors, int64_t i) {
  return (struct heap){neighbors->key + i * neighbors->k, neighbors->id + i * neighbors->k};
}

static int comes_after(double key, int32_t id, double other, int32_t other_id) {
  return key > other || (key == other && id > other_id);
}

static int is_after(const struct heap *heap, int64_t a, int64_t b) {
  return comes_after(heap->key[a], heap->id[a], heap->key[b], heap->id[b]);
}

static void exchange(const struct heap *heap, int64_t a, int64_t b) {
  double key = heap->key[a];
  int32_t id = heap->id[a];
  heap->key[a] = heap->key[b];
  heap->id[a] = heap->id[b];
  heap->key[b] = key;
  heap->id[b] = id;
}

static void rise(const struct heap *heap, int64_t place) {
  for (int64_t above; place > 0; place = above) {
    above = (place - 1) / 2;
    if (!is_after(heap, place, above)) return;
    exchange(heap, place, above);
  }
}

static void sink_down(const struct heap *heap, int64_t place, int64_t count) {
  for (int64_t below; (below = 2 * place + 1) < count; place = below) {
    if (below + 1 < count && is_after(heap, below + 1, below)) below++;
    if (!is_after(heap, below, place)) return;
    exchange(heap, below, place);
  }
}

/* Returns whether there is a new last one among k. */
static int put(const struct heap *heap, int32_t *held, int64_t k, double key, int32_t id) {
  if (*held < k) {
    heap->key[*held] = key;
    heap->id[*held] = id;
    rise(heap, (*held)++);
    return *held == k;
  }
  if (!comes_after(heap->key[0], heap->id[0], key, id)) return 0;
  heap->key[0] = key;
  heap->id[0] = id;
  sink_down(heap, 0, k);
  return 1;
}

static void sort(const struct heap *heap, int64_t count) {
  for (int64_t last = count - 1; last > 0; last--) {
    exchange(heap, 0, last);
    sink_down(heap, 0, last);
  }
}

/* ---- As a sink ---- */

static enum pcf_status begin(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_neighbors *neighbors = (struct pcf_neighbors *)sink;
  size_t rows = (size_t)neighbors->selection.rows;
  for (size_t i = 0; i < rows; i++) atomic_flag_clear(&neighbors->lock[i]);
  memset(neighbors->held, 0, rows * sizeof *neighbors->held);
  pcf_selection_begin(&neighbors->selection, INFINITY);
  return pcf_selection_restore(&neighbors->selection, error);
}

/* Few pairs get here, and two threads seldom have the same item at once. */
static void lock(struct pcf_neighbors *neighbors, int64_t row) {
  while (atomic_flag_test_and_set_explicit(&neighbors->lock[row], memory_order_acquire)) {
  }
}

static void unlock(struct pcf_neighbors *neighbors, int64_t row) {
  atomic_flag_clear_explicit(&neighbors->lock[row], memory_order_release);
}

static int has_id(const struct heap *heap, int32_t held, int32_t id) {
  for (int32_t k = 0; k < held; k++) {
    if (heap->id[k] == id) return 1;
  }
  return 0;
}

static enum pcf_status take(struct pcf_selection *selection, int worker, int64_t row,
                            int32_t id, double distance, struct pcf_error *error) {
  struct pcf_neighbors *neighbors = (struct pcf_neighbors *)selection;
  struct heap heap = heap_of(neighbors, row);
  double key = selection->sign * distance;
  lock(neighbors, row);
  int twice = selection->kept && has_id(&heap, neighbors->held[row], id);
  if (!twice && put(&heap, &neighbors->held[row], neighbors->k, key, id)) {
    atomic_store_explicit(&selection->limit[row], heap.key[0], memory_order_relaxed);
  }
  unlock(neighbors, row);
  return PCF_OK;
}

enum { ITEMS_AT_ONCE = 1024 };

static void sort_some(void *neighbors_, int64_t first, int64_t end) {
  const struct pcf_neighbors *neighbors = neighbors_;
  for (int64_t i = first; i < end; i++) {
    struct heap heap = heap_of(neighbors, i);
    sort(&heap, neighbors->held[i]);
  }
}

static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_neighbors *neighbors = (struct pcf_neighbors *)sink;
  enum pcf_status status = pcf_selection_keep(&neighbors->selection, error);
  if (status) return status;
  return pcf_for_ranges(sink->workers, neighbors->selection.rows, ITEMS_AT_ONCE, NULL,
                        sort_some, neighbors, error);
}

static enum pcf_status write_pairs(const void *neighbors_, struct pcf_whole *whole,
                                   struct pcf_error *error) {
  const struct pcf_neighbors *neighbors = neighbors_;
  const struct pcf_selection *selection = &neighbors->selection;
  enum pcf_status status = PCF_OK;
  for (int64_t i = 0; i < selection->rows; i++) {
    struct heap heap = heap_of(neighbors, i);
    for (int32_t k = 0; k < neighbors->held[i] && !status; k++) {
      status = pcf_selection_write(selection, whole, i, heap.id[k],
                                   selection->sign * heap.key[k], error);
    }
  }
  return status;
}

enum pcf_status pcf_neighbors_start(struct pcf_neighbors *neighbors, int64_t rows, int64_t k,
                                    int sign, struct pcf_error *error) {
  static const struct pcf_sink_type type = {.prefer = pcf_selection_prefer,
                                            .begin = begin,
                                            .consume = pcf_selection_consume,
                                            .finish = finish};
  size_t n = (size_t)rows;
  *neighbors = (struct pcf_neighbors){.selection = {.rows = rows,
                                                    .sign = sign,
                                                    .most = k,
                                                    .take = take,
                                                    .takes_at_once = 1,
                                                    .write = write_pairs},
                                      .k = k};
  pcf_selection_start(&neighbors->selection, &type, error);
  struct pcf_arrays *arrays = &neighbors->selection.arrays;
  neighbors->key = pcf_array(arrays, n * (size_t)k, sizeof *neighbors->key, error);
  neighbors->id = pcf_array(arrays, n * (size_t)k, sizeof *neighbors->id, error);
  neighbors->held = pcf_array(arrays, n, sizeof *neighbors->held, error);
  neighbors->lock = pcf_array(arrays, n, sizeof *neighbors->lock, error);
  return arrays->status;
}

void pcf_neighbors_free(struct pcf_neighbors *neighbors) {
  pcf_arrays_free(&neighbors->selection.arrays);
}
