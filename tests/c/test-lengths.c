/* Lengths of overlaps in whole numbers of a unit: the vector code of every instruction set, and
 * the means that are divided by them. */
#include "check.h"
#include "collections.h"
#include "runs.h"

#include "base/bits.h"
#include "pairs/lengths.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 32, ROWS = 20 };

static int64_t any_number(struct random *random) {
  uint64_t number = 0;
  for (int k = 0; k < 4; k++)
    number = number << 16 ^ (uint64_t)(random_uniform(random) * 65536);
  return (int64_t)number;
}

static void check_elapsed(const struct pcf_kernels *kernels, struct random *random) {
  int64_t held[WIDTH], going[WIDTH], sum[WIDTH], want[WIDTH], time = any_number(random);
  for (int k = 0; k < WIDTH; k++) {
    held[k] = any_number(random);
    going[k] = -(random_uniform(random) < 0.5);
    sum[k] = any_number(random);
    want[k] = pcf_sum_of_units(pcf_sum_of_units(sum[k], held[k]), going[k] & time);
  }
  kernels->add_elapsed(held, going, time, WIDTH, sum);
  CHECK(memcmp(sum, want, sizeof want) == 0);
}

static void check_rows(const struct pcf_kernels *kernels, struct random *random) {
  int64_t rows[ROWS][PCF_ROW_LANES], sum[2][PCF_ROW_LANES], want[2][PCF_ROW_LANES] = {{0}};
  int32_t list[3 * PCF_LIST_STEP];
  const int64_t start[] = {0, 2 * PCF_LIST_STEP, 3 * PCF_LIST_STEP};
  for (int g = 0; g < ROWS; g++) {
    for (int k = 0; k < PCF_ROW_LANES; k++) rows[g][k] = any_number(random);
  }
  for (int l = 0; l < 3 * PCF_LIST_STEP; l++) {
    list[l] = (int32_t)random_between(random, 0, ROWS - 1);
    int64_t *to = want[l >= 2 * PCF_LIST_STEP];
    for (int k = 0; k < PCF_ROW_LANES; k++) to[k] = pcf_sum_of_units(to[k], rows[list[l]][k]);
  }
  kernels->add_rows((const int64_t(*)[PCF_ROW_LANES])rows, list, start, 2, sum);
  CHECK(memcmp(sum, want, sizeof want) == 0);
  const int64_t none[] = {0, 0};
  kernels->add_rows((const int64_t(*)[PCF_ROW_LANES])rows, list, none, 1, sum);
  for (int k = 0; k < PCF_ROW_LANES; k++) CHECK(sum[0][k] == 0);
}

/* As C converts them; a small or negative number is seen wherever it is. */
static void check_doubles(const struct pcf_kernels *kernels, struct random *random) {
  enum { COUNT = 19 };
  const int64_t least = (int64_t)1 << 40;
  int64_t number[COUNT];
  double got[COUNT];
  for (int k = 0; k < COUNT; k++) {
    number[k] = least + (any_number(random) >> random_between(random, 2, 30) & INT64_MAX / 2);
  }
  CHECK(!kernels->to_doubles(number, COUNT, 0.125, least, got));
  for (int k = 0; k < COUNT; k++) CHECK(got[k] == (double)number[k] * 0.125);
  for (int k = 0; k < COUNT; k++) {
    for (int small = 0; small < 3; small++) {
      int64_t kept = number[k];
      number[k] = small == 0 ? 0 : small == 1 ? least - 1 : -5;
      CHECK(kernels->to_doubles(number, COUNT, 0.125, least, got));
      if (small < 2) CHECK(got[k] == (double)number[k] * 0.125);
      number[k] = kept;
    }
  }
}

static void check_divide(const struct pcf_kernels *kernels, struct random *random) {
  enum { COUNT = 19 };
  for (int root = 1; root <= 2; root++) {
    double results[COUNT], lengths[COUNT], want[COUNT];
    for (int k = 0; k < COUNT; k++) {
      results[k] = random_normal(random);
      lengths[k] = random_uniform(random);
      want[k] = results[k] / (root == 1 ? lengths[k] : sqrt(lengths[k]));
    }
    kernels->divide(results, lengths, COUNT, root);
    CHECK(memcmp(results, want, sizeof want) == 0);
  }
}

TEST(lengths_by_every_instruction_set) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  struct random random = {701};
  int available = pcf_available_instructions(sets);
  for (int s = 0; s < available; s++) {
    for (int k = 0; k < 50; k++) {
      check_elapsed(pcf_kernels_of(sets[s]), &random);
      check_rows(pcf_kernels_of(sets[s]), &random);
      check_doubles(pcf_kernels_of(sets[s]), &random);
      check_divide(pcf_kernels_of(sets[s]), &random);
    }
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
