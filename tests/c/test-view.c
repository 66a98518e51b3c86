#include "check.h"
#include "collections.h"

#include "integrals/view.h"

#include <float.h>
#include <math.h>
#include <string.h>

TEST(scaling_is_that_of_ldexp) {
  static const double numbers[] = {0,         -0.0,         1,       -3.25,
                                   0x1p-1074, -0x1.8p-1073, DBL_MIN, -DBL_MAX,
                                   1e150,     INFINITY,     -1e-200, 0x1.fffffp-1000};
  for (int exponent = -2200; exponent <= 2200; exponent++) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      double got = pcf_scaled(numbers[k], exponent), want = ldexp(numbers[k], -exponent);
      CHECK(memcmp(&got, &want, sizeof got) == 0);
    }
    CHECK(isnan(pcf_scaled(pcf_missing(), exponent)));
  }
}

/* Which breakpoints are in the window, and the value at its start. */
static void check_clip(double from, double to, int64_t begin, int64_t end, double initial) {
  static const double sound[] = {-1, 0, 2, 5, 10, 20, 30, 40};
  const double *literal[] = {sound};
  struct functions *x = functions_of(1, (int64_t[]){4}, literal);
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_integral integral = l1_within(from, to, precision, x, NULL);
    struct pcf_view view = pcf_view_of(&x->view, 0, &integral);
    CHECK(view.events == end - begin);
    CHECK(ldexp(view.initial, integral.value_exponent) == initial);
    for (int64_t k = 0; k < view.events; k++) {
      CHECK(ldexp(pcf_view_time(&view, k), integral.time_exponent) == sound[begin + k]);
      CHECK(ldexp(pcf_view_value(&view, k), integral.value_exponent) == sound[4 + begin + k]);
    }
  }
}

TEST(view_keeps_what_is_strictly_inside) {
  check_clip(-INFINITY, INFINITY, 0, 4, 0);
  check_clip(-2, 6, 0, 4, 0);
  check_clip(-1, 5, 1, 3, 10); /* breakpoints on the edges */
  check_clip(-0.5, 4, 1, 3, 10);
  check_clip(-0.0, 5, 2, 3, 20);
  check_clip(0.0, 2, 2, 2, 20);
  check_clip(1, 1.5, 2, 2, 20);
  check_clip(-INFINITY, -1, 0, 0, 0);
  check_clip(-5, -4, 0, 0, 0);
  check_clip(5, INFINITY, 4, 4, 40);
  check_clip(7, 9, 4, 4, 40);
  check_clip(-INFINITY, 0.5, 0, 2, 0);
  check_clip(1.5, INFINITY, 2, 4, 20);
}

/* What comes before the first time, and missing values. */
TEST(view_of_a_function_known_in_part) {
  const double na = pcf_missing();
  const double *literal[] = {(double[]){-INFINITY, 0, 2, 3, 5, na, 7, na},
                             (double[]){-INFINITY, 1, na, 4}};
  struct functions *x = functions_of(2, (int64_t[]){4, 2}, literal);
  for (int keep = 0; keep < 2; keep++) {
    struct pcf_range range = {.last = 3, .value = 7, .least = 4, .missing = 1, .endless = 1};
    struct pcf_integral integral =
      pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_DOUBLE, &range);
    if (keep) pcf_integrate_overlaps(&integral);
    CHECK(integral.from > -INFINITY && integral.from < -3);
    struct pcf_view f = pcf_view_of(&x->view, 0, &integral);
    struct pcf_view g = pcf_view_of(&x->view, 1, &integral);
    CHECK(f.events == 3 && f.initial == 5 && pcf_view_time(&f, 0) == 0);
    CHECK(g.events == 1 && pcf_view_value(&g, 0) == 4 && pcf_view_value(&f, 1) == 7);
    CHECK(keep ? isnan(g.initial) : g.initial == 0);
    CHECK(keep ? isnan(pcf_view_value(&f, 0)) : pcf_view_value(&f, 0) == 0);
  }
}

TEST(view_finds_the_first_event_from_a_narrowed_time) {
  double e = 1e-12;
  const double *literal[] = {(double[]){0.25, 0.5 - e, 0.5, 1, 1, 2, 3, 0}};
  struct functions *x = functions_of(1, (int64_t[]){4}, literal);
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_integral integral = l1_within(-INFINITY, INFINITY, precision, x, NULL);
    struct pcf_view view = pcf_view_of(&x->view, 0, &integral);
    double half = ldexp(0.5, -integral.time_exponent);
    int64_t first = precision == PCF_DOUBLE ? 2 : 1;
    CHECK(integral.precision == (enum pcf_precision)precision);
    CHECK(pcf_view_first_from(&view, 0, half, precision) == first);
    CHECK(pcf_view_first_from(&view, 3, half, precision) == 3);
    CHECK(pcf_view_first_from(&view, 0, -INFINITY, precision) == 0);
    CHECK(pcf_view_first_from(&view, 0, INFINITY, precision) == 4);
  }
}
