#include "cuda/limits.h"

#include "base/memory.h"

#include <math.h>

int64_t pcf_cuda_side_from(int64_t tile, int64_t wanted, int64_t largest) {
  int64_t side = tile;
  while (side < wanted && side < largest) side *= 2;
  return side;
}

double pcf_cuda_slot_bytes(double budget, int slots, double slack, double ratio) {
  return fmax((budget - slots * slack) / (slots + ratio), 0);
}

int pcf_cuda_runs_on(const int *architectures, int capability) {
  int newest = 0;
  for (; *architectures; architectures++) {
    int built = *architectures / 10;
    if (built / 10 == capability / 10 && built <= capability) return 1;
    newest = built;
  }
  return newest > 0 && newest <= capability;
}

enum pcf_status pcf_cuda_fail_for_memory(const struct pcf_cuda_shortage *shortage,
                                         struct pcf_error *error) {
  double free = shortage->free, total = shortage->total, left;
  const char *allowed = "";
  left = fmax(shortage->limit - shortage->used, 0);
  if (shortage->limit > 0 && left < free) {
    free = left;
    total = shortage->limit;
    allowed = " that may be used";
  }
  return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY,
                  "CUDA device %d (%s) is out of memory: %s more were needed, but only %s of "
                  "the %s%s are free",
                  shortage->device, shortage->name, pcf_size_of(shortage->wanted).text,
                  pcf_size_of(free).text, pcf_size_of(total).text, allowed);
}
