/* The arithmetic of the operations on single numbers; the kernels are tested apart. */
#include "check.h"
#include "collections.h"

#include "collections/collection.h"
#include "integrals/operation.h"

#include <float.h>
#include <math.h>

TEST(operation_traits) {
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
    CHECK(pcf_is_supremum(k) == (k == PCF_LINF));
    CHECK(pcf_takes_powers(k) == (k == PCF_LP));
    int whole = pcf_whole_form(k);
    double twofold = pcf_combine(k, 4, -2) / pcf_combine(k, 2, -1);
    CHECK(pcf_degree(k, 3.5) == (k == PCF_LP ? 3.5 : log2(twofold)));
    CHECK(pcf_root(k, 3.5) == (k == PCF_LP ? 3.5 : whole == PCF_L2 ? 2 : 1));
    CHECK(pcf_whole_form(pcf_partial_form(k)) == whole);
    CHECK((whole == k) == (k != PCF_L1_PARTIAL && k != PCF_L2_PARTIAL));
  }
}

/* Kernels are tested by questions about every operation, for the functions that have it. */
TEST(operation_has_questions_for_each_family) {
  int asked[PCF_FAMILIES][PCF_OPERATION_COUNT] = {{0}};
  for (int k = 0; k < OPERATIONS; k++) asked[PCF_STEPS][operations[k].operation] = 1;
  for (int k = 0; k < line_operation_count; k++) {
    asked[PCF_LINES][line_operations[k].operation] = 1;
  }
  for (int family = 0; family < PCF_FAMILIES; family++) {
    for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
      if (!pcf_is_partial_form(k)) CHECK(asked[family][k] == pcf_has_operation(family, k));
      CHECK(pcf_has_operation(family, k) == pcf_has_operation(family, pcf_whole_form(k)));
    }
  }
}

/* Where a value is missing, the forms for partial functions add nothing. */
TEST(operation_forms_drop_missing_values) {
  for (int operation = 0; operation < PCF_OPERATION_COUNT; operation++) {
    int k = pcf_partial_form(operation);
    if (k == PCF_INNER) continue; /* there missing values are 0 */
    for (int side = 0; side < 3; side++) {
      double a = side == 0 ? 2 : pcf_missing(), b = side == 1 ? 2 : pcf_missing();
      double combined = pcf_combine(k, a, b);
      CHECK(pcf_sign(k, a, b) == 0 && pcf_sign_single(k, (float)a, (float)b) == 0);
      CHECK(pcf_unbounded(k, a, b) == 0);
      CHECK(pcf_add_tail(k, 3, INFINITY, a, b, combined) == 3);
      if (pcf_takes_powers(k)) continue; /* the caller drops it before it takes the power */
      CHECK(pcf_accumulate(k, 3, 1, combined) == 3);
      CHECK(pcf_add_tail(k, 3, 1, a, b, combined) == 3);
    }
    CHECK(pcf_combine(k, 2, -1) == pcf_combine(operation, 2, -1));
    CHECK(pcf_combine_single(k, 2, -1) == pcf_combine_single(operation, 2, -1));
  }
}

static int number_of(enum pcf_operation operation) {
#define NUMBER(operation) return (operation)
  PCF_WITH_OPERATION(operation, NUMBER)
#undef NUMBER
  return -1;
}

TEST(operation_dispatch_reaches_each) {
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) CHECK(number_of((enum pcf_operation)k) == k);
}

TEST(operation_combines_values) {
  CHECK(pcf_combine(PCF_L1, 1, 3.5) == 2.5 && pcf_combine_single(PCF_L1, 1, 3.5f) == 2.5f);
  CHECK(pcf_combine(PCF_L2, 1, 3.5) == 6.25 && pcf_combine_single(PCF_L2, 1, 3.5f) == 6.25f);
  CHECK(pcf_combine(PCF_LP, 1, 3.5) == 2.5 && pcf_combine(PCF_LINF, 1, 3.5) == 2.5);
  CHECK(pcf_combine(PCF_INNER, -2, 3.5) == -7 && pcf_combine_single(PCF_INNER, -2, 3.5f) == -7);
  CHECK(pcf_combine_single(PCF_L1, 0.1f, 0.3f) == 0.3f - 0.1f); /* rounded as floats are */
}

/* Also where the combined value underflows to 0. */
TEST(operation_signs_are_those_of_the_values) {
  static const double values[] = {-DBL_MAX, -1,     -DBL_MIN, -5e-324, -0.0,   0,
                                  5e-324,   1e-200, 1,        2,       DBL_MAX};
  enum { VALUES = sizeof values / sizeof values[0] };
  for (int i = 0; i < VALUES; i++) {
    for (int j = 0; j < VALUES; j++) {
      double a = values[i], b = values[j];
      int product = (a > 0) == (b > 0) ? 1 : -1;
      for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
        int want = k == PCF_INNER ? (a == 0 || b == 0 ? 0 : product) : a != b;
        CHECK(pcf_sign(k, a, b) == want && pcf_sign(k, b, a) == want);
        double unbounded = pcf_unbounded(k, a, b);
        if (k == PCF_LINF) CHECK(unbounded == fabs(a - b));
        else CHECK(want ? unbounded == want * INFINITY : unbounded == 0);
      }
    }
  }
  CHECK(pcf_unbounded_single(PCF_INNER, 1e-30f, -1e-30f) == -INFINITY);
  CHECK(pcf_unbounded_single(PCF_L2, 1e-30f, 0) == INFINITY);
}

TEST(operation_accumulates_and_joins) {
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
    int supremum = pcf_is_supremum(k);
    CHECK(pcf_accumulate(k, 10, 0.5, 4) == (supremum ? 10 : 12));
    CHECK(pcf_accumulate(k, 1, 0.5, 4) == (supremum ? 4 : 3));
    CHECK(pcf_accumulate(k, 1, 0, 4) == 1); /* a stretch without width */
    CHECK(pcf_accumulate_single(k, 1, 0.5f, 4) == (supremum ? 4 : 3));
    CHECK(pcf_join(k, 2, 3) == (supremum ? 3 : 5) && pcf_join(k, 3, 2) == pcf_join(k, 2, 3));
  }
}

/* Whatever the sum: a pair that differs for ever is infinitely far apart. */
TEST(operation_tails) {
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
    double combined = pcf_combine(k, 2, -3);
    double far = k == PCF_LINF ? 5 : k == PCF_INNER ? -INFINITY : INFINITY;
    CHECK(pcf_add_tail(k, 1, INFINITY, 2, -3, combined) == far);
    CHECK(pcf_add_tail(k, 1, 2, 2, -3, combined) == pcf_accumulate(k, 1, 2, combined));
    CHECK(pcf_add_tail(k, 1, INFINITY, 0, 0, 0) == 1 &&
          pcf_add_tail(k, 1, 0, 2, -3, combined) == 1);
    if (k != PCF_LINF) CHECK(pcf_add_tail(k, INFINITY, INFINITY, 2, -3, combined) == far);
  }
}

TEST(operation_results) {
  CHECK(pcf_finish(PCF_L1, 9, 1) == 9 && pcf_finish(PCF_L2, 9, 2) == 3);
  CHECK(pcf_finish(PCF_LINF, 9, INFINITY) == 9 && pcf_finish(PCF_INNER, -9, 2) == -9);
  CHECK_NEAR(pcf_finish(PCF_LP, 27, 3), 3, 1e-15);
  CHECK_NEAR((double)pcf_finish_single(PCF_LP, 27, 3), 3, 1e-6);
  CHECK(pcf_finish_single(PCF_L2, 2, 2) == sqrtf(2));
  for (int k = 0; k < PCF_OPERATION_COUNT; k++) {
    CHECK(pcf_finish(k, 0, 1.5) == 0 && pcf_finish(k, INFINITY, 1.5) == INFINITY);
  }
}

TEST(operation_powers) {
  for (int halves = 1; halves <= 64; halves++) {
    CHECK_NEAR(pcf_power(1.25, halves / 2.0, halves), pow(1.25, halves / 2.0), 1e-14);
    CHECK_NEAR((double)pcf_power_single(1.25f, halves / 2.0, halves), pow(1.25, halves / 2.0),
               1e-5);
    CHECK(pcf_power(0, halves / 2.0, halves) == 0);
  }
  CHECK(pcf_power(1.7, 2.3, 0) == pow(1.7, 2.3));
}
