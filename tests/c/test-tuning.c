#include "check.h"

#include "cuda-kernels/tuning.h"

#include <math.h>

/* The sum of stretches of one length over which the difference of two functions is `c`, as the
 * kernels add them: both functions have an event at the end of each, or take turns. */
static double flushed_sum(float c, int stretches, int both, int interval) {
  double wide = 0;
  float sum = 0;
  for (int e = 0; e < stretches; e++) {
    int event = both ? e : e / 2;
    sum += c;
    if (!pcf_cuda_flushes(event, interval)) continue;
    wide += (double)sum;
    sum = 0;
  }
  return wide + (double)sum;
}

TEST(flushes_keep_the_error_of_long_sums_small) {
  int interval = pcf_cuda_flush_interval(PCF_SINGLE_PRECISION, 0);
  for (int stretches = 1000; stretches <= 1000000; stretches *= 10) {
    for (int k = 1; k <= 100; k++) {
      float c = (float)k / 10;
      double exact = (double)c * stretches;
      CHECK(fabs(flushed_sum(c, stretches, 1, interval) - exact) < 2e-6 * exact);
      CHECK(fabs(flushed_sum(c, stretches, 0, interval) - exact) < 4e-6 * exact);
    }
  }
}

/* A function of no more events than the interval has no flush, and no other depends on more
 * than the number of the event. */
TEST(flushes_follow_every_so_many_events) {
  for (int precision = 0; precision < 2; precision++) {
    int interval = pcf_cuda_flush_interval(precision, 0), flushes = 0;
    for (int64_t event = 0; event < 10 * (int64_t)interval; event++) {
      flushes += pcf_cuda_flushes(event, interval);
      CHECK(flushes == event / interval);
      CHECK(!pcf_cuda_flushes(event, 0));
    }
    CHECK(pcf_cuda_flush_interval(precision, 1) % 8 == 0);
  }
}
