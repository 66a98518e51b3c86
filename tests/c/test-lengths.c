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

/* Of 62 bits at most. */
static int64_t any_length(struct random *random) {
  uint64_t number = 0;
  for (int k = 0; k < 4; k++)
    number = number << 16 ^ (uint64_t)(random_uniform(random) * 65536);
  return (int64_t)(number >> random_between(random, 2, 9));
}

/* As C converts and divides them; a length that is small or negative is seen wherever it is. */
static void check_divide(const struct pcf_kernels *kernels, struct random *random, int root) {
  enum { COUNT = 19 };
  const int64_t least = (int64_t)1 << 52;
  double results[COUNT], want[COUNT], unit = 0.25;
  int64_t lengths[COUNT];
  for (int k = 0; k < COUNT; k++) {
    results[k] = random_normal(random);
    lengths[k] = least + any_length(random) / 2;
    double length = (double)lengths[k] * unit;
    want[k] = results[k] / (root == 1 ? length : sqrt(length));
  }
  CHECK(!kernels->divide(results, lengths, unit, least, COUNT, root));
  CHECK(memcmp(results, want, sizeof want) == 0);
  for (int k = 0; k < COUNT; k++) {
    int64_t kept = lengths[k];
    lengths[k] = k % 3 == 0 ? 0 : k % 3 == 1 ? least - 1 : -5;
    CHECK(kernels->divide(results, lengths, unit, least, COUNT, root));
    lengths[k] = kept;
  }
}

/* Where indicators are 1: on ragged stretches, or on some of a grid. */
static struct functions *indicators_random(struct random *random, int64_t count, int on_grid) {
  struct functions *x = functions_random(random, PARTIAL, count, 1, 12);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      double *time = (double *)pcf_times(&x->view, i) + k;
      double *value = (double *)pcf_values(&x->view, i) + k;
      if (on_grid) *time = (double)k / 8 + (double)(i % 3) / 8;
      *value = k % 2;
    }
  }
  return x;
}

/* Tiles have the lengths of pairs that are gone through one by one, which those of the
 * definition are, in any rectangle of a tile. */
static void check_tiles(const struct pcf_kernels *kernels, struct random *random, int on_grid,
                        const struct pcf_weight *weight) {
  enum { N = 150, M = 40 };
  static struct pcf_overlap_lengths lengths;
  struct functions *x = indicators_random(random, N, on_grid);
  struct functions *y = indicators_random(random, M, on_grid);
  struct pcf_integral integral = {.operation = PCF_INNER, .from = -1, .to = 1.25};
  struct pcf_lengths of;
  integral.weight = weight;
  REQUIRE(!pcf_lengths_make(&of, &x->view, &y->view, &integral, 1, NULL, NULL));
  for (int64_t band = 0; band * PCF_OBSERVED_WIDTH < N; band++) {
    int64_t rest = N - band * PCF_OBSERVED_WIDTH;
    int64_t row = random_between(random, 0, rest < 100 ? 5 : 100);
    int64_t column = random_between(random, 0, 9);
    lengths.wanted = (struct pcf_rectangle){row, 10, column, 30};
    memset(lengths.sum, 1, sizeof lengths.sum);
    kernels->overlaps(&of.rows[band], of.columns, &lengths);
    for (int64_t j = column; j < column + 30; j++) {
      for (int64_t i = row; i < row + 10; i++) {
        int64_t f = band * PCF_OBSERVED_WIDTH + i;
        CHECK(lengths.sum[j][i] == pcf_length_of_pair(&of, f, j));
      }
    }
  }
  pcf_lengths_free(&of);
}

TEST(lengths_by_every_instruction_set) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  struct pcf_weight weight = {3, (double[]){-0.3, 0.4, INFINITY}, (double[]){0.7, 3, 0.01}};
  int available = pcf_available_instructions(sets);
  for (int s = 0; s < available; s++) {
    const struct pcf_kernels *kernels = pcf_kernels_of(sets[s]);
    for (int k = 0; k < 20; k++) {
      check_divide(kernels, &random, 1 + k % 2);
      check_tiles(kernels, &random, k % 2, k % 4 < 2 ? NULL : &weight);
    }
  }
}

/* By hand: 1 on [0, 2), and on [1, 3) and [5, 6). */
TEST(lengths_of_pairs_by_definition) {
  const double *literal[] = {(double[]){0, 2, 1, 0}, (double[]){1, 3, 5, 6, 1, 0, 1, 0}};
  struct functions *x = functions_of(2, (int64_t[]){2, 4}, literal);
  struct pcf_weight weight = {2, (double[]){1.5, INFINITY}, (double[]){2, 3}};
  struct pcf_integral integral = {.operation = PCF_INNER, .from = -1, .to = 5.5};
  for (int weighted = 0; weighted < 2; weighted++) {
    SCOPED(pcf_lengths) of;
    integral.weight = weighted ? &weight : NULL;
    REQUIRE(!pcf_lengths_make(&of, &x->view, NULL, &integral, 1, NULL, NULL));
    CHECK((double)pcf_length_of_pair(&of, 0, 0) * of.unit == (weighted ? 4.5 : 2));
    CHECK((double)pcf_length_of_pair(&of, 1, 0) * of.unit == (weighted ? 2.5 : 1));
    CHECK((double)pcf_length_of_pair(&of, 1, 1) * of.unit == (weighted ? 7 : 2.5));
  }
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
