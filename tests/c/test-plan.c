#include "check.h"
#include "runs.h"

#include "base/memory.h"
#include "pairs/method.h"

#include <math.h>
#include <string.h>

static struct asked request_for(const struct functions *x) {
  static const struct question l1 = {PCF_L1, 1, -INFINITY, INFINITY};
  struct asked request = request_of(&l1, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.settings.threads = 2;
  return request;
}

/* What a request comes to: with the CPU's offer. */
struct plan {
  struct pcf_pairs pairs;
  struct pcf_offer offer;
  int width;
};

static enum pcf_status plan_for(const struct asked *request, struct plan *plan,
                                struct pcf_error *error) {
  static const atomic_int never;
  struct pcf_task task;
  *plan = (struct plan){.pairs = {.request = request->pairs},
                        .offer = {.threads = request->settings.threads}};
  enum pcf_status status =
    pcf_pairs_family.check(&plan->pairs, request->settings.threads, &never, error);
  if (!status)
    status = pcf_pairs_family.plan(&plan->pairs, &request->settings, &never, &task, error);
  pcf_pairs_family.release(&plan->pairs);
  if (!status) {
    plan->width = plan->pairs.estimate[pcf_method_number(plan->pairs.method)].width;
    pcf_cpu_backend.offer(&plan->pairs, &request->settings, INFINITY, &plan->offer);
  }
  pcf_pairs_free(&plan->pairs);
  return status;
}

/* The choice with every instruction set, on x and on two collections of the kind. */
static void check_choice(const struct functions *x, const char *method) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  for (int k = 0; k < count; k++) {
    for (int two = 0; two < 2; two++) {
      struct asked request = request_for(x);
      struct plan plan;
      request.pairs.instructions = pcf_instructions_name(available[k]);
      if (two) {
        request.pairs.y = &x->view;
        request.pairs.mode = PCF_FULL;
      }
      REQUIRE(!plan_for(&request, &plan, NULL));
      CHECK_STRING(plan.offer.method, method);
      CHECK(plan.pairs.instructions == available[k]);
      for (int other = 0; pcf_methods[other]; other++) {
        CHECK(plan.offer.seconds <= plan.pairs.estimate[other].seconds);
      }
    }
  }
}

/* Ragged data, functions on a grid that they share, few long functions, and very few. */
TEST(plan_chooses_a_method) {
  static const struct {
    enum shape shape;
    int64_t count, least, most;
    const char *method;
  } cases[] = {{PAPER, 400, 10, 200, "sweep"},
               {SHARED_GRID, 300, 100, 100, "grid"},
               {PAPER, 120, 20000, 20000, "split"},
               {PAPER, 3, 20000, 20000, "walk"}};
  for (int k = 0; k < 4; k++) {
    struct functions *x =
      functions_random(&random, cases[k].shape, cases[k].count, cases[k].least, cases[k].most);
    check_choice(x, cases[k].method);
  }
}

TEST(plan_counts_pairs_and_rectangles) {
  struct functions *x = functions_new(3, (int64_t[]){2, 3, 5});
  struct functions *y = functions_new(2, (int64_t[]){1, 4});
  struct functions *both[] = {x, y};
  for (int c = 0; c < 2; c++) {
    for (int64_t i = 0; i < both[c]->view.count; i++) {
      int64_t m = pcf_breakpoints(&both[c]->view, i);
      for (int64_t k = 0; k < m; k++) times_of(both[c], i)[k] = (double)k;
    }
  }
  struct asked request = request_for(x);
  struct plan plan;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK(plan.pairs.pairs == 3 && plan.pairs.rectangles == 20);
  request.pairs.mode = PCF_LOWER_WITH_DIAGONAL;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK(plan.pairs.pairs == 6 && plan.pairs.rectangles == 40);
  request.pairs.mode = PCF_FULL;
  request.pairs.y = &y->view;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK(plan.pairs.pairs == 6 && plan.pairs.rectangles == 10 * 2 + 5 * 3);
}

TEST(plan_obeys_a_forced_method) {
  struct functions *x = functions_random(&random, PAPER, 20, 5, 30);
  for (int k = 0; pcf_methods[k]; k++) {
    struct asked request = request_for(x);
    struct plan plan;
    request.pairs.method = pcf_methods[k]->name;
    if (pcf_methods[k] == &pcf_lookup_method || pcf_methods[k] == &pcf_events_method) {
      continue; /* not for distances, and not for pairs */
    }
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK(plan.offer.how == pcf_methods[k]);
    CHECK(isfinite(plan.offer.seconds) && plan.offer.seconds == plan.pairs.estimate[k].seconds);
    CHECK((plan.pairs.grid_points > 0) == (pcf_methods[k] == &pcf_grid_method));
  }
}

TEST(plan_pairs_are_always_walked) {
  struct functions *x = functions_random(&random, SHARED_GRID, 20, 30, 30);
  struct asked request = request_for(x);
  struct plan plan;
  request.pairs.mode = PCF_PAIRED;
  request.pairs.pairs = 20;
  request.pairs.y = &x->view;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK_STRING(plan.offer.method, "walk");
  CHECK(plan.pairs.pairs == 20 && plan.pairs.rectangles == 20 * 60);
  static const char *const others[] = {"sweep", "grid"};
  for (int k = 0; k < 2; k++) {
    struct pcf_error error = {0};
    request.pairs.method = others[k];
    CHECK(plan_for(&request, &plan, &error) == PCF_ERROR_ARGUMENT);
    CHECK(error.status == PCF_ERROR_ARGUMENT);
    CHECK(strstr(error.message, others[k]) != NULL);
  }
}

TEST(plan_obeys_widths) {
  struct functions *x = functions_random(&random, SHARED_GRID, 20, 5, 5);
  struct asked request = request_for(x);
  struct plan plan;
  static const char *const tiled[] = {"sweep", "grid"};
  for (int k = 0; k < 2; k++) {
    for (int width = 32; width <= 256; width *= 2) {
      request.pairs.method = tiled[k];
      request.pairs.width = width;
      REQUIRE(!plan_for(&request, &plan, NULL));
      CHECK(plan.width == width);
    }
  }
  struct pcf_error error = {0};
  request.pairs.method = "sweep";
  request.pairs.width = 48;
  CHECK(plan_for(&request, &plan, &error) == PCF_ERROR_ARGUMENT);
  CHECK(error.message[0] != 0);
}

/* A band may be as wide as PCF_MAX_WIDTH; the kernels take whole vectors. */
TEST(plan_chooses_usable_widths) {
  for (int64_t n = 1; n < 3000; n = 3 * n + 1) {
    struct functions *x = functions_random(&random, PAPER, n, 1, 3);
    struct asked request = request_for(x);
    struct plan plan;
    REQUIRE(!plan_for(&request, &plan, NULL));
    for (int k = 0; pcf_methods[k]; k++) {
      int width = plan.pairs.estimate[k].width;
      CHECK(width % 32 == 0 && width <= PCF_MAX_WIDTH);
      bool tiled = pcf_methods[k] != &pcf_walk_method && pcf_methods[k] != &pcf_events_method;
      CHECK((width >= 32) == tiled);
    }
  }
}

TEST(plan_says_that_there_is_no_such_method_or_instructions) {
  struct functions *x = functions_random(&random, PAPER, 3, 5, 9);
  for (int which = 0; which < 2; which++) {
    struct asked request = request_for(x);
    struct plan plan;
    struct pcf_error error = {0};
    if (which) request.pairs.instructions = "mmx";
    else request.pairs.method = "swoop";
    CHECK(plan_for(&request, &plan, &error) == PCF_ERROR_ARGUMENT);
    if (which) CHECK(strstr(error.message, "mmx"));
    else CHECK_STRING(error.message, "there is no \"swoop\" kernel");
  }
}

TEST(plan_takes_the_same_kernel_for_any_number_of_threads) {
  const int64_t sizes[][2] = {{3, 5000}, {12, 300}, {40, 60}, {60, 200}, {150, 20}};
  for (int k = 0; k < 10; k++) {
    const int64_t *size = sizes[k / 2];
    struct functions *x =
      functions_random(&random, k % 2 ? SHARED_GRID : PAPER, size[0], 5, size[1]);
    struct plan first = {0};
    for (int threads = 1; threads <= 64; threads *= 4) {
      struct asked request = request_for(x);
      struct plan plan;
      request.settings.threads = threads;
      REQUIRE(!plan_for(&request, &plan, NULL));
      if (threads == 1) first = plan;
      CHECK(plan.offer.how == first.offer.how);
      CHECK(plan.pairs.grid_points == first.pairs.grid_points);
    }
  }
}

/* Sums of many functions are cheaper without pairs, also of many columns; of few with them. */
TEST(plan_sums_without_pairs) {
  struct functions *x = functions_random(&random, PAPER, 3000, 5, 9);
  struct pcf_collection few = x->view;
  struct pcf_sums sums = {.columns = 1};
  for (int threads = 1; threads <= 64; threads *= 8) {
    struct asked request = request_for(x);
    struct plan plan;
    request.settings.threads = threads;
    request.pairs.mode = PCF_LOWER_WITH_DIAGONAL;
    request.pairs.sums = &sums;
    sums.columns = 1;
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK_STRING(plan.offer.method, "events");
    CHECK(plan.offer.at_once == pcf_events_method.at_once);
    sums.columns = 3000;
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK_STRING(plan.offer.method, "events");
    sums.columns = 1;
    few.count = 100;
    request.pairs.x = &few;
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK(!plan.offer.at_once);
    request.pairs.method = "events";
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK_STRING(plan.offer.method, "events");
    request.pairs.precision = PCF_SINGLE_PRECISION;
    CHECK(plan_for(&request, &plan, NULL) == PCF_ERROR_ARGUMENT);
  }
}

/* Threads have to wake up, so that 16 are not eight times as fast as two. The functions are
 * long, as writing distances does not become faster with all threads. */
TEST(plan_expects_less_of_more_threads) {
  struct functions *x = functions_random(&random, PAPER, 700, 200, 300);
  struct asked request = request_for(x);
  double before = INFINITY, two = 0;
  for (int threads = 1; threads <= 16; threads *= 2) {
    struct plan plan;
    request.settings.threads = threads;
    REQUIRE(!plan_for(&request, &plan, NULL));
    CHECK(plan.offer.seconds < before);
    before = plan.offer.seconds;
    if (threads == 2) two = before;
  }
  CHECK(before > two / 8 * 1.4 && before < two / 8 * 2.2);
}

TEST(plan_starts_no_threads_for_little_work) {
  struct functions *little = functions_random(&random, PAPER, 3, 5, 9);
  struct functions *much = functions_random(&random, PAPER, 500, 100, 200);
  struct asked request = request_for(little);
  struct plan plan;
  request.settings.threads = 8;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK(plan.offer.threads == 1);
  request.pairs.x = &much->view;
  REQUIRE(!plan_for(&request, &plan, NULL));
  CHECK(plan.offer.threads == 8);
}

TEST(plan_of_nothing) {
  struct functions *none = functions_new(0, NULL);
  struct functions *one = functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){0, 1}});
  for (int mode = PCF_FULL; mode <= PCF_PAIRED; mode++) {
    struct asked request = request_for(none);
    struct plan plan;
    request.pairs.mode = mode;
    CHECK(plan_for(&request, &plan, NULL) == PCF_OK);
    CHECK(plan.pairs.pairs == 0 && plan.pairs.rectangles == 0 && plan.offer.threads == 1);
    request.pairs.x = &one->view;
    CHECK(plan_for(&request, &plan, NULL) == PCF_OK);
    CHECK(plan.offer.threads == 1);
  }
}

TEST(plan_without_memory_fails) {
  struct functions *x = functions_random(&random, SHARED_GRID, 60, 20, 20);
  struct asked request = request_for(x);
  struct plan plan;
  struct pcf_error error = {0};
  pcf_memory_fail_at(1);
  CHECK(plan_for(&request, &plan, &error) == PCF_ERROR_MEMORY);
  CHECK(error.message[0] != 0);
}

/* Methods agree up to rounding only: what the tile is forced to be must not choose between
 * them. */
TEST(plan_takes_the_same_method_for_any_width) {
  for (int64_t n = 2; n <= 64; n *= 2) {
    for (int64_t m = 10; m <= 10000; m *= 10) {
      struct functions *x = functions_random(&random, PAPER, n, m, m);
      struct plan free_plan, plan;
      struct asked request = request_for(x);
      REQUIRE(!plan_for(&request, &free_plan, NULL));
      for (int k = 0; k < 4; k++) {
        request.pairs.width = 32 << k;
        REQUIRE(!plan_for(&request, &plan, NULL));
        CHECK(plan.offer.how == free_plan.offer.how);
      }
    }
  }
}
