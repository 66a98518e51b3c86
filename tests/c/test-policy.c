#include "check.h"

#include "cuda/policy.h"

/* What the kernels are built for. */
static int is_built(struct pcf_cuda_policy policy, enum pcf_operation operation) {
  int sides = policy.rows == 32 && (policy.columns == 32 || policy.columns == 64);
  if (policy.rows == 64) sides = policy.columns == 64;
  if (operation == PCF_LP) sides = policy.rows == 32 && policy.columns == 32;
  return sides && (policy.warps == 1 || policy.warps == 2);
}

TEST(policies_are_those_that_kernels_are_built_for) {
  for (int operation = PCF_L1; operation < PCF_OPERATION_COUNT; operation++) {
    for (int capability = 50; capability < 200; capability++) {
      CHECK(is_built(pcf_cuda_select_policy(capability, operation, PCF_DOUBLE), operation));
      CHECK(is_built(pcf_cuda_select_policy(capability, operation, PCF_SINGLE_PRECISION),
                     operation));
    }
    for (int width = 32; width <= 256; width *= 2) {
      CHECK(is_built(pcf_cuda_forced_policy(width, operation), operation));
    }
  }
}

/* A GPU that is newer than any that was measured gets the newest tuning. */
TEST(policies_of_newer_devices_are_the_newest_known) {
  for (int precision = 0; precision < 2; precision++) {
    struct pcf_cuda_policy known = pcf_cuda_select_policy(90, PCF_L1, precision);
    struct pcf_cuda_policy newer = pcf_cuda_select_policy(990, PCF_L1, precision);
    CHECK(known.rows == newer.rows && known.columns == newer.columns);
    CHECK(known.warps == newer.warps);
  }
}
