#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "pairs/plan.h"

#include <math.h>
#include <string.h>

static struct pcf_request request_for(const struct functions *x) {
  return (struct pcf_request){.x = &x->view,
                              .mode = PCF_LOWER_WITHOUT_DIAGONAL,
                              .operation = PCF_L1,
                              .p = 1,
                              .from = -INFINITY,
                              .to = INFINITY,
                              .threads = 2,
                              .kernel = PCF_KERNEL_AUTO};
}

static enum pcf_status plan_for(const struct pcf_request *request, struct pcf_plan *plan,
                                int64_t *grid_points, struct pcf_error *error) {
  struct question question = {request->operation, request->p, request->from, request->to};
  struct pcf_integral integral =
    integral_for(&question, request->precision, request->x, request->y);
  struct pcf_grid grid;
  enum pcf_status status = pcf_plan_make(plan, request, &integral, &grid, error);
  if (grid_points) *grid_points = grid.points;
  pcf_grid_free(&grid);
  return status;
}

/* The choice with every instruction set, on x and on two collections of the kind. */
static void check_choice(const struct functions *x, enum pcf_kernel kernel) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  for (int k = 0; k < count; k++) {
    for (int two = 0; two < 2; two++) {
      struct pcf_request request = request_for(x);
      struct pcf_plan plan;
      request.instructions = pcf_instructions_name(available[k]);
      if (two) {
        request.y = &x->view;
        request.mode = PCF_FULL;
      }
      REQUIRE(!plan_for(&request, &plan, NULL, NULL));
      CHECK(plan.kernel == kernel);
      CHECK(plan.instructions == available[k]);
      for (int other = 0; other < PCF_KERNEL_COUNT; other++) {
        CHECK(plan.seconds[kernel] <= plan.seconds[other]);
      }
    }
  }
}

TEST(plan_sweeps_ragged_data) {
  struct random random = {40};
  struct functions *x = functions_random(&random, PAPER, 400, 10, 200);
  check_choice(x, PCF_SWEEP);
  functions_free(x);
}

TEST(plan_uses_a_shared_grid) {
  struct random random = {41};
  struct functions *x = functions_random(&random, SHARED_GRID, 300, 100, 100);
  check_choice(x, PCF_GRID);
  functions_free(x);
}

TEST(plan_splits_few_long_functions) {
  struct random random = {42};
  struct functions *x = functions_random(&random, PAPER, 4, 20000, 20000);
  check_choice(x, PCF_SPLIT);
  functions_free(x);
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
  struct pcf_request request = request_for(x);
  struct pcf_plan plan;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.pairs == 3 && plan.rectangles == 20);
  request.mode = PCF_LOWER_WITH_DIAGONAL;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.pairs == 6 && plan.rectangles == 40);
  request.mode = PCF_FULL;
  request.y = &y->view;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.pairs == 6 && plan.rectangles == 10 * 2 + 5 * 3);
  functions_free(x);
  functions_free(y);
}

TEST(plan_obeys_a_forced_kernel) {
  struct random random = {43};
  struct functions *x = functions_random(&random, PAPER, 20, 5, 30);
  for (int kernel = 0; kernel < PCF_KERNEL_COUNT; kernel++) {
    struct pcf_request request = request_for(x);
    struct pcf_plan plan;
    int64_t points;
    request.kernel = kernel;
    REQUIRE(!plan_for(&request, &plan, &points, NULL));
    CHECK(plan.kernel == kernel);
    CHECK(isfinite(plan.seconds[kernel]));
    CHECK((points > 0) == (kernel == PCF_GRID));
    if (kernel == PCF_GRID) CHECK(plan.cells == plan.pairs * (double)points);
  }
  functions_free(x);
}

TEST(plan_pairs_are_always_split) {
  struct random random = {44};
  struct functions *x = functions_random(&random, SHARED_GRID, 20, 30, 30);
  struct pcf_request request = request_for(x);
  struct pcf_plan plan;
  request.mode = PCF_PAIRED;
  request.y = &x->view;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.kernel == PCF_SPLIT);
  CHECK(plan.pairs == 20 && plan.rectangles == 20 * 60);
  for (int kernel = PCF_SWEEP; kernel <= PCF_GRID; kernel++) {
    struct pcf_error error = {0};
    request.kernel = kernel;
    CHECK(plan_for(&request, &plan, NULL, &error) == PCF_ERROR_ARGUMENT);
    CHECK(error.status == PCF_ERROR_ARGUMENT);
    CHECK(strstr(error.message, pcf_kernel_name(kernel)) != NULL);
  }
  functions_free(x);
}

TEST(plan_obeys_widths_and_block_sides) {
  struct random random = {45};
  struct functions *x = functions_random(&random, SHARED_GRID, 20, 5, 5);
  struct pcf_request request = request_for(x);
  struct pcf_plan plan;
  for (int kernel = PCF_SWEEP; kernel <= PCF_GRID; kernel++) {
    for (int width = 32; width <= 256; width *= 2) {
      request.kernel = kernel;
      request.width = width;
      request.block_side = 3 * width;
      REQUIRE(!plan_for(&request, &plan, NULL, NULL));
      CHECK(plan.width == width && plan.block_side == 3 * width);
    }
  }
  struct pcf_error error = {0};
  request.kernel = PCF_SWEEP;
  request.width = 48;
  CHECK(plan_for(&request, &plan, NULL, &error) == PCF_ERROR_ARGUMENT);
  CHECK(error.message[0] != 0);
  functions_free(x);
}

/* A band may be as wide as PCF_MAX_WIDTH; the kernels take whole vectors. */
TEST(plan_chooses_usable_widths) {
  struct random random = {46};
  for (int64_t n = 1; n < 3000; n = 3 * n + 1) {
    struct functions *x = functions_random(&random, PAPER, n, 1, 3);
    struct pcf_request request = request_for(x);
    struct pcf_plan plan;
    REQUIRE(!plan_for(&request, &plan, NULL, NULL));
    CHECK(plan.width % 32 == 0 && plan.width >= 32 && plan.width <= PCF_MAX_WIDTH);
    functions_free(x);
  }
}

TEST(plan_says_what_the_processor_lacks) {
  struct random random = {47};
  struct functions *x = functions_random(&random, PAPER, 3, 5, 9);
  struct pcf_request request = request_for(x);
  struct pcf_plan plan;
  struct pcf_error error = {0};
  request.instructions = "mmx";
  CHECK(plan_for(&request, &plan, NULL, &error) == PCF_ERROR_ARGUMENT);
  CHECK(strstr(error.message, "mmx") != NULL);
  functions_free(x);
}

TEST(plan_takes_the_same_kernel_for_any_number_of_threads) {
  struct random random = {71};
  const int64_t sizes[][2] = {{3, 5000}, {12, 300}, {40, 60}, {60, 200}, {150, 20}};
  for (int k = 0; k < 10; k++) {
    const int64_t *size = sizes[k / 2];
    struct functions *x =
      functions_random(&random, k % 2 ? SHARED_GRID : PAPER, size[0], 5, size[1]);
    struct pcf_plan first = {0};
    for (int threads = 1; threads <= 64; threads *= 4) {
      struct pcf_request request = request_for(x);
      struct pcf_plan plan;
      request.threads = threads;
      REQUIRE(!plan_for(&request, &plan, NULL, NULL));
      if (threads == 1) first = plan;
      CHECK(plan.kernel == first.kernel);
      CHECK(plan.cells == first.cells);
    }
    functions_free(x);
  }
}

TEST(plan_starts_no_threads_for_little_work) {
  struct random random = {48};
  struct functions *little = functions_random(&random, PAPER, 3, 5, 9);
  struct functions *much = functions_random(&random, PAPER, 500, 100, 200);
  struct pcf_request request = request_for(little);
  struct pcf_plan plan;
  request.threads = 8;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.threads == 1);
  request.x = &much->view;
  REQUIRE(!plan_for(&request, &plan, NULL, NULL));
  CHECK(plan.threads == 8);
  functions_free(little);
  functions_free(much);
}

TEST(plan_of_nothing) {
  struct functions *none = functions_new(0, NULL);
  struct functions *one = functions_of(1, (int64_t[]){1}, (const double *[]){(double[]){0, 1}});
  for (int mode = PCF_FULL; mode <= PCF_LOWER_WITH_DIAGONAL; mode++) {
    struct pcf_request request = request_for(none);
    struct pcf_plan plan;
    request.mode = mode;
    CHECK(plan_for(&request, &plan, NULL, NULL) == PCF_OK);
    CHECK(plan.pairs == 0 && plan.rectangles == 0 && plan.threads == 1);
    request.x = &one->view;
    CHECK(plan_for(&request, &plan, NULL, NULL) == PCF_OK);
    CHECK(plan.threads == 1);
  }
  functions_free(none);
  functions_free(one);
}

TEST(plan_without_memory_fails) {
  struct random random = {49};
  struct functions *x = functions_random(&random, SHARED_GRID, 60, 20, 20);
  struct pcf_request request = request_for(x);
  struct pcf_plan plan;
  struct pcf_error error = {0};
  pcf_memory_fail_at(1);
  CHECK(plan_for(&request, &plan, NULL, &error) == PCF_ERROR_MEMORY);
  CHECK(error.message[0] != 0);
  functions_free(x);
}

TEST(plan_names_kernels) {
  CHECK_STRING(pcf_kernel_name(PCF_KERNEL_AUTO), "auto");
  CHECK_STRING(pcf_kernel_name(PCF_SWEEP), "sweep");
  CHECK_STRING(pcf_kernel_name(PCF_GRID), "grid");
  CHECK_STRING(pcf_kernel_name(PCF_SPLIT), "split");
}
