/* Pairs of a tile one by one, beside the tile: the same bits. */
#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 32 };

/* A tile of functions 0 … 31 of x and the others, which may be fewer. Do not move it. */
struct tile_of {
  struct pcf_integral integral;
  struct pcf_band band[2];
  struct pcf_event_lists lists;
  struct pcf_tile tile;
  int64_t columns;
};

static atomic_int never;

static void make_tile(struct tile_of *of, const struct question *question,
                      enum pcf_precision precision, const struct functions *x) {
  *of = (struct tile_of){.integral = integral_for(question, precision, &x->view, NULL),
                         .columns = x->view.count - WIDTH};
  struct pcf_band_scratch scratch = {0};
  struct pcf_error error;
  for (int s = 0; s < 2; s++) {
    int count = s ? (int)of->columns : WIDTH;
    CHECK(pcf_band_build(&of->band[s], &x->view, &of->integral, s * WIDTH, count, WIDTH,
                         &scratch, &error) == PCF_OK);
  }
  pcf_band_scratch_free(&scratch);
  CHECK(pcf_event_lists_make(&of->lists, &x->view, NULL, &of->integral, 2, &never, &error) ==
        PCF_OK);
  of->tile = (struct pcf_tile){.integral = &of->integral,
                               .from = of->integral.from,
                               .to = of->integral.to,
                               .width = WIDTH,
                               .stride = WIDTH,
                               .stop = &never};
  of->tile.workspace = pcf_allocate(pcf_tile_workspace(WIDTH, &of->integral), 1, &error);
}

static void free_tile(struct tile_of *of) {
  for (int s = 0; s < 2; s++) pcf_band_free(&of->band[s]);
  pcf_event_lists_free(&of->lists);
  pcf_free(of->tile.workspace);
}

/* About one pair of `every`, in an order of no meaning. */
static int64_t pick_pairs(struct random *random, int64_t columns, int64_t every,
                          struct pcf_pair_position *position) {
  int64_t count = 0;
  for (int32_t j = 0; j < columns; j++) {
    for (int32_t i = 0; i < WIDTH; i++) {
      if (random_between(random, 1, every) > 1) continue;
      int64_t place = random_between(random, 0, count);
      position[count++] = position[place];
      position[place] = (struct pcf_pair_position){i, j};
    }
  }
  return count;
}

static bool is_picked(const struct pcf_pair_position *position, int64_t count, int64_t i,
                      int64_t j) {
  for (int64_t k = 0; k < count; k++) {
    if (position[k].row == i && position[k].column == j) return true;
  }
  return false;
}

/* Those that are picked have the bits of the tile, and nothing else is written. */
static bool some_are_as_in_the_tile(struct tile_of *of, enum pcf_instructions set,
                                    const struct pcf_pair_position *position, int64_t count) {
  const struct pcf_kernels *kernels = pcf_kernels_of(set);
  enum pcf_precision precision = of->integral.precision;
  size_t scalar = pcf_scalar_size(precision);
  double all[WIDTH * WIDTH], one_by_one[WIDTH * WIDTH];
  memset(all, 0xff, sizeof all);
  memset(one_by_one, 0xff, sizeof one_by_one);
  struct pcf_tile tile = of->tile;
  tile.sweep.rows = &of->band[0];
  tile.sweep.columns = &of->band[1];
  tile.output = all;
  bool right = kernels->sweep[0][precision](&tile) == 0;
  struct pcf_listed_pairs listed = {of->lists.list, of->lists.list + WIDTH, position, count};
  tile.output = one_by_one;
  right = right && kernels->listed[precision](&tile, &listed) == 0;
  for (int64_t j = 0; j < of->columns && right; j++) {
    for (int64_t i = 0; i < WIDTH && right; i++) {
      size_t at = (size_t)(i + WIDTH * j) * scalar;
      if (isnan(scalar_at(all, i + WIDTH * j, precision))) return false;
      if (!is_picked(position, count, i, j)) memset((char *)all + at, 0xff, scalar);
      right = memcmp((char *)all + at, (char *)one_by_one + at, scalar) == 0;
    }
  }
  return right;
}

static struct functions *any_functions(struct random *random, int64_t columns) {
  static const enum shape shapes[] = {PAPER, INTEGER_TIMES, SHARED_GRID, UNBOUNDED};
  enum shape shape = shapes[random_between(random, 0, 3)];
  int64_t most = random_between(random, 0, 9) ? 60 : 2500;
  return functions_random(random, shape, WIDTH + columns, random_between(random, 1, most),
                          most);
}

static void test_case(struct random *random, const struct question *asked) {
  struct question question = *asked;
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int sets = pcf_available_instructions(available);
  int64_t columns = random_between(random, 1, WIDTH);
  struct functions *x = any_functions(random, columns);
  static struct pcf_pair_position position[WIDTH * WIDTH];
  if (random_between(random, 0, 2) == 0) question.from = random_normal(random);
  if (random_between(random, 0, 2) == 0) {
    question.to = fmax(question.from, -1) + 2 * random_uniform(random) + 1e-3;
  }
  for (int precision = 0; precision < 2; precision++) {
    struct tile_of of;
    make_tile(&of, &question, (enum pcf_precision)precision, x);
    int64_t count = pick_pairs(random, columns, random_between(random, 1, 60), position);
    for (int set = 0; set < sets; set++) {
      CHECK(some_are_as_in_the_tile(&of, available[set], position, count));
    }
    free_tile(&of);
  }
}

TEST(some_pairs_have_the_bits_of_the_tile) {
  for (int round = 0; round < (check_quick() ? 2 : 60); round++) {
    for (int operation = 0; operation < OPERATIONS; operation++) {
      enum pcf_operation kind = operations[operation].operation;
      if (pcf_takes_listed(kind)) test_case(&random, &operations[operation]);
    }
  }
}

/* Times that are equal once they are rounded are one event, and there may be none. */
TEST(some_pairs_have_the_bits_of_the_tile_where_times_coincide) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int sets = pcf_available_instructions(available);
  for (int operation = 0; operation < 2; operation++) {
    struct functions *x = functions_random(&random, PAPER, 2 * WIDTH, 300, 300);
    struct pcf_pair_position position[WIDTH * WIDTH];
    for (int64_t i = 0; i < 2 * WIDTH; i++) {
      for (int64_t k = 0; k < 300; k++)
        times_of(x, i)[k] = 1000 + ldexp(times_of(x, i)[k], -12);
      times_of(x, i)[0] = 0; /* single precision is for times about as far as wide */
    }
    struct tile_of of;
    make_tile(&of, &operations[operation], PCF_SINGLE_PRECISION, x);
    CHECK(of.lists.list[0].events < 300);
    int64_t count = pick_pairs(&random, WIDTH, 1, position);
    for (int set = 0; set < sets; set++) {
      CHECK(some_are_as_in_the_tile(&of, available[set], position, count));
    }
    free_tile(&of);
  }
}

TEST(some_pairs_can_be_stopped) {
  struct functions *x = functions_random(&random, PAPER, WIDTH + 1, 9, 9);
  struct pcf_pair_position position = {0, 0};
  struct tile_of of;
  make_tile(&of, &operations[0], PCF_DOUBLE, x);
  struct pcf_listed_pairs listed = {of.lists.list, of.lists.list + WIDTH, &position, 1};
  atomic_int stop = 1;
  double output[WIDTH];
  of.tile.output = output;
  of.tile.stop = &stop;
  CHECK(pcf_kernels_of(pcf_best_instructions())->listed[PCF_DOUBLE](&of.tile, &listed) == 1);
  free_tile(&of);
}
