#include "check.h"

#include "cuda-kernels/policy.h"

#include <math.h>

/* What the kernels are built for. */
static int is_built(struct pcf_cuda_policy policy, enum pcf_operation operation,
                    enum pcf_precision precision, int linear) {
  int partial = operation == PCF_L1_PARTIAL || operation == PCF_L2_PARTIAL || linear;
  int general = operation == PCF_LP, square = policy.rows == policy.columns;
  int sides = policy.rows == 32 && policy.columns == 32;
  if (policy.rows == 32 && policy.columns == 64) sides = !partial && !general;
  if (policy.rows == 64 && square) {
    sides = !general && (!partial || precision == PCF_SINGLE_PRECISION);
  }
  return sides && (policy.warps == 1 || policy.warps == 2);
}

TEST(policies_are_those_that_kernels_are_built_for) {
  for (int operation = PCF_L1; operation < PCF_OPERATION_COUNT; operation++) {
    for (int form = 0; form < 4; form++) {
      int precision = form % 2, linear = form / 2;
      for (int capability = 50; capability < 200; capability++) {
        CHECK(is_built(pcf_cuda_select_policy(capability, operation, precision, linear),
                       operation, precision, linear));
      }
      for (int width = 32; width <= 256; width *= 2) {
        CHECK(is_built(pcf_cuda_forced_policy(width, operation, precision, linear), operation,
                       precision, linear));
      }
    }
  }
}

/* A GPU that is newer than any that was measured gets the newest tuning. */
TEST(policies_of_newer_devices_are_the_newest_known) {
  for (int precision = 0; precision < 2; precision++) {
    struct pcf_cuda_policy known = pcf_cuda_select_policy(90, PCF_L1, precision, 0);
    struct pcf_cuda_policy newer = pcf_cuda_select_policy(990, PCF_L1, precision, 0);
    CHECK(known.rows == newer.rows && known.columns == newer.columns);
    CHECK(known.warps == newer.warps);
  }
}

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
