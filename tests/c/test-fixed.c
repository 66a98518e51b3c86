/* Exact sums in fixed point. */
#include "check.h"
#include "collections.h"

#include "reductions/fixed.h"

#include <math.h>

static const double largest = 0x1.fffffffffffffp+1023, smallest = 0x1p-1074;

TEST(fixed_sums_of_literals) {
  double cancelling[] = {1e300, 1, -1e300, 1e-300, -1};
  double half[] = {1, 0x1p-53};
  double above_half[] = {1, 0x1p-53, smallest};
  double below_half[] = {1, 0x1p-53, -smallest};
  double huge[] = {largest, largest, -largest};
  double tiny[] = {smallest, smallest, smallest};
  CHECK(pcf_exact_sum(cancelling, 5) == 1e-300);
  CHECK(pcf_exact_sum(cancelling, 3) == 1);
  CHECK(pcf_exact_sum(half, 2) == 1);
  CHECK(pcf_exact_sum(above_half, 3) == 1 + 0x1p-52);
  CHECK(pcf_exact_sum(below_half, 3) == 1);
  CHECK(pcf_exact_sum(huge, 3) == largest);
  CHECK(pcf_exact_sum(huge, 2) == INFINITY);
  CHECK(pcf_exact_sum(tiny, 3) == 3 * smallest);
  CHECK(pcf_exact_sum(tiny, 0) == 0);
}

TEST(fixed_forms_are_as_wide_as_needed) {
  CHECK(pcf_fixed_for(1, 1, 1).limbs == 2);
  CHECK(pcf_fixed_for(1, 1, 1).unit == -52);
  CHECK(pcf_fixed_for(INFINITY, 0, 5).limbs == 2);
  CHECK(pcf_fixed_for(1e-10, 1, 100000).limbs == 2);
  CHECK(pcf_fixed_for(1e-30, 1, 100000).limbs == 3);
  struct pcf_fixed all = pcf_fixed_for(smallest, largest, INT64_C(1) << 40);
  CHECK(all.unit == -1074);
  CHECK(all.limbs > 33 && all.limbs <= PCF_MAX_LIMBS);
}

/* Terms that come and go in any order leave exactly nothing, in both forms. */
TEST(fixed_sums_return_to_zero) {
  for (int spread = 0; spread <= 600; spread += 20) {
    struct pcf_fixed fixed = pcf_fixed_for(ldexp(1, -spread), 8, 2000);
    struct pcf_divisor one = pcf_divisor_of(1, 0);
    uint64_t limbs[PCF_MAX_LIMBS] = {0};
    struct pcf_narrow narrow = {0, 0};
    double x[1000];
    for (int k = 0; k < 1000; k++) {
      double size =
        ldexp(1 + random_uniform(&random), -(int)random_between(&random, 0, spread));
      x[k] = random_between(&random, 0, 1) ? size : -size;
    }
    for (int k = 0; k < 1000; k++) {
      pcf_wide_add(&fixed, limbs, x[k], 0);
      narrow = pcf_narrow_sum(narrow, pcf_narrow_of(x[k], fixed.unit));
    }
    double sum = pcf_wide_quotient(limbs, &fixed, &one);
    CHECK(sum == pcf_exact_sum(x, 1000));
    CHECK(fixed.limbs > 2 || sum == pcf_narrow_quotient(narrow, &fixed, &one));
    CHECK(sum != 0);
    for (int k = 999; k >= 0; k--) {
      pcf_wide_add(&fixed, limbs, x[k], 1);
      narrow = pcf_narrow_difference(narrow, pcf_narrow_of(x[k], fixed.unit));
    }
    for (int k = 0; k < fixed.limbs; k++) CHECK(limbs[k] == 0);
    CHECK(fixed.limbs > 2 || (narrow.low == 0 && narrow.high == 0));
    CHECK(pcf_wide_quotient(limbs, &fixed, &one) == 0);
  }
}

/* n times x, divided by n, is x; as with any divisor that is no power of two. */
TEST(fixed_quotients_are_exact_where_they_can_be) {
  for (int trial = 0; trial < 20000; trial++) {
    double x = random_normal(&random);
    int64_t n = random_between(&random, 1, 1000);
    struct pcf_fixed fixed = pcf_fixed_for(fabs(x), fabs(x), n);
    struct pcf_divisor divisor = pcf_divisor_of((double)n, 0);
    struct pcf_narrow sum = {0, 0}, one = pcf_narrow_of(x, fixed.unit);
    for (int64_t k = 0; k < n; k++) sum = pcf_narrow_sum(sum, one);
    if (!CHECK(pcf_narrow_quotient(sum, &fixed, &divisor) == x)) return;
  }
}

TEST(fixed_quotients_are_rounded_once) {
  for (int trial = 0; trial < 20000; trial++) {
    double x = random_normal(&random), y = fabs(random_normal(&random)) + 1e-3;
    struct pcf_fixed fixed = pcf_fixed_for(fabs(x), fabs(x), 1);
    struct pcf_divisor divisor = pcf_divisor_of(y, 0);
    double got = pcf_narrow_quotient(pcf_narrow_of(x, fixed.unit), &fixed, &divisor);
    if (!CHECK(got == x / y)) return;
  }
}

TEST(fixed_quotients_beyond_the_normal_range) {
  struct pcf_fixed fixed = pcf_fixed_for(1, 1, 1);
  struct pcf_narrow one = pcf_narrow_of(1, fixed.unit);
  for (int shift = -1023; shift <= 1074; shift++) {
    struct pcf_divisor divisor = pcf_divisor_of(1, shift);
    CHECK(pcf_narrow_quotient(one, &fixed, &divisor) == ldexp(1, -shift));
  }
  struct pcf_divisor tiny = pcf_divisor_of(smallest, 0), negative = pcf_divisor_of(-3, 0);
  CHECK(pcf_narrow_quotient(one, &fixed, &tiny) == INFINITY);
  CHECK(pcf_narrow_quotient(one, &fixed, &negative) == -1.0 / 3);
}
