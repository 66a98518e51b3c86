/* Faults for tests, in builds for these alone (PCFDIST_TESTING in configure.ac). */
#include "glue/glue.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "disk/file.h"
#include "testing/device-failing.h"

#include <limits.h>

static struct {
  int memory; /* is it the device's memory that fails? */
  long step, times;
} failure;

const struct pcf_backend *glue_provoked(const struct pcf_backend *backend) {
  if (!failure.step) return backend;
  if (failure.memory) return pcf_exhausted_backend(backend, failure.step, failure.times);
  return pcf_failing_backend(backend, failure.step);
}

/* Makes step number `step` of the device, or allocation number `allocation`, fail in later
 * runs; 0: none. Unless `times` is NULL, so many steps from there on (0: all) fail for a lack
 * of device memory. */
SEXP ffi_fail_at(SEXP step, SEXP times, SEXP allocation) {
  failure.memory = times != R_NilValue;
  failure.step = (long)glue_count(step, "step", 0, INT_MAX);
  if (failure.memory) failure.times = (long)glue_count(times, "times", 0, INT_MAX);
  pcf_memory_fail_at((long)glue_count(allocation, "allocation", 0, INT_MAX));
  return R_NilValue;
}

/* Makes step number `step` (0: none) of writing files fail as on a full disk ("full"), or kill
 * the process ("kill"). */
SEXP ffi_provoke_file(SEXP step, SEXP what) {
  static const char *const ends[] = {"full", "kill"};
  int end = glue_choice(what, "what", ends, 2);
  pcf_file_provoke_at((long)glue_count(step, "step", 0, INT_MAX),
                      (enum pcf_file_provocation)end);
  return R_NilValue;
}

/* See struct pcf_cuda_provocation. */
SEXP ffi_cuda_provoke(SEXP memory, SEXP launch, SEXP start) {
  pcf_cuda_provocation = (struct pcf_cuda_provocation){
    glue_number(memory, "memory"), glue_flag(launch, "launch"), glue_flag(start, "start")};
  return R_NilValue;
}
