/* Sums whose bits do not depend on the order of their terms. */
#include "check.h"
#include "collections.h"

#include "arithmetic/binned.h"
#include "reductions/fixed.h"

#include <math.h>
#include <string.h>

enum { TERMS = 200 };

/* Of magnitudes from 2^-spread to 2^spread, many of them just at or beside halves of the units
 * of bins. Large ones are taken away again, so that nothing hides what small ones come to. */
static void draw_terms(struct random *random, int spread, double *term) {
  for (int k = 0; k < TERMS; k++) {
    int exponent = (int)random_between(random, -spread, spread);
    double number = random_normal(random);
    if (random_between(random, 0, 2) == 0) {
      exponent = exponent / PCF_BIN_BITS * PCF_BIN_BITS - 1;
      number = 1 + (double)random_between(random, -1, 1) * 0x1p-30;
    }
    term[k] = ldexp(random_between(random, 0, 1) ? number : -number, exponent);
    if (k % 2 && fabs(term[k - 1]) > 1) term[k] = -term[k - 1];
  }
}

static void shuffle(struct random *random, double *term) {
  for (int k = TERMS - 1; k > 0; k--) {
    int other = (int)random_between(random, 0, k);
    double swap = term[k];
    term[k] = term[other];
    term[other] = swap;
  }
}

/* Each lane has the terms in an order of its own, some of them added one by one. */
static bool sums_are_one(struct random *random, const double *term, double *sum) {
  double own[PCF_BINNED_LANES][TERMS], all[PCF_BINNED_LANES];
  struct pcf_binned sums;
  bool same = true;
  pcf_binned_clear(&sums);
  for (int lane = 0; lane < PCF_BINNED_LANES; lane++) {
    memcpy(own[lane], term, sizeof own[lane]);
    if (lane) shuffle(random, own[lane]);
  }
  for (int k = 0; k < TERMS; k++) {
    for (int lane = 0; lane < PCF_BINNED_LANES; lane++) {
      int alone = random_between(random, 0, 3) == 0;
      all[lane] = alone ? 0 : own[lane][k];
      if (alone) pcf_binned_add_one(&sums, lane, ldexp(own[lane][k], -5), 5);
    }
    pcf_binned_add(&sums, all);
  }
  *sum = pcf_binned_value(&sums, 0);
  for (int lane = 1; lane < PCF_BINNED_LANES; lane++) {
    double other = pcf_binned_value(&sums, lane);
    same = same && memcmp(&other, sum, sizeof other) == 0;
  }
  return same;
}

TEST(binned_sums_have_one_result_in_any_order) {
  static const int spreads[] = {0, 20, 60, 200, 800};
  for (int round = 0; round < (check_quick() ? 50 : 500); round++) {
    double term[TERMS], sum, most = 0;
    draw_terms(&random, spreads[round % 5], term);
    CHECK(sums_are_one(&random, term, &sum));
    for (int k = 0; k < TERMS; k++) most = fmax(most, fabs(term[k]));
    double exact = pcf_exact_sum(term, TERMS);
    CHECK(fabs(sum - exact) <= TERMS * 0x1p-53 * most + 0x1p-52 * fabs(exact));
  }
}

/* What is added and taken away again leaves nothing. */
TEST(binned_sums_come_back_to_zero) {
  double term[TERMS], sum;
  draw_terms(&random, 60, term);
  for (int k = 0; k < TERMS / 2; k++) term[TERMS / 2 + k] = -term[k];
  CHECK(sums_are_one(&random, term, &sum));
  CHECK(sum == 0);
}

TEST(binned_sums_go_beyond_doubles) {
  struct pcf_binned sums;
  int64_t exponent;
  pcf_binned_clear(&sums);
  for (int64_t k = 0; k < 1000; k++) {
    pcf_binned_add_one(&sums, 3, 1, -1000000000000 + k % 3);
    pcf_binned_add_one(&sums, 4, 0x1p1000, 1000);
  }
  double sum = pcf_binned_sum(&sums, 3, &exponent);
  CHECK(ldexp(sum, (int)(exponent + 1000000000000)) == 334 + 2 * 333 + 4 * 333);
  CHECK(pcf_binned_value(&sums, 3) == 0);
  CHECK(pcf_binned_value(&sums, 4) == INFINITY);
  CHECK(pcf_binned_value(&sums, 5) == 0);
}

/* The least and the most that all lanes take. */
TEST(binned_sums_take_extreme_terms) {
  double term[PCF_BINNED_LANES] = {0x1p-1000, 0x1.8p929, -0x1p-1066};
  struct pcf_binned sums;
  pcf_binned_clear(&sums);
  for (int k = 0; k < 4; k++) pcf_binned_add(&sums, term);
  CHECK(pcf_binned_value(&sums, 0) == 0x1p-998);
  CHECK(pcf_binned_value(&sums, 1) == 0x1.8p931);
  CHECK(pcf_binned_value(&sums, 2) == -0x1p-1064);
  for (int lane = 3; lane < PCF_BINNED_LANES; lane++) {
    CHECK(pcf_binned_value(&sums, lane) == 0);
  }
}
