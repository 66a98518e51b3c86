/* Stands in for the CUDA devices in a package that was built without them. */
#include "cuda/info.h"
#include "cuda/resident.h"
#include "functions/single.h"

#include <string.h>

#ifdef PCF_TESTING
struct pcf_cuda_provocation pcf_cuda_provocation;
#endif

const struct pcf_backend *pcf_cuda_backend(void) {
  return NULL;
}

void pcf_cuda_describe(struct pcf_cuda_info *info, int wanted) {
  memset(info, 0, sizeof *info);
  strcpy(info->problem, "this package was built without CUDA");
}

enum pcf_status pcf_cuda_measure(struct pcf_cuda_info *info, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_DEVICE, "%s", info->problem);
}

static enum pcf_status fail(struct pcf_error *error) {
  struct pcf_cuda_info info;
  return pcf_cuda_require(&info, 0, error);
}

enum pcf_status pcf_cuda_make_resident(const struct pcf_collection *x,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *number,
                                       struct pcf_error *error) {
  *number = 0;
  return fail(error);
}

enum pcf_status pcf_cuda_single_run(const struct pcf_single *single, const atomic_int *stop,
                                    struct pcf_error *error) {
  return fail(error);
}

double pcf_cuda_drop_resident(int64_t number) {
  return 0;
}

int pcf_cuda_is_resident(int64_t number, int gpus) {
  return 0;
}

void pcf_cuda_limit_idle(double bytes) {}

double pcf_cuda_release(void) {
  return 0;
}

double pcf_cuda_starting_cost(void) {
  return 0;
}
