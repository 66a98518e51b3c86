/* Cuts of the window. */
#include "check.h"
#include "collections.h"

#include "integrals/window.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 16 };

/* The share of all events in the fullest of the parts. */
static double fullest_part(const struct pcf_collection *x, const double *cut, int cuts) {
  int64_t events[PARTS] = {0}, all = 0, most = 0;
  for (int64_t i = 0; i < x->count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(x, i); k++, all++) {
      int part = 0;
      while (part < cuts && pcf_times(x, i)[k] >= cut[part]) part++;
      events[part]++;
    }
  }
  for (int p = 0; p < PARTS; p++) most = events[p] > most ? events[p] : most;
  return (double)most / (double)all;
}

/* Many short functions have fewer events each than there are between two of the sample. */
TEST(window_is_cut_evenly_however_short_functions_are) {
  struct pcf_error error = {0};
  struct pcf_range range = {.last = 100, .value = 100, .least = 1e-9};
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_DOUBLE, &range);
  enum { WAYS = 4 };
  static const struct {
    int64_t count, least, most;
  } way[WAYS] = {{20, 2000, 3000}, {40000, 4, 9}, {150000, 2, 3}, {3000, 10, 99}};
  for (int w = 0; w < WAYS; w++) {
    struct functions *x =
      functions_random(&random, PAPER, way[w].count, way[w].least, way[w].most);
    double cut[PARTS];
    int cuts;
    CHECK(pcf_window_quantiles(&x->view, NULL, &integral, PARTS, cut, &cuts, &error) == PCF_OK);

    /* The first time of every function is 0. */
    double first = (double)way[w].count / (double)pcf_total_breakpoints(&x->view);
    CHECK(cuts >= (1 - first) * PARTS - 1);
    CHECK(fullest_part(&x->view, cut, cuts) < first + 2.0 / PARTS);
  }
}

/* Functions that are alike are in the sample all or none. */
TEST(window_is_cut_where_all_functions_are_the_same) {
  struct pcf_error error = {0};
  struct pcf_range range = {.last = 100, .value = 100, .least = 1e-9};
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_DOUBLE, &range);
  enum { N = 40000 };
  int64_t *order = kept(calloc(N, sizeof *order));
  for (int trial = 0; trial < 8; trial++) {
    struct functions *one = functions_random(&random, PAPER, 1, 2, 40);
    struct functions *x = functions_picked(one, N, order);
    double cut[PARTS];
    int cuts;
    CHECK(pcf_window_quantiles(&x->view, NULL, &integral, PARTS, cut, &cuts, &error) == PCF_OK);
    CHECK(cuts > 0);
  }
}

TEST(window_cuts_do_not_depend_on_the_order_of_functions) {
  struct pcf_error error = {0};
  struct pcf_range range = {.last = 100, .value = 100, .least = 1e-9};
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_DOUBLE, &range);
  enum { N = 30000 };
  struct functions *x = functions_random(&random, PAPER, N, 2, 12);
  int64_t *order = kept(malloc(N * sizeof *order));
  for (int64_t i = 0; i < N; i++) order[i] = N - 1 - i;
  struct functions *y = functions_picked(x, N, order);
  double cut[2][PARTS];
  int cuts[2];
  CHECK(pcf_window_quantiles(&x->view, NULL, &integral, PARTS, cut[0], &cuts[0], &error) ==
        PCF_OK);
  CHECK(pcf_window_quantiles(&y->view, NULL, &integral, PARTS, cut[1], &cuts[1], &error) ==
        PCF_OK);
  CHECK(cuts[0] == cuts[1] && cuts[0] > 8);
  for (int k = 0; k < cuts[0]; k++) CHECK(cut[0][k] == cut[1][k]);
}
