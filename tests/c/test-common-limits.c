/* Limits that devices have in common. */
#include "check.h"
#include "collections.h"

#include "cuda/common.h"
#include "sinks/neighbors.h"

#include <math.h>
#include <stdlib.h>

static void free_common(void *common) {
  check_forget(common);
  pcf_cuda_common_free(common);
}

static struct pcf_cuda_common *new_common(int64_t items, enum pcf_precision precision) {
  struct pcf_cuda_common *common = pcf_cuda_common_new(items, precision, NULL);
  check_keep(common, free_common);
  return common;
}

static bool are_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* A limit that is missing is larger than any other. */
TEST(common_limits_are_the_smallest) {
  enum { N = 50, DEVICES = 3 };
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_cuda_common *common = new_common(N, precision);
    double least[N], own[DEVICES][N];
    for (int i = 0; i < N; i++) least[i] = NAN;
    for (int d = 0; d < DEVICES; d++) {
      for (int i = 0; i < N; i++) {
        own[d][i] = random_between(&random, 0, 2) ? random_between(&random, -3, 3) / 2.0 : NAN;
      }
    }
    for (int time = 0; time < 20; time++) {
      int d = (int)random_between(&random, 0, DEVICES - 1);
      int first = (int)random_between(&random, 0, N - 1);
      int count = (int)random_between(&random, 0, N - first);
      double limit[N];
      for (int k = 0; k < count; k++) {
        double *at = &own[d][first + k];
        pcf_store_scalar(limit, k, *at, precision);
        if (!(least[first + k] <= *at) && !isnan(*at)) least[first + k] = *at;
      }
      pcf_cuda_common_exchange(common, first, count, limit);
      for (int k = 0; k < count; k++) {
        own[d][first + k] = pcf_load_scalar(limit, k, precision);
        CHECK(are_same(own[d][first + k], least[first + k]));
      }
    }
  }
}

TEST(common_limits_count_the_devices_that_arrived) {
  struct pcf_cuda_common *common = new_common(1, PCF_DOUBLE);
  CHECK(pcf_cuda_common_arrived(common) == 0);
  pcf_cuda_common_arrive(common);
  pcf_cuda_common_arrive(common);
  CHECK(pcf_cuda_common_arrived(common) == 2);
}
