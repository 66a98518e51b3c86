/* Lengths of overlaps in whole numbers of a unit: the vector code of every instruction set, and
 * the means that are divided by them. */
#include "check.h"
#include "collections.h"
#include "runs.h"

#include "base/bits.h"
#include "pairs/lengths.h"
#include "pairs/view.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 32, CELLS = 20, LISTED = 13 };

static int64_t any_number(struct random *random) {
  uint64_t number = 0;
  for (int k = 0; k < 4; k++)
    number = number << 16 ^ (uint64_t)(random_uniform(random) * 65536);
  return (int64_t)number;
}

/* Numbers as kernels of a precision have them. */
static int64_t load(const void *from, int k, enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? ((const int64_t *)from)[k] : ((const int32_t *)from)[k];
}

static void store(void *to, int k, int64_t number, enum pcf_precision precision) {
  if (precision == PCF_DOUBLE) ((int64_t *)to)[k] = number;
  else ((int32_t *)to)[k] = (int32_t)(uint32_t)(uint64_t)number;
}

static void check_elapsed(const struct pcf_kernels *kernels, struct random *random,
                          enum pcf_precision precision) {
  int64_t held[WIDTH], going[WIDTH], sum[WIDTH], want[WIDTH], time = any_number(random);
  memset(sum, 0, sizeof sum);
  memset(want, 0, sizeof want);
  for (int k = 0; k < WIDTH; k++) {
    int64_t before = any_number(random), more = any_number(random);
    int64_t lanes = -(random_uniform(random) < 0.5);
    store(held, k, more, precision);
    store(going, k, lanes, precision);
    store(sum, k, before, precision);
    store(want, k, pcf_sum_of_units(pcf_sum_of_units(before, more), lanes & time), precision);
  }
  kernels->add_elapsed[precision](held, going, time, WIDTH, sum);
  CHECK(memcmp(sum, want, sizeof want) == 0);
}

static void check_cells(const struct pcf_kernels *kernels, struct random *random,
                        enum pcf_precision precision) {
  int64_t all[PCF_CELL_LANES], sum[PCF_CELL_LANES] = {0}, want[PCF_CELL_LANES] = {0};
  int64_t total[PCF_CELL_LANES];
  uint64_t observed[CELLS];
  struct pcf_listed_cell list[LISTED];
  memset(all, 0, sizeof all);
  for (int k = 0; k < PCF_CELL_LANES; k++)
    store(all, k, total[k] = any_number(random), precision);
  for (int g = 0; g < CELLS; g++) observed[g] = (uint64_t)any_number(random);
  for (int l = 0; l < LISTED; l++) {
    list[l] =
      (struct pcf_listed_cell){random_between(random, 0, CELLS - 1), any_number(random)};
    for (int k = 0; k < PCF_CELL_LANES; k++) {
      if (observed[list[l].cell] >> k & 1) {
        total[k] = pcf_sum_of_units(total[k], list[l].length);
      }
    }
  }
  for (int k = 0; k < PCF_CELL_LANES; k++) store(want, k, total[k], precision);
  kernels->add_cells[precision](observed, list, LISTED, all, sum);
  CHECK(memcmp(sum, want, sizeof want) == 0);
  kernels->add_cells[precision](observed, list, 0, all, sum);
  CHECK(memcmp(sum, all, sizeof all) == 0);
}

/* As C converts them; a small or negative number is seen wherever it is. */
static void check_scalars(const struct pcf_kernels *kernels, struct random *random,
                          enum pcf_precision precision, double unit) {
  enum { COUNT = 37 };
  const int bits = precision == PCF_DOUBLE ? 62 : 30;
  const int64_t least = (int64_t)1 << (bits - 10);
  int64_t number[COUNT], value[COUNT];
  double got[COUNT];
#define TO_SCALARS kernels->to_scalars[precision](number, COUNT, unit, least, got)
#define GOT(k) pcf_load_scalar(got, k, precision)
#define WANT(k) pcf_narrowed((double)load(number, k, precision) * unit, precision)
  for (int k = 0; k < COUNT; k++) {
    int64_t most = ((int64_t)1 << bits) - 1;
    value[k] = (any_number(random) & most) >> random_between(random, 0, 9);
    store(number, k, value[k] = value[k] < least ? least + value[k] : value[k], precision);
  }
  store(number, 3, ((int64_t)1 << bits) - 1, precision);
  value[3] = ((int64_t)1 << bits) - 1;
  CHECK(!TO_SCALARS);
  for (int k = 0; k < COUNT; k++) CHECK(GOT(k) == WANT(k));
  for (int k = 0; k < COUNT; k++) {
    for (int small = 0; small < 3; small++) {
      store(number, k, small == 0 ? 0 : small == 1 ? least - 1 : -5, precision);
      CHECK(TO_SCALARS);
      if (small < 2) CHECK(GOT(k) == WANT(k));
      store(number, k, value[k], precision);
    }
  }
#undef TO_SCALARS
#undef GOT
#undef WANT
}

/* A length that is not positive is seen wherever it is. */
static void check_divide(const struct pcf_kernels *kernels, struct random *random,
                         enum pcf_precision precision, int root) {
  enum { COUNT = 19 };
  static const double bad[] = {0, -1, NAN};
  double results[COUNT], lengths[COUNT], want[COUNT];
  for (int k = 0; k < COUNT; k++) {
    results[k] = random_normal(random);
    pcf_store_scalar(lengths, k, random_uniform(random) + 0.01, precision);
    double length = pcf_load_scalar(lengths, k, precision) * 0.25;
    want[k] = results[k] / (root == 1 ? length : sqrt(length));
  }
  CHECK(kernels->divide(results, lengths, precision, 0.25, COUNT, root));
  CHECK(memcmp(results, want, sizeof want) == 0);
  for (int k = 0; k < COUNT; k++) {
    double kept = pcf_load_scalar(lengths, k, precision);
    pcf_store_scalar(lengths, k, bad[k % 3], precision);
    CHECK(!kernels->divide(results, lengths, precision, 0.25, COUNT, root));
    pcf_store_scalar(lengths, k, kept, precision);
  }
}

static void check_set(const struct pcf_kernels *kernels, struct random *random) {
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    check_elapsed(kernels, random, (enum pcf_precision)precision);
    check_cells(kernels, random, (enum pcf_precision)precision);
    check_scalars(kernels, random, (enum pcf_precision)precision, 0.125);
    check_scalars(kernels, random, (enum pcf_precision)precision, 0x1p-160);
    check_divide(kernels, random, (enum pcf_precision)precision, 1);
    check_divide(kernels, random, (enum pcf_precision)precision, 2);
  }
}

TEST(lengths_by_every_instruction_set) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  struct random random = {701};
  int available = pcf_available_instructions(sets);
  for (int s = 0; s < available; s++) {
    for (int k = 0; k < 50; k++) check_set(pcf_kernels_of(sets[s]), &random);
  }
}

TEST(times_in_units) {
  struct pcf_units units = {.bits = 4};
  CHECK(pcf_units_of(&units, 3.25) == 52 && pcf_units_of(&units, -0.5) == -8);
  CHECK(pcf_units_of(&units, 0.03125) == 0 && pcf_units_of(&units, 0.04) == 1);
  CHECK(pcf_units_of(&units, 0x1p60 + 0x1p20) == (int64_t)1 << 24); /* modulo 2^64 */
  CHECK(pcf_units_of(&units, -0x1p60 - 0x1p20) == -((int64_t)1 << 24));
  CHECK(pcf_units_of(&units, 0x1p59) == INT64_MIN);
}

/* Constants, each known for very long on its own, and all together for `common` at a late time:
 * the mean of their difference is what they differ by. */
static void check_common(double common, double late, const char *method,
                         enum pcf_precision precision) {
  const double na = pcf_missing();
  const double *literal[] = {
    (double[]){-INFINITY, -3e9, -2e9, late, late + common, na, 3, na, 3, na},
    (double[]){-INFINITY, -2e9, -1e9, late, late + common, na, 5, na, 5, na},
    (double[]){-INFINITY, -1e9, -1e8, late, late + common, na, 9, na, 9, na}};
  struct functions *x = functions_of(3, (int64_t[]){5, 5, 5}, literal);
  x->view.partial = 1;
  struct question question = {PCF_L1, 1, -4e9, 4 * late};
  struct asked request = request_of(&question, PCF_MATRIX_DIST, x, NULL);
  request.pairs.missing = PCF_MISSING_MEAN;
  request.pairs.method = method;
  request.pairs.precision = precision;
  struct outcome outcome = run_request(&request, PCF_MATRIX_DIST, &pcf_cpu_backend);
  REQUIRE(outcome.status == PCF_OK);
  const double want[] = {2, 6, 4};
  for (int k = 0; k < 3; k++) {
    double error = fabs(outcome.result[k] / want[k] - 1);
    CHECK(error < (precision == PCF_DOUBLE ? 1e-13 : 1e-6));
  }
  outcome_free(&outcome);
  functions_free(x);
}

TEST(means_over_small_and_late_overlaps) {
  static const char *const methods[] = {"sweep", "grid"};
  for (int m = 0; m < 2; m++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      for (int exponent = 9; exponent > -40; exponent -= 3) {
        if (precision == PCF_SINGLE_PRECISION && exponent < -8) continue;
        check_common(ldexp(1.3, exponent), 4000, methods[m], precision);
        if (exponent > -8) check_common(ldexp(1, exponent), 1e9, methods[m], PCF_DOUBLE);
      }
    }
  }
}
