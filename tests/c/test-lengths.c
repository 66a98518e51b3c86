/* Means that depend on the digits of the lengths of overlaps: of small and late ones, and of
 * those beyond all doubles. */
#include "check.h"
#include "collections.h"
#include "runs.h"

#include "integrals/mean-of-pair.h"

#include <math.h>

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
  struct question question = {PCF_L1, 1, -4e9, 4 * late};
  struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.missing = PCF_MISSING_MEAN;
  request.pairs.method = method;
  request.pairs.precision = precision;
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
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

/* ---- Lengths beyond all doubles ---- */

/* The mean distance of the constants 1 and 3, known up to `until`, with a weight of that height
 * or, where it is 0, without one. */
static void check_mean_of_constants(double from, double until, double to, double height,
                                    const char *method) {
  const double na = pcf_missing();
  const double *literal[] = {(double[]){-INFINITY, until, 1, na}, (double[]){-INFINITY, 3}};
  const double *constant[] = {(double[]){-INFINITY, height}};
  struct functions *x = functions_of(2, (int64_t[]){2, 1}, literal);
  struct functions *weight = functions_of(1, (int64_t[]){1}, constant);
  struct question question = {PCF_L1, 1, from, to};
  struct asked request = request_of(&question, PCF_LOWER_WITHOUT_DIAGONAL, x, NULL);
  request.pairs.missing = PCF_MISSING_MEAN;
  request.pairs.method = method;
  if (height > 0) request.pairs.weight = &weight->view;
  struct outcome outcome = run_request(&request, PCF_LOWER_WITHOUT_DIAGONAL, &pcf_cpu_backend);
  REQUIRE(outcome.status == PCF_OK);
  CHECK_NEAR(outcome.result[0], 2, 1e-14);
}

/* Functions that are alike in the window, and others; weights whose integrals overflow or
 * vanish, and windows that are longer than any double. */
TEST(means_over_lengths_beyond_all_doubles) {
  static const char *const methods[] = {"sweep", "grid", "split", "walk"};
  for (int m = 0; m < 4; m++) {
    for (int alike = 0; alike < 2; alike++) {
      double share = alike ? 1 : 0.5;
      check_mean_of_constants(0, share * 1e150, 1e150, 1e200, methods[m]);
      check_mean_of_constants(0, share * 1e-150, 1e-150, 1e-200, methods[m]);
      check_mean_of_constants(-1.7e308, share * 1.7e308, 1.7e308, 0, methods[m]);
      check_mean_of_constants(-1.7e308, share * 1.7e308, 1.7e308, 1e300, methods[m]);
    }
  }
}

/* The same from the definition of the mean of a pair, which short overlaps need. */
TEST(means_of_pairs_over_lengths_beyond_all_doubles) {
  const double *literal[] = {(double[]){-INFINITY, 1}, (double[]){-INFINITY, 4}};
  struct functions *x = functions_of(2, (int64_t[]){1, 1}, literal);
  static const double heights[] = {1e-300, 1, 1e300}, ends[] = {1e-300, 1, 1.7e308};
  for (int k = 0; k < 9; k++) {
    struct pcf_weight weight = {1, (double[]){INFINITY}, (double[]){heights[k / 3]}, {0}};
    double mean =
      pcf_mean_of_pair(PCF_L2, 2, -ends[k % 3], ends[k % 3], &weight, &x->view, 0, &x->view, 1);
    CHECK_NEAR(mean, 3, 1e-15);
  }
}
