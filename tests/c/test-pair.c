#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "kernels/pair.h"

#include <math.h>
#include <stdlib.h>

/* The functions of one collection, ready to be walked. */
struct setup {
  struct functions *x;
  struct pcf_integral integral;
  struct pcf_walks walks;
};

static bool set_up(struct setup *setup, struct functions *x, const struct question *question) {
  setup->x = x;
  setup->integral = integral_for(question, PCF_DOUBLE, &x->view, NULL);
  return !pcf_walks_make(&setup->walks, &x->view, NULL, &setup->integral, 0, 1, NULL, NULL);
}

static const struct pcf_kernels *best_kernels(void) {
  enum pcf_instructions set;
  pcf_find_instructions("auto", &set);
  return pcf_kernels_of(set);
}

static double integrate(const struct setup *setup, int64_t i, int64_t j, int parts) {
  struct pcf_partial *partial = kept(malloc((size_t)parts * sizeof *partial));
  const struct pcf_walk *f = &setup->walks.walk[i], *g = &setup->walks.walk[j];
  atomic_int stop = 0;
  for (int part = parts - 1; part >= 0; part--) { /* the order does not matter */
    CHECK(!pcf_pair_part(&setup->integral, best_kernels(), f, g, part, parts, &stop,
                         &partial[part]));
  }
  double result = pcf_pair_finish(&setup->integral, f, g, partial, parts);
  return scaled_back(&setup->integral, result, &setup->x->view, i, &setup->x->view, j);
}

TEST(pair_walks_are_clipped_and_scaled) {
  static const double sound[] = {-4, 0, 8, 16, 1, 2, 3, 0};
  const double *literal[] = {sound, sound + 1};
  struct functions *x = functions_of(1, (int64_t[]){4}, literal);
  struct question question = {PCF_L1, 1, -1, 16};
  struct setup setup;
  REQUIRE(set_up(&setup, x, &question));
  const struct pcf_walk *walk = &setup.walks.walk[0];
  REQUIRE(walk->events == 2);
  CHECK(walk->time[0] == 0 && walk->time[1] == 8 && walk->time[2] == INFINITY);
  CHECK(walk->value[0] == 1 && walk->value[1] == 2 && walk->value[2] == 3);
  pcf_walks_free(&setup.walks);
  CHECK(setup.walks.walk == NULL);
}

TEST(pair_parts_depend_on_the_length) {
  CHECK(pcf_pair_parts(0) == 1);
  CHECK(pcf_pair_parts(1) == 1);
  int last = 1;
  for (int64_t events = 1; events < 10000000; events = events * 3 / 2 + 1) {
    int parts = pcf_pair_parts(events);
    CHECK(parts >= last);
    last = parts;
  }
  CHECK(last > 1);
}

/* However a pair is cut, the parts add up to the whole: no event is lost at a boundary or
 * counted twice, ties on the boundary included. */
TEST(pair_results_do_not_depend_on_the_parts) {
  static const double windows[][2] = {{-INFINITY, INFINITY}, {0.25, 3}, {-2, INFINITY},
                                      {-INFINITY, 1},        {-9, -8},  {700, 800}};
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    int64_t count = check_quick() ? 3 : 6;
    struct functions *x = functions_random(&random, shape, count, 1, 60);
    for (int k = 0; k < OPERATIONS; k++) {
      for (int w = 0; w < 6; w++) {
        struct question question = operations[k];
        struct setup setup;
        question.from = windows[w][0];
        question.to = windows[w][1];
        REQUIRE(set_up(&setup, x, &question));
        for (int64_t i = 0; i < count; i++) {
          for (int64_t j = 0; j < count; j++) {
            struct answer answer = oracle(&question, &x->view, i, &x->view, j);
            for (int parts = 1; parts < 150; parts = 2 * parts + 1) {
              CHECK(agrees(integrate(&setup, i, j, parts), answer, tolerance_of(PCF_DOUBLE)));
            }
            CHECK(integrate(&setup, i, j, 1) == integrate(&setup, j, i, 1));
            if (i == j && question.operation != PCF_INNER) {
              CHECK(integrate(&setup, i, i, 3) == 0);
            }
          }
        }
        pcf_walks_free(&setup.walks);
      }
    }
  }
}

/* Several parts as they are cut in a run, symmetric bit for bit. */
TEST(pair_of_long_functions) {
  if (check_quick()) return;
  struct functions *x = functions_random(&random, UNBOUNDED, 2, 90000, 100000);
  struct functions *ties = functions_random(&random, INTEGER_TIMES, 2, 90000, 100000);
  struct functions *both[] = {x, ties};
  for (int c = 0; c < 2; c++) {
    struct pcf_collection *view = &both[c]->view;
    int parts = pcf_pair_parts(pcf_total_breakpoints(view));
    CHECK(parts > 1);
    for (int k = 0; k < OPERATIONS; k++) {
      struct question question = operations[k];
      struct setup setup;
      question.to = times_of(both[c], 1)[89999];
      REQUIRE(set_up(&setup, both[c], &question));
      struct answer answer = oracle(&question, view, 0, view, 1);
      double result = integrate(&setup, 0, 1, parts);
      CHECK(agrees(result, answer, 1e-12));
      CHECK(result == integrate(&setup, 1, 0, parts));
      CHECK(question.operation == PCF_INNER || integrate(&setup, 0, 0, parts) == 0);
      pcf_walks_free(&setup.walks);
    }
  }
}

TEST(pair_of_extreme_magnitudes) {
  static const double scales[][2] = {{1e300, 1},  {1e-300, 1},     {1, 1e300},
                                     {1, 1e-300}, {1e300, 1e-300}, {1e-300, 1e300}};
  for (int s = 0; s < 6; s++) {
    struct functions *x = functions_random(&random, PAPER, 2, 20, 30);
    struct functions *plain = functions_picked(x, 2, (int64_t[]){0, 1});
    for (int64_t i = 0; i < 2; i++) {
      for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
        times_of(x, i)[k] *= scales[s][0];
        values_of(x, i)[k] *= scales[s][1];
      }
    }
    for (int k = 0; k < OPERATIONS; k++) {
      const struct question *question = &operations[k];
      struct setup setup, wanted;
      REQUIRE(set_up(&setup, x, question) && set_up(&wanted, plain, question));
      double t = scales[s][0], v = scales[s][1], want = integrate(&wanted, 0, 1, 2);
      double root = pcf_root(question->operation, question->p);
      double degree = pcf_degree(question->operation, question->p) / root;
      if (degree >= 1) want *= v;
      if (!pcf_is_supremum(question->operation)) want *= pow(t, 1 / root);
      if (degree == 2) want *= v;
      double got = integrate(&setup, 0, 1, 2);
      if (fabs(want) > 1e-307 && fabs(want) < 1e307) CHECK_NEAR(got, want, 1e-12);
      CHECK(!isnan(got));
      pcf_walks_free(&setup.walks);
      pcf_walks_free(&wanted.walks);
    }
  }
}

TEST(pair_stops_when_asked) {
  struct functions *x = functions_random(&random, PAPER, 2, 100, 200);
  atomic_int stop = 1;
  for (int k = 0; k < OPERATIONS; k++) {
    struct setup setup;
    struct pcf_partial partial;
    REQUIRE(set_up(&setup, x, &operations[k]));
    CHECK(pcf_pair_part(&setup.integral, best_kernels(), &setup.walks.walk[0],
                        &setup.walks.walk[1], 0, 1, &stop, &partial) == 1);
    pcf_walks_free(&setup.walks);
  }
}

TEST(pair_without_memory_fails) {
  struct functions *x = functions_random(&random, PAPER, 2, 4, 9);
  struct pcf_integral integral = integral_for(&operations[0], PCF_DOUBLE, &x->view, NULL);
  for (long k = 1; k <= 2; k++) {
    SCOPED(pcf_walks) walks;
    struct pcf_error error = {0};
    pcf_memory_fail_at(k);
    CHECK(pcf_walks_make(&walks, &x->view, NULL, &integral, 0, 1, NULL, &error) ==
          PCF_ERROR_MEMORY);
    CHECK(error.message[0] != 0);
  }
}
