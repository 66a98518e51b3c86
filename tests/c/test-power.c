/* The vector power of every instruction set that this processor has, against long double. */
#include "check.h"
#include "collections.h"

#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6 };

static const double exponents[] = {1.0001, 1.3,    1.7,       2.7, 3.3, 10.1,
                                   100.7,  1000.3, 1e6 + 0.5, 1e9, 1e15};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

/* Bases from 0 to 1 of all sizes, where the power is neither 1 nor 0 among them, and larger
 * ones. */
static double random_base(struct random *random, int kind, double p) {
  double u = random_uniform(random);
  switch (kind % KINDS) {
  case 0: return u;
  case 1: return exp2(-1100 * u);
  case 2: return exp2(-1100 * u / p);
  case 3: return exp2(-2 * u / p);
  case 4: return exp2(100 * u / p);
  default: return 1 - exp2(-1 - 52 * u);
  }
}

static void power(enum pcf_instructions set, enum pcf_precision precision, double p,
                  int64_t count, void *x) {
  struct pcf_exponent exponent = pcf_exponent(p, precision != PCF_DOUBLE);
  pcf_kernels_of(set)->power[precision](&exponent, count, x);
}

/* The bound of power-template.h. Valgrind's long double is no wider than double. */
static double bound(enum pcf_precision precision, double p, double y) {
  double most = fmin(fabs(y), p / 2);
  if (precision != PCF_DOUBLE) return 1.5e-7 + 2.5e-7 * most;
  return 5e-16 + 5e-16 * most + (check_quick() ? 1e-15 + 2e-16 * fabs(y) : 0);
}

/* Not powl(): that of mingw-w64 multiplies whole exponents out, and loses digits to large ones.
 */
static long double wide_power(double x, double p) {
  return exp2l(p * log2l(x));
}

static void check_bases(enum pcf_instructions set, enum pcf_precision precision, double p,
                        int count) {
  struct random random = {73};
  void *x = kept(malloc((size_t)count * sizeof(double)));
  double *base = kept(malloc((size_t)count * sizeof(double))), worst = 0;
  double least = precision == PCF_DOUBLE ? 0x1p-1021 : 0x1p-125;
  int64_t wrong = 0;
  p = fmin(p, precision == PCF_DOUBLE ? 0x1p60 : 0x1p29);
  for (int k = 0; k < count; k++) {
    pcf_store_scalar(x, k, random_base(&random, k, p), precision);
    base[k] = scalar_at(x, k, precision);
  }
  power(set, precision, p, count, x);
  for (int k = 0; k < count; k++) {
    double got = scalar_at(x, k, precision);
    long double want = wide_power(base[k], p), y = p * log2l(base[k]);
    if (want < least * 1.0001) {
      wrong += got != 0 && !(got >= least && fabs(got / least - 1) < 1e-3);
      continue;
    }
    double error = (double)fabsl((got - want) / want) / bound(precision, p, (double)y);
    wrong += !(error <= 1);
    worst = fmax(worst, error);
  }
  if (!CHECK(wrong == 0)) {
    fprintf(stderr, "  %s, %s, p = %g: %d wrong, up to %g times the bound\n",
            pcf_instructions_name(set), precision == PCF_DOUBLE ? "double" : "single", p,
            (int)wrong, worst);
  }
}

TEST(power_agrees_with_long_double) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets), count = check_quick() ? 100 : 20003;
  for (int k = 0; k < available; k++) {
    for (int e = 0; e < EXPONENTS; e++) {
      check_bases(sets[k], PCF_DOUBLE, exponents[e], count);
      check_bases(sets[k], PCF_SINGLE_PRECISION, exponents[e], count);
    }
  }
}

/* Powers by a table, of numbers from 2^-239 to 1 and of 0. */
static void check_table(enum pcf_instructions set, double p, int count) {
  struct pcf_exponent exponent = pcf_exponent(p, 0);
  struct random random = {74};
  double *base = kept(malloc((size_t)count * sizeof *base)),
         *x = kept(malloc((size_t)count * sizeof *x));
  double worst = 0;
  for (int k = 0; k < count; k++) {
    double u = random_uniform(&random);
    base[k] = k % 3 == 0 ? u : k % 3 == 1 ? exp2(-239 * u) : 1 - exp2(-1 - 52 * u);
    if (k < 18) base[k] = k < 16 ? 1 + (k - 16) / 32.0 : k == 16 ? 0 : 0x1p-239;
    x[k] = base[k];
  }
  pcf_kernels_of(set)->power_by_table[PCF_DOUBLE](&exponent, count, x);
  for (int k = 0; k < count; k++) {
    long double want = wide_power(base[k], p), y = p * log2l(base[k]);
    if (base[k] == 0 || y < -1020) {
      CHECK(base[k] > 0 || x[k] == 0);
      continue;
    }
    double most = fmax(8e-16, bound(PCF_DOUBLE, p, (double)y));
    worst = fmax(worst, (double)fabsl((x[k] - want) / want) / (check_quick() ? 1e-12 : most));
  }
  if (!CHECK(worst <= 1)) {
    fprintf(stderr, "  %s, p = %g: %g times the bound\n", pcf_instructions_name(set), p, worst);
  }
}

TEST(power_by_a_table_agrees_with_long_double) {
  static const double tabled[] = {1, 1.0001, 1.3, 1.7, 2.7, 3.3, 4.9, 6.2, 7, 7.1, 10.1};
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int e = 0; e < (int)(sizeof tabled / sizeof *tabled); e++) {
    CHECK(pcf_exponent(tabled[e], 0).table.made == (tabled[e] <= 7));
    CHECK(!pcf_exponent(tabled[e], 1).table.made);
    for (int k = 0; k < available; k++) {
      check_table(sets[k], tabled[e], check_quick() ? 100 : 20003);
    }
  }
  CHECK(!pcf_exponent(0.5, 0).table.made);
}

/* 0 and what is too small for a power, 1 and what rounding leaves above it. */
TEST(power_at_the_ends) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int k = 0; k < available; k++) {
    for (int e = 0; e < EXPONENTS; e++) {
      double p = exponents[e];
      double x[] = {0, 1, DBL_TRUE_MIN, DBL_MIN / 3, DBL_MIN, 1 + DBL_EPSILON, 1 - DBL_EPSILON};
      float y[] = {0, 1, FLT_TRUE_MIN, FLT_MIN / 3, FLT_MIN, 1 + FLT_EPSILON, 1 - FLT_EPSILON};
      power(sets[k], PCF_DOUBLE, p, 7, x);
      power(sets[k], PCF_SINGLE_PRECISION, p, 7, y);
      for (int at = 0; at < 5; at++) {
        CHECK(x[at] == (at == 1));
        CHECK(y[at] == (at == 1));
      }
      if (p < 1e9) {
        CHECK_NEAR(x[5], exp(p * log1p(DBL_EPSILON)), 1e-15);
        CHECK_NEAR(y[5], exp(p * log1p(FLT_EPSILON)), 3e-6);
      }
      CHECK(x[5] >= 1 && x[6] <= 1 && x[5] < INFINITY && x[6] >= 0);
      CHECK(y[5] >= 1 && y[6] <= 1 && y[5] < INFINITY && y[6] >= 0);
    }
  }
}

/* Exponents of any size: sums of powers stay finite, and the powers of 1 stay 1. */
TEST(power_of_huge_exponents) {
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int k = 0; k < available; k++) {
    for (double p = 1e16; p < INFINITY; p *= 1e4) {
      double x[] = {1, 1 + DBL_EPSILON, 0.999, 0};
      float y[] = {1, 1 + FLT_EPSILON, 0.999f, 0};
      power(sets[k], PCF_DOUBLE, p, 4, x);
      power(sets[k], PCF_SINGLE_PRECISION, p, 4, y);
      CHECK(x[0] == 1 && x[1] < INFINITY && x[2] == 0 && x[3] == 0);
      CHECK(y[0] == 1 && y[1] < INFINITY && y[2] == 0 && y[3] == 0);
    }
  }
}

/* A power depends on its base alone: not on its place, nor on how many there are. */
TEST(power_is_the_same_in_every_lane) {
  enum { MOST = 70 };
  enum pcf_instructions sets[PCF_INSTRUCTION_SETS];
  int available = pcf_available_instructions(sets);
  for (int k = 0; k < available; k++) {
    for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
      size_t size = pcf_scalar_size(precision);
      char x[MOST * sizeof(double)], all[sizeof x], some[sizeof x];
      for (int i = 0; i < MOST; i++) pcf_store_scalar(x, i, random_uniform(&random), precision);
      memcpy(all, x, sizeof x);
      power(sets[k], precision, 1.7, MOST, all);
      for (size_t count = 0; count <= MOST; count++) {
        size_t bytes = count * size, from = (MOST - count) * size;
        memcpy(some, x, sizeof x);
        power(sets[k], precision, 1.7, (int64_t)count, some + from);
        CHECK(memcmp(some, x, from) == 0);
        CHECK(memcmp(some + from, all + from, bytes) == 0);
      }
    }
  }
}
