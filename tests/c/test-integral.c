#include "check.h"
#include "collections.h"

#include "integrals/view.h"
#include "kernels/band.h"

#include <float.h>
#include <math.h>

/* Of functions with these times, each of which changes something. */
static struct pcf_range range_of(double first, double last, double most, double least) {
  return (struct pcf_range){.first = first,
                            .last = last,
                            .value = most,
                            .least = least,
                            .changes = {.first = first, .last = last}};
}

static struct pcf_integral integral_of(enum pcf_operation operation, double p, double from,
                                       double to, enum pcf_precision precision, double time,
                                       double value) {
  struct pcf_range range = range_of(0, time, value, value > 0 ? value : INFINITY);
  return pcf_integral(operation, p, from, to, precision, &range);
}

TEST(integral_half_powers) {
  CHECK(pcf_half_powers(1.5) == 3);
  CHECK(pcf_half_powers(3) == 6);
  CHECK(pcf_half_powers(4.5) == 9);
  CHECK(pcf_half_powers(32) == 64);
  CHECK(pcf_half_powers(32.5) == 0);
  CHECK(pcf_half_powers(2.3) == 0);
  CHECK(pcf_half_powers(1.25) == 0);
  CHECK(pcf_half_powers(1e300) == 0);
}

TEST(integral_leaves_usual_doubles_alone) {
  for (int k = 0; k < OPERATIONS; k++) {
    const struct question *question = &operations[k];
    struct pcf_integral integral = integral_of(question->operation, question->p, -3, 1e6,
                                               PCF_DOUBLE, ldexp(1, 299), ldexp(1, -99));
    CHECK(integral.operation == question->operation);
    CHECK(integral.precision == PCF_DOUBLE);
    CHECK(integral.time_exponent == 0 && integral.value_exponent == 0);
    CHECK(integral.factor == 1 && integral.exponent == 0);
    CHECK(integral.from == -3 && integral.to == 1e6);
  }
}

/* The result of a kernel is that of scaled functions: T · V, √T · V, T^(1/p) · V, V, T · V². Of
 * products values have exponents of their own, and where their unit does not matter none.
 * Suprema are of values as they are, and so are their times. */
TEST(integral_exponents) {
  double time = ldexp(1, 401), value = ldexp(1, -501);
  for (int k = 0; k < OPERATIONS; k++) {
    const struct question *question = &operations[k];
    struct pcf_integral integral = integral_of(question->operation, question->p, -INFINITY,
                                               INFINITY, PCF_DOUBLE, time, value);
    int t = integral.time_exponent, v = integral.value_exponent;
    double degree = pcf_degree(question->operation, question->p);
    double root = pcf_root(question->operation, question->p);
    bool inner = question->operation == PCF_INNER;
    bool supremum = pcf_is_supremum(question->operation);
    CHECK(supremum ? t == 0 : t % 2 == 0 && t >= 102 && t <= 103);
    CHECK(integral.own_exponents == inner);
    CHECK(inner || supremum || degree == 0 ? v == 0 : v >= -501 && v <= -499);
    CHECK(integral.from == -INFINITY && integral.to == INFINITY);
    double want = supremum ? v : (t + degree * v) / root;
    CHECK_NEAR(log2(integral.factor) + integral.exponent, want, 1e-14);
    CHECK(integral.factor >= 1 && integral.factor < 2);
    if (question->operation != PCF_LP) CHECK(integral.factor == 1);
  }
}

/* Squares and products of such values could vanish or overflow. */
TEST(integral_of_values_that_differ_much) {
  static const struct {
    double most, least;
    enum pcf_precision precision;
    bool differ;
  } cases[] = {{1, 0.5, PCF_DOUBLE, false},
               {1e80, 1e-80, PCF_DOUBLE, false},
               {1e100, 1, PCF_DOUBLE, true},
               {1, 1e-100, PCF_DOUBLE, true},
               {1e10, 1, PCF_SINGLE_PRECISION, false},
               {1e100, 1e95, PCF_SINGLE_PRECISION, false},
               {1, 1e-30, PCF_SINGLE_PRECISION, false},
               {1, 1e-100, PCF_SINGLE_PRECISION, true}};
  for (int k = 0; k < 8; k++) {
    struct pcf_range range = range_of(0, 1, cases[k].most, cases[k].least);
    struct pcf_integral l2 =
      pcf_integral(PCF_L2, 2, -INFINITY, INFINITY, cases[k].precision, &range);
    struct pcf_integral inner =
      pcf_integral(PCF_INNER, 2, -INFINITY, INFINITY, cases[k].precision, &range);
    CHECK(l2.operation == (cases[k].differ ? PCF_LP : PCF_L2) && l2.p == 2);
    CHECK(!l2.own_exponents && inner.own_exponents == cases[k].differ);
    CHECK(l2.half_powers == (cases[k].differ ? 4 : 0));
  }
}

TEST(integral_value_exponents) {
  const double *literal[] = {(double[]){0, 1e-200}, (double[]){0, -1e200}, (double[]){0, 0.0}};
  struct functions *x = functions_of(3, (int64_t[]){1, 1, 1}, literal);
  struct pcf_integral integral = integral_for(&operations[6], PCF_DOUBLE, &x->view, NULL);
  CHECK(integral.own_exponents);
  for (int64_t i = 0; i < 2; i++) {
    double scaled =
      pcf_scaled(fabs(values_of(x, i)[0]), pcf_view_of(&x->view, i, &integral).value_exponent);
    CHECK(scaled >= 0.25 && scaled <= 1);
  }
  CHECK(pcf_view_of(&x->view, 2, &integral).value_exponent == 0);
  integral = integral_for(&operations[0], PCF_DOUBLE, &x->view, NULL);
  for (int64_t i = 0; i < 3; i++) {
    CHECK(pcf_view_of(&x->view, i, &integral).value_exponent == integral.value_exponent);
  }
}

/* Large ones are left as large as they may be, for the sake of small ones beside them. */
TEST(integral_scales_extreme_magnitudes) {
  double extremes[] = {DBL_MAX, 1e200, 1e-200, DBL_MIN, 5e-324};
  for (int k = 0; k < 5; k++) {
    struct pcf_integral integral =
      integral_of(PCF_L2, 2, -INFINITY, INFINITY, PCF_DOUBLE, extremes[k], extremes[k]);
    double time = pcf_scaled(extremes[k], integral.time_exponent);
    double value = pcf_scaled(extremes[k], integral.value_exponent);
    double most = extremes[k] > 1 ? ldexp(1, 300) : 1;
    CHECK(time >= 0.25 * most && time <= most && value >= 0.25 * most && value <= most);
  }
}

TEST(integral_single_precision_is_scaled_to_its_range) {
  double magnitudes[] = {1e-300, 1e-30, 1, 1000, 1e30, 1e300};
  for (int k = 0; k < 6; k++) {
    struct pcf_integral integral = integral_of(
      PCF_L1, 1, -INFINITY, INFINITY, PCF_SINGLE_PRECISION, magnitudes[k], magnitudes[5 - k]);
    double time = pcf_scaled(magnitudes[k], integral.time_exponent);
    double value = pcf_scaled(magnitudes[5 - k], integral.value_exponent);
    CHECK(integral.precision == PCF_SINGLE_PRECISION);
    CHECK(time >= 0.25 && time <= 1 && value >= 0.25 && value <= 1);
  }
}

TEST(integral_windows_are_scaled_with_the_times) {
  struct pcf_integral integral =
    integral_of(PCF_L1, 1, -3e19, ldexp(1, 67), PCF_SINGLE_PRECISION, 1e20, 1);
  CHECK(ldexp(integral.from, integral.time_exponent) == -3e19);
  CHECK(ldexp(integral.to, integral.time_exponent) == ldexp(1, 67));
  CHECK(fabs(integral.to) <= 1);
  integral = integral_of(PCF_L1, 1, -1e300, DBL_MAX, PCF_DOUBLE, 1, 1);
  CHECK(fabs(integral.to) <= ldexp(1, 300) && integral.time_exponent >= 724);
  CHECK(ldexp(integral.to, integral.time_exponent - 1) * 2 == DBL_MAX);
}

TEST(integral_raises_the_precision_where_single_cannot_hold_it) {
  enum pcf_precision single = PCF_SINGLE_PRECISION;
  CHECK(integral_of(PCF_LINF, INFINITY, 0, 1, single, 1, 1).precision == PCF_DOUBLE);
  CHECK(integral_of(PCF_L1, 1, 0, 1, single, 1, 1).precision == single);
  CHECK(integral_of(PCF_L1, 1, 0, 1e6, single, 1, 1).precision == single);
  CHECK(integral_of(PCF_L1, 1, 0, 1e30, single, 1, 1).precision == PCF_DOUBLE);
  CHECK(integral_of(PCF_L1, 1, -1e30, 0, single, 1, 1).precision == PCF_DOUBLE);
  CHECK(integral_of(PCF_L1, 1, -INFINITY, INFINITY, single, 1e300, 1).precision == single);
}

TEST(integral_in_single_precision_of_times_far_from_0) {
  static const struct {
    double first, last, from, to, origin;
  } cases[] = {
    {0, 1, -INFINITY, INFINITY, 0},
    {-1, 0, -INFINITY, INFINITY, 0},
    {3, 4, -INFINITY, INFINITY, 0},
    {3.1, 4.1, -INFINITY, INFINITY, 3.1},
    {-9, -8, -INFINITY, INFINITY, -9},
    {1e9, 1e9 + 60, 0, 2e9, 1e9},
    {0, 1e9, 1e9 - 60, 1e9, 1e9 - 60},
    {0, 1e9, 0, 60, 0},
    {7, 7, -INFINITY, INFINITY, 0},
    {7, 7, -INFINITY, 8, 7},
    {7, 7, 0, 14, 0},
    {7, 7, 6, 7, 6},
    {0, 1, 7, 8, 7},
    {0, 1, 7, 14, 0},
    {9, 10, 7, 8, 7},
    {9, 10, 0, 8, 0},
    {INFINITY, -INFINITY, 1e9, 1e9 + 1, 1e9},
    {INFINITY, -INFINITY, 0, 1, 0},
  };
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    struct pcf_range range = range_of(cases[k].first, cases[k].last, 1, 1);
    struct pcf_integral integral =
      pcf_integral(PCF_L1, 1, cases[k].from, cases[k].to, PCF_SINGLE_PRECISION, &range);
    CHECK(integral.precision == PCF_SINGLE_PRECISION && integral.origin == cases[k].origin);
    CHECK(ldexp(integral.from, integral.time_exponent) == cases[k].from - cases[k].origin);
    CHECK(ldexp(integral.to, integral.time_exponent) == cases[k].to - cases[k].origin);
    integral = pcf_integral(PCF_L1, 1, cases[k].from, cases[k].to, PCF_DOUBLE, &range);
    CHECK(integral.origin == 0 && integral.to == cases[k].to);
  }
}

static enum pcf_precision single_for(double from, double to, const struct pcf_range *range) {
  return pcf_integral(PCF_L1, 1, from, to, PCF_SINGLE_PRECISION, range).precision;
}

/* Breakpoints at which nothing changes may be anywhere, where they are no infinite floats. */
TEST(integral_in_single_precision_goes_by_changes) {
  struct pcf_range range = range_of(0, 1e9 + 60, 1, 1);
  range.changes.first = 1e9;
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_SINGLE_PRECISION, &range);
  CHECK(integral.origin == 1e9);
  for (int k = 0; k < 4; k++) {
    range = range_of(0, 1, 1, 1);
    if (k % 2) range.first = -ldexp(1, k < 2 ? 60 : 61);
    else range.last = ldexp(1, k < 2 ? 60 : 61);
    enum pcf_precision wanted = k < 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    CHECK(single_for(-INFINITY, INFINITY, &range) == wanted);
    CHECK(single_for(-1, 2, &range) == PCF_SINGLE_PRECISION);
  }
  range = range_of(1e308, 1.1e308, 1, 1);
  CHECK(single_for(-1e308, 1.2e308, &range) == PCF_DOUBLE);
}

/* One function is elsewhere, and 9 span 60 seconds each. */
TEST(integral_in_single_precision_of_functions_far_apart) {
  struct pcf_range range = range_of(0, 1e9, 1, 1);
  range.changes.functions = 10;
  range.changes.exponents = 9 * 6 + 30;
  CHECK(single_for(-INFINITY, INFINITY, &range) == PCF_DOUBLE);
  CHECK(single_for(1e9 - 60, INFINITY, &range) == PCF_SINGLE_PRECISION);
  range.changes.exponents = 10 * (30 - 6);
  CHECK(single_for(-INFINITY, INFINITY, &range) == PCF_SINGLE_PRECISION);
  range.changes.exponents--;
  CHECK(single_for(-INFINITY, INFINITY, &range) == PCF_DOUBLE);
}

TEST(integral_in_single_precision_of_values_that_differ) {
  static const struct {
    enum pcf_operation operation;
    int apart;
  } cases[] = {{PCF_L1, 60}, {PCF_L2, 40}, {PCF_LP, 40}, {PCF_INNER, 40}};
  for (int k = 0; k < 4; k++) {
    for (int more = 0; more < 2; more++) {
      struct pcf_range range = range_of(0, 1, 8, ldexp(8, -cases[k].apart - more));
      struct pcf_integral integral = pcf_integral(cases[k].operation, 2.5, -INFINITY, INFINITY,
                                                  PCF_SINGLE_PRECISION, &range);
      CHECK(integral.precision == (more ? PCF_DOUBLE : PCF_SINGLE_PRECISION));
      CHECK(integral.operation == cases[k].operation && !integral.own_exponents);
    }
  }
}

TEST(integral_exponents_are_limited) {
  static const double exponents[] = {1e9, 1e19, 1e300, DBL_MAX};
  for (int k = 0; k < 4; k++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      double most = ldexp(1, precision == PCF_DOUBLE ? 60 : 28);
      struct pcf_integral integral =
        integral_of(PCF_LP, exponents[k], -INFINITY, INFINITY, precision, 1e300, 1e300);
      CHECK(integral.p == fmin(exponents[k], most) && integral.half_powers == 0);
      double twos = log2(integral.factor) + (integral.exponent - integral.value_exponent);
      CHECK(fabs(twos - integral.time_exponent / exponents[k]) < 1e-15);
    }
  }
}

/* The times outside of a bounded window do not matter, that of a half-open one is unbounded. */
TEST(integral_of_narrow_windows) {
  struct pcf_integral integral = integral_of(PCF_LP, 3, 0, 1e-320, PCF_DOUBLE, 1e100, 1);
  CHECK(integral.from == 0 && integral.to > 0 && integral.time_exponent < -1000);
  integral = integral_of(PCF_L1, 1, -5e-324, 5e-324, PCF_DOUBLE, DBL_MAX, 1);
  CHECK(integral.from == -integral.to && integral.to > 0);
  integral = integral_of(PCF_LP, 3, 0, 1e-150, PCF_SINGLE_PRECISION, 1e300, 1);
  CHECK(integral.from == 0 && integral.to >= 0.25 && integral.to <= 1);
  integral = integral_of(PCF_L1, 1, 1e-300, INFINITY, PCF_DOUBLE, 1e300, 1);
  CHECK(integral.to == INFINITY && integral.time_exponent > 600);
  integral = integral_of(PCF_L1, 1, -INFINITY, 1e300, PCF_DOUBLE, 1, 1);
  CHECK(integral.from == -INFINITY && integral.time_exponent > 600);
}

static int is_in_range(const struct pcf_integral *integral, double least, double most,
                       double time) {
  struct pcf_range values = {.value = most, .least = least},
                   times = {.value = 1, .least = time};
  return pcf_in_power_range(integral, pcf_magnitude_of(integral, &values, &times));
}

/* Values may be 2^177 apart, anywhere, and for p = 5.5 2^56, where a power of 2^-109 is 2^-600.
 */
TEST(integral_of_functions_in_power_range) {
  struct pcf_integral integral =
    integral_of(PCF_LP, 2.5, -INFINITY, INFINITY, PCF_DOUBLE, 1, 1);
  static const double units[] = {1, 0x1p100, 0x1p-100, 0x1p-700, 0x1p700};
  for (int k = 0; k < 5; k++) {
    double unit = units[k];
    CHECK(is_in_range(&integral, unit, unit, 1) && is_in_range(&integral, unit, 3 * unit, 1));
    CHECK(is_in_range(&integral, unit, 0x1.8p176 * unit, 1));
    CHECK(!is_in_range(&integral, unit, 0x1p177 * unit, 1));
    CHECK(is_in_range(&integral, unit, unit, 0x1p-346) &&
          !is_in_range(&integral, unit, unit, 0x1p-347));
  }
  CHECK(!is_in_range(&integral, 0x1p1000, 0x1p1000, 1) &&
        is_in_range(&integral, 0x1p999, 0x1p999, 1));
  CHECK(!is_in_range(&integral, 0x1p-1002, 0x1p-1002, 1) &&
        is_in_range(&integral, 0x1p-1001, 0x1p-1001, 1));
  CHECK(pcf_in_power_range(&integral, PCF_NO_MAGNITUDE));
  integral = integral_of(PCF_LP, 5.5, -INFINITY, INFINITY, PCF_DOUBLE, 1, 1);
  CHECK(is_in_range(&integral, 1, 0x1.8p55, 1) && !is_in_range(&integral, 1, 0x1p56, 1));
  integral = integral_of(PCF_LP, 2.5, 0, 0x1p-347, PCF_DOUBLE, 1, 1);
  CHECK(!is_in_range(&integral, 1, 1, 1));
  integral = integral_of(PCF_LP, 2.5, 0, 1, PCF_DOUBLE, 1, 0x1p400);
  CHECK(is_in_range(&integral, 1, 1, 1));
  integral = integral_of(PCF_LP, 2.5, 0, 0x1p400, PCF_DOUBLE, 1, 1);
  CHECK(!is_in_range(&integral, 1, 1, 1));
  integral = integral_of(PCF_LP, 2.5, 0, 1, PCF_SINGLE_PRECISION, 1, 1);
  CHECK(!is_in_range(&integral, 1, 1, 1));
}

TEST(magnitude_of_two_functions) {
  struct pcf_magnitude a = {3, -2}, b = {1, -5}, both = pcf_larger_magnitude(a, b);
  CHECK(both.top == 3 && both.least == -5);
  both = pcf_larger_magnitude(PCF_NO_MAGNITUDE, b);
  CHECK(both.top == b.top && both.least == b.least);
}

TEST(integral_of_nothing_but_zeros) {
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_integral integral =
      integral_of(PCF_LP, 1.5, -INFINITY, INFINITY, precision, 0, 0);
    CHECK(integral.time_exponent == 0 && integral.value_exponent == 0);
    CHECK(integral.factor == 1 && integral.exponent == 0);
  }
}
