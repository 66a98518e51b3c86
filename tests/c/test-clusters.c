/* Sweeps over events for the centers of clusters, and swaps of medoids: threads, slabs and
 * memory that fails. What they compute is tested in R, against plain R. */
#include "check.h"
#include "collections.h"
#include "runs.h"

#include "base/memory.h"
#include "clusters/centers.h"
#include "clusters/swaps.h"

#include <math.h>
#include <string.h>

enum { N = 30, CLUSTERS = 3 };

struct swept {
  int nearest[N];
  double own[N], best[N], second[N];
};

static void make_room(struct pcf_sorted_events *events) {
  int64_t all = events->events, starts = N * events->slabs;
  events->function = zeroed(all, sizeof(int));
  double **of_events[] = {&events->time, &events->value, &events->left, &events->slope};
  double **of_starts[] = {&events->begin, &events->begin_slope};
  double **of_functions[] = {&events->norm, &events->integral, &events->length};
  for (int k = 0; k < 4; k++) *of_events[k] = zeroed(all, sizeof(double));
  for (int k = 0; k < 2; k++) *of_starts[k] = zeroed(starts, sizeof(double));
  for (int k = 0; k < 3; k++) *of_functions[k] = zeroed(N, sizeof(double));
}

/* Sorts the events and sweeps over them. */
static enum pcf_status sweep(const struct pcf_collection *x, const struct pcf_range *range,
                             int threads, const int *stays, struct swept *swept,
                             struct pcf_error *error) {
  int cluster[N];
  struct pcf_sorted_events events;
  struct pcf_event_sorting sorting;
  for (int f = 0; f < N; f++) cluster[f] = f % CLUSTERS;
  enum pcf_status status =
    pcf_event_sorting_begin(&sorting, x, NULL, 0, 3, range, threads, &events, NULL, error);
  if (!status) {
    make_room(&events);
    status = pcf_event_sorting_fill(&sorting, NULL, error);
  }
  struct pcf_center_sweep wanted = {.events = &events,
                                    .clusters = CLUSTERS,
                                    .cluster = cluster,
                                    .stays = stays,
                                    .threads = threads,
                                    .nearest = swept->nearest,
                                    .own = swept->own,
                                    .best = swept->best,
                                    .second = swept->second};
  if (!status) status = pcf_sweep_centers(&wanted, NULL, error);
  pcf_event_sorting_free(&sorting);
  return status;
}

/* The same bits on any number of threads, and whenever memory is there. */
static void try_sweeps(const struct pcf_collection *x) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_error error = {0};
  int64_t function, position;
  struct swept right, found;
  memset(&right, 0, sizeof right);
  memset(&found, 0, sizeof found);
  REQUIRE(pcf_check_functions(x, 0, N, &range, &function, &position) == PCF_VALID);
  REQUIRE(sweep(x, &range, 1, NULL, &right, &error) == PCF_OK);
  for (int threads = 1; threads <= 3; threads++) {
    for (long k = 1;; k++) {
      REQUIRE(k < 10000);
      pcf_memory_fail_at(k);
      enum pcf_status status = sweep(x, &range, threads, NULL, &found, &error);
      bool done = memory_failure_is_pending(k);
      CHECK(status == PCF_OK || (status == PCF_ERROR_MEMORY && !done));
      if (status == PCF_OK) CHECK(memcmp(&found, &right, sizeof right) == 0);
      if (done || check_quick()) break;
    }
  }
}

/* Functions that stay change nothing about the others. */
static void try_staying(const struct pcf_collection *x) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_error error = {0};
  int64_t function, position;
  struct swept right, found;
  int stays[N];
  for (int f = 0; f < N; f++) stays[f] = f % 3 == 0;
  REQUIRE(pcf_check_functions(x, 0, N, &range, &function, &position) == PCF_VALID);
  REQUIRE(sweep(x, &range, 1, NULL, &right, &error) == PCF_OK);
  REQUIRE(sweep(x, &range, 2, stays, &found, &error) == PCF_OK);
  for (int f = 0; f < N; f++) {
    CHECK(found.nearest[f] == (stays[f] ? f % CLUSTERS : right.nearest[f]));
    if (stays[f]) CHECK(isnan(found.own[f]) && isnan(found.best[f]) && isnan(found.second[f]));
    else CHECK(found.own[f] == right.own[f] && found.second[f] == right.second[f]);
  }
}

TEST(clusters_sweeps_have_the_same_bits_on_any_threads) {
  enum shape shapes[] = {PAPER, INTEGER_TIMES, PARTIAL};
  pcf_slab_events = 16;
  for (int k = 0; k < 3; k++) {
    const struct pcf_collection *x = &functions_random(&random, shapes[k], N, 3, 12)->view;
    try_sweeps(x);
    try_staying(x);
  }
  pcf_slab_events = 0;
}

/* Whole distances, with ties, as a dist and as floats. */
TEST(clusters_swaps_end_where_no_swap_gains) {
  enum { ROWS = 20, COUNT = ROWS * (ROWS - 1) / 2 };
  double *dist = zeroed(COUNT, sizeof *dist), *gain = zeroed(ROWS, sizeof *gain);
  float *number = zeroed(ROWS * ROWS, sizeof *number);
  for (int64_t i = 0, k = 0; i < ROWS; i++) {
    for (int64_t j = i + 1; j < ROWS; j++, k++) {
      dist[k] = (double)random_between(&random, 1, 9);
      number[i * ROWS + j] = number[j * ROWS + i] = (float)dist[k];
    }
  }
  for (int clusters = 1; clusters <= ROWS; clusters++) {
    int medoid[2][ROWS];
    struct pcf_error error = {0};
    for (int k = 0; k < 2; k++) {
      for (int q = 0; q < clusters; q++) medoid[k][q] = q;
      struct pcf_swaps swaps = {.from = {ROWS, ROWS, k ? NULL : dist, k ? number : NULL},
                                .largest = 9,
                                .least = 1e-12,
                                .clusters = clusters,
                                .most = 100,
                                .threads = 1 + k,
                                .medoid = medoid[k],
                                .gain = gain};
      REQUIRE(pcf_swap_medoids(&swaps, NULL, &error) == PCF_OK);
      CHECK(swaps.settled);
      for (int i = 0; i < ROWS; i++) CHECK(gain[i] <= 1e-12 * swaps.loss);
    }
    CHECK(memcmp(medoid[0], medoid[1], (size_t)clusters * sizeof(int)) == 0);
  }
}
