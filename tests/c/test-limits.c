/* What fits on a CUDA device, and what can run there. */
#include "check.h"

#include "cuda/limits.h"

TEST(limits_of_sides) {
  CHECK(pcf_cuda_side_from(64, 1, 1000) == 64);
  CHECK(pcf_cuda_side_from(64, 64, 1000) == 64);
  CHECK(pcf_cuda_side_from(64, 65, 1000) == 128);
  CHECK(pcf_cuda_side_from(64, 200, 1000) == 256);
  CHECK(pcf_cuda_side_from(64, 5000, 1000) == 1024);
  CHECK(pcf_cuda_side_from(128, INT64_MAX, 20000) == 32768);
  CHECK(pcf_cuda_side_from(64, INT64_MAX, 1) == 64);
}

TEST(limits_of_slots) {
  CHECK_NEAR(pcf_cuda_slot_bytes(1e9, 4, 1e6, 1), 996e6 / 5, 1e-15);
  CHECK(pcf_cuda_slot_bytes(4e6, 4, 1e6, 1) == 0);
  CHECK(pcf_cuda_slot_bytes(5e4, 4, 1e6, 0.5) == 0);
}

/* Machine code for 8.0, 8.6 and 9.0, intermediate code for 9.0. */
TEST(limits_of_architectures) {
  static const int some[] = {800, 860, 900, 0}, none[] = {0}, one[] = {890, 0};
  static const int runs[] = {80, 86, 87, 89, 90, 100, 103, 120, 121};
  static const int fails[] = {0, 70, 75, 79};
  for (int k = 0; k < 9; k++) CHECK(pcf_cuda_runs_on(some, runs[k]));
  for (int k = 0; k < 4; k++) CHECK(!pcf_cuda_runs_on(some, fails[k]));
  CHECK(!pcf_cuda_runs_on(none, 90));
  CHECK(!pcf_cuda_runs_on(one, 80) && !pcf_cuda_runs_on(one, 86));
  CHECK(pcf_cuda_runs_on(one, 89) && pcf_cuda_runs_on(one, 90));
}

static void check_shortage(double used, double limit, const char *message) {
  struct pcf_cuda_shortage shortage = {.device = 1,
                                       .name = "GPU",
                                       .wanted = 2.5e6,
                                       .free = 3e6,
                                       .total = 8e6,
                                       .used = used,
                                       .limit = limit};
  struct pcf_error error = {0};
  CHECK(pcf_cuda_fail_for_memory(&shortage, &error) == PCF_ERROR_DEVICE_MEMORY);
  CHECK(error.status == PCF_ERROR_DEVICE_MEMORY);
  CHECK_STRING(error.message, message);
}

TEST(limits_never_tell_of_negative_memory) {
  check_shortage(0, 0,
                 "CUDA device 1 (GPU) is out of memory: 2.5 MB more were needed, but only 3.0 "
                 "MB of the 8.0 MB are free");
  check_shortage(5e6, 4e6,
                 "CUDA device 1 (GPU) is out of memory: 2.5 MB more were needed, but only 0 "
                 "bytes of the 4.0 MB that may be used are free");
  check_shortage(3e6, 4e6,
                 "CUDA device 1 (GPU) is out of memory: 2.5 MB more were needed, but only 1.0 "
                 "MB of the 4.0 MB that may be used are free");
  check_shortage(1e6, 7e6,
                 "CUDA device 1 (GPU) is out of memory: 2.5 MB more were needed, but only 3.0 "
                 "MB of the 8.0 MB are free");
}
